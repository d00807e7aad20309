"""A worker: a process with one Chromium, which visits the pages that it is given.

It ends when its standard input does, and takes its browser with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import monotonic
from typing import Any

from ...errors import MioloError
from ...renderer.archives.exchange import Exchange
from ...renderer.archives.open_archive import open_archive
from ...renderer.archives.warc import warc_records
from ...renderer.renderer import Renderer
from ..workers.browser import started_browser
from ..workers.child import Send, exit_without_memory, run_worker
from ..workers.messages import Ready, SlotReleased
from .messages import Answer, Fetch, Fetched, Setup, Visit

__all__ = ["main"]

READING = "miolo.collect.batch.results"

FETCH_SECONDS = 20.0
FETCH_BYTES = 60 << 20


class Worker:
    """Visits pages, several at once, and sends their outcomes."""

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
        work = self._visit(message) if isinstance(message, Visit) else self._fetch(message)
        task = asyncio.ensure_future(self._answer(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, work: Any) -> None:
        self._send(await work)

    async def _visit(self, visit: Visit) -> Answer:
        # Loaded by now: methods and models take most of a second.
        from .results import visit_page

        started = monotonic()

        def release() -> None:
            self._send(SlotReleased(visit.id))

        answer = await visit_page(self._setup, visit, self._renderer, self._reading, release)
        exit_without_memory(answer.error)
        return replace(answer, seconds=round(monotonic() - started, 3))

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
    replay = open_archive(options.replay) if options.replay else None
    browser = started_browser(READING, options.render, options.switches, replay)
    async with browser as (renderer, reading):
        worker = Worker(setup, renderer, reading, send)
        send(Ready())
        async for message in inbox:
            reading.allow(options.render.limits.seconds)
            worker.start(message)
        await worker.stop()


def main(_: Sequence[str] = ()) -> None:
    """Run as ``python -m miolo.collect.batch.worker``."""
    run_worker(work)


if __name__ == "__main__":
    main()
