"""A worker: a process with one Chromium, which visits the pages that it is told to.

It ends when its standard input does, and takes its browser with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from time import monotonic
from typing import Any, TypeVar

from ...errors import MioloError, PageTimeoutError, RenderError, StorageError
from ...extract.sources import snapshot_of
from ...renderer.archives.exchange import Exchange
from ...renderer.archives.har import write_har
from ...renderer.archives.open_archive import open_archive
from ...renderer.archives.warc import warc_records
from ...renderer.renderer import Renderer
from ...renderer.snapshot import Snapshot
from ..workers.child import Send, run_worker
from ..workers.messages import Ready, SlotReleased
from .adaptive import Way
from .files import file_of
from .messages import Answer, Fetch, Fetched, Setup, Visit

__all__ = ["main"]

T = TypeVar("T")

READING = "miolo.collect.batch.results"

# Of a page's time, what its server may take for the page alone; and times all of it after which
# a page is given up.
SERVED_SHARE, OVERTIME = 0.3, 1.1

FETCH_SECONDS = 20.0
FETCH_BYTES = 60 << 20


class Worker:
    """Visits pages, several at once, and tells what comes of them."""

    def __init__(
        self, setup: Setup, renderer: Renderer, reading: ThreadPoolExecutor, send: Send
    ) -> None:
        self._setup = setup
        self._renderer = renderer
        self._reading = reading
        self._send = send
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, message: Visit | Fetch) -> None:
        """Begin with a message; its answer is sent when it is there."""
        work = self._visited(message) if isinstance(message, Visit) else self._fetch(message)
        task = asyncio.ensure_future(self._answer(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, work: Any) -> None:
        self._send(await work)

    async def _visited(self, visit: Visit) -> Answer:
        started = monotonic()
        exchanges: list[Exchange] = []
        try:
            found = await self._visit(visit, exchanges)
        except MioloError as error:
            found = Answer(visit.id, error=error)
        except Exception as error:
            # A page that breaks the extraction costs itself alone.
            kind = type(error).__name__
            found = Answer(visit.id, error=RenderError(f"{kind}: {error}", url=visit.url))
        found = replace(found, seconds=round(monotonic() - started, 3))
        if not exchanges:
            return found
        try:
            return replace(found, records=await self._aside(self._record, visit, exchanges))
        except MioloError as error:
            return replace(found, error=error)
        except OSError as error:
            return replace(found, error=StorageError(f"files cannot be written: {error}"))

    async def _visit(self, visit: Visit, exchanges: list[Exchange]) -> Answer:
        if visit.way is Way.RENDERED:
            page = await self._render(visit, exchanges)
            return await self._aside(self._read, visit, page)
        seconds = self._setup.options.render.limits.seconds
        try:
            async with asyncio.timeout(OVERTIME * seconds):
                return await self._visit_adaptively(visit, exchanges)
        except TimeoutError:
            late = f"{visit.url} was not there in {seconds:g} s"
            raise PageTimeoutError(late, url=visit.url) from None

    async def _visit_adaptively(self, visit: Visit, exchanges: list[Exchange]) -> Answer:
        served = await self._serve(visit)
        if served is not None and visit.way is Way.SERVED:
            # If it takes a browser after all, more are open than may be, up to the backlog.
            self._send(SlotReleased(visit.id))
            found = await self._aside(self._read_served, visit, served)
            if found is not None:
                return found
        page = await self._render(visit, exchanges)
        return await self._aside(self._read, visit, page, served)

    async def _serve(self, visit: Visit) -> Exchange | None:
        """What the address answers with; None where that is for a browser to find out."""
        limits = self._setup.options.render.limits
        try:
            return await self._renderer.fetch(
                visit.url, seconds=SERVED_SHARE * limits.seconds, max_bytes=limits.response_bytes
            )
        except RenderError:
            return None

    async def _render(self, visit: Visit, exchanges: list[Exchange]) -> Snapshot:
        kept = self._setup.options.kept
        render = replace(self._setup.options.render, screenshot=kept.screenshots)
        if kept.archive or kept.har:
            page = await self._renderer.record(visit.url, exchanges, render)
        else:
            page = await snapshot_of(self._renderer, visit.url, render)
        # The browser has one page less; its place is another's while this one is read.
        self._send(SlotReleased(visit.id))
        return page

    async def _aside(self, work: Callable[..., T], *values: Any) -> T:
        """Have work done in the thread, while other pages load."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, work, *values)

    def _record(self, visit: Visit, exchanges: list[Exchange]) -> bytes:
        """Records for the archive; the page's own file is on the disk afterwards."""
        kept = self._setup.options.kept
        if kept.har:
            path = file_of(self._setup.folder, "har", visit.url, ".har")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_har(path, exchanges)
        return warc_records(exchanges) if kept.archive else b""

    def _read(self, visit: Visit, page: Snapshot, served: Exchange | None = None) -> Answer:
        from .results import read_page

        return read_page(self._setup, visit, page, served)

    def _read_served(self, visit: Visit, served: Exchange) -> Answer | None:
        from .results import read_served

        return read_served(self._setup, visit, served)

    async def _fetch(self, fetch: Fetch) -> Fetched:
        took: list[Exchange] | None = [] if self._setup.options.kept.archive else None
        try:
            found = await self._renderer.fetch(
                fetch.url, seconds=FETCH_SECONDS, max_bytes=FETCH_BYTES, into=took
            )
            records = warc_records(took) if took else b""
        except MioloError:
            return Fetched(fetch.id, fetch.url, 0, b"")
        return Fetched(fetch.id, found.url, found.status, found.body, records)

    async def stop(self) -> None:
        """End what is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def work(setup: Setup, inbox: AsyncIterator[Any], send: Send) -> None:
    """Visit what the messages name until there are no more."""
    options = setup.options
    # One page's article at a time: another thread would only wait for the first.
    reading = ThreadPoolExecutor(1)
    reading.submit(import_module, READING)
    try:
        replay = open_archive(options.replay) if options.replay else None
        async with Renderer(options.render, switches=options.switches, replay=replay) as renderer:
            worker = Worker(setup, renderer, reading, send)
            send(Ready())
            async for message in inbox:
                worker.start(message)
            await worker.stop()
    finally:
        reading.shutdown(cancel_futures=True)


def main(_: Sequence[str] = ()) -> None:
    """Run as ``python -m miolo.collect.batch.worker``."""
    run_worker(work)


if __name__ == "__main__":
    main()
