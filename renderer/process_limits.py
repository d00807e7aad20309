"""Limits of this process that the kernel keeps: its memory, its processor time, its parent's life.

They are soft limits, which the processes that it starts would inherit. `unlimited_children` lifts
them meanwhile: a browser reserves more addresses than it ever uses. Windows has none of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from math import ceil
from time import process_time

from .system import kill_with_parent, resource

__all__ = ["ADDRESS_SPACE", "end_with_parent", "limit_cpu", "limit_memory", "unlimited_children"]

# An idle process that has loaded all methods has 0.9 GB; most of it is never touched.
ADDRESS_SPACE = 6 << 30

UNLIMITED = -1 if resource is None else resource.RLIM_INFINITY

_limits: dict[int, int] = {}
_lifted = 0


def end_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends.

    Only Linux does so. Elsewhere a process ends by itself when its standard input does, unless
    code that never returns keeps it from noticing.
    """
    kill_with_parent()


def limit_memory(size: int | None = ADDRESS_SPACE) -> None:
    """Limit the addresses that this process may have, in bytes; more raise a `MemoryError`.

    None lifts the limit.
    """
    if resource is not None:
        _limit(resource.RLIMIT_AS, size)


def limit_cpu(seconds: float | None) -> None:
    """Limit the processor time of this process, from now on; `SIGXCPU` ends it after that.

    All of its threads count. A further call puts the end off, and None lifts the limit.
    """
    if resource is not None:
        _limit(resource.RLIMIT_CPU, None if seconds is None else ceil(process_time() + seconds))


@contextlib.contextmanager
def unlimited_children() -> Iterator[None]:
    """Lift the limits for processes that are started meanwhile."""
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
    """Set a soft limit, as far as the hard one lets it; macOS keeps none of memory."""
    assert resource is not None
    _, hard = resource.getrlimit(kind)
    if hard != UNLIMITED:
        value = hard if value == UNLIMITED else min(value, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (value, hard))
