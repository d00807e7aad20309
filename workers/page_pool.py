"""`PagePool`: workers that process several pages at once; a failure is isolated to its page."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from typing import Any, TypeVar

from ..errors import BrowserCrashedError, RenderError
from .pool import Task, WorkerPool, WorkerProcess, death_error

__all__ = ["PagePool"]

# A page without an answer this long after its deadline is considered to block its worker.
GRACE_SECONDS = 60.0

# Number of pages after which a worker is replaced: Playwright and the parsers leak about 45 KB per
# page.
LIFETIME = 2000

# Maximum number of a worker's pages, including those that wait to be read, per page that it may
# have open. It bounds the number of waiting pages if reading is slower than rendering.
BACKLOG = 2

# Number of idle workers that may die in succession; pages are not the cause of their deaths.
HOPELESS = 5

T = TypeVar("T", bound=Task)


class PagePool(WorkerPool[T]):
    """A fixed number of workers, each with a browser and several pages at once.

    A worker that dies, or that is blocked by a page, is replaced. Each of its pages is retried in
    a worker without other pages, and fails if that worker dies, too.

    Parameters
    ----------
    program, setup, number
        See `WorkerPool`.
    pages
        Maximum number of pages that a worker has open at once.
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
        # Suspects: pages that were among several when their worker died. The first set holds the
        # numbers of all suspects, the queue those that wait for a worker of their own.
        self._suspected: set[int] = set()
        self._suspects: deque[T] = deque()

    @property
    def free(self) -> int:
        """Number of pages that may be begun now."""
        # Workers that are not ready do not count: once started, a browser would open all pages
        # that wait for it at once.
        return sum(max(self._room(worker), 0) for worker in self._ready())

    def begin(self, task: T) -> None:
        """Assign a task to the worker with the most room; a suspect waits for an idle worker."""
        if task.id in self._suspected:
            self._suspects.append(task)
            self._begin_suspects()
            return
        # An old worker is used only until its successor is ready.
        able = self._ready() or self._workers
        most = max(able, key=lambda worker: (not worker.old, self._room(worker)))
        self._give(most, task, self._seconds)

    @abstractmethod
    def _handle_answer(self, task: T, answer: Any) -> None:
        """Handle the answer to a task."""

    @abstractmethod
    def _handle_failure(self, task: T, error: RenderError) -> None:
        """Handle a task whose worker died while it ran no other task."""

    def _begin_suspects(self) -> None:
        """Assign waiting suspects to idle workers."""
        for worker in self._ready():
            if self._suspects and not worker.tasks:
                self._give(worker, self._suspects.popleft(), self._seconds)

    def _room(self, worker: WorkerProcess[T]) -> int:
        """Number of pages that may be begun in a worker, given its open pages and its backlog."""
        if self._is_kept_clear(worker):
            return -len(worker.tasks) - 1
        most = min(self._pages + len(worker.released), BACKLOG * self._pages)
        return most - len(worker.tasks)

    def _is_kept_clear(self, worker: WorkerProcess[T]) -> bool:
        """Whether a worker runs a suspect, or is reserved for one once its tasks are done."""
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
        self._handle_fatal_error(
            BrowserCrashedError("worker processes exit as soon as they are started")
        )
        return None
