"""Routes of the labelling page."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Query
from pydantic import AfterValidator, Field, model_validator

from ..collect.labels.sheet import MAX_BLOCKS
from ..collect.labels.store import BROKEN, Action
from ..models.article.roles import ROLES
from ..models.kinds.model import KIND_NAMES
from .label_queue import LabelQueue
from .requests import StrictModel

__all__ = ["add_label_routes"]

KINDS = (*KIND_NAMES, BROKEN)

MAX_NOTE = 2000

# More actions would have more strings than a request may contain.
MAX_ACTIONS = 16


def _visible(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable():
        raise ValueError("must have at least one character, and only printable ones")
    return name


Labeller = Annotated[str, Field(max_length=60), AfterValidator(_visible)]
Page = Annotated[int, Field(ge=1, le=1 << 53)]
Block = Annotated[int, Field(ge=0, lt=MAX_BLOCKS)]
Skip = Annotated[str, Query(pattern=r"^(\d{1,15}(,\d{1,15}){0,49})?$")]


class LabelAction(StrictModel):
    """An action of a labeller; see `miolo.collect.labels.store.Action`."""

    key: str = Field(
        pattern=r"^[\w-]{8,60}$",
        description="Unique key; an action that is sent twice counts once.",
    )
    page: Page
    field: Literal["role", "kind", "note", "done"]
    value: str = Field("", max_length=MAX_NOTE)
    first: Block = 0
    last: Block = 0
    undone: bool = Field(False, description="Whether the labeller has already undone the action.")

    @model_validator(mode="after")
    def _has_meaning(self) -> Self:
        choices = {"role": ROLES, "kind": ("", *KINDS), "done": ("", "1")}
        if self.value not in choices.get(self.field, (self.value,)):
            raise ValueError(f"there is no {self.field} of this name")
        if self.last < self.first:
            raise ValueError("the last block comes before the first")
        return self


class LabelActions(StrictModel):
    """Actions of a labeller, in order; either all or none of them are saved."""

    labeller: Labeller
    actions: list[LabelAction] = Field(min_length=1, max_length=MAX_ACTIONS)


class LabelUndo(StrictModel):
    """The labeller whose last action is undone."""

    labeller: Labeller


def add_label_routes(app: APIRouter, queue: LabelQueue) -> None:
    """Add the routes below ``/label``."""

    @app.get("/label/next")
    async def next_page(labeller: Labeller, skip: Skip = "") -> dict[str, Any]:
        """Reserve the page to label next and return its number; null if there is none."""
        return await queue.next_page(labeller, [int(page) for page in skip.split(",") if page])

    @app.get("/label/pages/{page}")
    async def page(page: Page, labeller: Labeller, blind: bool = False) -> dict[str, Any]:
        """Return a page with its blocks, their suggested roles and the labeller's labels."""
        return await queue.page(page, labeller, blind=blind)

    @app.post("/label/actions")
    async def act(body: LabelActions) -> dict[str, Any]:
        """Save the actions of a labeller."""
        actions = [Action(labeller=body.labeller, **each.model_dump()) for each in body.actions]
        return await queue.act(body.labeller, actions)

    @app.post("/label/undo")
    async def undo(body: LabelUndo) -> dict[str, Any]:
        """Undo the labeller's last action."""
        return await queue.undo(body.labeller)

    @app.get("/label/agreement")
    async def agreement() -> list[dict[str, Any]]:
        """Return Cohen's kappa for each pair of labellers, and the blocks on which they differ."""
        return await queue.agreement()
