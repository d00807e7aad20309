"""`LabelQueue`: the pages of a collection for its labellers, and its routes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, ParamSpec, Self, TypeVar

from fastapi import APIRouter, Query
from pydantic import AfterValidator, Field, model_validator
from starlette.exceptions import HTTPException

from ..collect.batch.files import screenshot_of
from ..collect.collections.collection import Collection
from ..collect.labels.agreement import agreements
from ..collect.labels.sheet import MAX_BLOCKS, LabelSheet, SheetBlock
from ..collect.labels.store import (
    BROKEN,
    MAX_LABELLERS,
    Action,
    Filter,
    LabelledPage,
    LabelStore,
    blind_files,
    offered_roles,
    open_labels,
)
from ..errors import MioloError, PageTimeoutError
from ..features.anchors import Anchor
from ..models.article.model import Reader
from ..models.article.roles import ROLES
from ..models.kinds.model import KIND_NAMES
from ..version import __version__
from .dispatcher import Dispatcher
from .logs import log
from .requests import StrictModel
from .service_options import ServiceOptions
from .work import Action as WorkAction

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

MAX_DISAGREEMENTS = 5000  # maximum number of disagreements of all pairs of labellers together

KINDS = (*KIND_NAMES, BROKEN)

MAX_NOTE = 2000

MAX_LISTED = 200  # maximum number of pages in a list

# More actions would have more strings than a request may contain.
MAX_ACTIONS = 16
Page = Annotated[int, Field(ge=1, le=1 << 53)]
Block = Annotated[int, Field(ge=0, lt=MAX_BLOCKS)]


def _known_kind(kind: str) -> str:
    if kind not in ("", *KINDS):
        raise ValueError(f"must be one of {', '.join(KINDS)}")
    return kind


Kind = Annotated[str, AfterValidator(_known_kind)]
Skip = Annotated[str, Query(pattern=r"^(\d{1,15}(,\d{1,15}){0,49})?$")]


def _visible(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable():
        raise ValueError("must have at least one character, and only printable ones")
    return name


Labeller = Annotated[str, Field(max_length=60), AfterValidator(_visible)]


class LabelAction(StrictModel):
    """An action of a labeller; see `miolo.collect.labels.store.Action`."""

    key: str = Field(
        pattern=r"^[\w-]{8,60}$",
        description="Unique key; an action that is sent twice counts once.",
    )
    page: Page
    field: Literal["role", "kind", "note", "comment", "done"]
    value: str = Field("", max_length=MAX_NOTE)
    first: Block = 0
    last: Block = 0
    undone: bool = Field(False, description="Whether the labeller has already undone the action.")

    @model_validator(mode="after")
    def _has_meaning(self) -> Self:
        choices = {"kind": ("", *KINDS), "done": ("", "1")}
        if self.value not in choices.get(self.field, (self.value,)):
            raise ValueError(f"there is no {self.field} of this name")
        if self.last < self.first:
            raise ValueError("the last block comes before the first")
        return self


class LabelUndo(StrictModel):
    """The labeller whose last action is undone."""

    labeller: Labeller
    review: bool = Field(False, description="Whether the progress is that of reviewing.")


class LabelActions(LabelUndo):
    """Actions of a labeller, in order; either all or none of them are saved."""

    actions: list[LabelAction] = Field(min_length=1, max_length=MAX_ACTIONS)


class LabelApply(LabelUndo):
    """A labeller, and the page that gets the roles of other pages of its site."""

    page: Page


@contextlib.asynccontextmanager
async def label_queue(
    options: ServiceOptions, dispatcher: Dispatcher
) -> AsyncIterator[LabelQueue | None]:
    """The queue of the served collection; None if no collection is served."""
    if options.collection is None:
        yield None
        return
    collection = Collection(options.collection, log=lambda message: log("page", message=message))
    # Another program may hold a lock on the labels, for which only this thread waits. The thread
    # ends before the store is closed.
    files = list(collection.snapshot_files())
    blind = blind_files((name for name, _ in files), options.blind)
    with (
        open_labels(collection.path, files, options.overlap) as store,
        ThreadPoolExecutor(1, "labels") as thread,
    ):
        store.use_reader(_digest(options.model))
        queue = LabelQueue(collection, store, dispatcher, thread, blind)
        reading = asyncio.create_task(queue.read_pages())
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


@dataclass(eq=False)
class LabelQueue:
    """Answers the requests of the labelling page; its public methods are routes.

    Workers read snapshots, and a thread runs all calls of the store, one after the other. Some
    files are of pages that are shown without suggestions.
    """

    _collection: Collection
    _store: LabelStore
    _dispatcher: Dispatcher
    _thread: Executor
    _blind: frozenset[str] = frozenset()
    _comparison: asyncio.Future[list[dict[str, Any]]] | None = None

    async def _call(
        self,
        function: Callable[Arguments, Value],
        *values: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Value:
        """Run a function that uses the store."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(function, *values, **named))

    async def read_pages(self) -> None:
        """Have a worker read pages, one at a time: those that were captured again since they were
        finished, to offer them again, and then all, for the reader's uncertainty about them.
        """
        for page in await self._call(self._store.recaptured):
            with contextlib.suppress(MioloError, HTTPException):
                _, sheet = await self._sheet(page)
                await self._call(self._store.renew, page, sheet)
        for page in await self._call(self._store.pages_without_uncertainty):
            with contextlib.suppress(MioloError, HTTPException):
                answer = await self._read("uncertainty", page)
                doubt, kind = answer["uncertainty"], answer["kind"]
                await self._call(self._store.set_uncertainty, page, doubt, kind)
        log("uncertainty computed")

    async def _sheet(self, page: int) -> tuple[dict[str, Any], LabelSheet]:
        """What a worker answers about a page to label, and the page's sheet."""
        answer = await self._read("label", page)
        sheet = answer.pop("sheet")
        blocks = tuple(
            SheetBlock(**(block | {"anchor": Anchor(**block["anchor"])}))
            for block in sheet.pop("blocks")
        )
        return answer, LabelSheet(**sheet, blocks=blocks)

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

    async def next_page(
        self, labeller: Labeller, skip: Skip = "", review: bool = False
    ) -> dict[str, Any]:
        """Reserve the page to label or review next and return its number; null if there is none."""

        def reserve() -> dict[str, Any]:
            self._check_labeller(labeller)
            skipped = [int(page) for page in skip.split(",") if page]
            page = self._store.next_page(labeller, skipped, review=review)
            return {"page": page, **self._progress(labeller, review)}

        return await self._call(reserve)

    async def page(
        self, page: Page, labeller: Labeller, blind: bool = False, review: bool = False
    ) -> dict[str, Any]:
        """Return a page with its blocks, their suggested roles and the labeller's labels.

        A page that is opened for review starts from the labels of the labeller who finished it.
        """
        await self._call(self._check_labeller, labeller)
        answer, sheet = await self._sheet(page)

        def visit() -> dict[str, Any]:
            self._check_labeller(labeller)
            file, _ = self._store.file_of(page) or ("", "")
            number = self._store.visit(
                page,
                labeller,
                sheet,
                blind=blind or file in self._blind,
                reviews=self._store.labeller_to_review(page, labeller) if review else "",
            )
            custom = [asdict(role) for role in self._store.custom_roles()]
            return {"page": number, "custom_roles": custom, **self._state_of(number, labeller)}

        state = await self._call(visit)
        blocks = [asdict(block) for block in sheet.blocks]
        return {**answer, **state, "total": sheet.total, "blocks": blocks}

    async def previous(self, labeller: Labeller, page: Page | None = None) -> dict[str, Any]:
        """Return the number of the page that the labeller finished before a page, or null."""
        return {"page": await self._call(self._store.previous_page, labeller, page)}

    async def pages(
        self,
        labeller: Labeller,
        state: Filter | None = None,
        kind: Kind = "",
        words: Annotated[str, Query(max_length=MAX_NOTE)] = "",
    ) -> dict[str, Any]:
        """List the pages with their state, kind and confidence, the least certain first."""
        rows, count = await self._call(
            self._store.list_pages, labeller, state, kind, words, MAX_LISTED
        )
        return {"pages": [asdict(row) for row in rows], "count": count}

    async def act(self, body: LabelActions) -> dict[str, Any]:
        """Save the actions of a labeller, which are on the disk when this returns."""
        actions = [Action(labeller=body.labeller, **each.model_dump()) for each in body.actions]

        def save() -> dict[str, Any]:
            self._check_actions(body.labeller, actions)
            self._store.act(*actions)
            return self._progress(body.labeller, body.review)

        return await self._call(save)

    def _check_actions(self, labeller: str, actions: Sequence[Action]) -> None:
        roles = {*ROLES, *(role.name for role in self._store.custom_roles())}
        sizes = {page: self._store.blocks_of(page, labeller) for page in {a.page for a in actions}}
        for action in actions:
            blocks = sizes[action.page]
            if blocks is None:
                raise HTTPException(404, f"{labeller} has not opened page {action.page}")
            if action.field == "role" and action.value not in roles:
                raise HTTPException(422, "there is no role of this name")
            if action.field in ("role", "comment") and action.last >= blocks:
                raise HTTPException(422, f"page {action.page} has no block {action.last}")

    async def undo(self, body: LabelUndo) -> dict[str, Any]:
        """Undo the labeller's last action, and return the state of its page."""
        labeller = body.labeller

        def undo_last() -> dict[str, Any]:
            action = self._store.undo(labeller)
            if action is None:
                return {"undone": None, **self._progress(labeller, body.review)}
            state = self._state_of(action.page, labeller)
            return {"undone": asdict(action), **state, **self._progress(labeller, body.review)}

        return await self._call(undo_last)

    async def apply(self, body: LabelApply) -> dict[str, Any]:
        """Give blocks the roles that the labeller's finished pages of the same template have."""
        labeller, page = body.labeller, body.page

        def apply_roles() -> dict[str, Any]:
            roles = self._offers(page, labeller)
            self._store.apply(page, labeller, roles)
            state = self._state_of(page, labeller)
            return {"blocks": sorted(roles), **state, **self._progress(labeller, body.review)}

        return await self._call(apply_roles)

    async def offered(self, page: Page, labeller: Labeller) -> dict[str, Any]:
        """Return the number of blocks that get a role from finished pages of the template."""
        return {"offered": len(await self._call(self._offers, page, labeller))}

    def _offers(self, page: int, labeller: str) -> dict[int, str]:
        """Roles to offer for a page; none for one whose labels score the reader."""
        if self._store.blocks_of(page, labeller) is None:
            raise HTTPException(404, f"{labeller} has not opened page {page}")
        state = self._store.state(page, labeller)
        return {} if state.blind else offered_roles(state, self._store.site_pages(page, labeller))

    async def agreement(self) -> list[dict[str, Any]]:
        """Return Cohen's kappa for each pair of labellers, and the blocks on which they differ."""
        # Requests at the same time share its work.
        if self._comparison is None or self._comparison.done():
            comparing = asyncio.to_thread(_compare_labellers, self._collection.path)
            self._comparison = asyncio.ensure_future(comparing)
        return await asyncio.shield(self._comparison)

    def _check_labeller(self, labeller: str) -> None:
        if not self._store.admits(labeller):
            raise HTTPException(
                422, f"the collection has {MAX_LABELLERS} labellers; use one of their names"
            )

    def _progress(self, labeller: str, review: bool) -> dict[str, Any]:
        return {"progress": asdict(self._store.progress(labeller, review=review))}

    def _state_of(self, page: int, labeller: str) -> dict[str, Any]:
        state = self._store.state(page, labeller)
        kind = self._store.suggested_kind(page)
        return {"state": {"page": page, **_state(state), "suggested_kind": kind}}


def _compare_labellers(folder: Path) -> list[dict[str, Any]]:
    """The agreement of each pair of labellers, by a connection of its own that blocks nobody."""
    with LabelStore(folder) as store:
        pairs = agreements(store.labelled_pages(), MAX_DISAGREEMENTS)
    differing = [pair.blocks - round(pair.same * pair.blocks) for pair in pairs]
    return [
        {**asdict(pair), "more": number - len(pair.disagreements)}
        for pair, number in zip(pairs, differing, strict=True)
    ]


def _state(state: LabelledPage) -> dict[str, Any]:
    return {
        "roles": state.names,
        "comments": state.comments,
        "reviews": state.reviews,
        "reviewed": state.reviewed,
        "suggested": state.suggested,
        "by_hand": [when is not None for when in state.times],
        "applied": state.applied,
        "kind": state.kind,
        "note": state.note,
        "done": state.done is not None,
        "blind": state.blind,
        "unmatched": state.unmatched,
    }


def add_label_routes(app: APIRouter, queue: LabelQueue) -> None:
    """Add the routes below ``/label``."""
    for method, path, answer in (
        ("GET", "next", queue.next_page),
        ("GET", "previous", queue.previous),
        ("GET", "pages", queue.pages),
        ("GET", "pages/{page}", queue.page),
        ("GET", "pages/{page}/offered", queue.offered),
        ("POST", "actions", queue.act),
        ("POST", "apply", queue.apply),
        ("POST", "undo", queue.undo),
        ("GET", "agreement", queue.agreement),
    ):
        app.add_api_route(f"/label/{path}", answer, methods=[method])
