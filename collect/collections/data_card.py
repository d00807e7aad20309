"""The data card of an export: ``README.md`` with YAML front matter for `datasets`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...output.write.markdown_line import escape, fence_of
from ...output.write.terminal import printable_line
from ...version import __version__
from .collection_reader import CollectionReader
from .export_tables import TABLES
from .table_parts import TableSize

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CARD", "ExportResult", "data_card"]

CARD = "README.md"

# Size categories of data cards, by the exclusive upper bound on the number of rows.
SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M",
         10_000_000: "1M<n<10M", 100_000_000: "10M<n<100M", 1_000_000_000: "100M<n<1B"}  # fmt: skip
LARGEST = "n>1B"

# Types that have different names in Arrow and `datasets`.
TYPES = {"float": "float32", "double": "float64"}


@dataclass(frozen=True)
class ExportResult:
    """Result of an export.

    Attributes
    ----------
    tables
        Sizes of the tables by name.
    method
        Method by which the articles were extracted.
    anew
        Whether the articles were extracted from the snapshots by the export, not by the run.
    passed_over
        Number of damaged rows and snapshots, and of pages on which the method failed.
    times
        Times at which the first and the last snapshot were captured, ISO 8601; None if no
        snapshot was read.
    """

    tables: Mapping[str, TableSize]
    method: str
    anew: bool
    passed_over: int
    times: tuple[str, str] | None


def data_card(
    collection: CollectionReader, result: ExportResult, schemas: Mapping[str, pa.Schema]
) -> str:
    """The card as Markdown with YAML front matter; the licence is left to be filled in."""
    parts = [*_front(collection, result, schemas), *_describe(collection, result), *_limits()]
    return "\n".join(parts) + "\n"


def _front(
    collection: CollectionReader, result: ExportResult, schemas: Mapping[str, pa.Schema]
) -> Iterator[str]:
    rows = max(size.rows for size in result.tables.values())
    size = next((name for limit, name in SIZES.items() if rows < limit), LARGEST)
    # A JSON string is also a YAML string.
    yield from ("---", f"pretty_name: {json.dumps(collection.path.resolve().name)}", "license:")
    yield from ("size_categories:", f"- {size}", "tags:", "- web", "- boilerplate-removal")
    yield "configs:"
    for name in result.tables:
        yield from (f"- config_name: {name}", f"  data_files: {name}/*.parquet")
    yield "dataset_info:"
    for name, table in result.tables.items():
        yield from (f"- config_name: {name}", "  features:")
        for column in schemas[name]:
            yield from _feature(column, "  ")
        yield from ("  splits:", "  - name: train", f"    num_bytes: {table.memory}")
        yield from (f"    num_examples: {table.rows}", f"  download_size: {table.bytes}")
        yield f"  dataset_size: {table.memory}"
    yield "---"


def _feature(column: pa.Field, indent: str) -> Iterator[str]:
    """A column as a YAML list item."""
    yield f"{indent}- name: {column.name}"
    yield from _dtype(column.type, f"{indent}  ", "dtype")


def _dtype(kind: Any, indent: str, key: str) -> Iterator[str]:
    """A type under a key; for a list, the type of its items or the fields of its structures."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        yield f"{indent}{'struct' if key == 'dtype' else key}:"
        for inner in kind:
            yield from _feature(inner, f"{indent}")
    elif pa.types.is_list(kind) and key == "list":
        yield f"{indent}{key}:"
        yield from _dtype(kind.value_type, f"{indent}  ", "list")
    elif pa.types.is_list(kind):
        yield from _dtype(kind.value_type, indent, "list")
    else:
        yield f"{indent}{key}: {TYPES.get(str(kind), str(kind))}"


def _describe(collection: CollectionReader, result: ExportResult) -> Iterator[str]:
    counts, hosts = collection.counts(), collection.hosts()
    known_facts = collection.facts()
    first, last = result.times or (known_facts.get("begun", ""), known_facts.get("ended", "now"))
    facts = {
        "created by": f"miolo {__version__}",
        "pages": f"{counts.done:,} done, {counts.failed:,} failed"
        + "".join(
            f", {number:,} with {_inert(kind)}" for kind, number in sorted(counts.kinds.items())
        ),
        "hosts": f"{len(hosts):,}",
        "captured": _inert(f"{first} to {last}") if first else "unknown",
        "method": f"{_inert(result.method)}, {_when(result)}",
        "skipped as damaged": f"{result.passed_over:,}",
        "options": _code(collection.facts().get("about", "unknown")),
    }
    yield from ("", f"# {_inert(collection.path.resolve().name)}", "", "| | |", "|---|---|")
    yield from (f"| {name} | {value} |" for name, value in facts.items())
    yield from ("", "| table | rows | files | bytes | contents |", "|---|---|---|---|---|")
    for name, size in result.tables.items():
        yield f"| {name} | {size.rows:,} | {size.parts} | {size.bytes:,} | {TABLES[name]} |"


def _when(result: ExportResult) -> str:
    return "on the snapshots" if result.anew else "during the run"


def _inert(value: str) -> str:
    """A value of a file that others may have made, as a line of Markdown without markup."""
    return escape(printable_line(value), in_link=True).replace("|", r"\|")


def _code(value: str) -> str:
    """A value as a code span in a cell of a table."""
    line = printable_line(value).replace("|", r"\|")
    fence = fence_of(line, 1)
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


def _limits() -> Iterator[str]:
    yield from (
        "",
        "`page` is the same number in all tables. Rows are sorted by it, and nodes are in document",
        "order. Boxes are in CSS px from the page's top left corner; colours are `0xRRGGBBAA`.",
        "",
        "## Limits",
        "",
        "Texts are copied from the pages, including any personal data in them. They belong to",
        "their authors: fill in the licence. Articles were extracted by a program and were not",
        "reviewed. Each page is as one browser rendered it at one time. Failed pages are listed in",
        "`pages` with their errors, and are missing from the other tables.",
    )
