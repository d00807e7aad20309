"""The single definition of a page's result: its fields as JSON, as JSON Schema and as Parquet.

``python -m miolo.output.schema`` generates ``docs/schema.json`` from it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..errors import ArchiveError, MissingDependencyError

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
"""Incremented whenever a field is removed, or its type or meaning changes."""

Type = dict[str, Any]
"""A JSON Schema. An object is a map if its ``additionalProperties`` are a schema."""

Convert = Callable[[Iterable[Any]], list[Any]]
"""Converts all values of a field at once, which takes half as long as one after the other."""


def _or_null(kind: Type) -> Type:
    return kind | {"type": [kind["type"], "null"]}


def _list(item: Type) -> Type:
    return {"type": "array", "items": item}


def _map(item: Type) -> Type:
    return {"type": "object", "additionalProperties": item}


def _object(**fields: Type) -> Type:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


TEXT, INTEGER, NUMBER, TRUTH = (
    {"type": kind} for kind in ("string", "integer", "number", "boolean")
)
TEXTS = _list(TEXT)

ERROR = _object(
    kind=TEXT,
    message=TEXT,
    status=_or_null(INTEGER),
    cause=_or_null(TEXT),
    retry_after=_or_null(NUMBER),
    traceback=_or_null(TEXT),
)
RECORDS = _object(
    columns=TEXTS,
    rows=_list(_map(TEXT)),
    constants=TEXTS,
    node=INTEGER,
    nodes=_list(_list(INTEGER)),
    score=NUMBER,
    main=TRUTH,
    left_out=INTEGER,
)
LINK, WARNING = _object(text=TEXT, url=TEXT), _object(code=TEXT, message=TEXT)
PASSAGE = _object(name=TEXT, text=TEXT, place=TEXT, node=INTEGER)
POST = _object(author=TEXT, date=_or_null(TEXT), text=TEXT, node=INTEGER, title=TEXT)
BLOCK = _object(
    text=TEXT,
    tag=TEXT,
    node=INTEGER,
    box=_list(NUMBER),
    score=NUMBER,
    kept=TRUTH,
    role=TEXT,
    custom_role=TEXT,
    hidden=TRUTH,
    anchor=_object(xpath=TEXT, css=TEXT, offset=INTEGER),
    reason=TEXT,
    contributions=_list(_object(feature=TEXT, value=_or_null(NUMBER), log_odds=NUMBER)),
)

FIELDS: Mapping[str, Type] = {
    name: {"type": kind["type"], "description": about} | kind
    for name, kind, about in (
        ("schema_version", INTEGER, "Version of this schema."),
        ("requested_url", TEXT, "Address or file as requested."),
        ("url", _or_null(TEXT), "Address after redirects; null if nothing was rendered."),
        ("http_status", _or_null(INTEGER), "Status of the HTTP response."),
        ("error", _or_null(ERROR), "Error that the page failed with; null if it did not fail."),
        ("method", _or_null(TEXT), "Method that extracted the article; null without one."),
        ("title", _or_null(TEXT), "Headline without the site's name."),
        ("text", _or_null(TEXT), "Body as plain text, without the headline."),
        ("markdown", _or_null(TEXT), "Body as Markdown."),
        ("html", _or_null(TEXT), "Body as clean HTML."),
        ("language", _or_null(TEXT), "Language in which the text is written."),
        ("declared_language", _or_null(TEXT), "Language that the page declares."),
        ("kind", _or_null(TEXT), "Kind of page, such as article, forum or blocked."),
        ("kind_probability", _or_null(NUMBER), "Probability of the kind."),
        ("confidence", _or_null(NUMBER), "Probability that the text is right, if it is known."),
        ("date", _or_null(TEXT), "Date of publication, ISO 8601."),
        ("modified", _or_null(TEXT), "Date of the last change, ISO 8601."),
        ("site_name", _or_null(TEXT), "Name of the site."),
        ("image", _or_null(TEXT), "Address of the article's picture."),
        ("section", _or_null(TEXT), "Section of the site."),
        ("description", _or_null(TEXT), "Description that the page declares."),
        ("canonical_url", _or_null(TEXT), "Canonical address that the page declares."),
        ("authors", TEXTS, "Names of the authors."),
        ("tags", TEXTS, "Keywords of the page."),
        ("comments", TEXTS, "Texts in the comment area."),
        ("links", _list(LINK), "Links in the body."),
        ("paywalled", _or_null(TRUTH), "Whether the page declares a paywall."),
        ("truncated", _or_null(TRUTH), "Whether the body is shorter than the page declares."),
        ("provenance", _map(TEXT), "Source of each field that has a value."),
        (
            "field_confidence",
            _map(NUMBER),
            "Probability that the value of a ranked field is right.",
        ),
        ("marks", _map(INTEGER), "Marked nodes of the snapshot, by name."),
        ("passages", _list(PASSAGE), "Texts that vary across the pages of the template."),
        ("posts", _list(POST), "Posts of a forum thread, or entries of a live blog."),
        ("records", _or_null(RECORDS), "The main list, if the method looks for one."),
        ("warnings", _list(WARNING), "Warnings of rendering and extraction."),
        ("blocks", _or_null(_list(BLOCK)), "All text blocks; null if not requested."),
    )
}
"""Fields of a result, in order."""

BESIDE: Mapping[str, Type] = {
    "id": INTEGER | {"description": "Number of the page in its collection."},
    "snapshot": _or_null(TEXT) | {"description": "File of the saved snapshot."},
}
"""Fields that a collection, or a run on several machines, adds to a result."""


def plain_values(source: Mapping[str, Any], names: Iterable[str] = FIELDS) -> dict[str, Any]:
    """Values of the `FIELDS` in JSON types: no tuples, NaN, dataclasses or lone surrogates.

    A field that the source lacks is null, or empty if it may not be null.
    """
    return {
        name: _empty(FIELDS[name])
        if (value := source.get(name)) is None
        else _PLAIN[name]((value,))[0]
        for name in names
    }


@contextmanager
def reading(values: Mapping[str, Any]) -> Iterator[None]:
    """Context for reading plain values, in which errors of damaged values become `ArchiveError`."""
    if not isinstance(values, Mapping):
        raise ArchiveError(
            f"the result is damaged: it must be a mapping, not {type(values).__name__}"
        )
    version = values.get("schema_version")
    if version != SCHEMA_VERSION:
        raise ArchiveError(
            f"the result has schema version {version}, but only version {SCHEMA_VERSION} is "
            "supported"
        )
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ArchiveError(f"the result is damaged: {error!r}") from error


def _plain(kind: Type) -> Convert:
    """A function that converts values of a type to JSON types."""
    own, is_nullable = _kind_of(kind)
    convert = _CONVERT.get(own, list)
    if own == "array":
        each = _plain(kind["items"])
        convert = lambda values: [each(value) for value in values]  # noqa: E731
    elif own == "map":
        of = _plain(kind["additionalProperties"])
        convert = lambda values: [_plain_map(value, of) for value in values]  # noqa: E731
    elif own == "object":
        convert = _plain_objects(kind["properties"])
    return partial(_convert_known, convert) if is_nullable else convert


def _convert_known(convert: Convert, values: Iterable[Any]) -> list[Any]:
    values = list(values)
    known = iter(convert([value for value in values if value is not None]))
    return [None if value is None else next(known) for value in values]


def _plain_map(value: Mapping[str, Any], of: Convert) -> dict[str, Any]:
    return dict(zip(_texts(value), of(value.values()), strict=True))


def _plain_objects(fields: Mapping[str, Type]) -> Convert:
    read = attrgetter(*fields)
    converts = [_plain(kind) for kind in fields.values()]

    def convert(values: Iterable[Any]) -> list[dict[str, Any]]:
        columns = zip(*map(read, values), strict=True)
        plain = [of(column) for of, column in zip(converts, columns, strict=False)]
        return [dict(zip(fields, row, strict=True)) for row in zip(*plain, strict=True)]

    return convert


def _empty(kind: Type) -> Any:
    own, is_nullable = _kind_of(kind)
    return None if is_nullable else _EMPTY.get(own, dict)()


def _kind_of(kind: Type) -> tuple[str, bool]:
    """The JSON type of a value, or ``"map"``, and whether it may be null."""
    own = kind["type"]
    name = own if isinstance(own, str) else own[0]
    return "map" if kind.get("additionalProperties") else name, not isinstance(own, str)


def _numbers(values: Iterable[Any]) -> list[float | None]:
    return [number if math.isfinite(number) else None for number in map(float, values)]


_EMPTY: Mapping[str, type] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list,
}  # fmt: skip


def valid_text(text: str) -> str:
    """A text without lone surrogates: scripts may produce them, but no file can store them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _texts(values: Iterable[str]) -> list[str]:
    values = list(values)
    return values if "".join(values).isascii() else list(map(valid_text, values))


_CONVERT: Mapping[str, Convert] = {"string": _texts, "number": _numbers}
_PLAIN = {name: _plain(kind) for name, kind in FIELDS.items()}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a result."""
    properties = {**FIELDS, **BESIDE}
    properties["schema_version"] = FIELDS["schema_version"] | {"const": SCHEMA_VERSION}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Result of a page",
        "description": "A line of `results.jsonl` or of the output of "
        "`miolo extract --format json`, the response of POST /extract, or a row of a Parquet "
        "table, where maps are JSON text.",
        "type": "object",
        "properties": properties,
        "required": list(FIELDS),
        "additionalProperties": False,
    }


def table_schema() -> pa.Schema:
    """Columns and types of a table of results; maps are JSON text, as some readers have no maps."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingDependencyError.of_extra("a table", "collect") from None

    def arrow_type(kind: Type) -> pa.DataType:
        own, _ = _kind_of(kind)
        if own == "array":
            return pa.list_(arrow_type(kind["items"]))
        if own == "object":
            return pa.struct([(name, arrow_type(of)) for name, of in kind["properties"].items()])
        return pa.type_for_alias(_ARROW[own])

    return pa.schema([(name, arrow_type(kind)) for name, kind in FIELDS.items()])


_ARROW = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool",
          "map": "string"}  # fmt: skip


def result_table(results: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Convert results, as returned by `PageResult.to_dict`, to a table with the `table_schema`."""
    schema = table_schema()
    import pyarrow as pa

    rows = [
        {name: _column_value(kind, result.get(name)) for name, kind in FIELDS.items()}
        for result in results
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _column_value(kind: Type, value: Any) -> Any:
    """A plain value as it is stored in a column."""
    own, _ = _kind_of(kind)
    if own == "map":
        return json.dumps(value or {}, ensure_ascii=False)
    if value is None:
        return None
    if own == "array":
        return [_column_value(kind["items"], each) for each in value]
    if own == "object":
        return {name: _column_value(of, value[name]) for name, of in kind["properties"].items()}
    return value


def main() -> None:
    """Print the JSON Schema, the content of ``docs/schema.json``."""
    print(json.dumps(json_schema(), indent=2))


if __name__ == "__main__":
    main()
