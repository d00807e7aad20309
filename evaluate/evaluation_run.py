"""Runs all systems on all pages; a `Store` keeps answers, which later runs reuse."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

from .case import Case, Page
from .systems import Answer, System


@dataclass(frozen=True)
class Result:
    """The answer of a system for a page, whose input has the hash `content`, or its `error`."""

    page: str
    content: str
    version: str
    text: str = ""
    title: str | None = None
    date: str | None = None
    ms: float = 0.0
    error: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Key that identifies a result among those of a system."""
        return self.page, self.content, self.version

    @property
    def answer(self) -> Answer:
        """The answer; empty if the system failed."""
        return Answer(self.text, self.title, self.date)


class Store:
    """Results of one system on one set, in a cache folder."""

    def __init__(self, cache: Path, set_name: str, system: str) -> None:
        name = re.sub(r"[^\w.+-]+", "-", system).strip("-")
        self.path = cache / f"{set_name}-results" / f"{name}.jsonl"
        self._known: dict[tuple[str, str, str], Result] = {}
        for line in self.path.read_bytes().splitlines() if self.path.exists() else ():
            with suppress(ValueError, TypeError, RecursionError):  # damaged lines are skipped
                result = Result(**json.loads(line))
                if all(isinstance(part, str) for part in (*result.key, result.text)):
                    self._known[result.key] = result

    def get(self, key: tuple[str, str, str]) -> Result | None:
        """A known result, or None. Failures are not stored, because they may be transient."""
        return self._known.get(key)

    def add(self, result: Result) -> None:
        """Add a result; unless it is a failure, it is in the file when this returns."""
        self._known[result.key] = result
        if result.error is not None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(result))
        with self.path.open("a+b") as file:
            if file.tell():
                file.seek(-1, 2)
                # Terminate a partial line left by a stopped run.
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(f"{line}\n".encode())


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
    """Answers of all systems, which have distinct names, for all pages, page by page.

    Answers are stored in ``<set>-results/<system>.jsonl`` of the cache folder. That of a system
    which fails or takes more seconds is empty and logged. The limit is enforced only in the main
    thread, and not while compiled code runs.
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
