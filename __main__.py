"""`python -m miolo` and the `miolo` command."""

from __future__ import annotations

import os


def main() -> None:
    """Run the command line."""
    # The products of a page are too small to share among threads: starting them, here and in
    # every worker, takes longer than one thread takes for all. This is read as NumPy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .cli.app import run

    run()


if __name__ == "__main__":
    main()
