"""Bounds what a page's process may take of the machine's memory.

JavaScript's own heap has a limit; buffers, pictures and the tree of the page have none. The
kernel keeps this one: a process that wants more is refused, and dies alone.
"""

from __future__ import annotations

import asyncio
import contextlib

import psutil

from ..system import IS_LINUX

__all__ = ["PAGE_BYTES", "bound_memory"]

# Private memory that may be written to. An empty page's counts some 0.65 GB, most of it stacks
# and heaps that are never touched; the largest news page seen counts 1.1 GB.
PAGE_BYTES = 3 << 30

# How often, and after how many seconds each, it is looked whether all have started.
TRIES, PAUSE = 50, 0.02


async def bound_memory(browser: psutil.Process | None) -> None:
    """Limit every process that will draw pages for a browser.

    They are forked from the browser's zygotes and inherit what holds for these. Where there are
    none, or the system refuses, pages go without the bound.
    """
    if browser is None or not IS_LINUX:
        return
    with contextlib.suppress(psutil.Error):
        for _ in range(TRIES):
            if _bound_started(browser):
                return
            await asyncio.sleep(PAUSE)


def _bound_started(browser: psutil.Process) -> bool:
    """Limit the zygotes that are there; whether no process is still being started.

    Until it is, it has the browser's own command line, or none.
    """
    unstarted = {"", _command(browser)}
    commands = {child: _command(child) for child in browser.children(recursive=True)}
    for child, command in commands.items():
        if "--type=zygote" in command:
            with contextlib.suppress(psutil.Error, PermissionError):
                child.rlimit(psutil.RLIMIT_DATA, (PAGE_BYTES, PAGE_BYTES))
    return unstarted.isdisjoint(commands.values())


def _command(process: psutil.Process) -> str:
    """Its command line, which Chromium writes over with one that has spaces between its parts."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return "gone"
