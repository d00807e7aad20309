"""A worker's folder for temporary files, its browser's profiles among them."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

__all__ = ["new_scratch", "own_scratch", "remove_scratch"]

SCRATCH = "miolo-worker-"


def new_scratch() -> Path:
    """An empty folder that nobody else can read."""
    return Path(tempfile.mkdtemp(prefix=SCRATCH))


def own_scratch() -> Path | None:
    """Scratch folder of this process, if it has one."""
    folder = Path(tempfile.gettempdir())
    return folder if folder.name.startswith(SCRATCH) else None


def remove_scratch(folder: Path) -> None:
    """Remove it with all that a killed browser has left."""
    shutil.rmtree(folder, ignore_errors=True)
