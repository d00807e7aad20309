"""A worker of the service: a process with one Chromium that sees to one page at a time.

It ends when its standard input does, and takes its browser with it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, TypeVar

from ..collect.workers.child import Send, end_within, run_worker
from ..collect.workers.messages import Ready
from ..errors import MioloError, RenderError
from ..renderer.renderer import Renderer
from ..renderer.snapshot import NOWHERE, Snapshot
from .logs import trace_of
from .messages import Setup, Stop, WorkRequest, WorkResponse
from .sample import SAMPLE

__all__ = ["main"]

T = TypeVar("T")

WORKING = "miolo.serve.answers"

# After so much more than an order's own time even a service that is gone has killed its worker.
LAST_SECONDS = 10.0


class Worker:
    """Sees to one order at a time; one that is stopped is answered all the same."""

    def __init__(self, renderer: Renderer, reading: ThreadPoolExecutor, send: Send) -> None:
        self._renderer = renderer
        self._reading = reading
        self._send = send
        self._current: tuple[int, asyncio.Task[None]] | None = None

    async def warm_up(self) -> None:
        """See to a first page: whatever is loaded or compiled when it is first used is then."""
        page = await self._renderer.render_html(SAMPLE)
        await self._aside(self._warm, page)

    def begin(self, work_request: WorkRequest) -> None:
        """Begin with an order; its answer is sent when it is there."""
        self._current = (work_request.id, asyncio.ensure_future(self._see_to(work_request)))

    async def stop(self, work_request: int | None = None) -> None:
        """Let go of an order, or of whatever is under way."""
        if self._current is None:
            return
        current, task = self._current
        if work_request in (None, current):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _see_to(self, work_request: WorkRequest) -> None:
        end_within(work_request.render.limits.seconds + LAST_SECONDS)
        try:
            found = await self._outcome(work_request)
        except asyncio.CancelledError:
            # The thread cannot be stopped; the next page would wait for it.
            await self._aside(os.getpid)
            found = WorkResponse(
                work_request.id, error=RenderError("nobody waits for it", url=work_request.url)
            )
        end_within(None)
        self._current = None
        self._send(found)

    async def _outcome(self, work_request: WorkRequest) -> WorkResponse:
        try:
            page = await self._render(work_request)
            return await self._aside(self._read, work_request, page)
        except MioloError as error:
            return WorkResponse(work_request.id, error=error, trace=trace_of(error))
        except Exception as error:
            # A page that breaks the extraction costs itself alone.
            known = RenderError(f"the page broke it: {type(error).__name__}", url=work_request.url)
            return WorkResponse(work_request.id, error=known, trace=trace_of(error))

    async def _render(self, work_request: WorkRequest) -> Snapshot:
        if work_request.html is None:
            return await self._renderer.render(work_request.url, work_request.render)
        url = work_request.url or NOWHERE
        return await self._renderer.render_html(
            work_request.html, url=url, options=work_request.render
        )

    async def _aside(self, work: Callable[..., T], *values: Any) -> T:
        """Have work done in the thread, while messages are heard."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, work, *values)

    def _warm(self, page: Snapshot) -> None:
        from .answers import warm

        warm(page)

    def _read(self, work_request: WorkRequest, page: Snapshot) -> WorkResponse:
        from .answers import done

        return done(work_request, page)


async def work(setup: Setup, inbox: AsyncIterator[Any], send: Send) -> None:
    """See to orders until there are no more."""
    reading = ThreadPoolExecutor(1)
    reading.submit(import_module, WORKING)
    try:
        async with Renderer(setup.render, switches=setup.switches) as renderer:
            worker = Worker(renderer, reading, send)
            await worker.warm_up()
            send(Ready())
            async for message in inbox:
                if isinstance(message, Stop):
                    await worker.stop(message.id)
                else:
                    worker.begin(message)
            await worker.stop()
    finally:
        reading.shutdown(cancel_futures=True)


def main(_: Sequence[str] = ()) -> None:
    """Run as ``python -m miolo.serve.worker``."""
    run_worker(work)


if __name__ == "__main__":
    main()
