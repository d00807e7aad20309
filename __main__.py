"""`python -m miolo` and the `miolo` command."""

from __future__ import annotations

import gc
import os


def main() -> None:
    """Run the command line."""
    # A page's matrix products are too small for several threads: starting the threads takes longer
    # than computing everything in one. NumPy reads this variable on import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # until the command is imported; see `without_collection`
    from .cli.app import run

    run()


if __name__ == "__main__":
    main()
