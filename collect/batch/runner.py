"""`Runner`: the loop that processes a collection's queue with a pool of workers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from time import monotonic
from typing import Any

from ... import errors
from ...renderer.network.egress_proxy import refusal
from ...renderer.network.policy import EGRESS_REFUSED
from ...workers.pool import Pool, PoolOptions
from ..frontier.normal_urls import normal_url
from ..frontier.robots import UNREACHABLE, Robots, robots_url
from ..page_worker import PROGRAM, WorkerSetup
from .batch_options import BatchOptions
from .files import ARCHIVE
from .hosts import NO_LIMITS, Hosts, short_resource, steady_time
from .job_store import COMMIT_SECONDS, ENDED, JobStore
from .jobs import Address, Counts, Job, server_of
from .planner import VisitMode, VisitPlanner
from .retries import NETWORK_TRIES, Verdict, is_unreachable, robots_wait, verdict
from .visits import Answer, Fetch, FetchResult, Setup, Visit, Visits

logger = logging.getLogger(__name__)

MISSING = 404  # status of a file that an archive does not have
MAX_BEGUN = 200  # maximum number of pages that are begun or refused before outcomes are taken

# Maximum number of pages of an archive, or of files, that a worker gets at once, and the share of
# the remaining pages: the last groups are small, so that no worker ends long before the others.
GROUP, GROUP_SHARE = 8, 1 / 8

OnProgress = Callable[["Progress"], None]

FETCH_TRIES = 3  # number of workers that may die during a fetch before it counts as unanswered


class Frontier:
    """Decides which pages are kept and visited next; that of a list keeps all and adds none."""

    def refusal(self, job: Job, answer: Answer) -> errors.RenderError | None:
        """Why a visited page is not kept; None if it is kept."""
        return None

    def further(self, job: Job, answer: Answer) -> Iterable[Address]:
        """Pages to add to the queue after this one."""
        return ()

    def note_done(self, job: Job, answer: Answer) -> None:
        """Take note of a page that is done."""

    def note_failure(self, job: Job, error: errors.MioloError) -> None:
        """Take note of a page that failed for good."""


@dataclass
class Progress:
    """Progress of a run: pages queued or running, and those done and failed in this run."""

    left: int
    done: int = 0
    failed: int = 0
    kinds: dict[str, int] = field(default_factory=dict)  # failed pages by kind of error
    short: str | None = None  # resource that is short, so that no visit begins
    has_browser: bool = False  # whether a browser was started in this run
    max_done: float = inf  # maximum number of pages that are done in this run

    @property
    def total(self) -> int:
        """Number of pages that will have ended in this run, as far as is known."""
        return int(self.failed + min(self.done + self.left, max(self.max_done, self.done)))


class Runner:
    """Processes the queue of a collection with a pool of workers.

    The run stops when the collection has `max_pages` pages, running ones included. `on_progress` is
    called regularly, and `frontier` decides which pages are kept and which are visited next.
    """

    def __init__(
        self,
        job_store: JobStore,
        pool: Pool,
        options: BatchOptions,
        *,
        max_pages: int | None = None,
        on_progress: OnProgress = lambda progress: None,
    ) -> None:
        self._job_store = job_store
        self._pool = pool
        self._is_replayed = options.replay is not None
        self._hosts = Hosts(NO_LIMITS if self._is_replayed else options.politeness)
        self._obeys = options.robots
        self._robots: dict[str, Robots] = {}
        self._faults: dict[str, str] = {}
        self._robots_tries: Counter[str] = Counter()
        # Number of visits in a row that could not connect to a host, and the hosts whose further
        # pages are not requested, with the causes.
        self._missed: Counter[str] = Counter()
        self._unreachable: dict[str, str] = {}
        self._planner = VisitPlanner() if options.render.browser == "auto" else None
        # How a page is visited if no planner decides it.
        is_served = options.render.browser == "never"
        self._mode = VisitMode.SERVED if is_served else VisitMode.RENDERED
        # Pages that were too slow for a plain request and a browser within one deadline.
        self._slow: set[int] = set()
        self.frontier = Frontier()
        self._on_progress = on_progress
        self._jobs: dict[int, Job] = {}
        # Pages that are to be visited together.
        self._group: list[Job] = []
        self._group_share = GROUP_SHARE / options.browsers
        # Done pages that are read again, without a visit.
        self._rereads: deque[Job] = deque()
        # Visits and fetches under way, the first error of one, and whether one has ended or a slot
        # may have become free.
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None
        self._news = asyncio.Event()
        pool.on_change = self._news.set
        self._incomplete = 0
        room = inf if max_pages is None else max_pages - job_store.counts().done
        self.progress = Progress(0, max_done=room)

    async def run(self) -> Counts:
        """Process the queue until it is empty or `max_pages` is reached."""
        self._job_store.forget(ENDED)
        self._job_store.commit()
        self._wait_for(self._job_store.waiting())
        try:
            while self._tasks or self._rereads or (self._has_room and not self._hosts.idle):
                await self._begin()
                await self._wait()
                self._job_store.commit_if_due()
                self.progress.has_browser = self._pool.has_browser
                self._on_progress(self.progress)
        except errors.StorageError:
            # SQLite may have rolled back the state but not the journals: nothing may be committed.
            raise
        except BaseException:
            for job in self._jobs.values():
                self._job_store.release(job)
            self._job_store.commit()
            raise
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._job_store.note(ENDED, now())
        self._job_store.commit()
        return replace(self._job_store.counts(), incomplete=self._incomplete)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something during the run, which ends with its error if it fails."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._news.set()
        if not task.cancelled():
            self._failure = self._failure or task.exception()

    async def ask(self, work: Any, pages: int = 1) -> Any:
        """The answer of a worker, or the error of the job; a failure of all workers is raised."""
        try:
            return await self._pool.run(work, pages=pages)
        except errors.MioloError as error:
            if self._pool.failure:
                raise
            return error

    async def fetch(self, url: str) -> FetchResult:
        """Fetch a file that is not a page."""
        response = FetchResult(url)
        for _ in range(FETCH_TRIES):
            answer = await self.ask(Fetch(url))
            # The death of a worker is not a response from the server.
            if isinstance(answer, FetchResult):
                response = answer
                break
        self._job_store.journals[ARCHIVE].append(response.records)
        return response

    def reread(self, jobs: Iterable[Job]) -> None:
        """Read done pages again from their snapshots; their rows are replaced."""
        self._rereads.extend(jobs)

    async def _reread(self, job: Job) -> None:
        answers = await self.ask(Visits((Visit(job.id, job.url, VisitMode.SAVED),)))
        answer = Answer(error=answers) if isinstance(answers, errors.MioloError) else answers[0]
        if answer.error is not None:
            logger.info("%s is not read again: %s", job.url, answer.error)
        row = answer.row if answer.error is None else b""
        self._job_store.end_reread(job, row, answer.confidence)

    async def _run_visits(self, jobs: Sequence[Job], visits: tuple[Visit, ...]) -> None:
        while visits:
            answers = await self.ask(Visits(visits), len(visits))
            if isinstance(answers, errors.MioloError):
                if len(visits) > 1:
                    # One of the pages has ended the worker.
                    for job, visit in zip(jobs, visits, strict=True):
                        await self._run_visits((job,), (visit,))
                    return
                answers = (Answer(error=answers),)
            for job, answer in zip(jobs, answers, strict=False):
                self._take(job, answer)
            jobs, visits = jobs[len(answers) :], visits[len(answers) :]

    async def _wait(self) -> None:
        """Wait for the next outcome, or until a visit may begin."""
        with contextlib.suppress(TimeoutError):
            turn, patience = self._hosts.next_time(), COMMIT_SECONDS
            if turn is not None and self._pool.free > 0 and not self._is_short:
                patience = min(max(turn - steady_time(), 0.01), patience)
            await asyncio.wait_for(self._news.wait(), patience)
        self._news.clear()
        failure = self._failure or self._pool.failure
        if failure is not None:
            raise failure

    def sitemaps_of(self, host: str) -> tuple[str, ...]:
        """Sitemaps that a host's robots.txt names; empty if it was not read."""
        return self._robots[host].sitemaps if host in self._robots else ()

    def add(self, addresses: Iterable[Address]) -> None:
        """Queue further pages."""
        self._wait_for(self._job_store.add(addresses))

    def _wait_for(self, pages: Mapping[str, int]) -> None:
        self._hosts.add(pages)
        self.progress.left += sum(pages.values())

    async def _begin(self) -> None:
        """Begin as many visits as hosts, workers and the machine allow."""
        self.progress.short = short_resource(int(monotonic()))
        while self._rereads and self._pool.free > 0:
            self.start(self._reread(self._rereads.popleft()))
            await asyncio.sleep(0)
        # Pages that robots.txt disallows end at once, so their number is bounded too.
        for _ in range(MAX_BEGUN):
            if not self._has_room or self._pool.free <= 0 or self._is_short:
                break
            host = self._hosts.next(steady_time())
            if host is None:
                break
            if self._obeys and host and host not in self._robots:
                self._hosts.hold(host)
                self.start(self._read_robots(host))
            else:
                self._begin_one(host)
            if 0 < len(self._group) < min(GROUP, self._group_share * self.progress.left):
                continue
            self._start_group()
            # The pool receives the job, and counts it.
            await asyncio.sleep(0)
        self._start_group()

    @property
    def _has_room(self) -> bool:
        return self.progress.done + len(self._jobs) < self.progress.max_done

    @property
    def _is_short(self) -> bool:
        """Whether a resource is short while visits are running."""
        return self.progress.short is not None and self._pool.busy > 0

    async def _read_robots(self, host: str) -> None:
        """Apply a host's robots.txt and release the host."""
        response = await self.fetch(robots_url(host))
        # What an archive lacks can be requested neither now nor later.
        status = response.status or (MISSING if self._is_replayed else None)
        robots = Robots.read(response.url, status, response.body)
        self._robots_tries[host] += 1
        refused = response.cause == EGRESS_REFUSED
        wait = None if refused else robots_wait(robots, self._robots_tries[host])
        if wait is None:
            self._robots[host] = robots
            self._faults[host] = f"HTTP status {status}" if status else response.cause
            del self._robots_tries[host]
        else:
            self._hosts.pause(host, steady_time() + wait)
        if robots.crawl_delay and not self._is_replayed:
            self._hosts.slow_down(host, robots.crawl_delay)
        self._hosts.release(host)

    def _begin_one(self, host: str) -> None:
        # Pages that wait for another visit need not wait if there will be none.
        job_or_due = self._job_store.take(host, inf if host in self._unreachable else steady_time())
        if job_or_due is None:
            self._hosts.clear_waiting(host)
        elif isinstance(job_or_due, Job):
            self._start(job_or_due)
        else:
            self._hosts.pause(host, job_or_due)

    def _start(self, job: Job) -> None:
        robots = self._robots.get(job.host)
        if job.host in self._unreachable:
            cause = self._unreachable[job.host]
            message = f"{job.host} cannot be reached ({cause}), so this page was not requested"
            error = errors.NavigationError(message, url=job.url, cause=cause, unreachable=True)
            self._refuse(job, error, passing=True)
        elif robots is None or robots.allows(normal_url(job.url) or job.url):
            self._jobs[job.id] = job
            self._hosts.begin_visit(job.host, steady_time())
            # Pages that take neither a browser nor a network are read together.
            if self._mode is VisitMode.SERVED and (self._is_replayed or not job.host):
                self._group.append(job)
            else:
                self._start_visits([job])
        elif robots.reason == UNREACHABLE and self._faults[job.host] == EGRESS_REFUSED:
            self._refuse(job, refusal(job.url, job.host.partition("//")[2]), passing=False)
        elif robots.reason == UNREACHABLE:
            fault = self._faults[job.host]
            message = (
                f"{job.host}/robots.txt cannot be read ({fault}), so this page was not requested"
            )
            error = errors.NavigationError(message, url=job.url, cause="ERR_CONNECTION_FAILED")
            self._refuse(job, error, passing=True)
        else:
            error = errors.RobotsDisallowedError(
                f"{job.host}/robots.txt disallows this page", url=job.url
            )
            self._refuse(job, error, passing=False)

    def _start_group(self) -> None:
        jobs, self._group = self._group, []
        if jobs:
            self._start_visits(jobs)

    def _start_visits(self, jobs: Sequence[Job]) -> None:
        self.start(self._run_visits(jobs, tuple(map(self._visit, jobs))))

    def _refuse(self, job: Job, error: errors.MioloError, *, passing: bool) -> None:
        """Record the failure of a page that is not requested, so that no delay follows it."""
        self._hosts.drop_one(job.host)
        self._fail(job, error, 0.0, passing=passing)
        self._drop_robots(job.host)

    def _visit(self, job: Job) -> Visit:
        # Local files have no host, so there is nothing to learn about one.
        if self._planner and job.host and job.id not in self._slow:
            return Visit(job.id, job.url, *self._planner.next(job.host))
        return Visit(job.id, job.url, self._mode)

    def _take(self, job: Job, answer: Answer) -> None:
        """Record the outcome of a visit."""
        del self._jobs[job.id]
        self._slow.discard(job.id)
        if self._planner and answer.alike is not None:
            self._planner.learn(job.host, answer.alike)
        self._job_store.journals[ARCHIVE].append(answer.records)
        if not is_unreachable(answer.error):
            self._missed.pop(job.host, None)
            self._unreachable.pop(job.host, None)
        if answer.error is None or isinstance(answer.error, errors.TextError):
            self._handle_read(job, answer)
        else:
            self._handle_failure(job, answer.error, answer)
        self._drop_robots(job.host)

    def _handle_read(self, job: Job, answer: Answer) -> None:
        """Record a page that was read, even if its text makes it fail."""
        self._hosts.end_visit(job.host)
        refusal = self._refusal(job, answer)
        if refusal is not None:
            self._fail(job, refusal, answer.seconds, passing=False)
        elif answer.error is not None:
            logger.info("%s: %s", job.url, answer.error)
            kept = {"row": answer.row, "confidence": answer.confidence}
            self._fail(job, answer.error, answer.seconds, passing=False, **kept)
        else:
            self._job_store.finish(job, answer.seconds, answer.row, answer.confidence)
            self.progress.done += 1
            self._incomplete += answer.incomplete
            self.progress.left -= 1
            self.frontier.note_done(job, answer)
        is_done = refusal is None and answer.error is None
        is_known = is_done or isinstance(refusal, errors.DuplicatePageError)
        if is_known and answer.validators is not None:
            self._job_store.note_validators(job.id, answer.validators, keep=True)
        self.add(self.frontier.further(job, answer))

    def _drop_robots(self, host: str) -> None:
        """Drop the rules of a host without further pages; a long list may have 100,000 hosts."""
        # A crawl may find further pages of the host.
        if type(self.frontier) is Frontier and not self._hosts.has_pages(host):
            self._robots.pop(host, None)

    def _refusal(self, job: Job, answer: Answer) -> errors.RenderError | None:
        """Why a page is not kept, by the address that it led to; None if it is kept."""
        return self._robots_refusal(job, answer) or self.frontier.refusal(job, answer)

    def _robots_refusal(self, job: Job, answer: Answer) -> errors.RenderError | None:
        """Error of a page that redirects to an address that robots.txt disallows."""
        robots = self._robots.get(server_of(answer.url))
        if robots is None or answer.url == job.url or robots.allows(answer.url):
            return None
        return errors.RobotsDisallowedError(f"robots.txt disallows {answer.url}", url=job.url)

    def _handle_failure(self, job: Job, error: errors.MioloError, answer: Answer) -> None:
        if isinstance(error, errors.StorageError):
            self._jobs[job.id] = job
            raise error
        trace = f"\n{error.traceback}" if error.traceback else ""
        level = logging.ERROR if trace else logging.INFO
        logger.log(level, "%s: %s: %s%s", job.url, type(error).__name__, error, trace)
        decision = self._judge(job, error)
        if decision.pause:
            self._hosts.pause(job.host, steady_time() + decision.pause)
        if decision.wait is not None:
            if isinstance(error, errors.PageTimeoutError):
                self._slow.add(job.id)
            self._job_store.requeue(job, error, steady_time() + decision.wait)
            self._hosts.end_visit(job.host, again=True)
            return
        self._hosts.end_visit(job.host)
        self._fail(job, error, answer.seconds, passing=decision.passing)
        self.frontier.note_failure(job, error)
        if answer.links and not self._refusal(job, answer):
            self.add(self.frontier.further(job, answer))

    def _judge(self, job: Job, error: errors.MioloError) -> Verdict:
        """The consequence of a failure; a host without any connection is not visited again."""
        decision = verdict(error, job.tries, is_replayed=self._is_replayed)
        if not is_unreachable(error):
            return decision
        self._missed[job.host] += 1
        if decision.wait is None and self._missed[job.host] >= NETWORK_TRIES:
            self._unreachable[job.host] = error.cause or ""
        return Verdict(None, passing=True) if job.host in self._unreachable else decision

    def _fail(self, job: Job, error: errors.MioloError, seconds: float, **how: Any) -> None:
        """Record a failure; for the keywords see `JobStore.fail`."""
        self._job_store.fail(job, error, seconds, **how)
        self.progress.left -= 1
        if isinstance(error, errors.DuplicatePageError):
            return
        kind = type(error).__name__
        self.progress.kinds[kind] = self.progress.kinds.get(kind, 0) + 1
        self.progress.failed += 1


def now() -> str:
    """The current time in UTC, in ISO 8601 format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def batch_pool(setup: Setup) -> Pool:
    """The workers of a run."""
    options = setup.options
    answer = "miolo.collect.batch.results:answer_run"
    worker = WorkerSetup(answer, setup, options.render, options.switches, options.replay)
    limits = PoolOptions(options.browsers, options.pages, options.render.limits.seconds)
    return Pool(PROGRAM, worker, limits)
