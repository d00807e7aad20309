"""The progress bar of long commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .console import is_quiet

if TYPE_CHECKING:
    from rich.progress import Progress, Task

__all__ = ["Advance", "progress", "progress_bar"]

Advance = Callable[[], None]


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Bar with rate and time left on standard error; None if quiet or not on a terminal."""
    if is_quiet() or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Steps per second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.1f}/s" if task.speed else "")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate())
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
