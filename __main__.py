"""`python -m miolo` and the `miolo` command."""

from __future__ import annotations

import os


def main() -> None:
    """Run the command line."""
    # The matrix products of a page are too small for several threads: starting them takes longer
    # than one thread takes for all. NumPy reads this variable when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .cli.app import run

    run()


if __name__ == "__main__":
    main()
