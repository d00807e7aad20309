"""What a worker reads pages with: a browser, and a thread that has loaded what it runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from ...renderer.archives.archive import Archive
from ...renderer.options import RenderOptions
from ...renderer.process_limits import limit_cpu
from ...renderer.renderer import Renderer

__all__ = ["ReadingThread", "started_browser"]

T = TypeVar("T")

# Beyond a page's deadline: other pages are rendered meanwhile, and some methods compile at first.
CPU_GRACE_SECONDS = 30.0


class ReadingThread(ThreadPoolExecutor):
    """Reads one page at a time: another thread would only wait for the first."""

    def __init__(self) -> None:
        super().__init__(1)
        self._seconds: float | None = None

    def allow(self, seconds: float) -> None:
        """Give the process time for a page, now and again when each piece of work begins.

        Parameters
        ----------
        seconds
            Deadline of the page. Code that takes more of the processor, and some for other pages
            that are rendered meanwhile, ends with the process.
        """
        self._seconds = seconds + CPU_GRACE_SECONDS
        limit_cpu(self._seconds)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Work on something, with processor time of its own."""
        return super().submit(self._work, partial(fn, *args, **kwargs))

    def _work(self, work: Callable[[], T]) -> T:
        if self._seconds is not None:
            limit_cpu(self._seconds)
        return work()


@asynccontextmanager
async def started_browser(
    module: str,
    options: RenderOptions,
    switches: tuple[str, ...] = (),
    replay: Archive | None = None,
) -> AsyncIterator[tuple[Renderer, ReadingThread]]:
    """A browser and a thread, both ready.

    Parameters
    ----------
    module
        Name of what reads pages. It is loaded while the browser starts: methods and models take
        most of a second.
    options, switches, replay
        Of the `Renderer`.
    """
    reading = ReadingThread()
    loading = asyncio.get_running_loop().run_in_executor(reading, import_module, module)
    try:
        async with Renderer(options, switches=switches, replay=replay) as renderer:
            await loading
            yield renderer, reading
    finally:
        reading.shutdown(cancel_futures=True)
