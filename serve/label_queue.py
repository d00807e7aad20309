"""`LabelQueue`: the pages of a collection for its labellers, and the labels they give."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from ..collect.batch.files import screenshot_of
from ..collect.collections.collection import Collection
from ..collect.collections.labelling import open_labels
from ..collect.labelling.agreement import Agreement, agreements
from ..collect.labelling.sheet import LabelSheet, SheetBlock
from ..collect.labelling.store import Action, LabelledPage, LabelStore
from ..errors import MioloError, PageTimeoutError
from ..models.article.model import Reader
from ..version import __version__
from .dispatcher import Dispatcher
from .logs import log
from .messages import Action as WorkAction
from .options import ServiceOptions

__all__ = ["LabelQueue", "label_queue"]

MAX_DISAGREEMENTS = 500


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
    with open_labels(collection, options.overlap) as store:
        store.use_reader(_digest(options.model))
        queue = LabelQueue(collection, store, dispatcher)
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
    """

    def __init__(self, collection: Collection, store: LabelStore, dispatcher: Dispatcher) -> None:
        self._collection = collection
        self._store = store
        self._dispatcher = dispatcher

    async def read_uncertainties(self) -> None:
        """Have a worker compute the reader's uncertainty about every page, one page at a time."""
        for page in self._store.pages_without_uncertainty():
            with contextlib.suppress(MioloError, HTTPException):
                answer = await self._read("uncertainty", page)
                self._store.set_uncertainty(page, answer["uncertainty"])
        log("uncertainty computed")

    async def _read(self, action: WorkAction, page: int) -> dict[str, Any]:
        row = self._store.file_of(page)
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
            self._store.drop(page)
            log("page left out", file=name, kind=type(error).__name__)
            raise HTTPException(410, f"the snapshot of page {page} cannot be read") from error

    def next_page(self, labeller: str, skip: Sequence[int]) -> dict[str, Any]:
        """Reserve the page to label next; returns its number and the labeller's progress."""
        return {"page": self._store.next_page(labeller, skip), **self.progress(labeller)}

    def progress(self, labeller: str) -> dict[str, Any]:
        """The progress of a labeller."""
        return {"progress": asdict(self._store.progress(labeller))}

    async def page(self, page: int, labeller: str, *, blind: bool) -> dict[str, Any]:
        """A page with its suggestions and with the labeller's labels."""
        answer = await self._read("label", page)
        sheet = answer["sheet"]
        blocks = tuple(SheetBlock(**block) for block in sheet.pop("blocks"))
        page = self._store.visit(page, labeller, LabelSheet(**sheet, blocks=blocks), blind=blind)
        block_rows = [asdict(block) for block in blocks]
        return {**answer, "page": page, "blocks": block_rows, **self.state(page, labeller)}

    def state(self, page: int, labeller: str) -> dict[str, Any]:
        """A labeller's labels for a page."""
        state = self._store.state(page, labeller)
        kind = self._store.suggested_kind(page)
        return {"state": {"page": page, **_state(state), "suggested_kind": kind}}

    def act(self, labeller: str, actions: Sequence[Action]) -> dict[str, Any]:
        """Save what a labeller did; it is on the disk when this returns."""
        sizes = {page: self._store.blocks_of(page, labeller) for page in {a.page for a in actions}}
        for action in actions:
            blocks = sizes[action.page]
            if blocks is None:
                raise HTTPException(404, f"{labeller} has not opened page {action.page}")
            if action.field == "role" and action.last >= blocks:
                raise HTTPException(422, f"page {action.page} has no block {action.last}")
        self._store.act(*actions)
        return self.progress(labeller)

    def undo(self, labeller: str) -> dict[str, Any]:
        """Undo the labeller's last action, and return the state of its page."""
        action = self._store.undo(labeller)
        if action is None:
            return {"undone": None, **self.progress(labeller)}
        state = self.state(action.page, labeller)
        return {"undone": asdict(action), **state, **self.progress(labeller)}

    def agreement(self) -> list[dict[str, Any]]:
        """The agreement of each pair of labellers."""
        return [_short(pair) for pair in agreements(self._store.labelled_pages())]


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
    fields = asdict(pair)
    fields["more"] = max(0, len(pair.disagreements) - MAX_DISAGREEMENTS)
    fields["disagreements"] = fields["disagreements"][:MAX_DISAGREEMENTS]
    return fields
