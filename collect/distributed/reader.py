"""`PageReader`: one warm browser of a worker, and `extract_rows` for any framework."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from ...errors import (
    ArchiveError,
    BrowserNotFoundError,
    MissingDependencyError,
    StorageError,
)
from ...extract.job import Artefact, PageJob, refuse_blocked
from ...extract.job_run import extract_page
from ...features.links import site_of
from ...models.site import Site
from ...output.page_result import PageResult
from ...output.schema import valid_text
from ...renderer.archives.archive import Archive
from ...renderer.archives.open_archive import open_archive
from ...renderer.page_policy import restrict_policy
from ...renderer.renderer import Renderer
from ..batch.files import new_file_of
from .recipe import PageRecipe, site_file

__all__ = ["PageReader", "Row", "archive_rows", "extract_rows"]

Row = dict[str, Any]

# Faults of the machine: every further page would fail by them too, and count as done.
FATAL = (BrowserNotFoundError, MissingDependencyError, StorageError)

# Learned sites kept in memory; addresses of one site usually come together.
SITES = 64


class PageReader:
    """Renders pages, several at once, in a thread's event loop; extracts in another thread.

    Parameters
    ----------
    recipe
        What is done with each address.
    replay
        An archive that all is answered from, with no network.

    Examples
    --------
    >>> def titles(addresses):
    ...     with PageReader(PageRecipe(method="nce")) as reader:
    ...         return [row["title"] for row in reader.rows(addresses)]
    """

    def __init__(self, recipe: PageRecipe, replay: Archive | None = None) -> None:
        self.recipe = recipe
        self._site = lru_cache(SITES)(self._load_site)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="miolo-reader", daemon=True
        )
        self._thread.start()
        # One page's article at a time: another thread would only wait for the first.
        self._reading = ThreadPoolExecutor(1)
        self._renderer = Renderer(
            restrict_policy(recipe.render), switches=recipe.switches, replay=replay
        )

    def __enter__(self) -> PageReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the browser and end the thread; no process is left."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._reading.shutdown()

    async def _shut(self) -> None:
        pages = asyncio.all_tasks() - {asyncio.current_task()}
        for page in pages:
            page.cancel()
        await asyncio.gather(*pages, return_exceptions=True)
        await self._renderer.close()

    def rows(self, addresses: Iterable[object]) -> Iterator[Row]:
        """A row for each address, in the order in which the pages are done.

        Addresses are taken as there is room for them, so they may be any number. A page
        that fails is a row with its error; whatever breaks the extraction costs one page.

        Raises
        ------
        BrowserNotFoundError, MissingDependencyError, StorageError
            This machine lacks something, room on its disk perhaps; no page would fare better.
        """
        running: set[Future[PageResult]] = set()
        try:
            for address in addresses:
                if len(running) >= self.recipe.pages:
                    yield from self._done(running)
                job = self._job("" if address is None else str(address))
                work = extract_page(job, self._renderer, executor=self._reading)
                running.add(asyncio.run_coroutine_threadsafe(work, self._loop))
            while running:
                yield from self._done(running)
        finally:
            for future in running:
                future.cancel()

    def _done(self, running: set[Future[PageResult]]) -> Iterator[Row]:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            running.remove(future)
            yield self._row(future.result())

    def _job(self, address: str) -> PageJob:
        recipe, url = self.recipe, valid_text(address)
        artefacts = [Artefact("row", lambda result: result.to_dict(blocks=False))]
        if recipe.snapshots is not None:
            artefacts.insert(0, Artefact("snapshot", self._save, of_failures=True))
        return PageJob(
            url,
            self._renderer.options,
            (recipe.method,),
            preset=recipe.preset,
            include=recipe.include,
            exclude=recipe.exclude,
            site=lambda snapshot: self._site(site_of(snapshot.page.url)),
            check=refuse_blocked,
            artefacts=tuple(artefacts),
            deadline=recipe.render.limits.seconds,
        )

    def _row(self, result: PageResult) -> Row:
        if isinstance(result.error, FATAL):
            raise result.error
        row = result.artefacts["row"] if result.error is None else result.to_dict()
        return row | _further(self.recipe, result.artefacts.get("snapshot"))

    def _save(self, result: PageResult) -> Path | None:
        assert self.recipe.snapshots is not None
        if result.snapshot is None:
            return None
        path = new_file_of(self.recipe.snapshots, "snapshots", result.requested_url, ".miolo")
        result.snapshot.save(path)
        return path

    def _load_site(self, name: str | None) -> Site | None:
        if name is None or self.recipe.sites is None:
            return None
        path = site_file(self.recipe.sites, name)
        return Site.load(path) if path.is_file() else None


def _further(recipe: PageRecipe, path: Path | None) -> Row:
    if recipe.snapshots is None:
        return {}
    return {"snapshot": None if path is None else valid_text(str(path))}


def extract_rows(
    rows: Iterable[Mapping[str, Any]], recipe: PageRecipe | None = None
) -> Iterator[Row]:
    """Rows with addresses to rows of articles, with a browser of its own meanwhile.

    For what cuts its data into partitions and calls a function on each: Dask's
    ``map_partitions``, Spark's ``mapPartitions``, a pool of processes.

    Parameters
    ----------
    rows
        Mappings with the address under `recipe.column`.
    recipe
        What is done with each address.

    Yields
    ------
    Results as `docs/schema.json` describes them, failures among them; see `PageReader.rows`.
    """
    recipe = recipe or PageRecipe()
    addresses = (row.get(recipe.column) for row in rows)
    if recipe.archives:
        yield from archive_rows(addresses, recipe)
        return
    with PageReader(recipe) as reader:
        yield from reader.rows(addresses)


def archive_rows(paths: Iterable[object], recipe: PageRecipe) -> Iterator[Row]:
    """Rows of all pages of archives, each rendered from its archive alone.

    An archive that is damaged or not there is a row with its error.
    """
    for path in paths:
        try:
            archive = open_archive(str(path))
        except (ArchiveError, FileNotFoundError) as error:
            failed = PageResult(str(path), error=ArchiveError(str(error)))
            yield failed.to_dict() | _further(recipe, None)
            continue
        with archive, PageReader(recipe, archive) as reader:
            yield from reader.rows(archive.pages())
