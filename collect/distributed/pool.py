"""`ReaderPool`: the worker process of a reader, replaced when a page ends it."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import count

from ...errors import MioloError
from ...output.page_result import PageResult
from ..workers.page_pool import PagePool
from .messages import Address, AddressRow, Row, Setup
from .recipe import further_columns

__all__ = ["ReaderPool"]

WORKER = "miolo.collect.distributed.worker"


class ReaderPool(PagePool[Address]):
    """One worker, and the rows of the addresses that it is given."""

    def __init__(self, setup: Setup) -> None:
        self._recipe = recipe = setup.recipe
        seconds = recipe.render.limits.seconds
        super().__init__(WORKER, setup, 1, pages=recipe.pages, seconds=seconds)
        self._numbers = count()
        self._rows: dict[int, asyncio.Future[Row]] = {}
        self._waiting: deque[Address] = deque()
        self._failure: MioloError | None = None

    async def read(self, url: str) -> Row:
        """The row of an address.

        Raises
        ------
        BrowserNotFoundError, MissingDependencyError, StorageError
            This machine lacks something.
        """
        if self._failure:
            raise self._failure
        address = Address(next(self._numbers), url)
        row = self._rows[address.id] = asyncio.get_running_loop().create_future()
        self._waiting.append(address)
        self._feed()
        try:
            return await row
        finally:
            del self._rows[address.id]

    def _feed(self) -> None:
        """Give the worker what it has room for."""
        while self._waiting and self.free:
            self.begin(self._waiting.popleft())

    def _answered(self, task: Address, answer: AddressRow) -> None:
        row = self._rows.get(task.id)
        if row and not row.done():
            if answer.fault:
                row.set_exception(answer.fault)
            else:
                row.set_result(answer.row or {})
        self._feed()

    def _failed(self, task: Address, error: MioloError) -> None:
        row = PageResult(task.url, error=error).to_dict() | further_columns(self._recipe, None)
        self._answered(task, AddressRow(task.id, row))

    def _made_room(self) -> None:
        super()._made_room()
        self._feed()

    def _unable(self, error: MioloError) -> None:
        self._failure = error
        for row in self._rows.values():
            if not row.done():
                row.set_exception(error)
