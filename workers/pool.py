"""`Pool`: a fixed number of worker processes that answer jobs, each replaced when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from itertools import count
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Self

from ..errors import (
    BrowserCrashedError,
    MioloError,
    PageTimeoutError,
    RenderError,
    TooLargeError,
    UnsupportedSystemError,
)
from .child import OUT_OF_MEMORY
from .messages import (
    Answer,
    BrowserStarted,
    Fatal,
    Note,
    Ready,
    SlotReleased,
    Stop,
    Task,
    pack,
    pass_lines,
    receive,
)
from .processes import kill_process_tree, new_scratch, private_bytes, remove_scratch
from .system import OUT_OF_PROCESSOR_TIME, STARTS_SESSION

# Time that a worker has to stop after its standard input was closed, before it is killed.
CLOSE_SECONDS = 15.0

REST_SECONDS = 1.0

EXIT_SECONDS = 2.0  # time that a worker has to exit by itself after its output has ended
LISTEN_SECONDS = 1.0  # time to read the last lines of a dead worker

# Maximum number of a worker's pages, including those that wait to be read, per page that it may
# have open. It bounds the number of waiting pages if reading is slower than rendering.
BACKLOG = 2

# Number of workers that may die in succession without a page that may be the cause, and the
# maximum delay before such a worker is replaced; the delay doubles each time.
HOPELESS = 5
PATIENCE_SECONDS = 30.0

WATCH_SECONDS = 0.5

# Memory that an idle worker may hold before it is replaced, as a share of a busy worker's limit.
IDLE_SHARE = 0.5

# Initial estimate of the time per page, and the weight of each new measurement.
GUESS_SECONDS, WEIGHT = 2.0, 0.2


# Environment of workers. A page's matrix products are too small for several threads, and workers
# share the cores. The allocator of glibc keeps an arena for each thread, a third of a worker's
# memory, although only one thread reads pages.
DEFAULTS = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}

# Errors of a page that was the only one of a worker when it died.
TOO_LARGE = (TooLargeError, "the page exceeded the memory limit")
BLOCKED = (PageTimeoutError, "the page blocked its worker process beyond the time limit")
CRASHED = (BrowserCrashedError, "the worker process died while processing the page")
OF_EXIT_CODE = {
    OUT_OF_MEMORY: TOO_LARGE,
    OUT_OF_PROCESSOR_TIME: (PageTimeoutError, "the page exceeded the limit on processor time"),
}


@dataclass(frozen=True)
class PoolOptions:
    """Number of workers of a pool, and of pages that each has open at once, and their limits."""

    workers: int
    pages: int = 1
    # Deadline of a page, from the moment at which a worker receives it.
    seconds: float = inf
    # A worker that does not answer this long after a page's deadline, or after the page was
    # cancelled, is killed. The default leaves time for the worker's other pages.
    grace: float = 60.0
    # Pages after which a worker is replaced: Playwright and the parsers leak 45 KB per page.
    lifetime: int = 2000
    # Bytes that a worker and its descendants may hold for a page.
    max_memory: int | None = None
    # Whether workers are still replaced after many deaths if any worker has ever been ready.
    lasting: bool = False


@dataclass(eq=False)
class _Running:
    """A job that waits or runs.

    A suspect was one of several jobs of a worker that died. It runs again, in a worker without
    other jobs.
    """

    id: int
    job: Any
    due: float
    answer: asyncio.Future[Any]
    pages: int = 1
    begun: float = 0.0
    is_suspect: bool = False
    has_slot: bool = True  # once begun, until its worker has released it
    timer: asyncio.TimerHandle | None = None  # kills the worker


@dataclass(eq=False)
class _Worker:
    """A worker process and its folder for temporary files."""

    process: Process
    scratch: Path
    tasks: dict[int, _Running] = field(default_factory=dict)  # by number
    ready: bool = False
    done: int = 0
    old: bool = False  # is being replaced and takes no more tasks
    killed_for: tuple[type[RenderError], str] | None = None  # what a task has done
    # Set when the last running task has ended, and once the worker is dead.
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    listener: asyncio.Task[None] | None = None  # reads the worker's standard error

    def send(self, message: Any) -> None:
        """Send a message. The pool detects a broken pipe when it reads."""
        assert self.process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self.process.stdin.write(pack(message))


class Pool:
    """A fixed number of worker processes, with guaranteed cleanup, and a queue in front of them.

    A worker that dies, or that is blocked by a page, is replaced. If it had several pages, each is
    retried in a worker without other pages, and fails if that worker dies, too.

    The workers run the module `program`, and `setup` is the first message to each. `note` is called
    with each line that they write to standard error, which is this process's by default, and
    `on_death` for each worker that ends unexpectedly.
    """

    def __init__(
        self,
        program: str,
        setup: Any,
        options: PoolOptions,
        *,
        note: Note | None = None,
        on_death: Callable[[], None] = lambda: None,
    ) -> None:
        self._program = program
        self._setup = setup
        self._options = options
        self._note = note
        self._on_death = on_death
        self.has_browser = False  # whether any worker has reported that it starts a browser
        self.page_seconds = GUESS_SECONDS  # estimated time per page
        self.failure: MioloError | None = None  # because of which no worker can work
        # Called after a failure, and when a slot may have become free without an answer.
        self.on_change: Callable[[], None] = lambda: None
        self._workers: list[_Worker] = []
        self._numbers = count(1)
        self._waiting: deque[_Running] = deque()
        self._suspects: deque[_Running] = deque()
        self._deaths = 0
        self._was_ready = False
        self._background: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()
        self._failed = asyncio.Event()

    async def __aenter__(self) -> Self:
        if sys.platform == "win32":
            raise UnsupportedSystemError(
                "worker processes require Linux or macOS; on Windows, use the Windows Subsystem "
                "for Linux, or extract single pages or use miolo.extract_many, which need none"
            )
        try:
            for _ in range(self._options.workers):
                await self._spawn()
        except BaseException:
            await self.close()
            raise
        if self._options.max_memory is not None:
            self._start(self._watch(self._options.max_memory))
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.shield(self.close())

    @property
    def ready(self) -> int:
        """Number of workers that are ready, busy ones included."""
        return len(self._ready())

    @property
    def busy(self) -> int:
        """Number of running jobs."""
        return sum(len(worker.tasks) for worker in self._workers)

    @property
    def queue_length(self) -> int:
        """Number of jobs that wait for a worker."""
        return len(self._waiting) + len(self._suspects)

    @property
    def free(self) -> int:
        """Number of jobs that would start at once."""
        # Workers that are not ready do not count: once started, a browser would open all pages
        # that wait for it at once.
        room = sum(max(self._room(worker), 0) for worker in self._ready())
        return max(room - len(self._waiting), 0)

    async def run(self, job: Any, due: float = inf, *, pages: int = 1) -> Any:
        """The result of a job, a value with the `url` of a page, which is cancelled if the call is.

        After `due`, in seconds of `time.monotonic`, nobody waits for it. Its number of `pages`
        counts for the lifetime of its worker. If it fails, its error is raised: a
        `PageTimeoutError` too if it has blocked its worker, a `TooLargeError` or
        `BrowserCrashedError` if it has killed it, and the pool's `failure` if no worker can work.
        """
        if self.failure:
            raise self.failure
        answer = asyncio.get_running_loop().create_future()
        running = _Running(next(self._numbers), job, due, answer, pages)
        self._waiting.append(running)
        self._assign()
        try:
            async with asyncio.timeout(None if due == inf else due - monotonic()):
                return await answer
        except TimeoutError:
            raise PageTimeoutError("the request exceeded its deadline", url=job.url) from None
        finally:
            self._abandon(running)

    async def until_failure(self) -> MioloError:
        """Wait for an error because of which no worker can work."""
        await self._failed.wait()
        assert self.failure is not None
        return self.failure

    async def close(self) -> None:
        """Stop all workers and what they have started; jobs that wait or run are cancelled."""
        self._closing.set()
        workers, self._workers = self._workers, []
        await asyncio.gather(*(self._end(worker) for worker in workers))
        await asyncio.gather(*self._background, return_exceptions=True)
        for running in self._unanswered(workers):
            running.answer.cancel()

    def kill(self) -> None:
        """Kill all workers immediately; no others are started."""
        self._closing.set()
        for worker in self._workers:
            kill_process_tree(worker.process.pid)

    def _ready(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.ready and not worker.old]

    def _unanswered(self, workers: list[_Worker]) -> list[_Running]:
        running = [task for worker in workers for task in worker.tasks.values()]
        return [*self._waiting, *self._suspects, *running]

    def _assign(self) -> None:
        """Give suspects to idle workers, and other waiting jobs to the workers with most room."""
        for worker in self._ready():
            if self._suspects and not worker.tasks:
                self._give(worker, self._suspects.popleft())
        workers = self._ready()
        while self._waiting and workers:
            worker = max(workers, key=self._room)
            if self._room(worker) <= 0:
                return
            self._give(worker, self._waiting.popleft())

    def _room(self, worker: _Worker) -> int:
        """Number of pages that may be begun in a worker, given its open pages and its backlog."""
        has_suspect = any(running.is_suspect for running in worker.tasks.values())
        reserved = self._suspects and min(
            self._ready(), key=lambda each: len(each.tasks), default=None
        )
        if has_suspect or reserved is worker:
            return -len(worker.tasks) - 1
        pages = self._options.pages
        released = sum(not running.has_slot for running in worker.tasks.values())
        return min(pages + released, BACKLOG * pages) - len(worker.tasks)

    def _give(self, worker: _Worker, running: _Running) -> None:
        """Send a job to a worker, which is killed if the job takes too long."""
        running.begun = monotonic()
        seconds = min(self._options.seconds, running.due - running.begun)
        worker.idle.clear()
        worker.tasks[running.id] = running
        self._set_timer(worker, running, seconds + self._options.grace)
        worker.send(Task(running.id, running.job, seconds))

    def _set_timer(self, worker: _Worker, running: _Running, seconds: float) -> None:
        if running.timer:
            running.timer.cancel()
        running.timer = asyncio.get_running_loop().call_later(seconds, self._kill, worker, BLOCKED)

    def _abandon(self, running: _Running) -> None:
        """Cancel a job unless it is answered."""
        for queue in (self._waiting, self._suspects):
            if running in queue:
                queue.remove(running)
        for worker in self._workers:
            if running.id in worker.tasks:
                worker.send(Stop(running.id))
                self._set_timer(worker, running, self._options.grace)

    def _kill(self, worker: _Worker, cause: tuple[type[RenderError], str]) -> None:
        worker.killed_for = cause
        # `_read` detects the death and replaces the worker.
        self._start(asyncio.to_thread(kill_process_tree, worker.process.pid))

    def _renew(self, worker: _Worker) -> None:
        """Start a successor for a worker, which is stopped once its tasks are done."""

        async def replace() -> None:
            await self._spawn_when_possible()
            if worker.tasks:
                await worker.idle.wait()
            if worker in self._workers:
                self._workers.remove(worker)
                await self._end(worker)

        if not worker.old:
            worker.old = True
            self._start(replace())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

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
                env={**DEFAULTS, **os.environ, "TMPDIR": str(scratch)},
                start_new_session=STARTS_SESSION,
            )
        except BaseException:
            remove_scratch(scratch)
            raise
        worker = _Worker(process, scratch)
        if self._note is not None:
            assert process.stderr is not None
            worker.listener = asyncio.ensure_future(pass_lines(process.stderr, self._note))
        worker.send(self._setup)
        if self._closing.is_set():
            await self._end(worker)
            return
        self._workers.append(worker)
        self._start(self._read(worker))

    async def _read(self, worker: _Worker) -> None:
        """Handle the messages of a worker until its output ends."""
        assert worker.process.stdout is not None
        with contextlib.suppress(EOFError):
            while True:
                self._handle_message(worker, await receive(worker.process.stdout))
        if worker in self._workers:
            await self._replace(worker)

    def _handle_message(self, worker: _Worker, message: Any) -> None:
        if isinstance(message, Answer):
            self._take_answer(worker, message)
        elif isinstance(message, Ready):
            worker.ready = self._was_ready = True
        elif isinstance(message, BrowserStarted):
            self.has_browser = True
        elif isinstance(message, SlotReleased) and message.id in worker.tasks:
            worker.tasks[message.id].has_slot = False
        elif isinstance(message, Fatal) and worker in self._workers:
            self._fail(message.error)
            self._workers.remove(worker)
            self._start(self._end(worker))
        self._assign()
        if not isinstance(message, Answer):
            self.on_change()

    def _take_answer(self, worker: _Worker, answer: Answer) -> None:
        running = worker.tasks.pop(answer.id)
        if running.timer:
            running.timer.cancel()
        worker.done += running.pages
        self._deaths = 0
        if not worker.tasks:
            worker.idle.set()
        if worker.done >= self._options.lifetime:
            self._renew(worker)
        self._end_job(running, answer.error, answer.result)

    def _end_job(
        self, running: _Running, error: MioloError | None = None, result: Any = None
    ) -> None:
        if running.begun:
            self.page_seconds += WEIGHT * (monotonic() - running.begun - self.page_seconds)
        if running.answer.done():
            return
        if error is None:
            running.answer.set_result(result)
        else:
            running.answer.set_exception(error)

    def _fail(self, error: MioloError) -> None:
        """Fail all jobs with an error because of which no worker can work."""
        self.failure = self.failure or error
        self._failed.set()
        for running in self._unanswered(self._workers):
            self._end_job(running, error)

    async def _replace(self, worker: _Worker) -> None:
        """Replace a dead worker, and retry or fail its jobs."""
        self._workers.remove(worker)
        await self._reap(worker)
        self._on_death()
        may_be_page = worker.ready and worker.tasks
        self._deaths += not may_be_page
        if self._deaths >= HOPELESS and not (self._options.lasting and self._was_ready):
            self._fail(BrowserCrashedError("worker processes exit as soon as they are started"))
        for running in worker.tasks.values():
            if self.failure:
                self._end_job(running, self.failure)
            elif len(worker.tasks) == 1:
                exit_code = worker.process.returncode or 0
                kind, message = worker.killed_for or OF_EXIT_CODE.get(exit_code, CRASHED)
                self._end_job(running, kind(message, url=running.job.url))
            elif not running.answer.done():
                running.is_suspect = running.has_slot = True
                self._suspects.append(running)
        self._assign()
        self.on_change()
        # The successor of an old worker has already been started.
        if not worker.old and not self.failure:
            if not worker.ready:
                await self._sleep(min(2.0 ** min(self._deaths - 1, 10), PATIENCE_SECONDS))
            await self._spawn_when_possible()

    async def _spawn_when_possible(self) -> None:
        """Start a worker, retrying while the machine is short of processes or memory."""
        while True:
            try:
                return await self._spawn()
            except OSError:
                await self._sleep(REST_SECONDS)

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), seconds)

    async def _watch(self, most: int) -> None:
        """Kill workers that hold too much memory for a page; replace idle ones that keep it."""
        while not self._closing.is_set():
            for worker in self._ready():
                used = await asyncio.to_thread(private_bytes, worker.process.pid)
                if worker in self._workers and worker.tasks and used > most:
                    self._kill(worker, TOO_LARGE)
                elif worker in self._workers and not worker.tasks and used > IDLE_SHARE * most:
                    self._renew(worker)
            await self._sleep(WATCH_SECONDS)

    async def _end(self, worker: _Worker) -> None:
        assert worker.process.stdin is not None
        worker.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(worker.process.wait(), CLOSE_SECONDS)
        await self._reap(worker)

    async def _reap(self, worker: _Worker) -> None:
        """Ensure that a worker's processes and temporary files are gone."""
        worker.idle.set()
        for running in worker.tasks.values():
            if running.timer:
                running.timer.cancel()
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
