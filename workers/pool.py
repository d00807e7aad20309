"""`WorkerPool`: a fixed number of worker processes, each replaced when it ends.

The workers of a `PagePool` process several pages at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from abc import ABC, abstractmethod
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from ..errors import (
    BrowserCrashedError,
    MioloError,
    PageTimeoutError,
    RenderError,
    TooLargeError,
    UnsupportedSystemError,
)
from .child import OUT_OF_MEMORY
from .messages import BrowserStarted, Fatal, Note, Ready, SlotReleased, pack, pass_lines, receive
from .processes import kill_process_tree, new_scratch, remove_scratch
from .system import OUT_OF_PROCESSOR_TIME, STARTS_SESSION

__all__ = ["PagePool", "Task", "WorkerPool", "WorkerProcess", "death_error"]

# Time that a worker has to stop after its standard input was closed, before it is killed.
CLOSE_SECONDS = 15.0

REST_SECONDS = 1.0

# Time that a worker has to exit by itself after its output has ended.
EXIT_SECONDS = 2.0

# Time to read the last lines of a dead worker.
LISTEN_SECONDS = 1.0

# A page without an answer this long after its deadline is considered to block its worker.
GRACE_SECONDS = 60.0

# Number of pages after which a worker is replaced: Playwright and the parsers leak about 45 KB per
# page.
LIFETIME = 2000

# Maximum number of a worker's pages, including those that wait to be read, per page that it may
# have open. It bounds the number of waiting pages if reading is slower than rendering.
BACKLOG = 2

# Number of idle workers that may die in succession; pages are not the cause of their deaths.
HOPELESS = 5


class Task(Protocol):
    """A task for a worker; its answer has the same `id`."""

    @property
    def id(self) -> int:
        """Number of the task, unique among the running tasks."""
        ...

    @property
    def url(self) -> str:
        """Address of the task's page."""
        ...


T = TypeVar("T", bound=Task)


@dataclass(eq=False)
class WorkerProcess(Generic[T]):
    """A worker process and its tasks.

    Attributes
    ----------
    process, scratch
        The process and its folder for temporary files.
    tasks, timers
        Running tasks by number, and the timers that kill the worker if a task takes too long.
    released
        Numbers of the tasks that have released their slots.
    ready
        Whether the worker has reported that it is ready.
    done
        Number of tasks that the worker has answered.
    old
        Whether the worker is being replaced and takes no more tasks.
    overdue
        Whether the worker was killed because a task took too long.
    idle
        Set when the last running task has ended, and once the worker is dead.
    listener
        Task that reads the worker's standard error.
    """

    process: Process
    scratch: Path
    tasks: dict[int, T] = field(default_factory=dict)
    timers: dict[int, asyncio.TimerHandle] = field(default_factory=dict)
    released: set[int] = field(default_factory=set)
    ready: bool = False
    done: int = 0
    old: bool = False
    overdue: bool = False
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    listener: asyncio.Task[None] | None = None


def death_error(worker: WorkerProcess[Any], url: str) -> RenderError:
    """The error of a page that was the only one of a dead worker."""
    code = worker.process.returncode
    if worker.overdue:
        return PageTimeoutError(
            "the page blocked its worker process beyond the time limit", url=url
        )
    if code is not None and code == OUT_OF_PROCESSOR_TIME < 0:
        return PageTimeoutError("the page exceeded the limit on processor time", url=url)
    if code == OUT_OF_MEMORY:
        return TooLargeError("the page exceeded the memory limit", url=url)
    return BrowserCrashedError("the worker process died while processing the page", url=url)


class WorkerPool(ABC, Generic[T]):
    """A fixed number of worker processes, with guaranteed cleanup.

    Parameters
    ----------
    program
        Module that the workers run.
    setup
        First message to each worker.
    number
        Number of workers.
    lifetime
        Number of tasks after which a worker is replaced, because its libraries leak memory.
    note
        Called with each line that workers write to standard error; by default they share this
        process's standard error.

    Attributes
    ----------
    has_browser
        Whether any worker has reported that it starts a browser.
    """

    def __init__(
        self, program: str, setup: Any, number: int, *, lifetime: int, note: Note | None = None
    ) -> None:
        self._program = program
        self._setup = setup
        self._number = number
        self._lifetime = lifetime
        self._note = note
        self.has_browser = False
        self._workers: list[WorkerProcess[T]] = []
        self._jobs: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        if sys.platform == "win32":
            raise UnsupportedSystemError(
                "worker processes require Linux or macOS; on Windows, use the Windows Subsystem "
                "for Linux, or extract single pages or use miolo.extract_many, which need none"
            )
        try:
            for _ in range(self._number):
                await self._spawn()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.shield(self.close())

    @property
    def busy(self) -> int:
        """Number of running tasks."""
        return sum(len(worker.tasks) for worker in self._workers)

    async def close(self) -> None:
        """Stop all workers; neither they nor the processes that they started are left."""
        self._closing.set()
        workers, self._workers = self._workers, []
        await asyncio.gather(*(self._end(worker) for worker in workers))
        await asyncio.gather(*self._jobs, return_exceptions=True)

    def kill(self) -> None:
        """Kill all workers immediately; no others are started."""
        self._closing.set()
        for worker in self._workers:
            kill_process_tree(worker.process.pid)

    @abstractmethod
    def _take_answer(self, worker: WorkerProcess[T], task: T, answer: Any) -> None:
        """Handle the answer to a task."""

    @abstractmethod
    def _handle_loss(self, worker: WorkerProcess[T], task: T) -> None:
        """Handle a task whose worker has died."""

    @abstractmethod
    def _patience(self, worker: WorkerProcess[T]) -> float | None:
        """Seconds to wait before a dead worker is replaced; None if it is not replaced."""

    @abstractmethod
    def _handle_fatal_error(self, error: MioloError) -> None:
        """Handle an error because of which no worker can work."""

    def _handle_free_slot(self) -> None:
        """Called when a worker has become ready or a task has released its slot."""

    def _ready(self) -> list[WorkerProcess[T]]:
        return [worker for worker in self._workers if worker.ready and not worker.old]

    def _give(self, worker: WorkerProcess[T], task: T, seconds: float) -> None:
        """Send a task to a worker, which is killed if the task takes longer than `seconds`."""
        loop = asyncio.get_running_loop()
        worker.idle.clear()
        worker.tasks[task.id] = task
        worker.timers[task.id] = loop.call_later(seconds, self._kill_overdue, worker)
        self._send(worker, task)

    def _send(self, worker: WorkerProcess[T], message: Any) -> None:
        assert worker.process.stdin is not None
        # A broken pipe is detected by `_read`, which hands back the tasks.
        with contextlib.suppress(ConnectionError):
            worker.process.stdin.write(pack(message))

    def _kill_overdue(self, worker: WorkerProcess[T]) -> None:
        worker.overdue = True
        self._kill(worker)

    def _kill(self, worker: WorkerProcess[T]) -> None:
        # `_read` detects the death and replaces the worker.
        self._job(asyncio.to_thread(kill_process_tree, worker.process.pid))

    def _renew(self, worker: WorkerProcess[T]) -> None:
        """Start a successor for a worker, which is stopped once its tasks are done."""
        if not worker.old:
            worker.old = True
            self._job(self._succeed(worker))

    async def _succeed(self, worker: WorkerProcess[T]) -> None:
        await self._spawn_when_possible()
        if worker.tasks:
            await worker.idle.wait()
        if worker in self._workers:
            self._workers.remove(worker)
            await self._end(worker)

    def _job(self, work: Coroutine[Any, Any, None]) -> None:
        job = asyncio.ensure_future(work)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)

    async def _spawn(self) -> None:
        if self._closing.is_set():
            return
        scratch = new_scratch()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", self._program),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE if self._note else None,
                env=_environment(scratch),
                start_new_session=STARTS_SESSION,
            )
        except BaseException:
            remove_scratch(scratch)
            raise
        worker: WorkerProcess[T] = WorkerProcess(process, scratch)
        if self._note is not None:
            assert process.stderr is not None
            worker.listener = asyncio.ensure_future(pass_lines(process.stderr, self._note))
        self._send(worker, self._setup)
        if self._closing.is_set():
            await self._end(worker)
            return
        self._workers.append(worker)
        self._job(self._read(worker))

    async def _read(self, worker: WorkerProcess[T]) -> None:
        """Handle the messages of a worker until its output ends."""
        assert worker.process.stdout is not None
        with contextlib.suppress(EOFError):
            while True:
                self._handle_message(worker, await receive(worker.process.stdout))
        if worker in self._workers:
            await self._replace(worker)

    def _handle_message(self, worker: WorkerProcess[T], message: Any) -> None:
        if isinstance(message, Ready):
            worker.ready = True
            self._handle_free_slot()
        elif isinstance(message, BrowserStarted):
            self.has_browser = True
        elif isinstance(message, Fatal):
            if worker not in self._workers:
                return  # It has been replaced, or the pool is closing.
            self._workers.remove(worker)
            self._job(self._end(worker))
            self._handle_fatal_error(message.error)
        elif message.id not in worker.tasks:
            return
        elif isinstance(message, SlotReleased):
            worker.released.add(message.id)
            self._handle_free_slot()
        else:
            worker.timers.pop(message.id).cancel()
            worker.done += 1
            worker.released.discard(message.id)
            task = worker.tasks.pop(message.id)
            if not worker.tasks:
                worker.idle.set()
            if worker.done >= self._lifetime:
                self._renew(worker)
            self._take_answer(worker, task, message)

    async def _replace(self, worker: WorkerProcess[T]) -> None:
        self._workers.remove(worker)
        await self._reap(worker)
        patience = self._patience(worker)
        if patience is None:
            return
        # The successor of an old worker has already been started.
        needs_successor = not worker.old
        # The handler of a lost task may send it to another worker immediately.
        if needs_successor and not patience:
            await self._spawn_when_possible()
        for task in worker.tasks.values():
            self._handle_loss(worker, task)
        if needs_successor and patience:
            await self._sleep(patience)
            await self._spawn_when_possible()

    async def _spawn_when_possible(self) -> None:
        """Start a worker, retrying while the machine is short of processes or memory."""
        spawned = False
        while not spawned:
            try:
                await self._spawn()
                spawned = True
            except OSError:
                await self._sleep(REST_SECONDS)

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), seconds)

    async def _end(self, worker: WorkerProcess[T]) -> None:
        assert worker.process.stdin is not None
        worker.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(worker.process.wait(), CLOSE_SECONDS)
        await self._reap(worker)

    async def _reap(self, worker: WorkerProcess[T]) -> None:
        """Ensure that a worker's processes and temporary files are gone."""
        worker.idle.set()
        for timer in worker.timers.values():
            timer.cancel()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(worker.process.wait(), EXIT_SECONDS)
        if worker.process.returncode is None:
            await asyncio.to_thread(kill_process_tree, worker.process.pid)
        await worker.process.wait()
        if worker.listener is not None:
            # A surviving child of the worker may hold the pipe open.
            await asyncio.wait((worker.listener,), timeout=LISTEN_SECONDS)
            worker.listener.cancel()
        await asyncio.to_thread(remove_scratch, worker.scratch)


def _environment(scratch: Path) -> dict[str, str]:
    """Environment of a worker whose temporary files are in its scratch folder."""
    # A page's matrix products are too small for several threads, and workers share the cores.
    return {"OPENBLAS_NUM_THREADS": "1", **os.environ, "TMPDIR": str(scratch)}


class PagePool(WorkerPool[T]):
    """A fixed number of workers, each with a browser and several pages at once.

    A worker that dies, or that is blocked by a page, is replaced. Each of its pages is retried in
    a worker without other pages, and fails if that worker dies, too.

    Parameters
    ----------
    program, setup, number
        See `WorkerPool`.
    pages
        Maximum number of pages that a worker has open at once.
    seconds
        Deadline of a page.
    """

    def __init__(
        self, program: str, setup: Any, number: int, *, pages: int, seconds: float
    ) -> None:
        super().__init__(program, setup, number, lifetime=LIFETIME)
        self._pages = pages
        self._seconds = seconds + GRACE_SECONDS
        self._deaths = 0
        # Suspects: pages that were among several when their worker died. The first set holds the
        # numbers of all suspects, the queue those that wait for a worker of their own.
        self._suspected: set[int] = set()
        self._suspects: deque[T] = deque()

    @property
    def free(self) -> int:
        """Number of pages that may be begun now."""
        # Workers that are not ready do not count: once started, a browser would open all pages
        # that wait for it at once.
        return sum(max(self._room(worker), 0) for worker in self._ready())

    def begin(self, task: T) -> None:
        """Assign a task to the worker with the most room; a suspect waits for an idle worker."""
        if task.id in self._suspected:
            self._suspects.append(task)
            self._begin_suspects()
            return
        # An old worker is used only until its successor is ready.
        able = self._ready() or self._workers
        most = max(able, key=lambda worker: (not worker.old, self._room(worker)))
        self._give(most, task, self._seconds)

    @abstractmethod
    def _handle_answer(self, task: T, answer: Any) -> None:
        """Handle the answer to a task."""

    @abstractmethod
    def _handle_failure(self, task: T, error: RenderError) -> None:
        """Handle a task whose worker died while it ran no other task."""

    def _begin_suspects(self) -> None:
        """Assign waiting suspects to idle workers."""
        for worker in self._ready():
            if self._suspects and not worker.tasks:
                self._give(worker, self._suspects.popleft(), self._seconds)

    def _room(self, worker: WorkerProcess[T]) -> int:
        """Number of pages that may be begun in a worker, given its open pages and its backlog."""
        if self._is_kept_clear(worker):
            return -len(worker.tasks) - 1
        most = min(self._pages + len(worker.released), BACKLOG * self._pages)
        return most - len(worker.tasks)

    def _is_kept_clear(self, worker: WorkerProcess[T]) -> bool:
        """Whether a worker runs a suspect, or is reserved for one once its tasks are done."""
        if not self._suspected.isdisjoint(worker.tasks):
            return True
        return bool(self._suspects) and worker is min(
            self._ready(), key=lambda each: len(each.tasks), default=None
        )

    def _take_answer(self, worker: WorkerProcess[T], task: T, answer: Any) -> None:
        self._deaths = 0
        self._begin_suspects()
        self._handle_answer(task, answer)

    def _handle_free_slot(self) -> None:
        self._begin_suspects()

    def _handle_loss(self, worker: WorkerProcess[T], task: T) -> None:
        if len(worker.tasks) > 1:
            self._suspected.add(task.id)
            self.begin(task)
        else:
            self._handle_failure(task, death_error(worker, task.url))

    def _patience(self, worker: WorkerProcess[T]) -> float | None:
        self._deaths += not (worker.ready and worker.tasks)
        if self._deaths < HOPELESS:
            return 0.0
        self._handle_fatal_error(
            BrowserCrashedError("worker processes exit as soon as they are started")
        )
        return None
