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

from ..collect.workers.child import Tell, end_within, run_worker
from ..collect.workers.messages import Ready
from ..errors import MioloError, RenderError
from ..renderer.renderer import Renderer
from ..renderer.snapshot import NOWHERE, Snapshot
from .messages import Done, Order, Setup, Stop
from .sample import SAMPLE

__all__ = ["main"]

T = TypeVar("T")

WORKING = "miolo.serve.working"

# After so much more than an order's own time even a service that is gone has killed its worker.
LAST_SECONDS = 10.0


class Worker:
    """Sees to one order at a time; one that is stopped is answered all the same."""

    def __init__(self, renderer: Renderer, reading: ThreadPoolExecutor, tell: Tell) -> None:
        self._renderer = renderer
        self._reading = reading
        self._tell = tell
        self._current: tuple[int, asyncio.Task[None]] | None = None

    async def warm_up(self) -> None:
        """See to a first page: whatever is loaded or compiled when it is first used is then."""
        page = await self._renderer.render_html(SAMPLE)
        await self._aside(self._warm, page)

    def begin(self, order: Order) -> None:
        """Begin with an order; its answer is sent when it is there."""
        self._current = (order.id, asyncio.ensure_future(self._see_to(order)))

    async def stop(self, order: int | None = None) -> None:
        """Let go of an order, or of whatever is under way."""
        if self._current is None:
            return
        current, task = self._current
        if order in (None, current):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _see_to(self, order: Order) -> None:
        end_within(order.render.limits.seconds + LAST_SECONDS)
        try:
            found = await self._outcome(order)
        except asyncio.CancelledError:
            # The thread cannot be stopped; the next page would wait for it.
            await self._aside(os.getpid)
            found = Done(order.id, error=RenderError("nobody waits for it", url=order.url))
        end_within(None)
        self._current = None
        self._tell(found)

    async def _outcome(self, order: Order) -> Done:
        try:
            page = await self._rendered(order)
            return await self._aside(self._read, order, page)
        except MioloError as error:
            return Done(order.id, error=error)
        except Exception as error:
            # A page that breaks the extraction costs itself alone.
            kind = type(error).__name__
            return Done(order.id, error=RenderError(f"the page broke it: {kind}", url=order.url))

    async def _rendered(self, order: Order) -> Snapshot:
        if order.html is None:
            return await self._renderer.render(order.url, order.render)
        url = order.url or NOWHERE
        return await self._renderer.render_html(order.html, url=url, options=order.render)

    async def _aside(self, work: Callable[..., T], *values: Any) -> T:
        """Have work done in the thread, while messages are heard."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, work, *values)

    def _warm(self, page: Snapshot) -> None:
        from .working import warm

        warm(page)

    def _read(self, order: Order, page: Snapshot) -> Done:
        from .working import done

        return done(order, page)


async def work(setup: Setup, inbox: AsyncIterator[Any], tell: Tell) -> None:
    """See to orders until there are no more."""
    reading = ThreadPoolExecutor(1)
    reading.submit(import_module, WORKING)
    try:
        async with Renderer(setup.render, switches=setup.switches) as renderer:
            worker = Worker(renderer, reading, tell)
            await worker.warm_up()
            tell(Ready())
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
