"""`PageReader`: one warm browser of a worker, and `extract_rows` for any framework."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from ...errors import (
    ArchiveError,
    BrowserNotFoundError,
    MioloError,
    MissingDependencyError,
    RenderError,
)
from ...extract.output.extraction import Extraction
from ...extract.output.rows import check_not_blocked, failure_row, result_row
from ...extract.pipeline import extract_snapshot
from ...features.links import site_of
from ...models.site import Site
from ...renderer.archives.archive import Archive
from ...renderer.archives.open_archive import open_archive
from ...renderer.page_policy import restrict_policy
from ...renderer.renderer import Renderer
from ...renderer.snapshot import Snapshot
from ..batch.files import file_of
from .recipe import PageRecipe, site_file

__all__ = ["PageReader", "Row", "archive_rows", "extract_rows"]

Row = dict[str, Any]

# Faults of the machine: every further page would fail by them too, and count as done.
FATAL = (BrowserNotFoundError, MissingDependencyError)

# Learned sites kept in memory; addresses of one site usually come together.
SITES = 64


class PageReader:
    """Renders pages, several at once, in a thread's event loop; extracts in the caller's.

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
        BrowserNotFoundError, MissingDependencyError, OSError
            This machine lacks something, room on its disk perhaps; no page would fare better.
        """
        running: dict[Future[Snapshot], str] = {}
        try:
            for address in addresses:
                if len(running) >= self.recipe.pages:
                    yield from self._done(running)
                url = _plain("" if address is None else str(address))
                work = self._renderer.render(url)
                running[asyncio.run_coroutine_threadsafe(work, self._loop)] = url
            while running:
                yield from self._done(running)
        finally:
            for future in running:
                future.cancel()

    def _done(self, running: dict[Future[Snapshot], str]) -> Iterator[Row]:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield self._row(running.pop(future), future)

    def _row(self, url: str, future: Future[Snapshot]) -> Row:
        path = None
        try:
            snapshot = future.result()
            # A full disk is no fault of the page: it ends the run.
            path = self._save(url, snapshot)
            site = self._site(site_of(snapshot.page.url))
            row = result_row(url, self._extraction(snapshot, site))
        except (*FATAL, OSError):
            raise
        except MioloError as error:
            row = failure_row(url, error)
        except Exception as error:
            row = failure_row(url, RenderError(f"{type(error).__name__}: {error}", url=url))
        return row | _further(self.recipe, path)

    def _extraction(self, snapshot: Snapshot, site: Site | None) -> Extraction:
        recipe = self.recipe
        extraction = extract_snapshot(
            snapshot,
            recipe.method,
            site=site,
            preset=recipe.preset,
            include=recipe.include,
            exclude=recipe.exclude,
        )
        check_not_blocked(extraction)
        return extraction

    def _save(self, url: str, snapshot: Snapshot) -> Path | None:
        if self.recipe.snapshots is None:
            return None
        path = file_of(self.recipe.snapshots, "snapshots", url, ".miolo")
        path.parent.mkdir(parents=True, exist_ok=True)
        snapshot.save(path)
        return path

    def _load_site(self, name: str | None) -> Site | None:
        if name is None or self.recipe.sites is None:
            return None
        path = site_file(self.recipe.sites, name)
        return Site.load(path) if path.is_file() else None


def _further(recipe: PageRecipe, path: Path | None) -> Row:
    if recipe.snapshots is None:
        return {}
    return {"snapshot": None if path is None else _plain(str(path))}


def _plain(text: str) -> str:
    """Text that can be written: a page's scripts can make half a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


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
    Rows as `miolo.extract.output.rows` makes them, failures among them; see `PageReader.rows`.
    """
    recipe = recipe or PageRecipe()
    told = (row.get(recipe.column) for row in rows)
    if recipe.archives:
        yield from archive_rows(told, recipe)
        return
    with PageReader(recipe) as reader:
        yield from reader.rows(told)


def archive_rows(paths: Iterable[object], recipe: PageRecipe) -> Iterator[Row]:
    """Rows of all pages of archives, each rendered from its archive alone.

    An archive that is damaged or not there is a row with its error.
    """
    for path in paths:
        try:
            archive = open_archive(str(path))
        except (ArchiveError, FileNotFoundError) as error:
            row = failure_row(str(path), ArchiveError(str(error)))
            yield row | _further(recipe, None)
            continue
        with archive, PageReader(recipe, archive) as reader:
            yield from reader.rows(archive.pages())
