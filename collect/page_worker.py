"""The worker process of batches, crawls, readers and the service: one browser, one reading thread.

It runs as ``python -m miolo.collect.page_worker``. It ends when its standard input is closed, and
its browser ends with it.
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

PROGRAM = "miolo.collect.page_worker"
"""Name of the program for a `Pool`."""

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

    answer: str
    """Module and name of the coroutine function that answers a job, such as ``"module:name"``. It
    is called with `setup`, the job and a `JobContext`. The worker imports the module while its
    browser starts, because importing methods and models takes most of a second."""
    setup: Any
    """What all jobs share."""
    render: RenderOptions
    switches: tuple[str, ...] = ()
    archive: str | Path | None = None
    """Web archive from which all requests are answered, without network access."""
    first: Any = None
    """Job that is answered before the worker is ready, so that everything is loaded and compiled;
    its failure is that of all workers."""


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
        """Renew the process's limit of processor time, now and at the start of each call.

        The process is killed if it uses `CPU_GRACE_SECONDS` more than the deadline of a page.
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


class _Worker:
    """Answers tasks, several at once; a stopped task is answered, too."""

    def __init__(
        self,
        answer: Callable[[Any, JobContext], Any],
        renderer: Renderer,
        reading: ReadingThread,
        send: Send,
    ) -> None:
        self._answer = answer
        self._renderer = renderer
        self._reading = reading
        self._send = send
        self._running: dict[int, asyncio.Task[None]] = {}
        self._ending = False

    async def work(self, inbox: AsyncIterator[Any]) -> None:
        async for message in inbox:
            if isinstance(message, Stop):
                if message.id in self._running:
                    self._running[message.id].cancel()
            else:
                self._reading.allow(message.seconds)
                end_within(message.seconds + LAST_SECONDS)
                self._running[message.id] = asyncio.ensure_future(self._process(message))
                # Only a task that has begun is answered when it is cancelled.
                await asyncio.sleep(0)
        self._ending = True
        for running in self._running.values():
            running.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _process(self, task: Task) -> None:
        def release() -> None:
            self._send(SlotReleased(task.id))

        context = JobContext(self._renderer, self._reading, task.seconds, release)
        try:
            result = await self._answer(task.job, context)
            answer = Answer(task.id, result)
        except MioloError as error:
            exit_without_memory(error)
            answer = Answer(task.id, error=error)
        except asyncio.CancelledError:
            # The thread cannot be stopped, so wait for it here: the next page would have to.
            await asyncio.get_running_loop().run_in_executor(self._reading, os.getpid)
            error = RenderError("the request was cancelled", url=task.job.url)
            answer = Answer(task.id, error=error)
        finally:
            del self._running[task.id]
            # The inbox has set the time at which this process must have ended.
            if not self._running and not self._ending:
                end_within(None)
        self._send(answer)


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
            await _Worker(answer, renderer, reading, send).work(inbox)
    finally:
        reading.shutdown(cancel_futures=True)


if __name__ == "__main__":
    run_worker(work)
