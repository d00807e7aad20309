"""Renders a hostile page and reports the outcome."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

import miolo
import psutil

from .hostile import MARK, Hostile

__all__ = ["GRACE_SECONDS", "Trial", "run_trial"]

# On a busy machine a page may take this much longer than its deadline to be stopped.
GRACE_SECONDS = 8.0

# The most memory that a hostile page may cost this process and Playwright's driver.
MEMORY_MB = 1500.0
LOOK_SECONDS = 0.05


@dataclass
class Trial:
    """The outcome of a page: its snapshot, time and memory, and all faults that were found."""

    name: str
    end: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0
    faults: list[str] = field(default_factory=list)
    snapshot: miolo.Snapshot | None = None


async def run_trial(renderer: miolo.Renderer, page: Hostile, origin: str) -> Trial:
    """Render a hostile page, then an ordinary one, and check what is left behind."""
    trial = Trial(page.name)
    limits = miolo.Limits(seconds=page.seconds)
    options = miolo.RenderOptions(
        **{"egress": miolo.EgressPolicy("named"), "limits": limits, **page.options}
    )
    tasks, start = asyncio.all_tasks(), monotonic()
    with _peak(trial):
        try:
            snapshot = await renderer.render(f"{origin}/{page.name}", options)
            trial.snapshot = snapshot
            _check_snapshot(trial, page, snapshot)
        except miolo.RenderError as error:
            _check_error(trial, page, error)
        except Exception as error:
            trial.end = f"{type(error).__name__}: {error}"[:200]
            trial.faults.append("not a typed error")
    trial.seconds = monotonic() - start
    if trial.seconds > page.seconds + GRACE_SECONDS:
        trial.faults.append("too late")
    if trial.megabytes > MEMORY_MB:
        trial.faults.append(f"cost {trial.megabytes:.0f} MB")
    await _check_health(trial, renderer, origin, tasks)
    return trial


def _check_snapshot(trial: Trial, page: Hostile, snapshot: miolo.Snapshot) -> None:
    codes = {warning.code for warning in snapshot.page.warnings}
    suffix = f" ({', '.join(sorted(codes))})" if codes else ""
    trial.end = f"{len(snapshot):,} nodes{suffix}"
    if page.warns and page.warns not in codes:
        trial.faults.append(f"no warning {page.warns!r}")
    if page.keeps and MARK not in " ".join(snapshot.text):
        trial.faults.append("the story is gone")


def _check_error(trial: Trial, page: Hostile, error: miolo.RenderError) -> None:
    trial.end = type(error).__name__
    if trial.end not in page.errors:
        trial.faults.append(f"failed: {error}"[:200])


async def _check_health(
    trial: Trial, renderer: miolo.Renderer, origin: str, tasks: set[asyncio.Task]
) -> None:
    start = monotonic()
    try:
        after = await renderer.render(f"{origin}/ordinary")
        if MARK not in " ".join(after.text) or after.page.warnings:
            trial.faults.append("the next page is not whole")
    except Exception as error:
        trial.faults.append(f"the next page failed: {error}"[:200])
    if monotonic() - start > GRACE_SECONDS:
        trial.faults.append(f"the next page took {monotonic() - start:.1f} s")
    until = monotonic() + GRACE_SECONDS
    while left := [task for task in asyncio.all_tasks() - tasks if _is_ours(task)]:
        if monotonic() > until:
            trial.faults.append(f"tasks left: {left}"[:300])
            break
        await asyncio.wait(left, timeout=LOOK_SECONDS)
    if any(engine.contexts for engine in renderer._engines):
        trial.faults.append("contexts left")


def _is_ours(task: asyncio.Task) -> bool:
    # A restarted browser has the tasks of its new connection.
    return not task.done() and "playwright" not in repr(task)


@contextmanager
def _peak(trial: Trial) -> Iterator[None]:
    """Record the peak memory growth of this process and Playwright's driver."""
    family = _unbrowsed()
    first = _megabytes(family)
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            trial.megabytes = max(trial.megabytes, _megabytes(family) - first)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _unbrowsed() -> list[psutil.Process]:
    own = psutil.Process()
    return [own, *(child for child in own.children() if "node" in child.name())]


def _megabytes(family: list[psutil.Process]) -> float:
    total = 0
    for process in family:
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return total / 1e6
