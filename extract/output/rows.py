"""Answers and failures as rows of one table: what a batch writes, whatever the machine.

A page that failed is a row like any other, with its error in place of an article.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import MioloError, MissingDependencyError, PageBlockedError
from ...models.kinds.blocked import BLOCKED
from .extraction import Extraction

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "LISTS",
    "TEXTS",
    "check_not_blocked",
    "failure_row",
    "result_row",
    "row_schema",
    "row_table",
]

TEXTS = (
    "requested_url", "url", "error_kind", "error", "method", "title", "text", "markdown", "html",
    "language", "declared_language", "kind", "date", "modified", "site_name", "image", "section",
    "description", "canonical_url", "provenance",
)  # fmt: skip
"""Columns of one text each; a field that the page does not state is null."""

LISTS = ("authors", "tags", "comments", "warnings")
"""Columns of several texts."""

TRUTHS = ("paywalled", "truncated")

NUMBERS = ("kind_probability",)

COLUMNS = (*TEXTS, *LISTS, *TRUTHS, *NUMBERS)

# Columns that are an extraction's own.
OWN = frozenset(COLUMNS) - {"requested_url", "error_kind", "error"}


def result_row(requested_url: str, extraction: Extraction) -> dict[str, Any]:
    """The row of a page that was extracted.

    Parameters
    ----------
    requested_url
        As it was asked for; `url` is where that led.
    extraction
        What was taken out.
    """
    kept = {name: getattr(extraction, name) for name in COLUMNS if name in OWN}
    warnings = [f"{warning.code}: {warning.message}" for warning in extraction.warnings]
    return _whole(_empty() | kept | {"requested_url": requested_url, "warnings": warnings})


def check_not_blocked(extraction: Extraction) -> None:
    """Raise an error for a page that is none of its site's own content.

    Raises
    ------
    PageBlockedError
        The page is a bot check, a consent wall, a login wall or an error page.
    """
    if extraction.kind == BLOCKED:
        reasons = [each.message for each in extraction.warnings if each.code == BLOCKED]
        raise PageBlockedError("; ".join(reasons) or "the page is blocked", url=extraction.url)


def failure_row(requested_url: str, error: MioloError) -> dict[str, Any]:
    """The row of a page that failed."""
    told = {"error_kind": type(error).__name__, "error": str(error)}
    status = getattr(error, "status", None)
    return _whole(_empty() | told | {"requested_url": requested_url, "http_status": status})


def _empty() -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys((*TEXTS, *TRUTHS, *NUMBERS, "http_status"))
    return row | {name: [] for name in LISTS} | {"provenance": {}}


def row_schema() -> pa.Schema:
    """Columns and types of a table of rows.

    Raises
    ------
    MissingDependencyError
        pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingDependencyError("tables need pyarrow: pip install 'miolo[collect]'") from None
    texts = [pa.field(name, pa.string()) for name in TEXTS]
    lists = [pa.field(name, pa.list_(pa.string())) for name in LISTS]
    truths = [pa.field(name, pa.bool_()) for name in TRUTHS]
    numbers = [pa.field(name, pa.float64()) for name in NUMBERS]
    return pa.schema([*texts, *lists, *truths, *numbers, pa.field("http_status", pa.int16())])


def row_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Rows as a table; the provenance of the fields becomes JSON.

    Raises
    ------
    MissingDependencyError
        pyarrow is not installed.
    """
    schema = row_schema()
    import pyarrow as pa

    plain = [{**row, "provenance": json.dumps(row.get("provenance") or {})} for row in rows]
    return pa.Table.from_pylist(plain, schema=schema)


def _whole(value: Any) -> Any:
    """Texts without halves of characters: scripts may leave some, and no file takes them."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list | tuple) else value
