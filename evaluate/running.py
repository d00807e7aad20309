"""Runs all systems on all pages; stored answers are reused, and new ones are stored."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from .case import Case, Page
from .store import Result, Store
from .systems import System

__all__ = ["Results", "run_systems"]

Results = dict[str, list[Result]]
"""For each system name, the results in the order of the pages."""


class _OutOfTime(BaseException):
    """The time is up. Not an `Exception`, because extractors catch these and continue."""


def run_systems(
    cases: Sequence[Case],
    systems: Sequence[System],
    cache: Path,
    *,
    seconds: float = 30.0,
    log: Callable[[str], None],
    advance: Callable[[], None] = lambda: None,
) -> Results:
    """Answers of all systems for all pages, page by page.

    Parameters
    ----------
    cases
        The pages; those of a set should be consecutive.
    systems
        The systems, with distinct names.
    cache
        Cache folder; answers are stored in ``<set>-results/<system>.jsonl``.
    seconds
        Time limit for one answer. The answer of a system that is late or fails is empty. The limit
        is enforced only in the main thread, and not while compiled code runs.
    log
        Called with a message for every failure.
    advance
        Called once for every page.
    """
    stores: dict[tuple[str, str], Store] = {}
    results: Results = {system.name: [] for system in systems}
    for case in cases:
        page = Page(case)
        for system in systems:
            place = case.set, system.name
            if place not in stores:
                stores[place] = Store(cache, *place)
            results[system.name].append(_answer(page, system, stores[place], seconds, log))
        advance()
    return results


def _answer(
    page: Page, system: System, store: Store, seconds: float, log: Callable[[str], None]
) -> Result:
    content = page.content(system.reads)
    key = (page.case.id, content, system.version(page.case))
    result = store.get(key) if content else Result(*key, error="the page was not rendered")
    if result is not None:
        return result
    result = _fresh(page, system, key, seconds)
    if result.error is not None:
        log(f"{page.case.set}/{page.case.id}: {system.name}: {result.error}")
    store.add(result)
    return result


def _fresh(page: Page, system: System, key: tuple[str, str, str], seconds: float) -> Result:
    try:
        extract = system.prepare(page)  # not timed: it may learn a site or train a model
        with _deadline(seconds):
            start = time.perf_counter()
            answer = extract()
            spent = 1000 * (time.perf_counter() - start)
    except _OutOfTime:
        return Result(*key, error=f"no answer after {seconds:g} seconds")
    except Exception as error:  # a failure is isolated to its extractor and page
        return Result(*key, error=f"{type(error).__name__}: {error}")
    return Result(*key, answer.text, answer.title, answer.date, round(spent, 3))


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
