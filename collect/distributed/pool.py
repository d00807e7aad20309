"""`ReaderPool`: the worker process of a reader, replaced when a page ends it."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import count

from ...errors import BrowserCrashedError, MioloError
from ...output.page_result import PageResult
from ..workers.pool import WorkerPool, WorkerProcess, death_error
from .messages import Address, AddressRow, Row, Setup
from .recipe import further_columns

__all__ = ["ReaderPool"]

WORKER = "miolo.collect.distributed.worker"

# A page that says nothing for so much longer than its own deadline holds its worker up.
GRACE_SECONDS = 60.0

# Playwright and the parsers keep some 45 KB of each page.
LIFETIME = 2000

# Workers that die one after the other with nothing to do: it is not the pages.
HOPELESS = 5


class ReaderPool(WorkerPool[Address]):
    """One worker with several pages at once.

    When it dies, each of its pages is read again with no other beside it, and fails if the worker
    dies again.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(WORKER, setup, 1, lifetime=LIFETIME)
        self._recipe = setup.recipe
        self._seconds = setup.recipe.render.limits.seconds + GRACE_SECONDS
        self._numbers = count()
        self._rows: dict[int, asyncio.Future[Row]] = {}
        self._waiting: deque[Address] = deque()
        self._suspects: deque[Address] = deque()
        self._alone: Address | None = None
        self._deaths = 0
        self._failure: MioloError | None = None

    async def read(self, url: str) -> Row:
        """The row of an address.

        Raises
        ------
        BrowserNotFoundError, MissingDependencyError, StorageError
            This machine lacks something.
        """
        address = Address(next(self._numbers), url)
        row = self._rows[address.id] = asyncio.get_running_loop().create_future()
        if self._failure:
            raise self._failure
        self._waiting.append(address)
        self._feed()
        try:
            return await row
        finally:
            del self._rows[address.id]

    def _feed(self) -> None:
        """Give the worker what it has room for; a suspect has it to itself."""
        for worker in self._ready():
            if self._suspects:
                if not worker.tasks:
                    self._alone = self._suspects.popleft()
                    self._give(worker, self._alone, self._seconds)
                return
            while self._waiting and not self._alone and len(worker.tasks) < self._recipe.pages:
                self._give(worker, self._waiting.popleft(), self._seconds)

    def _take_answer(
        self, worker: WorkerProcess[Address], task: Address, answer: AddressRow
    ) -> None:
        self._deaths = 0
        row = self._rows.get(task.id)
        if row and not row.done():
            if answer.fault:
                row.set_exception(answer.fault)
            else:
                row.set_result(answer.row or {})
        self._end_of(task)

    def _handle_loss(self, worker: WorkerProcess[Address], task: Address) -> None:
        row = self._rows.get(task.id)
        if row and not row.done():
            if len(worker.tasks) > 1:
                self._suspects.append(task)
            else:
                failed = PageResult(task.url, error=death_error(worker, task.url))
                row.set_result(failed.to_dict() | further_columns(self._recipe, None))
        self._end_of(task)

    def _end_of(self, task: Address) -> None:
        if task is self._alone:
            self._alone = None
        self._feed()

    def _patience(self, worker: WorkerProcess[Address]) -> float | None:
        if worker.ready and worker.tasks:
            return 0.0
        self._deaths += 1
        if self._deaths < HOPELESS:
            return 0.0
        self._unable(BrowserCrashedError("workers die as soon as they are started"))
        return None

    def _unable(self, error: MioloError) -> None:
        self._failure = error
        for row in self._rows.values():
            if not row.done():
                row.set_exception(error)

    def _became_ready(self) -> None:
        self._feed()
