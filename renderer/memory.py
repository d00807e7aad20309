"""Bounds what a page's process may take of the machine's memory.

JavaScript's own heap has a limit; buffers, pictures and the tree of the page have none. The
kernel keeps this one: a process that wants more is refused, and dies alone.
"""

from __future__ import annotations

import contextlib
import sys

import psutil

__all__ = ["PAGE_BYTES", "bound_memory"]

# Private memory that may be written to. An empty page's counts some 0.65 GB, most of it stacks
# and heaps that are never touched; the largest news page seen counts 1.1 GB.
PAGE_BYTES = 3 << 30


def bound_memory(browser: psutil.Process | None) -> None:
    """Limit every process that will draw pages for a browser.

    They are forked from the browser's zygotes and inherit what holds for these. Where there are
    none, or the system refuses, pages go without the bound.
    """
    if browser is None or sys.platform != "linux":
        return
    with contextlib.suppress(psutil.Error):
        for child in browser.children(recursive=True):
            with contextlib.suppress(psutil.Error, PermissionError):
                if "--type=zygote" in child.cmdline():
                    child.rlimit(psutil.RLIMIT_DATA, (PAGE_BYTES, PAGE_BYTES))
