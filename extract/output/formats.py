"""An `Extraction` written out: text, Markdown, HTML, JSON, XML-TEI."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from ...models.article.explanation import Contribution
from .document import Document
from .extraction import Block, Extraction
from .front_matter import front_matter
from .html import escape as escape_html
from .html import to_html
from .markdown import escape as escape_markdown
from .markdown import heading, to_markdown
from .options import WriteOptions
from .record_table import write_csv
from .tei import to_tei
from .terminal import printable

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
            values |= {
                "text": extraction.text,
                "html": extraction.html,
                "markdown": extraction.markdown,
            }
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


def _text(extraction: Extraction, options: WriteOptions) -> str:
    parts = (extraction.title, extraction.text)
    return "\n\n".join(part for part in parts if part)


def _markdown(extraction: Extraction, options: WriteOptions) -> str:
    plain = heading(1, escape_markdown(extraction.title))
    head = front_matter(extraction) if options.front_matter else plain
    written = to_markdown(_document(extraction, options), wrap=options.wrap)
    return "\n\n".join(part for part in (head, written) if part)


def _html(extraction: Extraction, options: WriteOptions) -> str:
    title = escape_html(extraction.title)
    head = f"<h1>{title}</h1>" if title else ""
    return f"<article>{head}{to_html(_document(extraction, options))}</article>"


def _json(extraction: Extraction, options: WriteOptions) -> str:
    return json.dumps(to_dict(extraction), ensure_ascii=False)


def _csv(extraction: Extraction, options: WriteOptions) -> str:
    """The records of a list page; of an article one record with what is known of it."""
    table = extraction.records
    if table is not None:
        return write_csv(table.columns, table.rows).rstrip("\n")
    row = {name: str(getattr(extraction, name) or "") for name in ARTICLE_COLUMNS}
    row["authors"] = "; ".join(extraction.authors)
    return write_csv(ARTICLE_COLUMNS, [row]).rstrip("\n")


def _tei(extraction: Extraction, options: WriteOptions) -> str:
    return to_tei(extraction, _document(extraction, options))


def _chunks(extraction: Extraction, options: WriteOptions) -> str:
    found = extraction.chunks(options.chunk_size, overlap=options.chunk_overlap)
    return "\n".join(json.dumps(asdict(chunk), ensure_ascii=False) for chunk in found)


def _document(extraction: Extraction, options: WriteOptions) -> Document:
    return extraction.body.document(links=options.links, images=options.images)


FORMATS: dict[str, Callable[[Extraction, WriteOptions], str]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
    "csv": _csv,
    "tei": _tei,
    "chunks": _chunks,
}
"""Writers by name; JSON is one line an article, chunks are one line a chunk."""

DEFAULT_OPTIONS = WriteOptions()


def format_extraction(
    extraction: Extraction, form: str, options: WriteOptions = DEFAULT_OPTIONS
) -> str:
    """An extraction in one of the `FORMATS`, fit for a terminal: no control characters."""
    return printable(FORMATS[form](extraction, options))
