"""Runs all systems on all pages."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from .case import Case, Page
from .systems import Answer, System


@dataclass(frozen=True)
class Result:
    """The answer of a system for a page, empty if it failed with an `error`, and its time."""

    answer: Answer = field(default_factory=Answer)
    ms: float = 0.0
    error: str | None = None


Results = dict[str, list[Result]]
"""For each system name, the results in the order of the pages."""


class _OutOfTime(BaseException):
    """The time is up. Not an `Exception`, because extractors catch these and continue."""


def run_systems(
    cases: Sequence[Case],
    systems: Sequence[System],
    *,
    seconds: float = 30.0,
    log: Callable[[str], None],
    advance: Callable[[], None] = lambda: None,
) -> Results:
    """Answers of all systems, which have distinct names, for all pages, page by page.

    The answer of a system which fails or takes more seconds is empty and logged. The limit is
    enforced only in the main thread, and not while compiled code runs.
    """
    results: Results = {system.name: [] for system in systems}
    for case in cases:
        page = Page(case)
        for system in systems:
            if system.reads == "rendered" and not case.saved.exists():
                result = Result(error="the page was not rendered")
            else:
                result = _run(page, system, seconds)
                if result.error is not None:
                    log(f"{case.set}/{case.id}: {system.name}: {result.error}")
            results[system.name].append(result)
        advance()
    return results


def _run(page: Page, system: System, seconds: float) -> Result:
    try:
        extract = system.prepare(page)  # not timed: it may learn a site or train a model
        with _deadline(seconds):
            start = time.perf_counter()
            answer = extract()
            return Result(answer, round(1000 * (time.perf_counter() - start), 3))
    except _OutOfTime:
        return Result(error=f"no answer after {seconds:g} seconds")
    except Exception as error:  # a failure is isolated to its extractor and page
        return Result(error=f"{type(error).__name__}: {error}")


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise `_OutOfTime` in the block once the time is up."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "SIGALRM"):  # Windows has no SIGALRM
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
