"""Progress of long work, where a person watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["Advance", "progress", "progress_bar"]

Advance = Callable[[], None]


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """A bar on standard error, or None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        yield bar


@contextmanager
def progress(about: str, total: int) -> Iterator[Advance]:
    """A bar for a known number of steps; the function it yields advances it by one."""
    with progress_bar() as bar:
        if bar is None:
            yield lambda: None
            return
        task = bar.add_task(about, total=total)
        yield lambda: bar.advance(task)
