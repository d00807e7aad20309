"""Worker process of a batch: visits pages with one Chromium.

It exits when its standard input is closed, and closes its browser.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from time import monotonic
from typing import Any

from ...errors import MioloError
from ...renderer.archives.warc import warc_records
from ...renderer.network.exchange import Exchange
from ...renderer.renderer import Renderer
from ...workers.child import Send, exit_without_memory, run_worker
from ...workers.messages import BrowserStarted, SlotReleased
from ..worker_browser import answer_messages, started_browser
from .visit_messages import Answer, Fetch, FetchResult, Setup, Visit

__all__ = ["main"]

READING = "miolo.collect.batch.results"

FETCH_SECONDS = 20.0
FETCH_BYTES = 60 << 20


class Worker:
    """Visits pages and fetches files."""

    def __init__(self, setup: Setup, renderer: Renderer, reading: Executor, send: Send) -> None:
        self._setup = setup
        self._renderer = renderer
        self._reading = reading
        self._send = send

    async def answer(self, message: Visit | Fetch) -> Answer | FetchResult:
        """The outcome of a message."""
        if isinstance(message, Visit):
            return await self._visit(message)
        return await self._fetch(message)

    async def _visit(self, visit: Visit) -> Answer:
        # `started_browser` imports it in a thread: methods and models take most of a second.
        from .results import visit_page

        started = monotonic()

        def release() -> None:
            self._send(SlotReleased(visit.id))

        answer = await visit_page(self._setup, visit, self._renderer, self._reading, release)
        exit_without_memory(answer.error)
        return replace(answer, seconds=round(monotonic() - started, 3))

    async def _fetch(self, fetch: Fetch) -> FetchResult:
        exchanges: list[Exchange] | None = [] if self._setup.options.kept.archive else None
        try:
            exchange = await self._renderer.fetch(
                fetch.url, seconds=FETCH_SECONDS, max_bytes=FETCH_BYTES, into=exchanges
            )
            records = warc_records(exchanges) if exchanges else b""
        except MioloError:
            return FetchResult(fetch.id, fetch.url, 0, b"")
        return FetchResult(fetch.id, exchange.url, exchange.status, exchange.body, records)


async def work(setup: Setup, inbox: AsyncIterator[Any], send: Send) -> None:
    """Answer messages until there are no more."""
    options = setup.options
    browser = started_browser(
        READING,
        options.render,
        options.switches,
        options.replay,
        on_start=lambda: send(BrowserStarted()),
    )
    async with browser as (renderer, reading):
        worker = Worker(setup, renderer, reading, send)
        seconds = options.render.limits.seconds
        await answer_messages(worker.answer, reading, seconds, inbox, send)


def main(_: Sequence[str] = ()) -> None:
    """Run as ``python -m miolo.collect.batch.batch_worker``."""
    run_worker(work)


if __name__ == "__main__":
    main()
