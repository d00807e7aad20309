"""Export of a collection as Parquet tables with a data card.

Tables are written page by page in order of page number. Memory holds one page, and one row group
per table.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from ...errors import ArchiveError, EmptyInputError, StorageError, UnknownRoleError
from ...extract.job import Artefact, PageJob
from ...extract.job_run import extract_page_sync
from ...extract.methods.registry import DEFAULT_METHOD
from ...extract.options import ExtractOptions, LearnedSite
from ...models.article.roles import DEFAULT_PRESET
from ...output.page_result import PageResult
from ...output.write.markdown_line import escape, fence_of
from ...output.write.terminal import printable_line
from ...renderer.page.container import whole_file
from ...renderer.page.snapshot import Snapshot
from ...version import __version__
from ..batch.batch_options import BatchOptions
from ..batch.run_batch import check_method
from ..labels.store import FILE as LABELS_FILE
from ..labels.store import LabelStore
from ..parquet import parquet
from .collection_reader import CollectionPage, CollectionReader
from .export_tables import (
    TABLES,
    block_rows,
    failed_row,
    label_rows,
    node_rows,
    result_rows,
    schemas,
    text_rows,
)

if TYPE_CHECKING:
    import pyarrow as pa

PART_BYTES = 256 << 20
"""Size at which a part is finished."""

GROUP_BYTES = 16 << 20
"""Size of the rows in memory at which they are written as a row group."""


@dataclass(frozen=True)
class TableSize:
    """Rows and files of a table, size of the files, and that of the rows in Arrow's memory
    format.
    """

    rows: int
    parts: int
    bytes: int
    memory: int


class TableParts:
    """Context manager that writes rows to the files that `path_of` names by their numbers, from 0.

    Complete parts are kept if an error occurs.
    """

    def __init__(
        self, path_of: Callable[[int], Path], schema: pa.Schema, part_bytes: float = PART_BYTES
    ) -> None:
        self._path_of, self._schema, self._part_bytes = path_of, schema, part_bytes
        self._arrow, self._parquet = parquet()
        self._waiting: list[pa.Table] = []
        self._waiting_bytes = 0
        self._open = ExitStack()
        self._file: BinaryIO | None = None
        self._writer: Any = None
        self.size = TableSize(0, 0, 0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        if kind is None:
            try:
                self._flush(last=True)
                self._finish()
            except BaseException as error:
                self._abandon(error)
                raise
        elif rest:
            self._abandon(rest[0])

    def add(self, table: pa.Table) -> None:
        """Append rows."""
        self._waiting.append(table)
        self._waiting_bytes += table.nbytes
        if self._waiting_bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self, *, last: bool = False) -> None:
        # A table without rows still gets a file, which has the columns.
        if not self._waiting and not (last and not self.size.parts and self._writer is None):
            return
        rows = self._arrow.concat_tables(self._waiting or [self._schema.empty_table()])
        self._waiting, self._waiting_bytes = [], 0
        try:
            if self._writer is None:
                self._writer = self._begin()
            self._writer.write_table(rows)
        except OSError as error:
            raise StorageError(f"a table cannot be written: {error}") from error
        self._grow(rows=rows.num_rows, memory=rows.nbytes)
        if self._file is not None and self._file.tell() >= self._part_bytes:
            self._finish()

    def _begin(self) -> Any:
        path = self._path_of(self.size.parts)
        self._file = self._open.enter_context(whole_file(path))
        return self._parquet.ParquetWriter(self._file, self._schema, compression="zstd")

    def _finish(self) -> None:
        if self._file is None:
            return
        try:
            self._writer.close()
            self._grow(parts=1, bytes=self._file.tell())
            self._open.close()
        except OSError as error:
            raise StorageError(f"a table cannot be written: {error}") from error
        self._file = self._writer = None

    def _abandon(self, error: BaseException) -> None:
        """Discard the draft of a part."""
        if self._writer is not None:
            # Otherwise it would be closed on deletion and write to a closed file.
            with suppress(OSError, ValueError):
                self._writer.close()
            self._writer.is_open = False
        with suppress(BaseException):
            self._open.__exit__(type(error), error, error.__traceback__)

    def _grow(self, **more: int) -> None:
        self.size = TableSize(
            **{name: value + more.get(name, 0) for name, value in self.size.__dict__.items()}
        )


Row = Mapping[str, Any]

OF_SNAPSHOTS = ("nodes", "blocks")


@dataclass(frozen=True)
class Plan:
    """What an export writes, and how articles are extracted, with the roles of the run."""

    tables: tuple[str, ...]
    extract: ExtractOptions
    anew: bool


class Export:
    """An export in progress, with its counts."""

    def __init__(
        self, collection: CollectionReader, plan: Plan, parts: Mapping[str, TableParts]
    ) -> None:
        self._collection, self._plan, self._parts = collection.with_log(self._log), plan, parts
        self._report = collection.report
        self._schemas = schemas()
        self.times: tuple[str, str] | None = None
        self.passed_over = 0

    def _log(self, message: str) -> None:
        self.passed_over += 1
        self._report(message)

    def write(self) -> None:
        """Write all tables."""
        if not self._plan.anew:
            self._answers(self._keep())
        if self._plan.anew or set(OF_SNAPSHOTS) & set(self._parts):
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
            pages = [page for page in store.labelled_pages() if page.file in number_of]
        for page in sorted(pages, key=lambda page: (number_of[page.file], page.id, page.labeller)):
            self._add("labels", label_rows(number_of[page.file], page, self._schemas["labels"]))

    def _keep(self) -> Iterator[Row]:
        """The run's rows and those of failed pages, in order of page number."""
        failed = map(failed_row, self._collection.failures())
        rows = heapq.merge(self._collection.numbered_rows(), failed, key=lambda row: row["id"])
        # A page that failed because of its text has a row of its own, which comes first.
        return (next(same) for _, same in groupby(rows, key=lambda row: row["id"]))

    def _answers(self, rows: Iterable[Row]) -> None:
        """Write rows to the tables of results and texts."""
        arrow, _ = parquet()
        for row in rows:
            try:
                result, text = result_rows(row), text_rows(row, self._schemas["texts"])
            except (arrow.ArrowException, TypeError, ValueError, KeyError, AttributeError) as error:
                self._log(f"the row of page {row['id']} is damaged: {error}")
                continue
            self._add("pages", result)
            self._add("texts", text)

    def _write_pages(self) -> Iterator[Row]:
        """Write the nodes and blocks of all pages; if `anew`, yield the row of each page."""
        for page in self._collection.pages(("done", "failed")):
            if page.state == "failed":
                if self._plan.anew:
                    yield failed_row(page)
                continue
            result = self._visit(page)
            if isinstance(result.error, StorageError):
                raise result.error
            if result.error is not None:
                self._log(str(result.error))
            for name in OF_SNAPSHOTS:
                self._add(name, result.artefacts.get(name))
            if self._plan.anew:
                yield {"id": page.id, **_row(result)}

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
        plan, schemas = self._plan, self._schemas
        artefacts = (
            Artefact("nodes", lambda _: node_rows(page, snapshot, schemas["nodes"])),
            Artefact("blocks", lambda r: block_rows(page, r.unwrap(), schemas["blocks"])),
            Artefact("row", lambda result: result.to_dict(blocks=False)),
        )
        parts = {*self._parts, *(["row"] if plan.anew else [])}
        extracts = bool(parts & {"blocks", "row"})
        return PageJob(
            snapshot,
            extract=plan.extract if extracts else (),
            artefacts=tuple(each for each in artefacts if each.name in parts),
            requested_url=page.url,
        )

    def _add(self, name: str, rows: pa.Table | None) -> None:
        if name in self._parts and rows is not None:
            self._parts[name].add(rows)


def _row(result: PageResult) -> Row:
    return result.artefacts["row"] if result.error is None else result.to_dict()


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
    plan = _plan(collection, tables, method, site)
    columns = schemas()
    _clear(out)
    with ExitStack() as stack:
        parts = {
            name: stack.enter_context(_parts(out / name, columns[name])) for name in plan.tables
        }
        export = Export(collection, plan, parts)
        export.write()
    sizes = {name: part.size for name, part in parts.items()}
    result = ExportResult(sizes, plan.extract.method, plan.anew, export.passed_over, export.times)
    with whole_file(out / CARD) as file:
        file.write(data_card(collection, result, columns).encode("utf-8", "replace"))
    return result


def _plan(
    collection: CollectionReader,
    tables: Sequence[str] | None,
    method: str | None,
    site: LearnedSite,
) -> Plan:
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
    if not there:
        raise EmptyInputError(f"{collection.path} has neither results nor snapshots")
    requested_tables = tuple(name for name in TABLES if name in tables) if tables else there
    chosen = method or (run if isinstance(run, str) else DEFAULT_METHOD)
    extract = replace(_extract_options(collection, chosen), site=site)
    return Plan(requested_tables, extract, anew)


def _extract_options(collection: CollectionReader, method: str) -> ExtractOptions:
    """A method, with the roles that counted as the text in the run, or the default roles."""
    try:
        options = json.loads(collection.facts().get("about", "{}"))
        preset = options.get("preset", DEFAULT_PRESET)
        include, exclude = (tuple(options.get(name) or ()) for name in ("include", "exclude"))
        extract = ExtractOptions(method, preset or DEFAULT_PRESET, include, exclude)
    except (ValueError, TypeError, AttributeError, UnknownRoleError) as error:
        raise ArchiveError(f"the options of {collection.path} are damaged: {error}") from error
    return extract


def _clear(out: Path) -> None:
    """Remove an earlier export, beginning with its card, which marks a complete export."""
    (out / CARD).unlink(missing_ok=True)
    for name in TABLES:
        for old in (out / name).glob("part-*.parquet*"):
            old.unlink()


def _parts(folder: Path, schema: pa.Schema) -> TableParts:
    folder.mkdir(parents=True, exist_ok=True)
    return TableParts(lambda number: folder / f"part-{number:05}.parquet", schema)


def export_results(collection: CollectionReader, path: Path) -> Path:
    """Write the results as one Parquet file; failed pages have their error."""
    if collection.results.length is None:
        raise EmptyInputError(f"{collection.path} has no results")
    with TableParts(lambda number: path, schemas()["pages"], part_bytes=inf) as parts:
        Export(collection, Plan(("pages",), ExtractOptions(), anew=False), {"pages": parts}).write()
    return path


CARD = "README.md"

# Size categories of data cards, by the exclusive upper bound on the number of rows.
SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M",
         10_000_000: "1M<n<10M", 100_000_000: "10M<n<100M", 1_000_000_000: "100M<n<1B"}  # fmt: skip
LARGEST = "n>1B"

# Types that have different names in Arrow and `datasets`.
TYPES = {"float": "float32", "double": "float64"}


@dataclass(frozen=True)
class ExportResult:
    """Result of an export."""

    tables: Mapping[str, TableSize]
    """Sizes of the tables by name."""
    method: str
    anew: bool
    """Whether the articles were extracted from the snapshots by the export, not by the run."""
    passed_over: int
    """Number of damaged rows and snapshots, and of pages on which the method failed."""
    times: tuple[str, str] | None
    """Times of the first and the last snapshot that was read, ISO 8601."""


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
        "method": f"{_inert(result.method)}, "
        + ("on the snapshots" if result.anew else "during the run"),
        "skipped as damaged": f"{result.passed_over:,}",
        "options": _code(collection.facts().get("about", "unknown")),
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
