"""`WorkerPool`: a fixed number of worker processes, each replaced when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from abc import ABC, abstractmethod
from asyncio.subprocess import PIPE, Process
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from ...errors import (
    BrowserCrashedError,
    MioloError,
    PageTimeoutError,
    RenderError,
    TooLargeError,
    UnsupportedSystemError,
)
from ...renderer.process_tree import kill_family
from ...renderer.scratch import new_scratch, remove_scratch
from ...renderer.system import OUT_OF_PROCESSOR_TIME, STARTS_SESSION
from .child import OUT_OF_MEMORY
from .messages import Fatal, Note, Ready, SlotReleased, pack, pass_lines, receive

__all__ = ["Task", "WorkerPool", "WorkerProcess", "death_error"]

# A worker that has been sent a stop request is killed if it has not stopped by then.
CLOSE_SECONDS = 15.0

REST_SECONDS = 1.0

# For a worker whose answers have ended to be gone by itself.
EXIT_SECONDS = 2.0

# For the last lines of a dead worker.
LISTEN_SECONDS = 1.0


class Task(Protocol):
    """A task for a worker; its answer has the same number."""

    @property
    def id(self) -> int:
        """Unique among the running tasks."""
        ...

    @property
    def url(self) -> str:
        """Address of its page."""
        ...


T = TypeVar("T", bound=Task)


@dataclass(eq=False)
class WorkerProcess(Generic[T]):
    """A worker.

    Attributes
    ----------
    process, scratch
        Its process and its folder for temporary files.
    tasks, timers
        What it works on, by number, and what ends it when that takes too long.
    released
        Numbers of those that take no place any more.
    ready
        Whether it has reported that it is ready.
    done
        Tasks that it has answered.
    old
        Whether it is given no more.
    overdue
        Whether it was killed since a task took too long.
    idle
        Set when the last of its tasks has ended, and once it is dead.
    listener
        Reads its standard error.
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
    """What a page failed by that a dead worker had to itself."""
    code = worker.process.returncode
    if worker.overdue:
        return PageTimeoutError("the page held its worker up", url=url)
    if code is not None and code == OUT_OF_PROCESSOR_TIME < 0:
        return PageTimeoutError("the page took more processor time than it may", url=url)
    if code == OUT_OF_MEMORY:
        return TooLargeError("the page took more memory than it may", url=url)
    return BrowserCrashedError("the process that worked on the page died", url=url)


class WorkerPool(ABC, Generic[T]):
    """Worker processes, from start to a certain end.

    Parameters
    ----------
    program
        Module that they run.
    setup
        First message to each worker.
    number
        Number of workers.
    lifetime
        Tasks after which a worker is replaced: what its libraries keep grows page by page.
    note
        Given each line that they write to standard error, which it shares with this process
        otherwise.
    """

    def __init__(
        self, program: str, setup: Any, number: int, *, lifetime: int, note: Note | None = None
    ) -> None:
        self._program = program
        self._setup = setup
        self._number = number
        self._lifetime = lifetime
        self._note = note
        self._workers: list[WorkerProcess[T]] = []
        self._jobs: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        if sys.platform == "win32":
            raise UnsupportedSystemError(
                "worker processes need Linux or macOS (on Windows use its Linux subsystem); single "
                "pages and miolo.extract_many work on Windows, too"
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
        """Tasks under way."""
        return sum(len(worker.tasks) for worker in self._workers)

    async def close(self) -> None:
        """End all workers; none is left, nor what they have started."""
        self._closing.set()
        workers, self._workers = self._workers, []
        await asyncio.gather(*(self._end(worker) for worker in workers))
        await asyncio.gather(*self._jobs, return_exceptions=True)

    def kill(self) -> None:
        """End all workers at once, and have no others."""
        self._closing.set()
        for worker in self._workers:
            kill_family(worker.process.pid)

    @abstractmethod
    def _take_answer(self, worker: WorkerProcess[T], task: T, answer: Any) -> None:
        """A task is done."""

    @abstractmethod
    def _handle_loss(self, worker: WorkerProcess[T], task: T) -> None:
        """The worker has died over a task."""

    @abstractmethod
    def _patience(self, worker: WorkerProcess[T]) -> float | None:
        """Seconds until a dead worker is replaced; None for never."""

    @abstractmethod
    def _unable(self, error: MioloError) -> None:
        """No worker can work."""

    def _handle_free_slot(self) -> None:
        """A worker has become ready, or a task has released its slot."""

    def _ready(self) -> list[WorkerProcess[T]]:
        return [worker for worker in self._workers if worker.ready and not worker.old]

    def _give(self, worker: WorkerProcess[T], task: T, seconds: float) -> None:
        """Give a worker a task; it is killed when that takes longer."""
        loop = asyncio.get_running_loop()
        worker.idle.clear()
        worker.tasks[task.id] = task
        worker.timers[task.id] = loop.call_later(seconds, self._kill_overdue, worker)
        self._send(worker, task)

    def _send(self, worker: WorkerProcess[T], message: Any) -> None:
        assert worker.process.stdin is not None
        # A pipe that broke just now is noticed by the reader, which gives the tasks back.
        with contextlib.suppress(ConnectionError):
            worker.process.stdin.write(pack(message))

    def _kill_overdue(self, worker: WorkerProcess[T]) -> None:
        worker.overdue = True
        self._kill(worker)

    def _kill(self, worker: WorkerProcess[T]) -> None:
        # The reader notices, and has it replaced.
        self._job(asyncio.to_thread(kill_family, worker.process.pid))

    def _renew(self, worker: WorkerProcess[T]) -> None:
        """Replace a worker that is old, once what it has to do is done."""
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
                *(sys.executable, "-m", self._program),
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
        """Pass on the messages of a worker until its output ends."""
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
        elif isinstance(message, Fatal):
            self._workers.remove(worker)
            self._job(self._end(worker))
            self._unable(message.error)
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
        # An old one's successor is spawned already.
        needs_successor = not worker.old
        # The handler of a lost task may give it to another worker at once.
        if needs_successor and not patience:
            await self._spawn_when_possible()
        for task in worker.tasks.values():
            self._handle_loss(worker, task)
        if needs_successor and patience:
            await self._sleep(patience)
            await self._spawn_when_possible()

    async def _spawn_when_possible(self) -> None:
        """Hire once the machine lets us: it may be short of processes or memory."""
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
        """See to it that nothing of a worker is left."""
        worker.idle.set()
        for timer in worker.timers.values():
            timer.cancel()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(worker.process.wait(), EXIT_SECONDS)
        if worker.process.returncode is None:
            await asyncio.to_thread(kill_family, worker.process.pid)
        await worker.process.wait()
        if worker.listener is not None:
            # Whatever it has started and is not yet gone may hold the pipe open.
            await asyncio.wait((worker.listener,), timeout=LISTEN_SECONDS)
            worker.listener.cancel()
        await asyncio.to_thread(remove_scratch, worker.scratch)


def _environment(scratch: Path) -> dict[str, str]:
    """Environment of a worker, which keeps its temporary files in its scratch folder."""
    # The matrix products of a page are too small for several threads, and workers share the cores.
    return {"OPENBLAS_NUM_THREADS": "1", **os.environ, "TMPDIR": str(scratch)}
