"""A process with all that it has started."""

from __future__ import annotations

import contextlib

import psutil

__all__ = ["family", "kill_family", "kill_processes", "own_private_bytes", "private_bytes"]

GONE_SECONDS = 5.0


def family(process: int | psutil.Process) -> list[psutil.Process]:
    """A process, or the one of a number, and all below it; empty where it is gone."""
    try:
        head = psutil.Process(process) if isinstance(process, int) else process
        return [head, *head.children(recursive=True)]
    except psutil.Error:
        return []


def kill_family(pid: int) -> None:
    """End a process with all that it has started; blocks until what it has started is gone.

    The process itself is not waited for. It is a child of this one: its exit code goes to the
    first caller that waits, and its owner needs it.
    """
    processes = family(pid)
    kill_processes(processes)
    psutil.wait_procs(processes[1:], GONE_SECONDS)


def kill_processes(processes: list[psutil.Process]) -> None:
    """End processes, those that were started last first; does not wait for them."""
    for process in reversed(processes):
        with contextlib.suppress(psutil.Error):
            process.kill()


def private_bytes(pid: int) -> int:
    """Memory of a process and of all below it that they share with no file or other process."""
    total = 0
    for process in family(pid):
        with contextlib.suppress(psutil.Error):
            total += _private(process)
    return total


def own_private_bytes() -> int:
    """Memory of this process alone that it shares with no file or other process."""
    return _private(psutil.Process())


def _private(process: psutil.Process) -> int:
    memory = process.memory_info()
    # Only Linux reports how much of it is shared; elsewhere all of it counts.
    return memory.rss - getattr(memory, "shared", 0)
