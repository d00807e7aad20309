"""Parts of an `Extraction`, and how they are read from plain values."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import PageWarning
from ..features.anchors import Anchor

if TYPE_CHECKING:
    from ..models.article.explanation import Contribution


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, list item or cell of the page."""

    text: str
    """Text, with white space collapsed except in preformatted text, and except for line feeds that
    end lines on the screen."""
    tag: str
    """Tag of the element that makes it a block."""
    node: int
    """Number of that element in the snapshot; -1 if only another version of the page has it."""
    box: tuple[float, float, float, float]
    """x, y, width, height in CSS px from the page's top left corner."""
    score: float
    """Score in [0, 1]."""
    kept: bool
    """Whether the block belongs to the text."""
    role: str
    """One of `miolo.models.article.roles.ROLES`. A method without roles of its own distinguishes
    only the title, comments and boilerplate; the roles of its text follow from the elements."""
    custom_role: str
    """The custom role that a model trained with ``--custom-roles`` gives it, empty for none."""
    hidden: bool
    """Whether the page does not show the block, whose text may be written for machines."""
    code: int = field(repr=False, compare=False)
    reasons: Sequence[str] = field(repr=False, compare=False)
    evidence: Sequence[tuple[Contribution, ...]] = field(default=(), repr=False, compare=False)
    """Place of `reason` and of `contributions` in sequences that may create them on demand. A
    method that records no contributions has no evidence."""
    number: int = field(default=0, repr=False, compare=False)
    anchors: Sequence[Anchor] = field(default=(), repr=False, compare=False)
    """Place of `anchor` in a sequence that is computed when it is first used."""

    @property
    def reason(self) -> str:
        """Why the block is kept or left out, in words."""
        return self.reasons[self.code]

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """Contributions to the score, the largest first.

        Empty for a method that records none, and on pages of more than 5,000 blocks.
        """
        return self.evidence[self.code] if self.evidence else ()

    @property
    def anchor(self) -> Anchor:
        """What `miolo.find` finds the block by in another capture of the page; without a path and a
        selector if only another version of the page has the block.
        """
        return self.anchors[self.number] if self.anchors else Anchor("", "", 0, self.text)


@dataclass(frozen=True)
class TemplateField:
    """Content that varies at a fixed place across the pages of a template.

    Its name is ``"body"``, ``"title"``, ``"date"``, ``"author"``, ``"section"`` or empty, its place
    a path in the template such as ``"html/body/div[2]/p[1]/."``, and its node the first in the
    snapshot.
    """

    name: str
    text: str
    place: str
    node: int


@dataclass(frozen=True)
class Post:
    """A post of a thread, or an entry of a live blog with its title, at an element of the snapshot.

    Blocks of the text are separated by empty lines, and the date is in ISO 8601. What the page does
    not give is empty or None.
    """

    author: str
    date: str | None
    text: str
    node: int
    title: str = ""


def read_value(name: str, value: Any) -> Any:
    """Convert the plain value of a field, from JSON or a row of Parquet, to its Python value."""
    if name in _READERS:
        return _READERS[name](value)
    return tuple(value) if isinstance(value, list) else value


def _mapping(value: Any) -> dict[str, Any]:
    # In tables, maps are stored as JSON text.
    return json.loads(value) if isinstance(value, str) else dict(value)


def _records(value: Any) -> RecordTable | None:
    if value is None:
        return None
    lists = {name: tuple(value[name]) for name in ("columns", "constants")}
    rows = tuple(_mapping(row) for row in value["rows"])
    nodes = tuple(tuple(each) for each in value["nodes"])
    return RecordTable(**{**value, **lists, "rows": rows, "nodes": nodes})


def _block(value: dict[str, Any]) -> Block:
    from ..models.article.explanation import Contribution

    plain: dict[str, Any] = {**value, "box": tuple(value["box"])}
    reason, evidence = plain.pop("reason"), plain.pop("contributions")
    anchors = (Anchor(**plain.pop("anchor"), text=value["text"]),)
    contributions = tuple(
        Contribution(name, float("nan") if figure is None else figure, log_odds)
        for name, figure, log_odds in map(itemgetter("feature", "value", "log_odds"), evidence)
    )
    further = {"reasons": (reason,), "evidence": (contributions,), "anchors": anchors}
    return Block(**plain, code=0, **further)


_READERS = {
    "provenance": _mapping,
    "field_confidence": _mapping,
    "marks": _mapping,
    "records": _records,
    "blocks": lambda value: tuple(map(_block, value or ())),
    "passages": lambda value: tuple(TemplateField(**each) for each in value),
    "posts": lambda value: tuple(Post(**each) for each in value),
    "warnings": lambda value: tuple(PageWarning(**each) for each in value),
}


@dataclass(frozen=True)
class RecordTable:
    """A list of records on a page, as a table."""

    columns: tuple[str, ...]
    """Names of the columns: first those of ``title``, ``url``, ``date``, ``author``, ``image`` and
    ``summary`` that the records have, then all other values in the page's order, as ``text-1``,
    ``url-1``, ``date-1`` and ``image-1``."""
    rows: tuple[dict[str, str], ...]
    """One mapping per record, from the name of a column to its text, address or date. Columns that
    a record lacks are left out. As JSON, the rows have the form of an API response."""
    constants: tuple[str, ...]
    """Texts that all records repeat, such as ``"Read more"``; no column contains them."""
    node: int
    nodes: tuple[tuple[int, ...], ...]
    """Node of the snapshot around all records, and the top nodes of each record."""
    score: float
    main: bool
    """How much of the page the list covers, and how regular it is, in [0, 1]; whether it is the
    main content of the page."""
    left_out: int
    """Number of texts, links, pictures and dates of the records that no column contains."""


def write_csv(columns: Sequence[str], rows: Iterable[dict[str, str]]) -> str:
    """Write rows as CSV with a header line; the empty string if there are no columns.

    Values are written as they stand on the page: a text that begins with ``=`` is not altered.
    When opening the file in a spreadsheet, import its columns as text.
    """
    file = io.StringIO(newline="")
    if columns:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file.getvalue()
