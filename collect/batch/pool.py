"""`Pool`: a run's workers and the outcomes of their tasks."""

from __future__ import annotations

import asyncio
from collections import Counter

from ...errors import MioloError
from ...workers.page_pool import PagePool
from ...workers.pool import WorkerProcess
from .messages import Answer, Fetch, FetchResult, Setup, Visit

__all__ = ["Outcome", "Pool"]

WORKER = "miolo.collect.batch.worker"

# Number of workers that may die during a fetch before it counts as unanswered.
FETCH_TRIES = 3

Outcome = Answer | FetchResult


class Pool(PagePool[Visit | Fetch]):
    """The workers of a run, which visit pages and fetch files."""

    def __init__(self, setup: Setup) -> None:
        options = setup.options
        seconds = options.render.limits.seconds
        super().__init__(WORKER, setup, options.browsers, pages=options.pages, seconds=seconds)
        self._outcomes: asyncio.Queue[Outcome | MioloError | None] = asyncio.Queue()
        self._lost_fetches: Counter[int] = Counter()

    async def outcome(self, seconds: float) -> Outcome | None:
        """The next outcome; None after the timeout or when a slot becomes free.

        Raises
        ------
        MioloError
            No worker can be started.
        """
        try:
            outcome = await asyncio.wait_for(self._outcomes.get(), max(seconds, 0.0))
        except TimeoutError:
            return None
        if isinstance(outcome, MioloError):
            raise outcome
        return outcome

    def _handle_answer(self, task: Visit | Fetch, answer: Outcome) -> None:
        self._outcomes.put_nowait(answer)

    def _handle_failure(self, task: Visit | Fetch, error: MioloError) -> None:
        self._outcomes.put_nowait(Answer(task.id, error=error))

    def _handle_free_slot(self) -> None:
        super()._handle_free_slot()
        # The slot is free for a page unless a suspect has taken it.
        self._outcomes.put_nowait(None)

    def _handle_loss(self, worker: WorkerProcess[Visit | Fetch], task: Visit | Fetch) -> None:
        if isinstance(task, Visit):
            super()._handle_loss(worker, task)
        # The death of a worker is not a response from the server.
        elif self._lost_fetches[task.id] + 1 < FETCH_TRIES and self._workers:
            self._lost_fetches[task.id] += 1
            self.begin(task)
        else:
            self._outcomes.put_nowait(FetchResult(task.id, task.url, 0, b""))

    def _handle_fatal_error(self, error: MioloError) -> None:
        self._outcomes.put_nowait(error)
