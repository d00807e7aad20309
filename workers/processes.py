"""A worker's processes and files: all of its descendants, and its folder for temporary files."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

import psutil

GONE_SECONDS = 5.0

SCRATCH = "miolo-worker-"


def family(process: int | psutil.Process) -> list[psutil.Process]:
    """A process, given by itself or its ID, and all its descendants; empty if it is gone."""
    try:
        head = psutil.Process(process) if isinstance(process, int) else process
        return [head, *head.children(recursive=True)]
    except psutil.Error:
        return []


def kill_process_tree(pid: int) -> None:
    """Kill a process and all its descendants; blocks until the descendants are gone.

    The process itself is not waited for. It is a child of this process, so its exit code goes to
    the first caller that waits, and its owner needs that code.
    """
    processes = family(pid)
    kill_processes(processes)
    psutil.wait_procs(processes[1:], GONE_SECONDS)


def kill_processes(processes: list[psutil.Process]) -> None:
    """Kill processes, the last started first, without waiting for them."""
    for process in reversed(processes):
        with contextlib.suppress(psutil.Error):
            process.kill()


def private_bytes(pid: int) -> int:
    """Bytes of a process and its descendants that are not shared with files or other processes."""
    total = 0
    for process in family(pid):
        with contextlib.suppress(psutil.Error):
            total += _private(process)
    return total


def own_private_bytes() -> int:
    """Bytes of this process alone that are not shared with files or other processes."""
    return _private(psutil.Process())


def _private(process: psutil.Process) -> int:
    memory = process.memory_info()
    # Only Linux reports the shared part; on other systems all resident memory counts.
    return memory.rss - getattr(memory, "shared", 0)


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
