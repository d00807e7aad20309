"""`PageResult`: what came of one page, whoever asked for it; and the same as plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from .. import errors
from ..errors import ArchiveError, MioloError
from ..models.article.explanation import Contribution
from ..renderer.archives.exchange import Exchange
from ..renderer.snapshot import PageWarning, Snapshot
from .body import Body, parse_body
from .extraction import Block, Extraction, LazyItem, Post, TemplateField
from .nodes import Nodes
from .record_table import RecordTable
from .schema import FIELDS, SCHEMA_VERSION, plain_values
from .walk import Link

__all__ = ["PageResult", "failure"]

ERROR_FACTS = ("status", "cause", "retry_after", "traceback")

WRITTEN = ("text", "html", "markdown", "links")
"""What an extraction writes from its body."""

# Of an extraction, what its result has as it is.
OWN = frozenset(each.name for each in fields(Extraction)) & frozenset(FIELDS)


@dataclass(frozen=True, eq=False)
class PageResult:
    """What came of one page: an extraction or an error.

    Attributes
    ----------
    requested_url
        As it was asked for.
    url
        Where that led; None where nothing was rendered.
    http_status
        That the page was answered with; None where that is not known.
    extractions
        By method, in the order of the job's; empty where the page failed.
    error
        What it failed by; None where it did not.
    artefacts
        What else was made of the page, by name.
    snapshot
        The page, where the job keeps it.
    exchanges
        All that rendering the page took, where the job records it.
    """

    requested_url: str
    url: str | None = None
    http_status: int | None = None
    extractions: Mapping[str, Extraction] = field(default_factory=dict)
    error: MioloError | None = None
    artefacts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    snapshot: Snapshot | None = field(default=None, repr=False)
    exchanges: tuple[Exchange, ...] = field(default=(), repr=False)

    @property
    def extraction(self) -> Extraction | None:
        """The extraction by the job's first method; None where the page failed."""
        return next(iter(self.extractions.values()), None)

    def unwrap(self) -> Extraction:
        """The extraction by the first method.

        Raises
        ------
        MioloError
            The page failed, or nothing was to be extracted.
        """
        extraction = self.raise_for_error().extraction
        if extraction is None:
            raise MioloError(f"nothing was extracted from {self.requested_url}")
        return extraction

    def raise_for_error(self) -> PageResult:
        """The result itself.

        Raises
        ------
        MioloError
            The page failed.
        """
        if self.error is not None:
            raise self.error
        return self

    def to_dict(self, *, blocks: bool = True) -> dict[str, Any]:
        """The result as plain values, as ``docs/schema.json`` describes them.

        Parameters
        ----------
        blocks
            Whether the page's text blocks are in it; without them they are null.
        """
        values: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "requested_url": self.requested_url,
            "url": self.url,
            "http_status": self.http_status,
            "error": None if self.error is None else _Failure(self.error),
        }
        extraction = self.extraction
        if extraction is not None:
            values |= {name: getattr(extraction, name) for name in OWN - values.keys()}
            values |= {name: getattr(extraction, name) for name in WRITTEN}
            values["blocks"] = extraction.blocks if blocks else None
        return plain_values(values)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PageResult:
        """The result that `to_dict` gave these values for, from JSON or from a row of Parquet.

        Arrays that are as long as the page are not among the values, and are empty.

        Raises
        ------
        ArchiveError
            The values are of another version of the schema, or damaged.
        """
        if values.get("schema_version") != SCHEMA_VERSION:
            version = values.get("schema_version")
            raise ArchiveError(f"a result of schema version {version}, not {SCHEMA_VERSION}")
        try:
            return _result(cls, values)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ArchiveError(f"a damaged result: {error!r}") from error


def failure(kind: str, message: str, **facts: Any) -> MioloError:
    """An error by the name of its class; a `MioloError` where there is no such class."""
    found = getattr(errors, kind, None)
    if not (isinstance(found, type) and issubclass(found, MioloError)):
        found = MioloError
    error = found(message)
    error.__dict__.update({name: value for name, value in facts.items() if value is not None})
    return error


class _Failure:
    """The fields of an error; those that its kind has not are None."""

    def __init__(self, error: MioloError) -> None:
        self.kind, self.message = type(error).__name__, str(error)
        for name in ERROR_FACTS:
            setattr(self, name, getattr(error, name, None))


class WrittenBody(Body):
    """A body of which what was written of it is there; other formats are written from its HTML."""

    def __init__(
        self, url: str, text: str, html: str, markdown: str, links: tuple[Link, ...]
    ) -> None:
        # The values are in place of what they are computed from.
        self.__dict__.update(
            url=url, text=text, html=html, markdown=markdown, links=links, is_edited=True
        )

    @cached_property
    def pages(self) -> tuple[Nodes, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The nodes of the HTML."""
        return parse_body(self.html, self.__dict__["url"]).pages

    def __getstate__(self) -> dict[str, object]:
        return dict(self.__dict__)


def _result(cls: type[PageResult], values: Mapping[str, Any]) -> PageResult:
    error = values["error"]
    extractions = {}
    if values["method"] is not None:
        extractions[values["method"]] = _extraction(values)
    return cls(
        values["requested_url"],
        values["url"],
        values["http_status"],
        extractions,
        None if error is None else failure(**error),
    )


def _extraction(values: Mapping[str, Any]) -> Extraction:
    own = {name: _value(name, values[name]) for name in OWN}
    links = tuple(Link(**link) for link in values["links"])
    body = WrittenBody(values["url"], values["text"], values["html"], values["markdown"], links)
    return Extraction(**own, body=body)


def _value(name: str, value: Any) -> Any:
    if name in _READERS:
        return _READERS[name](value)
    return tuple(value) if isinstance(value, list) else value


def _mapping(value: Any) -> dict[str, Any]:
    # Tables have no maps: there they are JSON text.
    return json.loads(value) if isinstance(value, str) else dict(value)


def _records(value: Any) -> RecordTable | None:
    if value is None:
        return None
    lists = {name: tuple(value[name]) for name in ("columns", "constants")}
    rows = tuple(_mapping(row) for row in value["rows"])
    nodes = tuple(tuple(each) for each in value["nodes"])
    return RecordTable(**{**value, **lists, "rows": rows, "nodes": nodes})


def _blocks(value: Any) -> tuple[Block, ...]:
    return tuple(_block(dict(each)) for each in value or ())


def _block(value: dict[str, Any]) -> Block:
    reason, evidence = value.pop("reason"), value.pop("contributions")
    x, y, width, height = value.pop("box")
    contributions = tuple(
        Contribution(
            each["feature"],
            float("nan") if each["value"] is None else each["value"],
            each["log_odds"],
        )
        for each in evidence
    )
    return Block(
        **value,
        box=(x, y, width, height),
        reasons=LazyItem((reason,), 0),
        evidence=LazyItem((contributions,), 0) if contributions else None,
    )


_READERS = {
    "provenance": _mapping,
    "marks": _mapping,
    "records": _records,
    "blocks": _blocks,
    "passages": lambda value: tuple(TemplateField(**each) for each in value),
    "posts": lambda value: tuple(Post(**each) for each in value),
    "warnings": lambda value: tuple(PageWarning(**each) for each in value),
}
