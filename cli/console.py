"""Output of the commands to the terminal, and their progress bar."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING

import typer

from ..errors import MioloError
from ..output.write.terminal import printable_line, printable_rows

if TYPE_CHECKING:
    from rich.progress import Progress, Task

HINTS = {
    "EgressRefusedError": "use --allow HOST, --allow HOST:PORT or --allow-private",
    "column": "use --column NAME",
    "labels": "create them with `miolo label --review`",
    "sites": "use --sites DIR",
    "screenshot": "use `miolo render --screenshot`",
    "snapshots": "run with --snapshots to keep them",
    "wrappers": "create one with `miolo learn`",
}
"""Command-line remedies, by what an error says is lacking or else by its class."""

TICK_SECONDS = 30.0

_state = {"quiet": False}

Advance = Callable[[], None]


@contextmanager
def without_collection() -> Iterator[None]:
    """Import modules without collecting garbage, which takes a sixth of the time and finds none."""
    is_first = not gc.isenabled()  # the command has a process of its own
    gc.disable()
    try:
        yield
    finally:
        if is_first:
            gc.freeze()
        gc.enable()


def set_quiet(is_requested: bool) -> bool:
    """From now on print only errors on standard error, or also notes; returns its value."""
    _state["quiet"] = is_requested
    return is_requested


def is_quiet() -> bool:
    """Whether only errors are printed on standard error."""
    return _state["quiet"]


def print_error(message: str) -> None:
    """Print a message as one line on standard error, whatever a page put into it."""
    typer.echo(f"miolo: {printable_line(message)}", err=True)


def error_text(error: MioloError) -> str:
    """The message of an error, with the command-line options that concern it."""
    return with_hint(str(error), error.lacks or type(error).__name__)


def counted(number: int, noun: str) -> str:
    """A number with a noun, which is in the plural unless the number is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def with_hint(message: str, key: str) -> str:
    """A message followed by the command-line remedy of a key of `HINTS`, if there is one."""
    return f"{message} ({HINTS[key]})" if key in HINTS else message


def print_note(message: str) -> None:
    """Print a line that is not an error on standard error, unless the command is quiet."""
    if not is_quiet():
        print_error(message)


def print_rows(text: str, *, err: bool = False) -> None:
    """Print the lines of a table, whatever a page or a file put into them."""
    if not (err and is_quiet()):
        typer.echo(printable_rows(text), err=err)


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
    steps, ticker = count(1), Ticker()
    with progress_bar() as bar:
        if bar is None:

            def advance() -> None:
                done = next(steps)
                ticker.print(lambda: f"{done:,} of {total:,} {about}")

            yield advance
            return
        task = bar.add_task(about, total=total)
        yield lambda: bar.advance(task)


class Ticker:
    """Prints a line of progress every half minute, for a log in place of a terminal."""

    def __init__(self) -> None:
        self._due = monotonic() + TICK_SECONDS

    def print(self, line: Callable[[], str]) -> None:
        """Print a line, unless the last one is more recent."""
        now = monotonic()
        if now >= self._due:
            self._due = now + TICK_SECONDS
            print_note(line())
