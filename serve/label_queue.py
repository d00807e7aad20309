"""`LabelQueue`: the pages of a collection for its labellers, and the labels they give."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from starlette.exceptions import HTTPException

from ..collect.batch.files import screenshot_of
from ..collect.collections.collection import Collection
from ..collect.labels.agreement import Agreement, agreements
from ..collect.labels.sheet import LabelSheet, SheetBlock
from ..collect.labels.store import MAX_LABELLERS, Action, LabelledPage, LabelStore, open_labels
from ..errors import MioloError, PageTimeoutError
from ..models.article.model import Reader
from ..version import __version__
from .dispatcher import Dispatcher
from .logs import log
from .messages import Action as WorkAction
from .options import ServiceOptions

__all__ = ["LabelQueue", "label_queue"]

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

MAX_DISAGREEMENTS = 5000
"""Maximum number of disagreements of all pairs of labellers together."""


@contextlib.asynccontextmanager
async def label_queue(
    options: ServiceOptions, dispatcher: Dispatcher
) -> AsyncIterator[LabelQueue | None]:
    """The queue of the served collection; None if no collection is served.

    Raises
    ------
    EmptyInputError
        The collection has no snapshots.
    ArchiveError
        The collection's state or labels are damaged.
    """
    if options.collection is None:
        yield None
        return
    collection = Collection(options.collection, log=lambda message: log("page", message=message))
    # Another program may hold a lock on the labels, for which only this thread waits. The thread
    # ends before the store is closed.
    with (
        open_labels(collection.path, collection.snapshot_files(), options.overlap) as store,
        ThreadPoolExecutor(1, "labels") as thread,
    ):
        store.use_reader(_digest(options.model))
        queue = LabelQueue(collection, store, dispatcher, thread)
        reading = asyncio.create_task(queue.read_uncertainties())
        try:
            yield queue
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


def _digest(model: Path | None) -> str:
    """Identifier of a reader; raises an error for a damaged model file."""
    if model is None:
        return f"miolo {__version__}"
    Reader.load(model)
    return hashlib.sha256(model.read_bytes()).hexdigest()


class LabelQueue:
    """Answers the requests of the labelling page.

    Parameters
    ----------
    collection
        The collection whose pages are labelled.
    store
        The labels of its pages.
    dispatcher
        Has snapshots read by the workers.
    thread
        Runs all calls of the store, one after the other.
    """

    def __init__(
        self, collection: Collection, store: LabelStore, dispatcher: Dispatcher, thread: Executor
    ) -> None:
        self._collection = collection
        self._store = store
        self._dispatcher = dispatcher
        self._thread = thread
        self._comparison: asyncio.Future[list[dict[str, Any]]] | None = None

    async def _call(
        self,
        function: Callable[Arguments, Value],
        *values: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Value:
        """Run a function that uses the store."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(function, *values, **named))

    async def read_uncertainties(self) -> None:
        """Have a worker compute the reader's uncertainty about every page, one page at a time."""
        for page in await self._call(self._store.pages_without_uncertainty):
            with contextlib.suppress(MioloError, HTTPException):
                answer = await self._read("uncertainty", page)
                await self._call(self._store.set_uncertainty, page, answer["uncertainty"])
        log("uncertainty computed")

    async def _read(self, action: WorkAction, page: int) -> dict[str, Any]:
        row = await self._call(self._store.file_of, page)
        if row is None:
            raise HTTPException(404, f"there is no page {page}")
        name, url = row
        file = self._collection.path / name
        picture = screenshot_of(self._collection.path, url)
        try:
            return json.loads(await self._dispatcher.read_saved(action, file, picture))
        except PageTimeoutError:
            # The snapshot is not damaged; the service may be busy.
            raise
        except MioloError as error:
            await self._call(self._store.drop, page)
            log("page left out", file=name, kind=type(error).__name__)
            raise HTTPException(410, f"the snapshot of page {page} cannot be read") from error

    async def next_page(self, labeller: str, skip: Sequence[int]) -> dict[str, Any]:
        """Reserve the page to label next; returns its number and the labeller's progress."""

        def reserve() -> dict[str, Any]:
            self._check_labeller(labeller)
            return {"page": self._store.next_page(labeller, skip), **self._progress(labeller)}

        return await self._call(reserve)

    async def page(self, page: int, labeller: str, *, blind: bool) -> dict[str, Any]:
        """A page with its suggestions and with the labeller's labels."""
        await self._call(self._check_labeller, labeller)
        answer = await self._read("label", page)
        sheet = answer["sheet"]
        blocks = tuple(SheetBlock(**block) for block in sheet.pop("blocks"))

        def visit() -> dict[str, Any]:
            self._check_labeller(labeller)
            number = self._store.visit(
                page, labeller, LabelSheet(**sheet, blocks=blocks), blind=blind
            )
            return {"page": number, **self._state_of(number, labeller)}

        state = await self._call(visit)
        return {**answer, **state, "blocks": [asdict(block) for block in blocks]}

    async def act(self, labeller: str, actions: Sequence[Action]) -> dict[str, Any]:
        """Save what a labeller did; it is on the disk when this returns."""

        def save() -> dict[str, Any]:
            self._check_actions(labeller, actions)
            self._store.act(*actions)
            return self._progress(labeller)

        return await self._call(save)

    def _check_actions(self, labeller: str, actions: Sequence[Action]) -> None:
        sizes = {page: self._store.blocks_of(page, labeller) for page in {a.page for a in actions}}
        for action in actions:
            blocks = sizes[action.page]
            if blocks is None:
                raise HTTPException(404, f"{labeller} has not opened page {action.page}")
            if action.field == "role" and action.last >= blocks:
                raise HTTPException(422, f"page {action.page} has no block {action.last}")

    async def undo(self, labeller: str) -> dict[str, Any]:
        """Undo the labeller's last action, and return the state of its page."""

        def undo_last() -> dict[str, Any]:
            action = self._store.undo(labeller)
            if action is None:
                return {"undone": None, **self._progress(labeller)}
            state = self._state_of(action.page, labeller)
            return {"undone": asdict(action), **state, **self._progress(labeller)}

        return await self._call(undo_last)

    async def agreement(self) -> list[dict[str, Any]]:
        """The agreement of each pair of labellers; requests at the same time share its work."""
        if self._comparison is None or self._comparison.done():
            comparing = asyncio.to_thread(_compare_labellers, self._collection.path)
            self._comparison = asyncio.ensure_future(comparing)
        return await asyncio.shield(self._comparison)

    def _check_labeller(self, labeller: str) -> None:
        if not self._store.admits(labeller):
            raise HTTPException(
                422, f"the collection has {MAX_LABELLERS} labellers; use one of their names"
            )

    def _progress(self, labeller: str) -> dict[str, Any]:
        return {"progress": asdict(self._store.progress(labeller))}

    def _state_of(self, page: int, labeller: str) -> dict[str, Any]:
        state = self._store.state(page, labeller)
        kind = self._store.suggested_kind(page)
        return {"state": {"page": page, **_state(state), "suggested_kind": kind}}


def _compare_labellers(folder: Path) -> list[dict[str, Any]]:
    """The agreement of each pair of labellers, by a connection of its own that blocks nobody."""
    with LabelStore(folder) as store:
        return [_short(pair) for pair in agreements(store.labelled_pages(), MAX_DISAGREEMENTS)]


def _state(state: LabelledPage) -> dict[str, Any]:
    return {
        "roles": state.roles,
        "suggested": state.suggested,
        "by_hand": [when is not None for when in state.times],
        "kind": state.kind,
        "note": state.note,
        "done": state.done is not None,
    }


def _short(pair: Agreement) -> dict[str, Any]:
    differing = pair.blocks - round(pair.same * pair.blocks)
    return {**asdict(pair), "more": differing - len(pair.disagreements)}
