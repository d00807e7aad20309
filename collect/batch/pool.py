"""`Pool`: a run's workers and the outcomes of their tasks."""

from __future__ import annotations

import asyncio
from collections import Counter, deque

from ...errors import BrowserCrashedError, MioloError
from ..workers.pool import WorkerPool, WorkerProcess, death_error
from .messages import Answer, Fetch, Fetched, Setup, Visit

__all__ = ["Outcome", "Pool"]

WORKER = "miolo.collect.batch.worker"

# A page that does not answer this long after its own deadline is blocking its worker.
GRACE_SECONDS = 60.0

# Playwright and the parsers keep some 45 KB of each page.
LIFETIME = 2000

# Pages of a worker, those that are yet to be read among them, for each that it may have open:
# where reading is slower than rendering, this bounds what waits for it.
BACKLOG = 2

# Idle workers that die one after the other: pages are not the cause.
HOPELESS = 5

# Workers that may die during a plain request before it counts as unanswered.
FETCH_TRIES = 3

Outcome = Answer | Fetched


class Pool(WorkerPool[Visit | Fetch]):
    """A fixed number of workers, each with a browser and several pages at once.

    A worker that dies, or that a page blocks, is replaced. Each of its pages is tried again in a
    worker without other pages, and fails if that worker dies too. So no page fails because of
    another.

    Parameters
    ----------
    setup
        First message to each worker.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(WORKER, setup, setup.options.browsers, lifetime=LIFETIME)
        self._pages = setup.options.pages
        self._seconds = setup.options.render.limits.seconds + GRACE_SECONDS
        self._outcomes: asyncio.Queue[Outcome | MioloError | None] = asyncio.Queue()
        self._deaths = 0
        self._lost: Counter[int] = Counter()
        self._suspects: deque[Visit] = deque()

    @property
    def free(self) -> int:
        """Pages that may be begun now."""
        # A browser that is yet to start would open all that waits for it at once.
        return sum(max(self._room(worker), 0) for worker in self._ready())

    def begin(self, task: Visit | Fetch) -> None:
        """Give a task to the worker with the most room, or to an idle one if one died on it."""
        if isinstance(task, Visit) and self._lost[task.id]:
            self._suspects.append(task)
            self._begin_suspects()
            return
        # An old one only where its successor is not there yet.
        able = self._ready() or self._workers
        most = max(able, key=lambda worker: (not worker.old, self._room(worker)))
        self._give(most, task, self._seconds)

    def _begin_suspects(self) -> None:
        """Give pages that a worker died over to workers that have nothing else to do."""
        for worker in self._ready():
            if self._suspects and not worker.tasks:
                self._give(worker, self._suspects.popleft(), self._seconds)

    def _room(self, worker: WorkerProcess[Visit | Fetch]) -> int:
        """Pages that may be begun in a worker: by what its browser has open, and by the backlog."""
        if self._is_kept_clear(worker):
            return -len(worker.tasks) - 1
        most = min(self._pages + len(worker.released), BACKLOG * self._pages)
        return most - len(worker.tasks)

    def _is_kept_clear(self, worker: WorkerProcess[Visit | Fetch]) -> bool:
        """Whether a worker has a suspect to itself, or will once what it works on is done."""
        if any(isinstance(task, Visit) and self._lost[task.id] for task in worker.tasks.values()):
            return True
        return bool(self._suspects) and worker is min(
            self._ready(), key=lambda each: len(each.tasks), default=None
        )

    async def outcome(self, seconds: float) -> Outcome | None:
        """The next outcome; None after the timeout, or when room for another page appears.

        Raises
        ------
        MioloError
            No worker can work.
        """
        try:
            found = await asyncio.wait_for(self._outcomes.get(), max(seconds, 0.0))
        except TimeoutError:
            return None
        if isinstance(found, MioloError):
            raise found
        return found

    def _take_answer(
        self, worker: WorkerProcess[Visit | Fetch], task: Visit | Fetch, answer: Outcome
    ) -> None:
        self._deaths = 0
        self._begin_suspects()
        self._outcomes.put_nowait(answer)

    def _became_ready(self) -> None:
        self._begin_suspects()
        # There is room for pages, if no suspect has taken it.
        self._outcomes.put_nowait(None)

    def _slot_released(self) -> None:
        self._outcomes.put_nowait(None)

    def _handle_loss(self, worker: WorkerProcess[Visit | Fetch], task: Visit | Fetch) -> None:
        self._lost[task.id] += 1
        if isinstance(task, Visit):
            if len(worker.tasks) > 1:
                self.begin(task)
            else:
                error = death_error(worker, task.url)
                self._outcomes.put_nowait(Answer(task.id, error=error))
            return
        # That a worker died is no answer of the server's.
        if self._lost[task.id] < FETCH_TRIES and self._workers:
            self.begin(task)
        else:
            self._outcomes.put_nowait(Fetched(task.id, task.url, 0, b""))

    def _patience(self, worker: WorkerProcess[Visit | Fetch]) -> float | None:
        if worker.ready and worker.tasks:
            return 0.0
        self._deaths += 1
        if self._deaths < HOPELESS:
            return 0.0
        self._unable(BrowserCrashedError("workers die as soon as they are started"))
        return None

    def _unable(self, error: MioloError) -> None:
        self._outcomes.put_nowait(error)
