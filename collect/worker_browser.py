"""A worker's browser and reading thread, and the loop that answers several messages at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from ..renderer.archives.open_archive import open_archive
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..workers.child import Send
from ..workers.messages import Ready
from ..workers.process_limits import limit_cpu

__all__ = ["ReadingThread", "answer_messages", "started_browser"]

T = TypeVar("T")

# Added to a page's deadline, because other pages are rendered meanwhile and some methods compile
# code at first use.
CPU_GRACE_SECONDS = 30.0


class ReadingThread(ThreadPoolExecutor):
    """Executor with one thread that reads pages; a second thread would only wait for the first."""

    def __init__(self) -> None:
        super().__init__(1)
        self._seconds: float | None = None

    def allow(self, seconds: float) -> None:
        """Renew the process's limit of processor time, now and at the start of each call.

        Parameters
        ----------
        seconds
            Deadline of a page. The process is killed if it uses more processor time than this plus
            `CPU_GRACE_SECONDS`.
        """
        self._seconds = seconds + CPU_GRACE_SECONDS
        limit_cpu(self._seconds)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Schedule a call, which starts with a renewed limit of processor time."""
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
    archive: str | Path | None = None,
    *,
    on_start: Callable[[], None] = lambda: None,
) -> AsyncIterator[tuple[Renderer, ReadingThread]]:
    """Start a browser and a reading thread.

    Parameters
    ----------
    module
        Name of the module that reads pages. It is imported while the browser starts, because
        importing methods and models takes most of a second.
    options, switches
        Arguments of the `Renderer`.
    archive
        Web archive from which all requests are answered, without network access.
    on_start
        Called before each start of a browser.
    """
    replay = open_archive(archive) if archive else None
    reading = ReadingThread()
    loading = asyncio.get_running_loop().run_in_executor(reading, import_module, module)
    try:
        renderer = Renderer(options, switches=switches, replay=replay, on_start=on_start)
        async with renderer:
            await loading
            yield renderer, reading
    finally:
        reading.shutdown(cancel_futures=True)


async def answer_messages(
    answer: Callable[[Any], Awaitable[Any]],
    reading: ReadingThread,
    seconds: float,
    inbox: AsyncIterator[Any],
    send: Send,
) -> None:
    """Answer messages, several at once, until there are no more.

    Parameters
    ----------
    answer
        Function that answers a message.
    reading, seconds
        The thread that reads pages, and the deadline of a page.
    inbox, send
        The messages, and the function that sends an answer.
    """

    async def send_answer(message: Any) -> None:
        send(await answer(message))

    tasks: set[asyncio.Task[None]] = set()
    send(Ready())
    async for message in inbox:
        reading.allow(seconds)
        task = asyncio.ensure_future(send_answer(message))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
