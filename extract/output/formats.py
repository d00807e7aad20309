"""An `Extraction` written out: text, Markdown, HTML, JSON, XML-TEI."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from bs4 import BeautifulSoup

from ...models.article.explanation import Contribution
from .extraction import Block, Extraction
from .markdown import escape, heading
from .record_table import write_csv
from .sanitise import printable
from .tei import to_tei

__all__ = ["FORMATS", "format_extraction", "to_dict"]

PER_NODE = ("scores", "reason", "reasons", "template")
ARTICLE_COLUMNS = ("title", "url", "date", "authors", "kind", "kind_probability", "text")
BLOCK_KEYS = ("text", "tag", "node", "box", "score", "kept", "role", "reason")


def to_dict(extraction: Extraction) -> dict[str, Any]:
    """Everything but the per-node arrays, as plain values for JSON.

    Each block has ``text``, ``tag``, ``node``, ``box``, ``score``, ``kept``, ``role``, ``reason``
    and ``contributions``, a list of ``{"feature", "value", "log_odds"}``.
    """
    values: dict[str, Any] = {}
    for field in fields(extraction):
        if field.name == "body":
            values |= {"html": extraction.html, "markdown": extraction.markdown}
        elif field.name == "comments":
            values |= {"comments": extraction.comments, "links": _plain(extraction.links)}
        elif field.name == "blocks":
            values["blocks"] = [_block(block) for block in extraction.blocks]
        elif field.name not in PER_NODE:
            values[field.name] = _plain(getattr(extraction, field.name))
    return values


def _block(block: Block) -> dict[str, Any]:
    values = {key: getattr(block, key) for key in BLOCK_KEYS}
    return values | {"contributions": [_contribution(each) for each in block.contributions]}


def _contribution(each: Contribution) -> dict[str, Any]:
    # JSON has no NaN.
    value = each.value if math.isfinite(each.value) else None
    return {"feature": each.feature, "value": value, "log_odds": each.log_odds}


def _plain(value: Any) -> Any:
    """A value with plain ones in place of dataclasses."""
    if isinstance(value, tuple):
        return tuple(_plain(part) for part in value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _text(extraction: Extraction) -> str:
    parts = (extraction.title, extraction.text)
    return "\n\n".join(part for part in parts if part)


def _markdown(extraction: Extraction) -> str:
    head = heading(1, escape(extraction.title))
    return "\n\n".join(part for part in (head, extraction.markdown) if part)


def _html(extraction: Extraction) -> str:
    page = BeautifulSoup("", "lxml")
    article = page.new_tag("article")
    if extraction.title:
        heading = page.new_tag("h1")
        heading.string = extraction.title
        article.append(heading)
    body = BeautifulSoup(extraction.html, "html.parser")
    for element in list(body.contents):
        article.append(element.extract())
    return str(article)


def _json(extraction: Extraction) -> str:
    return json.dumps(to_dict(extraction), ensure_ascii=False)


def _csv(extraction: Extraction) -> str:
    """The records of a list page; of an article one record with what is known of it."""
    table = extraction.records
    if table is not None:
        return write_csv(table.columns, table.rows).rstrip("\n")
    row = {name: str(getattr(extraction, name) or "") for name in ARTICLE_COLUMNS}
    row["authors"] = "; ".join(extraction.authors)
    return write_csv(ARTICLE_COLUMNS, [row]).rstrip("\n")


FORMATS: dict[str, Callable[[Extraction], str]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
    "csv": _csv,
    "tei": to_tei,
}
"""Writers by name; JSON is one line an article."""


def format_extraction(extraction: Extraction, form: str) -> str:
    """An extraction in one of the `FORMATS`, fit for a terminal: no control characters."""
    return printable(FORMATS[form](extraction))
