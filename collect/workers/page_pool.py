"""`PagePool`: workers with several pages at once, where no page fails because of another."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from typing import Any, TypeVar

from ...errors import BrowserCrashedError, RenderError
from .pool import Task, WorkerPool, WorkerProcess, death_error

__all__ = ["PagePool"]

# A page that does not answer this long after its own deadline is blocking its worker.
GRACE_SECONDS = 60.0

# Playwright and the parsers keep some 45 KB of each page.
LIFETIME = 2000

# Pages of a worker, those that are yet to be read among them, for each that it may have open:
# where reading is slower than rendering, this bounds what waits for it.
BACKLOG = 2

# Idle workers that die one after the other: pages are not the cause.
HOPELESS = 5

T = TypeVar("T", bound=Task)


class PagePool(WorkerPool[T]):
    """A fixed number of workers, each with a browser and several pages at once.

    A worker that dies, or that a page blocks, is replaced. Each of its pages is tried again in a
    worker without other pages, and fails if that worker dies too.

    Parameters
    ----------
    program, setup, number
        See `WorkerPool`.
    pages
        Pages that a worker has open at once.
    seconds
        Deadline of a page.
    """

    def __init__(
        self, program: str, setup: Any, number: int, *, pages: int, seconds: float
    ) -> None:
        super().__init__(program, setup, number, lifetime=LIFETIME)
        self._pages = pages
        self._seconds = seconds + GRACE_SECONDS
        self._deaths = 0
        # Pages that a worker with several has died over, and those of them that wait to be alone.
        self._suspected: set[int] = set()
        self._suspects: deque[T] = deque()

    @property
    def free(self) -> int:
        """Pages that may be begun now."""
        # A browser that is yet to start would open all that waits for it at once.
        return sum(max(self._room(worker), 0) for worker in self._ready())

    def begin(self, task: T) -> None:
        """Give a task to the worker with the most room, or to an idle one if one died on it."""
        if task.id in self._suspected:
            self._suspects.append(task)
            self._begin_suspects()
            return
        # An old one only where its successor is not there yet.
        able = self._ready() or self._workers
        most = max(able, key=lambda worker: (not worker.old, self._room(worker)))
        self._give(most, task, self._seconds)

    @abstractmethod
    def _handle_answer(self, task: T, answer: Any) -> None:
        """A task has its answer."""

    @abstractmethod
    def _handle_failure(self, task: T, error: RenderError) -> None:
        """A task has ended a worker that it had to itself."""

    def _begin_suspects(self) -> None:
        """Give pages that a worker died over to workers that have nothing else to do."""
        for worker in self._ready():
            if self._suspects and not worker.tasks:
                self._give(worker, self._suspects.popleft(), self._seconds)

    def _room(self, worker: WorkerProcess[T]) -> int:
        """Pages that may be begun in a worker: by what its browser has open, and by the backlog."""
        if self._is_kept_clear(worker):
            return -len(worker.tasks) - 1
        most = min(self._pages + len(worker.released), BACKLOG * self._pages)
        return most - len(worker.tasks)

    def _is_kept_clear(self, worker: WorkerProcess[T]) -> bool:
        """Whether a worker has a suspect to itself, or will once what it works on is done."""
        if not self._suspected.isdisjoint(worker.tasks):
            return True
        return bool(self._suspects) and worker is min(
            self._ready(), key=lambda each: len(each.tasks), default=None
        )

    def _take_answer(self, worker: WorkerProcess[T], task: T, answer: Any) -> None:
        self._deaths = 0
        self._begin_suspects()
        self._handle_answer(task, answer)

    def _handle_free_slot(self) -> None:
        self._begin_suspects()

    def _handle_loss(self, worker: WorkerProcess[T], task: T) -> None:
        if len(worker.tasks) > 1:
            self._suspected.add(task.id)
            self.begin(task)
        else:
            self._handle_failure(task, death_error(worker, task.url))

    def _patience(self, worker: WorkerProcess[T]) -> float | None:
        self._deaths += not (worker.ready and worker.tasks)
        if self._deaths < HOPELESS:
            return 0.0
        self._unable(BrowserCrashedError("workers die as soon as they are started"))
        return None
