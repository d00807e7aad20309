"""Export of a collection as Parquet tables with a data card.

Tables are written page by page in order of page number. Memory holds one page, and one row group
per table.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ArchiveError, EmptyInputError, StorageError, UnknownRoleError
from ...extract.job import Artefact, PageJob
from ...extract.job_run import extract_page_sync
from ...extract.methods.registry import DEFAULT_METHOD
from ...extract.options import ExtractOptions, LearnedSite
from ...models.article.roles import DEFAULT_PRESET
from ...output.page_result import PageResult
from ...renderer.page.container import whole_file
from ...renderer.page.snapshot import Snapshot
from ..batch.batch_options import BatchOptions
from ..batch.run_batch import check_method
from ..labels.store import FILE as LABELS_FILE
from ..labels.store import LabelStore
from ..parquet import parquet
from .collection_page import CollectionPage
from .collection_reader import CollectionReader
from .data_card import CARD, ExportResult, data_card
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
from .table_parts import TableParts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["export_collection", "export_results"]

Row = Mapping[str, Any]

OF_SNAPSHOTS = ("nodes", "blocks")


@dataclass(frozen=True)
class Plan:
    """Plan of an export; see `ExportResult` for the other attributes.

    Attributes
    ----------
    extract
        How articles are extracted, with the roles of the run.
    """

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
    """Write tables of a collection as Parquet with a data card.

    Parameters
    ----------
    collection
        Collection to export. Damaged rows and snapshots are reported to its `log` and skipped.
    out
        Output folder, which gets a folder for each table, ``<table>/part-00000.parquet`` and so
        on, and ``README.md``, which is written last. Tables of an earlier export are replaced.
    tables
        Names from `TABLES`; None for all tables for which the collection has data.
    method
        Method with which articles are extracted from the snapshots again. None keeps the run's
        results and texts, and extracts blocks with the run's method.
    site
        Learned sites, with which articles are extracted again; see `ExtractOptions`.

    Raises
    ------
    EmptyInputError
        There is no such table, or no data for it: nodes and blocks need snapshots.
    UnknownMethodError
        There is no such method, or it needs a site.
    StorageError
        The disk is full or unavailable. Complete parts are kept, but there is no data card.
    MissingDependencyError
        pyarrow is not installed.
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
    """Write the results as one Parquet file; failed pages have their error.

    Raises
    ------
    EmptyInputError
        The collection is a plain folder of snapshots.
    StorageError
        The disk is full or unavailable.
    MissingDependencyError
        pyarrow is not installed.
    """
    if collection.results.length is None:
        raise EmptyInputError(f"{collection.path} has no results")
    with TableParts(lambda number: path, schemas()["pages"], part_bytes=inf) as parts:
        Export(collection, Plan(("pages",), ExtractOptions(), anew=False), {"pages": parts}).write()
    return path
