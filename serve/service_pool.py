"""`Pool`: workers, and a queue in which no request waits beyond its deadline."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from time import monotonic
from typing import Self

from ..errors import BrowserCrashedError, MioloError, PageTimeoutError, TooLargeError
from ..workers.pool import WorkerPool, WorkerProcess, death_error
from ..workers.processes import private_bytes
from .logs import log_worker_line
from .service_options import ServiceOptions
from .work_messages import Setup, Stop, WorkRequest, WorkResponse

__all__ = ["Pool"]

WORKER = "miolo.serve.worker"

# Time for a worker to abandon a page after it is cancelled; then the worker is killed.
GRACE_SECONDS = 2.0

WATCH_SECONDS = 0.5

# Memory that an idle worker may hold before it is replaced, as a share of a busy worker's limit.
IDLE_SHARE = 0.5

# Maximum delay before replacing a worker that died before it was ready; the delay doubles each
# time. After this many such deaths before any worker was ever ready, the pool gives up.
PATIENCE_SECONDS = 30.0
HOPELESS = 5

# Initial estimate of the time per page, and the weight of each new measurement.
GUESS_SECONDS, WEIGHT = 2.0, 0.2
RETRY_SECONDS = (1, 60)


@dataclass(eq=False)
class _Job:
    work_request: WorkRequest
    due: float
    answer: asyncio.Future[WorkResponse]
    begun: float = 0.0
    over_memory: bool = False


class Pool(WorkerPool[WorkRequest]):
    """Workers that process one page each at a time, with a queue in front of them.

    Parameters
    ----------
    options
        Options of the service.
    setup
        Initial message to each worker.
    died
        Called for each worker that ends unexpectedly.
    """

    def __init__(self, options: ServiceOptions, setup: Setup, died: Callable[[], None]) -> None:
        super().__init__(
            WORKER, setup, options.workers, lifetime=options.max_pages, note=log_worker_line
        )
        self._options = options
        self._died = died
        self._waiting: deque[_Job] = deque()
        self._running: dict[int, _Job] = {}
        self._early_deaths = 0
        self._was_ready = False
        self._seconds = GUESS_SECONDS
        self.failure: asyncio.Future[MioloError] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        self._job(self._watch())
        return await super().__aenter__()

    @property
    def ready(self) -> int:
        """Number of workers that are ready, busy ones included."""
        return len(self._ready())

    @property
    def queue_length(self) -> int:
        """Number of requests that wait for a worker."""
        return len(self._waiting)

    @property
    def retry_after(self) -> int:
        """Estimated whole seconds until a place becomes free."""
        turns = (self.queue_length + 1) / max(1, self.ready)
        least, most = RETRY_SECONDS
        return min(max(ceil(self._seconds * turns / 2), least), most)

    async def work(self, work_request: WorkRequest, due: float) -> WorkResponse:
        """The response to a request, which may hold an error.

        Parameters
        ----------
        work_request
            The request; a worker receives it with `deadline` set to the time left.
        due
            Time after which nobody waits for the response, in seconds of `time.monotonic`.

        Raises
        ------
        PageTimeoutError
            The time has passed.
        """
        job = _Job(work_request, due, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._feed()
        try:
            async with asyncio.timeout(due - monotonic()):
                return await job.answer
        except TimeoutError:
            raise PageTimeoutError(
                "the request exceeded its deadline", url=work_request.url
            ) from None
        finally:
            self._cancel(job)

    def _cancel(self, job: _Job) -> None:
        """Cancel a request that nobody waits for any more."""
        if job in self._waiting:
            self._waiting.remove(job)
        for worker in self._workers:
            if job.work_request.id in worker.tasks:
                self._send(worker, Stop(job.work_request.id))
                timer = worker.timers.pop(job.work_request.id)
                timer.cancel()
                loop = asyncio.get_running_loop()
                worker.timers[job.work_request.id] = loop.call_later(
                    GRACE_SECONDS, self._kill, worker
                )

    def _feed(self) -> None:
        """Assign waiting requests to idle workers."""
        for worker in self._ready():
            if self._waiting and not worker.tasks:
                job = self._waiting.popleft()
                job.begun = monotonic()
                self._running[job.work_request.id] = job
                left = job.due - job.begun
                task = replace(job.work_request, deadline=left)
                self._give(worker, task, left + GRACE_SECONDS)

    def _take_answer(
        self, worker: WorkerProcess[WorkRequest], task: WorkRequest, answer: WorkResponse
    ) -> None:
        job = self._running.pop(task.id)
        self._seconds += WEIGHT * (monotonic() - job.begun - self._seconds)
        if not job.answer.done():
            job.answer.set_result(answer)
        self._feed()

    def _handle_loss(self, worker: WorkerProcess[WorkRequest], task: WorkRequest) -> None:
        job = self._running.pop(task.id)
        self._seconds += WEIGHT * (monotonic() - job.begun - self._seconds)
        if job.answer.done():
            return
        url = task.url
        error: MioloError = death_error(worker, url)
        if job.over_memory:
            error = TooLargeError("the page exceeded the memory limit", url=url)
        job.answer.set_result(WorkResponse(task.id, error=error))

    def _patience(self, worker: WorkerProcess[WorkRequest]) -> float | None:
        self._died()
        if worker.ready:
            return 0.0
        self._early_deaths += 1
        if not self._was_ready and self._early_deaths >= HOPELESS:
            self._handle_fatal_error(
                BrowserCrashedError("workers crash as soon as they are started")
            )
            return None
        return min(2.0 ** (self._early_deaths - 1), PATIENCE_SECONDS)

    def _handle_fatal_error(self, error: MioloError) -> None:
        if not self.failure.done():
            self.failure.set_result(error)

    def _handle_free_slot(self) -> None:
        self._was_ready, self._early_deaths = True, 0
        self._feed()

    async def _watch(self) -> None:
        """Kill workers that hold too much memory for a page; replace idle ones that keep it."""
        while not self._closing.is_set():
            for worker in self._ready():
                used = await asyncio.to_thread(private_bytes, worker.process.pid)
                if worker in self._workers:
                    self._judge(worker, used)
            try:
                await asyncio.wait_for(self._closing.wait(), WATCH_SECONDS)
            except TimeoutError:
                continue

    def _judge(self, worker: WorkerProcess[WorkRequest], used: int) -> None:
        most = self._options.max_memory
        if worker.tasks and used > most:
            for number in worker.tasks:
                self._running[number].over_memory = True
            self._kill(worker)
        elif not worker.tasks and used > IDLE_SHARE * most:
            self._renew(worker)
