"""Columns of a table of records, built from the places of their alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .fields import Place
from .page import FACTS, RecordPage

__all__ = ["Column", "columns_of"]

Cells = dict[int, tuple[int, ...]]

# Text columns below one place are scattered if they repeat, or if fewer than SCATTERED_SUPPORT of
# its members have them. From MIN_SCATTERED of them on, they are parts of a body rather than
# fields, and are merged into one column.
MIN_SCATTERED = 5
SCATTERED_SUPPORT = 0.5


@dataclass(frozen=True)
class Column:
    """The data at one place of the records."""

    kind: str
    """``"text"``, ``"link"``, ``"image"`` or ``"datetime"``."""
    inside: int | None
    """Number of the nearest enclosing link or datetime column, or None."""
    repeats: bool
    """Whether a record may have several values."""
    support: float
    """Share of the records that have a value, in (0, 1]."""


@dataclass(eq=False)
class _Draft:
    kind: str
    cells: Cells
    repeats: bool
    inside: _Draft | None


def columns_of(
    page: RecordPage, places: Sequence[Place], records: int
) -> tuple[tuple[Column, ...], list[Cells]]:
    """Columns in document order, and the nodes of each column by record number."""
    own = _draft_columns(page, places)
    below: dict[int, list[_Draft]] = {}
    for place in reversed(places):
        drafts = own[id(place)] + [draft for part in place.below for draft in below.pop(id(part))]
        below[id(place)] = _gather(drafts, len(place.members))
    drafts = below[id(places[0])]
    number = {id(draft): i for i, draft in enumerate(drafts)}
    columns = tuple(
        Column(d.kind, number.get(id(d.inside)), d.repeats, len(d.cells) / records) for d in drafts
    )
    return columns, [draft.cells for draft in drafts]


def _draft_columns(page: RecordPage, places: Sequence[Place]) -> dict[int, list[_Draft]]:
    own: dict[int, list[_Draft]] = {}
    inside: dict[int, _Draft | None] = {}
    for place in places:
        around = None if place.above is None else inside[id(place.above)]
        drafts = [
            _Draft(kind, cells, place.repeats, around)
            for code, kind in enumerate(FACTS[1:], 1)
            if (cells := _cells(page, place, code))
        ]
        own[id(place)] = drafts
        inside[id(place)] = next((d for d in drafts if d.kind in ("link", "datetime")), around)
    return own


def _cells(page: RecordPage, place: Place, code: int) -> Cells:
    return {
        number: nodes
        for number, members in place.members.items()
        if (nodes := tuple(node for node in members if page.fact[node] == code))
    }


def _gather(drafts: list[_Draft], members: int) -> list[_Draft]:
    """Merge a body's scattered drafts into one per kind, at the position of the first."""
    scattered = {
        id(d): d for d in drafts if d.repeats or len(d.cells) < SCATTERED_SUPPORT * members
    }
    if sum(draft.kind == "text" for draft in scattered.values()) < MIN_SCATTERED:
        return drafts
    whole: dict[str, _Draft] = {}
    kept: list[_Draft] = []
    for draft in drafts:
        if id(draft) not in scattered:
            kept.append(draft)
        elif draft.kind not in whole:
            whole[draft.kind] = _Draft(draft.kind, dict(draft.cells), True, None)
            kept.append(whole[draft.kind])
        else:
            cells = whole[draft.kind].cells
            for number, nodes in draft.cells.items():
                cells[number] = (*cells.get(number, ()), *nodes)
    for draft in whole.values():
        draft.cells = {number: tuple(sorted(nodes)) for number, nodes in draft.cells.items()}
    return kept
