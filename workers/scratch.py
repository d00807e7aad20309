"""A worker's folder for temporary files, including the profiles of its browser."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

__all__ = ["new_scratch", "own_scratch", "remove_scratch"]

SCRATCH = "miolo-worker-"


def new_scratch() -> Path:
    """Create an empty folder that other users cannot read."""
    return Path(tempfile.mkdtemp(prefix=SCRATCH))


def own_scratch() -> Path | None:
    """Scratch folder of this process, if it has one."""
    folder = Path(tempfile.gettempdir())
    return folder if folder.name.startswith(SCRATCH) else None


def remove_scratch(folder: Path) -> None:
    """Remove a scratch folder with everything that a killed browser has left in it."""
    shutil.rmtree(folder, ignore_errors=True)
