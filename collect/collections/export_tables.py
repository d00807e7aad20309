"""The tables of an exported collection: their columns, and the rows of one page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ...features.counts import count_nodes
from ...features.words import count_words
from ...output.extraction import Extraction
from ...output.page_result import PageResult, failure
from ...output.schema import result_table, table_schema, valid_text
from ...renderer.page.snapshot import POSITIONS, Snapshot
from ..labels.store import LabelledPage
from .collection_reader import CollectionPage, domain_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "TABLES",
    "block_rows",
    "failed_row",
    "label_rows",
    "node_rows",
    "result_rows",
    "schemas",
    "text_rows",
]

TABLES = {
    "pages": "one row per page: what was extracted, or the error of a failed page",
    "nodes": "one row per node of each snapshot: tree, box, style, text, attributes",
    "blocks": "one row per text block of each snapshot: box, role, score, whether it was kept",
    "texts": "one row per page with text: title and text of the article, words, language, date",
    "labels": "one row per block labelled by a person: role, suggestion, labeller and time",
}
"""Names and contents of the tables."""

NODES = {
    "page": "int64", "node": "int32", "parent": "int32", "end": "int32", "level": "int32",
    "tag": "string", "x": "float32", "y": "float32", "width": "float32", "height": "float32",
    "visible": "bool", "display": "string", "position": "string", "font_size": "float32",
    "font_weight": "int16", "color": "uint32", "background": "uint32", "paint_order": "int32",
    "html_chars": "int32", "frame": "int16", "own_words": "int32", "words": "int32",
    "linked_words": "int32", "links": "int32", "intra_links": "int32", "text": "string",
}  # fmt: skip

BLOCKS = {
    "page": "int64", "block": "int32", "node": "int32", "tag": "string", "x": "float32",
    "y": "float32", "width": "float32", "height": "float32", "role": "string", "kept": "bool",
    "score": "float32", "reason": "string", "text": "string",
}  # fmt: skip

TEXTS = {
    "page": "int64", "url": "string", "domain": "string", "title": "string", "text": "string",
    "words": "int32", "language": "string", "date": "string",
}  # fmt: skip

LABELS = {
    "page": "int64", "block": "int32", "node": "int32", "labeller": "string", "role": "string",
    "suggested": "string", "by_hand": "bool", "time": "string", "finished": "string",
    "kind": "string", "note": "string", "content": "string", "text": "string",
}  # fmt: skip


def schemas() -> dict[str, pa.Schema]:
    """Columns and types of each table."""
    results = table_schema()
    import pyarrow as pa

    attribute = pa.struct([("name", pa.string()), ("value", pa.string())])
    return {
        "pages": results.insert(0, pa.field("page", pa.int64())),
        "nodes": _schema(NODES).append(pa.field("attributes", pa.list_(attribute))),
        "blocks": _schema(BLOCKS),
        "texts": _schema(TEXTS),
        "labels": _schema(LABELS),
    }


def _schema(columns: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])


def failed_row(page: CollectionPage) -> dict[str, Any]:
    """The result row of a page that failed in the run."""
    error = failure(page.kind or "", page.error or "", status=page.http_status)
    result = PageResult(page.url, http_status=page.http_status, error=error)
    return {"id": page.id, **result.to_dict()}


def result_rows(row: Mapping[str, Any]) -> pa.Table:
    """A result row as a table."""
    import pyarrow as pa

    # Lone surrogates, which a script may leave in a text, cannot be written.
    plain = json.loads(valid_text(json.dumps(row, ensure_ascii=False)))
    numbers = pa.array([plain["id"]], pa.int64())
    return result_table([plain]).add_column(0, pa.field("page", pa.int64()), numbers)


def text_rows(row: Mapping[str, Any], schema: pa.Schema) -> pa.Table | None:
    """The text of a page from its result row; None if the page failed or has no text."""
    import pyarrow as pa

    text = row.get("text")
    if not text or row.get("error"):
        return None
    url = row.get("url") or row["requested_url"]
    columns = {
        "page": row["id"],
        "url": url,
        "domain": domain_of(url),
        "words": count_words(text),
        **{name: row.get(name) for name in ("title", "text", "language", "date")},
    }
    valid = {k: valid_text(v) if isinstance(v, str) else v for k, v in columns.items()}
    return pa.Table.from_pylist([valid], schema=schema)


def node_rows(page: CollectionPage, snapshot: Snapshot, schema: pa.Schema) -> pa.Table:
    """All nodes of a page; for the counts see `NodeRecord`, for other columns `Snapshot`."""
    import pyarrow as pa

    counts, size = count_nodes(snapshot), len(snapshot)
    columns: dict[str, Any] = {
        "page": np.full(size, page.id, np.int64),
        "node": np.arange(size, dtype=np.int32),
        "level": snapshot.depth,
        **{name: getattr(snapshot, name) for name in NODES if name in _AS_THEY_ARE},
        **dict(zip(("x", "y", "width", "height"), snapshot.box.T, strict=True)),
        "tag": _name(snapshot.tags, snapshot.tag),
        "display": _name(snapshot.displays, snapshot.display),
        "position": _name(POSITIONS, snapshot.position),
        "own_words": counts.own_words,
        "words": counts.text.words,
        "linked_words": counts.text.link_words,
        "links": counts.links,
        "intra_links": counts.intra_links,
        "text": [valid_text(text) for text in snapshot.text],
        "attributes": _attributes(snapshot),
    }
    arrays = [_array(columns[field.name], field.type) for field in schema]
    return pa.table(arrays, schema=schema)


_AS_THEY_ARE = frozenset(
    "parent end visible font_size font_weight color background paint_order html_chars frame".split()
)


def _array(values: Any, kind: pa.DataType) -> Any:
    import pyarrow as pa

    return values if isinstance(values, pa.Array) else pa.array(values).cast(kind)


def _name(names: tuple[str, ...], codes: Any) -> pa.Array:
    import pyarrow as pa

    return pa.array([valid_text(name) for name in names], pa.string()).take(pa.array(codes))


def _attributes(snapshot: Snapshot) -> pa.Array:
    """Attribute names and values of each node; each distinct string is converted once."""
    import pyarrow as pa

    rows = snapshot.attributes
    pairs = [_name(rows.strings, rows.name), _name(rows.strings, rows.value)]
    return pa.ListArray.from_arrays(
        pa.array(rows.start), pa.StructArray.from_arrays(pairs, ["name", "value"])
    )


def block_rows(page: CollectionPage, extraction: Extraction, schema: pa.Schema) -> pa.Table:
    """All blocks of a page, kept or not."""
    import pyarrow as pa

    rows = []
    for number, block in enumerate(extraction.blocks):
        x, y, width, height = block.box
        columns = {name: getattr(block, name) for name in ("node", "role", "kept", "score")}
        texts = {name: valid_text(getattr(block, name)) for name in ("tag", "reason", "text")}
        box = {"x": x, "y": y, "width": width, "height": height}
        rows.append({"page": page.id, "block": number, **columns, **texts, **box})
    return pa.Table.from_pylist(rows, schema=schema)


def label_rows(page: int, labelled_page: LabelledPage, schema: pa.Schema) -> pa.Table:
    """All blocks of a page with the labels of one labeller."""
    import pyarrow as pa

    rows = [
        {
            "page": page,
            "block": number,
            "node": labelled_page.nodes[number],
            "labeller": valid_text(labelled_page.labeller),
            "role": role,
            "suggested": labelled_page.suggested[number],
            "by_hand": labelled_page.times[number] is not None,
            "time": _iso_time(labelled_page.times[number]),
            "finished": _iso_time(labelled_page.done),
            "kind": labelled_page.kind,
            "note": valid_text(labelled_page.note),
            "content": labelled_page.content,
            "text": valid_text(labelled_page.texts[number]),
        }
        for number, role in enumerate(labelled_page.roles)
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _iso_time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
