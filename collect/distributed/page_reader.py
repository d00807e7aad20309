"""A browser in a worker process for addresses of any framework: `PageReader`, by a `PageRecipe`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import (
    ArchiveError,
    BrowserNotFoundError,
    MissingDependencyError,
    RenderError,
    StorageError,
)
from ...extract.job import Artefact, PageJob, refuse_unusable
from ...extract.job_run import extract_page
from ...extract.options import ExtractOptions
from ...models.site_folder import SiteFolder
from ...output.page_result import PageResult
from ...output.schema import valid_text
from ...renderer.archives.open_archive import open_archive
from ...renderer.options import RenderOptions, restrict_policy
from ...workers.child import exit_without_memory
from ...workers.pool import Pool, PoolOptions
from ..batch.files import new_file_of
from ..page_worker import PROGRAM, JobContext, WorkerSetup

Row = dict[str, Any]

# Faults of the machine: every further page would fail with them, too, and count as done.
FATAL = (BrowserNotFoundError, MissingDependencyError, StorageError)

SNAPSHOT, ROW = "snapshot", "row"  # names of artefacts


@dataclass(frozen=True)
class PageRecipe:
    """How each address is processed. It can be pickled, and is validated when it is created."""

    render: RenderOptions = field(default_factory=RenderOptions)
    extract: ExtractOptions = field(default_factory=ExtractOptions)
    pages: int = 4
    """Maximum number of pages that a worker has open at once."""
    column: str = "url"
    """Name of the column with the addresses, or with the paths of archives."""
    archives: bool = False
    """Whether the column has paths of WARC or WACZ files; all of their pages are rendered from the
    file without network access."""
    sites: Path | None = None
    """Folder of learned sites as written by `learn_sites`; see `SiteFolder`."""
    snapshots: Path | None = None
    """Folder in which snapshots are saved, on a disk that all machines share; rows then have an
    additional column ``snapshot`` with the file's path."""
    switches: tuple[str, ...] = ()
    """Additional command-line switches for Chromium."""

    def __post_init__(self) -> None:
        if self.pages < 1:
            raise ValueError("each worker must open at least one page at a time")
        if self.sites is not None:
            SiteFolder(self.sites).check()


@dataclass(frozen=True)
class Address:
    """An address to read."""

    url: str


async def address_row(recipe: PageRecipe, address: Address, context: JobContext) -> Row:
    """The row of an address, in a worker; what every page needs and the machine lacks is raised."""
    artefacts = [Artefact(ROW, lambda result: result.to_dict(blocks=False))]
    if recipe.snapshots is not None:
        artefacts.insert(0, Artefact(SNAPSHOT, partial(_save, recipe.snapshots), of_failures=True))
    extract = recipe.extract
    if recipe.sites is not None:
        extract = replace(extract, site=SiteFolder(recipe.sites))
    job = PageJob(
        address.url,
        context.renderer.options,
        extract,
        check=refuse_unusable,
        artefacts=tuple(artefacts),
        deadline=recipe.render.limits.seconds,
    )
    result = await extract_page(job, context.renderer, executor=context.executor)
    exit_without_memory(result.error)
    if isinstance(result.error, FATAL):
        raise result.error
    row = result.artefacts[ROW] if result.error is None else result.to_dict(blocks=False)
    return row | _further_columns(recipe, result.artefacts.get(SNAPSHOT))


def _save(folder: Path, result: PageResult) -> Path | None:
    if result.snapshot is None:
        return None
    path = new_file_of(folder, "snapshots", result.requested_url, ".miolo")
    result.snapshot.save(path)
    return path


def _further_columns(recipe: PageRecipe, snapshot: Path | None) -> dict[str, Any]:
    """Additional columns of a row: the path of its snapshot, if snapshots are saved."""
    if recipe.snapshots is None:
        return {}
    return {"snapshot": None if snapshot is None else valid_text(str(snapshot))}


class PageReader:
    """Renders and reads several pages at once in a worker process.

    The memory of the worker and its processor time for each page are limited. A page that crashes
    or blocks the worker yields a row with an error; the other pages that were open are read again.
    With an archive, all requests are answered from it, without network access.
    """

    def __init__(self, recipe: PageRecipe, archive: str | None = None) -> None:
        self.recipe = recipe
        worker = WorkerSetup(
            "miolo.collect.distributed.page_reader:address_row",
            recipe,
            restrict_policy(recipe.render),
            recipe.switches,
            archive,
        )
        limits = PoolOptions(1, recipe.pages, recipe.render.limits.seconds)
        self._pool = Pool(PROGRAM, worker, limits)
        self._loop = asyncio.new_event_loop()
        # The worker ends with the thread that started it, so that thread must live as long.
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="miolo-reader", daemon=True
        )
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._pool.__aenter__(), self._loop).result()

    def __enter__(self) -> PageReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the worker and the thread; no process is left."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._pool.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def rows(self, addresses: Iterable[object]) -> Iterator[Row]:
        """A row for each address, in the order in which the pages are finished.

        Addresses are consumed as slots become free, so their number is unlimited. A page that
        fails yields a row with its error, and a failure is isolated to its page. If the machine
        lacks something that every page needs, such as a browser or disk space, that is raised.
        """
        running: set[Future[Row]] = set()
        try:
            for address in addresses:
                if len(running) >= self.recipe.pages:
                    yield from _next_rows(running)
                url = valid_text("" if address is None else str(address))
                running.add(asyncio.run_coroutine_threadsafe(self._row(url), self._loop))
            while running:
                yield from _next_rows(running)
        finally:
            for future in running:
                future.cancel()

    async def _row(self, url: str) -> Row:
        try:
            return await self._pool.run(Address(url))
        except RenderError as error:
            if self._pool.failure:
                raise
            # The page has killed or blocked the worker.
            return PageResult(url, error=error).to_dict() | _further_columns(self.recipe, None)


def _next_rows(running: set[Future[Row]]) -> Iterator[Row]:
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        running.remove(future)
        yield future.result()


def extract_rows(
    rows: Iterable[Mapping[str, Any]], recipe: PageRecipe | None = None
) -> Iterator[Row]:
    """Turn rows with addresses into rows of articles, with a browser for the duration of the call.

    It can be applied to each partition of a dataset: with Dask's ``map_partitions``, Spark's
    ``mapPartitions`` or a pool of processes. Results, including failures, are described in
    `docs/schema.json`; see `PageReader.rows`.
    """
    recipe = recipe or PageRecipe()
    addresses = (row.get(recipe.column) for row in rows)
    if recipe.archives:
        yield from archive_rows(addresses, recipe)
        return
    with PageReader(recipe) as reader:
        yield from reader.rows(addresses)


def archive_rows(paths: Iterable[object], recipe: PageRecipe) -> Iterator[Row]:
    """Rows for all pages of archives, without network access; a damaged one yields its error."""
    for path in paths:
        try:
            archive = open_archive(str(path))
        except (ArchiveError, OSError) as error:
            failed = PageResult(str(path), error=ArchiveError(str(error)))
            yield failed.to_dict() | _further_columns(recipe, None)
            continue
        with archive, PageReader(recipe, str(path)) as reader:
            yield from reader.rows(archive.pages())
