"""Limits on the memory and time of this process that the kernel enforces, and what it needs.

Child processes would inherit these soft limits, and a browser reserves more address space than it
ever uses: `unlimited_children` lifts them. Windows has none of them.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import tempfile
from collections.abc import Iterator
from math import ceil
from time import process_time

from ..errors import StorageError, UnsupportedSystemError
from .system import resource

# An idle process with all methods loaded has 0.9 GB of address space, most of it never touched.
ADDRESS_SPACE = 6 << 30

# A browser with one page opens some hundred files, and its processes hang if they cannot. Every
# further page takes some more.
MIN_OPEN_FILES, MAX_OPEN_FILES = 128, 4096

UNLIMITED = -1 if resource is None else resource.RLIM_INFINITY

_limits: dict[int, int] = {}
_lifted = 0


def check_resources() -> None:
    """Check what a browser needs, and raise the soft limit on open files as far as possible."""
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if UNLIMITED != soft < MAX_OPEN_FILES:
            soft = MAX_OPEN_FILES if hard == UNLIMITED else min(hard, MAX_OPEN_FILES)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        if UNLIMITED != soft < MIN_OPEN_FILES:
            raise UnsupportedSystemError(
                f"this process may open only {soft} files, but a browser needs at least "
                f"{MIN_OPEN_FILES}: raise the limit, for example with `ulimit -n`"
            )
    # Playwright and Chromium do not look for another folder, as `tempfile` does.
    folder = os.environ.get("TMPDIR") or ("/tmp" if os.name == "posix" else tempfile.gettempdir())
    try:
        with tempfile.TemporaryDirectory(dir=folder):
            pass
    except OSError as error:
        raise StorageError(
            f"no temporary file can be created in {folder} ({error.strerror}): set TMPDIR to a "
            "folder that can be written"
        ) from error


def end_within(seconds: float | None, file: int = 2) -> None:
    """End the process after some time, even if it holds the interpreter's lock; None cancels.

    The stacks of its threads are written to a file descriptor, by default that of standard error.
    """
    if seconds is None:
        faulthandler.cancel_dump_traceback_later()
    else:
        # The descriptor, since `sys.stderr` may have been replaced by an object without one.
        faulthandler.dump_traceback_later(seconds, exit=True, file=file)


def limit_memory(size: int | None = ADDRESS_SPACE) -> None:
    """Limit the address space of this process: beyond it, a `MemoryError`. None lifts the limit."""
    if resource is not None:
        _limit(resource.RLIMIT_AS, size)


def limit_cpu(seconds: float | None) -> None:
    """Limit the CPU time of all threads from now on; `SIGXCPU` ends the process. None lifts it."""
    if resource is not None:
        _limit(resource.RLIMIT_CPU, None if seconds is None else ceil(process_time() + seconds))


@contextlib.contextmanager
def unlimited_children() -> Iterator[None]:
    """Lift the limits for processes that are started within the context."""
    global _lifted
    _lifted += 1
    for kind in _limits:
        _set(kind, UNLIMITED)
    try:
        yield
    finally:
        _lifted -= 1
        if not _lifted:
            for kind, value in _limits.items():
                _set(kind, value)


def _limit(kind: int, limit: int | None) -> None:
    value = _limits[kind] = UNLIMITED if limit is None else limit
    if not _lifted:
        _set(kind, value)


def _set(kind: int, value: int) -> None:
    """Set a soft limit, up to the hard limit; macOS enforces no limit on memory."""
    assert resource is not None
    _, hard = resource.getrlimit(kind)
    if hard != UNLIMITED:
        value = hard if value == UNLIMITED else min(value, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (value, hard))
