"""The worker process of batches, crawls, readers and the service: one browser, one reading thread.

It ends when its standard input is closed, and its browser ends with it.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from ..errors import MioloError, RenderError
from ..renderer.archives.open_archive import open_archive
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..workers.child import Send, exit_without_memory, run_worker
from ..workers.messages import Answer, BrowserStarted, Ready, SlotReleased, Stop, Task
from ..workers.process_limits import end_within, limit_cpu

PROGRAM = "miolo.collect.page_worker"  # name of the program for a `Pool`

T = TypeVar("T")

# Added to a page's deadline, because other pages are rendered meanwhile and some methods compile
# code at first use.
CPU_GRACE_SECONDS = 30.0

# Time beyond a page's deadline after which a worker ends itself, even if the pool is gone. A pool
# would have killed it earlier.
LAST_SECONDS = 70.0


@dataclass(frozen=True)
class WorkerSetup:
    """First message to a worker."""

    # Module and name of the coroutine function that answers a job, such as ``"module:name"``. It is
    # called with `setup`, the job and a `JobContext`. The worker imports the module while its
    # browser starts, because importing methods and models takes most of a second.
    answer: str
    setup: Any  # what all jobs share
    render: RenderOptions
    switches: tuple[str, ...] = ()
    archive: str | Path | None = None  # from which all requests are answered, without network
    # Job that is answered before the worker is ready, so that everything is loaded and compiled;
    # its failure is that of all workers.
    first: Any = None


@dataclass(frozen=True)
class JobContext:
    """What a worker provides for a job: its browser, its thread that reads pages, the job's
    deadline, and the function to call when the page no longer occupies a slot of the browser.
    """

    renderer: Renderer
    executor: Executor
    seconds: float | None = None
    release: Callable[[], None] = lambda: None


class ReadingThread(ThreadPoolExecutor):
    """Executor with one thread that reads pages; a second thread would only wait for the first."""

    def __init__(self) -> None:
        super().__init__(1)
        self._seconds: float | None = None

    def allow(self, seconds: float) -> None:
        """Renew the limit of processor time, now and at the start of each call."""
        self._seconds = seconds + CPU_GRACE_SECONDS
        limit_cpu(self._seconds)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Schedule a call, which starts with a renewed limit of processor time."""
        return super().submit(self._work, partial(fn, *args, **kwargs))

    def _work(self, work: Callable[[], T]) -> T:
        if self._seconds is not None:
            limit_cpu(self._seconds)
        return work()


async def _answer_tasks(
    answer: Callable[[Any, JobContext], Any],
    renderer: Renderer,
    reading: ReadingThread,
    inbox: AsyncIterator[Any],
    send: Send,
) -> None:
    """Answer tasks, several at once; a stopped task is answered, too."""
    running: dict[int, asyncio.Task[None]] = {}
    is_ending = False

    async def process(task: Task) -> None:
        release = partial(send, SlotReleased(task.id))
        try:
            result = await answer(task.job, JobContext(renderer, reading, task.seconds, release))
            message = Answer(task.id, result)
        except MioloError as error:
            exit_without_memory(error)
            message = Answer(task.id, error=error)
        except asyncio.CancelledError:
            # The thread cannot be stopped, so wait for it here: the next page would have to.
            await asyncio.get_running_loop().run_in_executor(reading, os.getpid)
            error = RenderError("the request was cancelled", url=task.job.url)
            message = Answer(task.id, error=error)
        finally:
            del running[task.id]
            # The inbox has set the time at which this process must have ended.
            if not running and not is_ending:
                end_within(None)
        send(message)

    async for message in inbox:
        if isinstance(message, Stop):
            if message.id in running:
                running[message.id].cancel()
        else:
            reading.allow(message.seconds)
            end_within(message.seconds + LAST_SECONDS)
            running[message.id] = asyncio.ensure_future(process(message))
            # Only a task that has begun is answered when it is cancelled.
            await asyncio.sleep(0)
    is_ending = True
    tasks = list(running.values())
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def work(setup: WorkerSetup, inbox: AsyncIterator[Any], send: Send) -> None:
    """Answer tasks until there are no more."""
    replay = open_archive(setup.archive) if setup.archive else None
    reading = ReadingThread()
    module, _, name = setup.answer.partition(":")
    loading = asyncio.get_running_loop().run_in_executor(reading, import_module, module)
    try:
        renderer = Renderer(
            setup.render,
            switches=setup.switches,
            replay=replay,
            on_start=lambda: send(BrowserStarted()),
        )
        async with renderer:
            answer = partial(getattr(await loading, name), setup.setup)
            if setup.first is not None:
                await answer(setup.first, JobContext(renderer, reading))
            # Pages leave next to no reference cycles, so rare collections need no more memory.
            gc.freeze()
            gc.set_threshold(20_000, 20, 20)
            send(Ready())
            await _answer_tasks(answer, renderer, reading, inbox, send)
    finally:
        reading.shutdown(cancel_futures=True)


if __name__ == "__main__":
    run_worker(work)
