"""A worker of the service: a process with one Chromium that processes one page at a time.

The process ends when its standard input closes, and its browser ends with it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..collect.worker_browser import started_browser
from ..errors import RenderError
from ..renderer.renderer import Renderer
from ..workers.child import Send, end_within, exit_without_memory, run_worker
from ..workers.messages import Ready
from .work_messages import Setup, Stop, WorkRequest, WorkResponse

__all__ = ["main"]

WORKING = "miolo.serve.answers"

# Time beyond a request's deadline after which a worker ends itself, even if the service is gone.
LAST_SECONDS = 10.0


class Worker:
    """Processes one request at a time; a stopped request is answered too."""

    def __init__(self, renderer: Renderer, reading: ThreadPoolExecutor, send: Send) -> None:
        self._renderer = renderer
        self._reading = reading
        self._send = send
        self._current: tuple[int, asyncio.Task[None]] | None = None

    async def warm_up(self) -> None:
        """Process a first page, so that everything is loaded and compiled before any request."""
        from .answers import warm_up_page

        await warm_up_page(self._renderer, self._reading)

    def begin(self, work_request: WorkRequest) -> None:
        """Start a request; its response is sent when it is ready."""
        self._current = (
            work_request.id,
            asyncio.ensure_future(self._process_request(work_request)),
        )

    async def stop(self, work_request: int | None = None) -> None:
        """Cancel a request, or whichever is running."""
        if self._current is None:
            return
        current, task = self._current
        if work_request in (None, current):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _process_request(self, work_request: WorkRequest) -> None:
        from .answers import answer_request

        end_within(work_request.deadline + LAST_SECONDS)
        try:
            response = await answer_request(work_request, self._renderer, self._reading)
            exit_without_memory(response.error)
        except asyncio.CancelledError:
            # The thread cannot be stopped, so wait for it here: the next page would have to.
            await asyncio.get_running_loop().run_in_executor(self._reading, os.getpid)
            response = WorkResponse(
                work_request.id,
                error=RenderError("the request was cancelled", url=work_request.url),
            )
        end_within(None)
        self._current = None
        self._send(response)


async def work(setup: Setup, inbox: AsyncIterator[Any], send: Send) -> None:
    """Process requests until there are no more."""
    async with started_browser(WORKING, setup.render, setup.switches) as (renderer, reading):
        worker = Worker(renderer, reading, send)
        await worker.warm_up()
        send(Ready())
        async for message in inbox:
            if isinstance(message, Stop):
                await worker.stop(message.id)
            else:
                reading.allow(message.deadline)
                worker.begin(message)
        await worker.stop()


def main(_: Sequence[str] = ()) -> None:
    """Run as ``python -m miolo.serve.worker``."""
    run_worker(work)


if __name__ == "__main__":
    main()
