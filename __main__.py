"""`python -m miolo` and the `miolo` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from .cli.app import run

    run()


if __name__ == "__main__":
    main()
