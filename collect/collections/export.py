"""Export of a collection as Parquet tables with a data card; memory holds a row group of each."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...errors import ArchiveError, EmptyInputError, StorageError, UnknownRoleError
from ...extract.job import Artefact, PageJob
from ...extract.job_run import extract_page_sync
from ...extract.methods.registry import DEFAULT_METHOD
from ...extract.options import ExtractOptions, LearnedSite
from ...features.counts import count_nodes
from ...features.words import count_words
from ...models.article.roles import DEFAULT_PRESET
from ...output.extraction import Extraction
from ...output.page_result import PageResult, failure
from ...output.schema import result_table, table_schema, valid_text
from ...output.write.markdown_line import escape, fence_of
from ...output.write.terminal import printable_line
from ...renderer.page.container import whole_file
from ...renderer.page.snapshot import POSITIONS, Snapshot
from ...version import __version__
from ..batch.batch_options import BatchOptions
from ..batch.run_batch import check_method
from ..labels.store import FILE as LABELS_FILE
from ..labels.store import LabelledPage, LabelStore, files_left_out
from ..parquet import parquet
from .collection_reader import CollectionPage, CollectionReader, domain_of

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = {
    "pages": "one row per page: what was extracted, or the error of a failed page",
    "nodes": "one row per node of each snapshot: tree, box, style, text, attributes",
    "blocks": "one row per text block of each snapshot: box, role, score, whether it was kept",
    "texts": "one row per page with text: title and text of the article, words, language, date",
    "labels": "one row per block labelled by a person: role, suggestion, labeller, time and review",
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
    "y": "float32", "width": "float32", "height": "float32", "role": "string",
    "custom_role": "string", "kept": "bool", "score": "float32", "reason": "string",
    "text": "string",
}  # fmt: skip

TEXTS = {
    "page": "int64", "url": "string", "domain": "string", "title": "string", "text": "string",
    "words": "int32", "language": "string", "date": "string",
}  # fmt: skip

LABELS = {
    "page": "int64", "block": "int32", "node": "int32", "labeller": "string", "role": "string",
    "custom_role": "string", "suggested": "string", "by_hand": "bool", "time": "string",
    "finished": "string", "kind": "string", "note": "string", "comment": "string",
    "reviews": "string", "changed": "bool", "content": "string", "text": "string",
}  # fmt: skip


arrow, arrow_parquet = parquet()


def _schema(columns: Mapping[str, str]) -> pa.Schema:
    return arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in columns.items()])


ATTRIBUTES = arrow.list_(arrow.struct([("name", arrow.string()), ("value", arrow.string())]))

SCHEMAS: dict[str, pa.Schema] = {
    "pages": table_schema().insert(0, arrow.field("page", arrow.int64())),
    "nodes": _schema(NODES).append(arrow.field("attributes", ATTRIBUTES)),
    "blocks": _schema(BLOCKS),
    "texts": _schema(TEXTS),
    "labels": _schema(LABELS),
}
"""Columns and types of each table."""


def failed_row(page: CollectionPage) -> dict[str, Any]:
    """The result row of a page that failed in the run."""
    error = failure(page.kind or "", page.error or "", status=page.http_status)
    result = PageResult(page.url, http_status=page.http_status, error=error)
    return {"id": page.id, **result.to_dict()}


def result_rows(row: Mapping[str, Any]) -> pa.Table:
    """A result row as a table."""
    # Lone surrogates, which a script may leave in a text, cannot be written.
    plain = json.loads(valid_text(json.dumps(row, ensure_ascii=False)))
    numbers = arrow.array([plain["id"]], arrow.int64())
    return result_table([plain]).add_column(0, arrow.field("page", arrow.int64()), numbers)


def text_rows(row: Mapping[str, Any]) -> pa.Table | None:
    """The text of a page from its result row; None if the page failed or has no text."""
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
    return arrow.Table.from_pylist([valid], schema=SCHEMAS["texts"])


def node_rows(page: CollectionPage, snapshot: Snapshot) -> pa.Table:
    """All nodes of a page; for the counts see `record_columns`, for other columns `Snapshot`."""
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
    schema = SCHEMAS["nodes"]
    values = [columns[field.name] for field in schema]
    arrays = [
        each if isinstance(each, arrow.Array) else arrow.array(each).cast(kind)
        for each, kind in zip(values, schema.types, strict=True)
    ]
    return arrow.table(arrays, schema=schema)


_AS_THEY_ARE = frozenset(
    "parent end visible font_size font_weight color background paint_order html_chars frame".split()
)


def _name(names: tuple[str, ...], codes: Any) -> pa.Array:
    return arrow.array([valid_text(name) for name in names], arrow.string()).take(
        arrow.array(codes)
    )


def _attributes(snapshot: Snapshot) -> pa.Array:
    """Attribute names and values of each node; each distinct string is converted once."""
    rows = snapshot.attributes
    pairs = [_name(rows.strings, rows.name), _name(rows.strings, rows.value)]
    return arrow.ListArray.from_arrays(
        arrow.array(rows.start), arrow.StructArray.from_arrays(pairs, ["name", "value"])
    )


def block_rows(page: CollectionPage, extraction: Extraction) -> pa.Table:
    """All blocks of a page, kept or not."""
    rows = []
    for number, block in enumerate(extraction.blocks):
        x, y, width, height = block.box
        columns = {
            name: getattr(block, name) for name in ("node", "role", "custom_role", "kept", "score")
        }
        texts = {name: valid_text(getattr(block, name)) for name in ("tag", "reason", "text")}
        box = {"x": x, "y": y, "width": width, "height": height}
        rows.append({"page": page.id, "block": number, **columns, **texts, **box})
    return arrow.Table.from_pylist(rows, schema=SCHEMAS["blocks"])


def label_rows(page: int, labelled_page: LabelledPage) -> pa.Table:
    """All blocks of a page with the labels of one labeller."""
    labels = labelled_page
    common = {
        "page": page,
        "labeller": valid_text(labels.labeller),
        "finished": _iso_time(labels.done),
        "kind": labels.kind,
        "note": valid_text(labels.note),
        "reviews": valid_text(labels.reviews),
        "content": labels.content,
    }
    changed = set(labels.changed)
    blocks = zip(
        labels.nodes, labels.roles, labels.custom, labels.suggested, labels.times, labels.comments,
        labels.texts, strict=True,
    )  # fmt: skip
    rows = [
        {**common, "block": number, "node": node, "role": role, "custom_role": custom,
         "suggested": suggested, "by_hand": time is not None, "time": _iso_time(time),
         "comment": valid_text(comment), "changed": number in changed, "text": valid_text(text)}
        for number, (node, role, custom, suggested, time, comment, text) in enumerate(blocks)
    ]  # fmt: skip
    return arrow.Table.from_pylist(rows, schema=SCHEMAS["labels"])


def _iso_time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


PART_BYTES = 256 << 20  # size at which a part is finished
GROUP_BYTES = 16 << 20  # size of the rows in memory at which they are written as a row group


@dataclass(frozen=True)
class TableSize:
    """Rows and files of a table, and size of the files."""

    rows: int
    parts: int
    bytes: int


class TableParts:
    """Writes rows to files named by numbers from 0; complete ones are kept after an error."""

    def __init__(
        self,
        path_of: Callable[[int], str | Path],
        schema: pa.Schema,
        part_bytes: float = PART_BYTES,
    ) -> None:
        self._path_of, self._schema, self._part_bytes = path_of, schema, part_bytes
        self._waiting: list[pa.Table] = []
        self._waiting_bytes = 0
        self.size = TableSize(0, 0, 0)
        self._writing = self._write()
        next(self._writing)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._flush()
            self._send(None)
        self._writing.close()

    def add(self, table: pa.Table) -> None:
        """Append rows."""
        self._waiting.append(table)
        self._waiting_bytes += table.nbytes
        if self._waiting_bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            rows = arrow.concat_tables(self._waiting)
            self._waiting, self._waiting_bytes = [], 0
            self._send(rows)

    def _send(self, rows: pa.Table | None) -> None:
        try:
            self._writing.send(rows)
        except StopIteration:
            pass
        except OSError as error:
            raise StorageError(f"a table cannot be written: {error}") from error

    def _write(self) -> Generator[None, pa.Table | None]:
        """Write the row groups that are sent, until None is sent."""
        rows, (total, parts, size) = (yield), (0, 0, 0)
        # A table without rows still gets a file, which has the columns.
        while rows is not None or not parts:
            with whole_file(Path(self._path_of(parts))) as file:
                options = {"compression": "zstd"}
                with arrow_parquet.ParquetWriter(file, self._schema, **options) as writer:
                    while rows is not None and file.tell() < self._part_bytes:
                        writer.write_table(rows)
                        total += rows.num_rows
                        rows = yield
                size += file.tell()
            parts += 1
            self.size = TableSize(total, parts, size)


Row = Mapping[str, Any]

OF_SNAPSHOTS = ("nodes", "blocks")


class Export:
    """An export in progress, with its counts; if `anew`, articles are extracted by it."""

    def __init__(
        self,
        collection: CollectionReader,
        parts: Mapping[str, TableParts],
        extract: ExtractOptions | None = None,
        *,
        anew: bool = False,
    ) -> None:
        self._collection, self._parts = collection.with_log(self._log), parts
        self._extract, self._anew = extract or ExtractOptions(), anew
        self._report = collection.report
        self.times: tuple[str, str] | None = None
        self.passed_over = 0

    def _log(self, message: str) -> None:
        self.passed_over += 1
        self._report(message)

    def write(self) -> None:
        """Write all tables."""
        if not self._anew:
            self._answers(self._keep())
        if self._anew or set(OF_SNAPSHOTS) & set(self._parts):
            self._answers(self._write_pages())
        if "labels" in self._parts:
            self._add_labels()

    def _add_labels(self) -> None:
        """Add the labels of finished pages, in order of page number and labeller."""
        folder = self._collection.path
        number_of = {
            page.file.relative_to(folder).as_posix(): page.id for page in self._collection.pages()
        }
        with LabelStore(folder) as store:
            left_out = files_left_out(store, self._report)
            known = number_of.keys() - left_out
            pages = [page for page in store.labelled_pages() if page.file in known]
        for page in sorted(pages, key=lambda page: (number_of[page.file], page.id, page.labeller)):
            self._add("labels", label_rows(number_of[page.file], page))

    def _keep(self) -> Iterator[Row]:
        """The run's rows and those of failed pages, in order of page number."""
        failed = map(failed_row, self._collection.failures())
        rows = heapq.merge(self._collection.numbered_rows(), failed, key=lambda row: row["id"])
        # A page that failed because of its text has a row of its own, which comes first.
        return (next(same) for _, same in groupby(rows, key=lambda row: row["id"]))

    def _answers(self, rows: Iterable[Row]) -> None:
        """Write rows to the tables of results and texts."""
        for row in rows:
            try:
                result, text = result_rows(row), text_rows(row)
            except (arrow.ArrowException, TypeError, ValueError, KeyError, AttributeError) as error:
                self._log(f"the row of page {row['id']} is damaged: {error}")
                continue
            self._add("pages", result)
            self._add("texts", text)

    def _write_pages(self) -> Iterator[Row]:
        """Write the nodes and blocks of all pages; if `anew`, yield the row of each page."""
        for page in self._collection.pages(("done", "failed")):
            if page.state == "failed":
                if self._anew:
                    yield failed_row(page)
                continue
            result = self._visit(page)
            if isinstance(result.error, StorageError):
                raise result.error
            if result.error is not None:
                self._log(str(result.error))
            for name in OF_SNAPSHOTS:
                self._add(name, result.artefacts.get(name))
            if self._anew:
                row = result.to_dict() if result.error else result.artefacts["row"]
                yield {"id": page.id, **row}

    def _visit(self, page: CollectionPage) -> PageResult:
        try:
            snapshot = self._collection.snapshot(page)
        except ArchiveError as error:
            return PageResult(page.url, error=error)
        time = snapshot.page.time
        first, last = self.times or (time, time)
        self.times = min(first, time), max(last, time)
        return extract_page_sync(self._job(page, snapshot))

    def _job(self, page: CollectionPage, snapshot: Snapshot) -> PageJob:
        artefacts = (
            Artefact("nodes", lambda _: node_rows(page, snapshot)),
            Artefact("blocks", lambda r: block_rows(page, r.unwrap())),
            Artefact("row", lambda result: result.to_dict(blocks=False)),
        )
        parts = {*self._parts, *(["row"] if self._anew else [])}
        return PageJob(
            snapshot,
            extract=self._extract if parts & {"blocks", "row"} else (),
            artefacts=tuple(each for each in artefacts if each.name in parts),
            requested_url=page.url,
        )

    def _add(self, name: str, rows: pa.Table | None) -> None:
        if name in self._parts and rows is not None:
            self._parts[name].add(rows)


def export_collection(
    collection: CollectionReader,
    out: Path,
    tables: Sequence[str] | None,
    method: str | None,
    site: LearnedSite = None,
) -> ExportResult:
    """Write tables of a collection as Parquet with a data card; see `Collection.export`.

    Each table has a folder, ``<table>/part-00000.parquet`` and so on, and ``README.md`` is written
    last. Damaged rows and snapshots are reported to the collection's log and skipped. If the disk
    is full, complete parts are kept, but there is no data card.
    """
    names, extract, anew = _plan(collection, tables, method, site)
    # The card of an earlier export marks it as complete, so it is removed first.
    (out / CARD).unlink(missing_ok=True)
    for name in TABLES:
        for old in (out / name).glob("part-*.parquet*"):
            old.unlink()
    with ExitStack() as stack:
        parts: dict[str, TableParts] = {}
        for name in names:
            (out / name).mkdir(parents=True, exist_ok=True)
            path_of = f"{out / name}/part-{{:05}}.parquet".format
            parts[name] = stack.enter_context(TableParts(path_of, SCHEMAS[name]))
        export = Export(collection, parts, extract, anew=anew)
        export.write()
    sizes = {name: part.size for name, part in parts.items()}
    result = ExportResult(sizes, extract.method, anew, export.passed_over, export.times)
    with whole_file(out / CARD) as file:
        file.write(data_card(collection, result).encode("utf-8", "replace"))
    return result


def _plan(
    collection: CollectionReader,
    tables: Sequence[str] | None,
    method: str | None,
    site: LearnedSite,
) -> tuple[tuple[str, ...], ExtractOptions, bool]:
    """The tables to write, how articles are extracted, and whether they are extracted anew."""
    check_method(BatchOptions(extract=ExtractOptions(method or DEFAULT_METHOD, site=site)))
    saved = collection.has_snapshots
    kept = collection.with_log(lambda _: None).rows()
    run = next((row.get("method") for row in kept), None)
    anew = method is not None or site is not None or not isinstance(run, str)
    labels = (collection.path / LABELS_FILE).exists()
    there = tuple(
        name
        for name in TABLES
        if (labels if name == "labels" else saved or not (anew or name in OF_SNAPSHOTS))
    )
    for name in tables or ():
        if name not in TABLES:
            raise EmptyInputError(f"there is no table {name}; the tables are {', '.join(TABLES)}")
        if name == "labels" and not labels:
            raise EmptyInputError(f"{collection.path} has no labels", lacks="labels")
        if name not in there:
            raise EmptyInputError(
                f"the table {name} requires snapshots, and {collection.path} has none",
                lacks="snapshots",
            )
    if not there and isinstance(run, str):
        raise EmptyInputError(
            f"another method and learned sites read snapshots, and {collection.path} has none",
            lacks="snapshots",
        )
    if not there:
        raise EmptyInputError(f"{collection.path} has neither results nor snapshots")
    names = tuple(name for name in TABLES if name in tables) if tables else there
    chosen = method or (run if isinstance(run, str) else DEFAULT_METHOD)
    return names, replace(_extract_options(collection, chosen), site=site), anew


def _extract_options(collection: CollectionReader, method: str) -> ExtractOptions:
    """A method, with the roles that counted as the text in the run, or the default roles."""
    try:
        options = json.loads(collection.facts().get("about", "{}"))
        preset = options.get("preset", DEFAULT_PRESET)
        include, exclude = (tuple(options.get(name) or ()) for name in ("include", "exclude"))
        return ExtractOptions(method, preset or DEFAULT_PRESET, include, exclude)
    except (ValueError, TypeError, AttributeError, UnknownRoleError) as error:
        raise ArchiveError(f"the options of {collection.path} are damaged: {error}") from error


def export_results(collection: CollectionReader, path: Path) -> Path:
    """Write the results as one Parquet file; failed pages have their error."""
    if not collection.has_state:
        raise EmptyInputError(f"{collection.path} has no results")
    with TableParts(lambda number: path, SCHEMAS["pages"], part_bytes=inf) as parts:
        Export(collection, {"pages": parts}).write()
    return path


CARD = "README.md"

# Size categories of data cards, by the exclusive upper bound on the number of rows.
SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M",
         10_000_000: "1M<n<10M", 100_000_000: "10M<n<100M", 1_000_000_000: "100M<n<1B"}  # fmt: skip
LARGEST = "n>1B"


@dataclass(frozen=True)
class ExportResult:
    """Result of an export."""

    tables: Mapping[str, TableSize]  # sizes of the tables by name
    method: str
    anew: bool
    """Whether the articles were extracted from the snapshots by the export, not by the run."""
    passed_over: int
    """Number of damaged rows and snapshots, and of pages on which the method failed."""
    times: tuple[str, str] | None
    """Times of the first and the last snapshot that was read, ISO 8601."""


def data_card(collection: CollectionReader, result: ExportResult) -> str:
    """The card as Markdown with YAML front matter; the licence is left to be filled in."""
    parts = [*_front(collection, result), *_describe(collection, result), LIMITS]
    return "\n".join(parts)


def _front(collection: CollectionReader, result: ExportResult) -> Iterator[str]:
    rows = max(size.rows for size in result.tables.values())
    size = next((name for limit, name in SIZES.items() if rows < limit), LARGEST)
    # A JSON string is also a YAML string.
    yield from ("---", f"pretty_name: {json.dumps(collection.path.resolve().name)}", "license:")
    yield from ("size_categories:", f"- {size}", "tags:", "- web", "- boilerplate-removal")
    yield "configs:"
    for name in result.tables:
        yield from (f"- config_name: {name}", f"  data_files: {name}/*.parquet")
    yield "---"


def _describe(collection: CollectionReader, result: ExportResult) -> Iterator[str]:
    counts, hosts = collection.counts(), collection.hosts()
    known_facts = collection.facts()
    first, last = result.times or (known_facts.get("begun", ""), known_facts.get("ended", "now"))
    kinds = (f", {number:,} with {_inert(kind)}" for kind, number in sorted(counts.kinds.items()))
    facts = {
        "created by": f"miolo {__version__}",
        "pages": f"{counts.done:,} done, {counts.failed:,} failed{''.join(kinds)}",
        "hosts": f"{len(hosts):,}",
        "captured": _inert(f"{first} to {last}") if first else "unknown",
        "method": f"{_inert(result.method)}, "
        + ("on the snapshots" if result.anew else "during the run"),
        "skipped as damaged": f"{result.passed_over:,}",
        "options": _code(known_facts.get("about", "unknown")),
    }
    yield from ("", f"# {_inert(collection.path.resolve().name)}", "", "| | |", "|---|---|")
    yield from (f"| {name} | {value} |" for name, value in facts.items())
    yield from ("", "| table | rows | files | bytes | contents |", "|---|---|---|---|---|")
    for name, size in result.tables.items():
        yield f"| {name} | {size.rows:,} | {size.parts} | {size.bytes:,} | {TABLES[name]} |"


def _inert(value: str) -> str:
    """A value of a file that others may have made, as a line of Markdown without markup."""
    return escape(printable_line(value), in_link=True).replace("|", r"\|")


def _code(value: str) -> str:
    """A value as a code span in a cell of a table."""
    line = printable_line(value).replace("|", r"\|")
    fence = fence_of(line, 1)
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


LIMITS = """
`page` is the same number in all tables. Rows are sorted by it, and nodes are in document
order. Boxes are in CSS px from the page's top left corner; colours are `0xRRGGBBAA`.

## Limits

Texts are copied from the pages, including any personal data in them. They belong to
their authors: fill in the licence. Articles were extracted by a program and were not
reviewed. Each page is as one browser rendered it at one time. Failed pages are listed in
`pages` with their errors, and are missing from the other tables.
"""
