"""`extract_page`: process a page from its source to its result, with failures as values.

The library functions, batches, the service, distributed workers, exports and the command line all
use it. They differ only in where jobs come from and where results go.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import (
    ExtractionError,
    MioloError,
    NavigationError,
    NotHTMLError,
    PageTimeoutError,
    RenderError,
    StorageError,
    TextError,
)
from ..output.extraction import Extraction
from ..output.page_result import PageResult
from ..renderer.options import RenderOptions, resolve_policy
from ..renderer.page.served import parse_given_file, parse_given_html
from ..renderer.page.snapshot import Snapshot
from .job import Artefact, PageJob
from .options import ExtractOptions
from .pipeline import extract_snapshot, extract_with
from .sources import HTML, Source, check_source, is_saved

if TYPE_CHECKING:
    import asyncio

    from ..renderer.network.exchange import Exchange
    from ..renderer.renderer import Renderer

# Pages that are given need neither an event loop nor a renderer, which take longer to import than
# such a page to read. So the functions that use them import them.

T = TypeVar("T")

logger = logging.getLogger(__name__)

# Share of the time limit, or of the time that is left if that is less, after which a page is also
# rendered if its plain request has not ended.
PLAIN_SHARE = 0.3

# Share of a page's deadline that is reserved for the extraction, and its maximum in seconds.
READING_SHARE, READING_SECONDS = 0.2, 5.0

LEAST_CONFIDENCE = 0.3
"""Confidence below which a text is most likely not the article of its page: a box for a newsletter,
a notice about cookies, a list of teasers."""

LEAST_WORDS = 30
"""Number of words of a text that is more than a placeholder. A page of one sentence has none of the
signs by which the confidence tells it from a page whose text has yet to come."""


async def extract_page(
    job: PageJob,
    renderer: Renderer | None = None,
    *,
    executor: Executor | None = None,
    on_rendered: Callable[[], None] = lambda: None,
) -> PageResult:
    """Run a job. Any failure of the page becomes the error of the result; nothing is raised.

    Parameters
    ----------
    job
        The job.
    renderer
        The browser to use; it is not closed. By default, one is started for this page if needed.
    executor
        Executor that runs the extraction; by default that of the event loop.
    on_rendered
        Called when the browser is no longer needed for the page.

    Examples
    --------
    >>> async def title(url):
    ...     result = await extract_page(PageJob(url))
    ...     return result.error or result.extraction.title
    """
    from ..renderer.renderer import Renderer

    own = None if renderer else Renderer(job.render)
    work = _Run(job, renderer or own, executor, on_rendered)
    try:
        return await work.run(work.load, work.read, work.finish)
    finally:
        if own:
            await own.close()


def extract_page_sync(job: PageJob) -> PageResult:
    """Run a job from synchronous code; see `extract_page`."""
    given = extract_given(job)
    if given is not None:
        return given
    from ..renderer.renderer import run

    return run(extract_page(job, executor=CallingThread()))


def extract_given(job: PageJob) -> PageResult | None:
    """Run a job in the calling thread, without an event loop; see `extract_page`.

    The result; None if the job needs a browser, a network or an archive.
    """
    if job.follow or isinstance(job.source, str):
        return None
    work = _Run(job)
    try:
        snapshot = work.parse_given()
        if snapshot is None:
            return None
        work.set_snapshot(snapshot)
    except Exception as error:
        work.fail(error)
    try:
        # Nothing of a page that is given is awaited, so that its coroutine ends at once.
        work.run(work.read, work.finish).send(None)
    except StopIteration as ended:
        return ended.value
    raise RuntimeError("a page that is given waited for something")


class CallingThread(Executor):
    """Executor that runs work in the calling thread, so that the user can interrupt a page."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call a function and return a future with its outcome."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Run:
    """A running job. Its stages run one after the other, and each may raise."""

    def __init__(
        self,
        job: PageJob,
        renderer: Renderer | None = None,
        executor: Executor | None = None,
        on_rendered: Callable[[], None] = lambda: None,
    ) -> None:
        if isinstance(job.source, str):
            job = replace(job, render=job.render.for_page(job.source))
        self._job = job
        # There is none for a page that is given.
        self._renderer = cast("Renderer", renderer)
        self._executor = executor
        self._on_rendered = on_rendered
        self._started = monotonic()
        self._due: float | None = None
        if job.deadline is not None:
            following = job.follow.seconds if job.follow else 0.0
            self._due = self._started + job.deadline + following
        self._recorded: list[Exchange] = []
        self._followed_options = job.render
        self.result = PageResult(job.requested_url)

    async def run(self, *stages: Callable[[], Awaitable[None]]) -> PageResult:
        """Run stages, log the outcome, and return the result."""
        job = self._job
        for stage in stages:
            try:
                await stage()
            except Exception as error:
                self.fail(error)
        error, seconds = self.result.error, monotonic() - self._started
        logger.info("%s: %s in %.2f s", job.requested_url, error or "extracted", seconds)
        return self.result if job.keep_snapshot else replace(self.result, snapshot=None)

    async def load(self) -> None:
        """Render or load the snapshot."""
        job = self._job
        if job.follow and isinstance(job.source, str) and self._renderer.replay is None:
            # Resolved before the page is rendered, so that the page cannot influence it.
            self._followed_options = await resolve_policy(
                job.render, job.source, self._renderer.resolve, self._renderer.switches
            )
        await self._warm_up()
        self.set_snapshot(await self._snapshot(job.source))
        self._on_rendered()

    def set_snapshot(self, snapshot: Snapshot) -> None:
        """Set the snapshot of the result."""
        self._check_deadline()
        page = snapshot.page
        self.result = replace(self.result, url=page.url, http_status=page.status, snapshot=snapshot)

    def parse_given(self) -> Snapshot | None:
        """Snapshot of a page that is given; None if it needs more than that."""
        source, render = self._job.source, self._job.render
        if isinstance(source, Snapshot):
            return source
        if isinstance(source, Path) and is_saved(source):
            return Snapshot.load(source)
        if isinstance(source, HTML):
            render = render.for_page(source.url)
        if isinstance(source, str) or render.browser != "never":
            return None
        check_source(source, self._job.requested_url)
        if isinstance(source, HTML):
            return parse_given_html(source.content, source.url, render.limits)
        return parse_given_file(source.resolve(), render.limits)

    async def _warm_up(self) -> None:
        """Load and compile what the methods need, outside of the page's deadline."""
        import asyncio

        from .warm_up import is_warm, warm_up

        started, loop = monotonic(), asyncio.get_running_loop()
        for way in self._job.ways:
            if not is_warm(way.method):
                await loop.run_in_executor(self._executor, warm_up, way.method)
        self._extend_deadline(monotonic() - started)

    async def _snapshot(self, source: Source) -> Snapshot:
        if isinstance(source, Snapshot):
            return source
        if isinstance(source, Path) and is_saved(source):
            return await self._aside(Snapshot.load, source)
        options = self._job.render
        if options.browser == "auto" and self._job.ways:
            return await self._read_or_render(source)
        if options.browser == "auto":
            options = replace(options, browser="always")
        return await self._render_in_time(source, options)

    async def _read_or_render(self, source: str | Path | HTML) -> Snapshot:
        """Read the page without a browser if the result can be trusted, else render it.

        A slow plain request continues while the page is rendered, because some servers never answer
        plain requests, and others take long to answer any request.
        """
        import asyncio

        plain = asyncio.ensure_future(self._trusted_plain(source))
        rendering = asyncio.ensure_future(self._render_unless_read(source, plain))
        try:
            await asyncio.wait({plain, rendering}, return_when=asyncio.FIRST_COMPLETED)
            if not plain.done():
                # The browser began later, so the plain request may be in time where it was not.
                with contextlib.suppress(PageTimeoutError):
                    return rendering.result()
            snapshot = await plain
            return await rendering if snapshot is None else snapshot
        finally:
            plain.cancel()
            rendering.cancel()
            await asyncio.gather(plain, rendering, return_exceptions=True)

    async def _render_unless_read(
        self, source: str | Path | HTML, plain: asyncio.Task[Snapshot | None]
    ) -> Snapshot:
        """Render the page once its plain request has failed, is not trusted, or takes long."""
        import asyncio

        options, left = self._job.render, self._left
        seconds = options.limits.seconds if left is None else min(options.limits.seconds, left)
        await asyncio.wait({plain}, timeout=PLAIN_SHARE * seconds)
        snapshot = plain.result() if plain.done() else None
        if snapshot is not None:
            return snapshot
        return await self._render_in_time(source, replace(options, browser="always"))

    async def _trusted_plain(self, source: str | Path | HTML) -> Snapshot | None:
        """Load and extract the page without a browser; None if the result cannot be trusted."""
        options = replace(self._job.render, browser="never")
        try:
            snapshot = await self._render_in_time(source, options)
            extraction = await self._aside(self._extract, snapshot, self._job.ways[0])
        except Exception as error:
            if _is_final(error, options):
                raise
            # A browser finds out whether the page is gone or only refuses plain requests.
            level = logging.DEBUG if isinstance(error, MioloError) else logging.WARNING
            logger.log(level, "%s needs a browser: %s", self._job.requested_url, error)
            return None
        if not await self._aside(self._is_usable, snapshot, extraction):
            return None
        self.result = replace(self.result, extractions={self._job.ways[0].method: extraction})
        return snapshot

    def _is_usable(self, snapshot: Snapshot, extraction: Extraction) -> bool:
        """Whether an extraction without a browser can be trusted, and is not refused by the job."""
        if not self._job.trust(snapshot, extraction):
            return False
        try:
            if self._job.check:
                self._job.check(extraction)
        except MioloError as error:
            logger.debug("%s needs a browser: %s", self._job.requested_url, error)
            return False
        return True

    async def _render_in_time(self, source: str | Path | HTML, options: RenderOptions) -> Snapshot:
        import asyncio

        left = self._left
        timer = asyncio.timeout(left)
        try:
            async with timer:
                return await self._render(source, _options_within(self._job, options, left))
        except TimeoutError:
            if timer.expired():
                raise self._timeout() from None
            raise

    async def _render(self, source: str | Path | HTML, options: RenderOptions) -> Snapshot:
        check_source(source, self._job.requested_url)
        renderer = self._renderer
        lacks = self._lacks_article if self._job.ways else None
        if isinstance(source, HTML):
            return await renderer.render_html(
                source.content, url=source.url, options=options, lacks_article=lacks
            )
        if isinstance(source, Path):
            return await renderer.render_file(source, options, lacks_article=lacks)
        into = self._recorded if self._job.record else None
        return await renderer.render(source, options, into=into, lacks_article=lacks)

    async def _lacks_article(self, snapshot: Snapshot) -> bool:
        return await self._aside(lacks_article, snapshot)

    async def read(self) -> None:
        """Extract the article, and make the artefacts."""
        job, snapshot = self._job, self.result.snapshot
        if snapshot is None:
            return
        if job.follow and job.ways:
            from .pagination import follow_pages

            # The screenshot shows only the first page.
            options = replace(self._followed_options, screenshot=False)
            way = job.ways[0]
            joined = await follow_pages(
                self._renderer,
                snapshot,
                lambda page: self._extract(page, way),
                options,
                job.follow,
            )
            self.result = replace(self.result, extractions={way.method: joined})
        await self._aside(self._read, snapshot)
        self._check_deadline()

    def _extract(self, snapshot: Snapshot, way: ExtractOptions) -> Extraction:
        # What the settings of a host say of the text applies to its files and snapshots, too.
        render = self._job.render.for_page(snapshot.page.url)
        extraction = extract_with(snapshot, way.with_scope(render), restore=render.restore)
        if not self._job.keep_lazy:
            extraction.compute_deferred()
        return extraction

    def _read(self, snapshot: Snapshot) -> None:
        job = self._job
        by_method = self.result.extractions
        extractions = {
            way.method: by_method[way.method]
            if way.method in by_method
            else self._extract(snapshot, way)
            for way in job.ways
        }
        self.result = replace(self.result, extractions=extractions)
        if job.check and self.result.extraction:
            try:
                job.check(self.result.extraction)
            except TextError as error:
                self.result = replace(self.result, error=error)
        self._check_deadline()
        self._make(job.artefacts)

    async def finish(self) -> None:
        """Make the remaining artefacts among those that are also made for failures."""
        self.result = replace(self.result, exchanges=tuple(self._recorded))
        made = self.result.artefacts
        left = [each for each in self._job.artefacts if each.of_failures and each.name not in made]
        if left:
            await self._aside(self._make, left)

    def _make(self, artefacts: Iterable[Artefact]) -> None:
        result = replace(self.result, exchanges=tuple(self._recorded))
        for artefact in artefacts:
            try:
                value = artefact.make(result)
            except OSError as error:
                cause = f"{error.filename or 'files'}: {error.strerror or error}"
                raise StorageError(f"cannot write {cause}") from error
            result = replace(result, artefacts={**result.artefacts, artefact.name: value})
            self.result = result

    def fail(self, error: Exception) -> None:
        """Replace the extraction by an error."""
        kind = RenderError if self.result.snapshot is None else ExtractionError
        if isinstance(error, MioloError):
            failed = error
        else:
            url = self._job.requested_url
            failed = kind(f"{type(error).__name__}: {error}", url=url)
            import traceback

            failed.__cause__ = error
            failed.traceback = "".join(traceback.format_exception(error))
            logger.error("%s failed unexpectedly", url, exc_info=error)
        status = getattr(failed, "status", None) or self.result.http_status
        self.result = replace(self.result, extractions={}, error=failed, http_status=status)

    @property
    def _left(self) -> float | None:
        """Remaining seconds; None without a deadline."""
        return None if self._due is None else self._due - monotonic()

    def _extend_deadline(self, seconds: float) -> None:
        if self._due is not None:
            self._due += seconds

    def _check_deadline(self) -> None:
        if self._left is not None and self._left < 0:
            raise self._timeout()

    def _timeout(self) -> PageTimeoutError:
        url, seconds = self._job.requested_url, self._job.deadline
        return PageTimeoutError(f"{url} took longer than {seconds:g} s", url=url)

    async def _aside(self, work: Callable[..., T], *values: Any) -> T:
        """Run work in a thread. The clock is stopped while the job waits for a free thread.

        Work on a page that is given runs in this thread.
        """
        if self._renderer is None:
            return work(*values)
        import asyncio

        queued = monotonic()

        def run_timed() -> T:
            self._extend_deadline(monotonic() - queued)
            return work(*values)

        return await asyncio.get_running_loop().run_in_executor(self._executor, run_timed)


def _is_final(error: Exception, options: RenderOptions) -> bool:
    """Whether a browser would fail as the plain request has, or must not repeat it."""
    if isinstance(error, NavigationError):
        # Without a filter, the browser may connect in another way, such as by the system's proxy.
        is_unreachable = error.unreachable and options.is_filtered
        return is_unreachable or error.retry_after is not None
    return isinstance(error, NotHTMLError)


def _options_within(job: PageJob, options: RenderOptions, left: float | None) -> RenderOptions:
    """Rendering options, limited to the remaining time."""
    if job.deadline is None or left is None:
        return options
    kept = min(READING_SHARE * job.deadline, READING_SECONDS)
    seconds = max(min(job.deadline, left) - kept, 0.1)
    if options.browser == "never":
        seconds = min(seconds, options.limits.seconds)
    return replace(options, limits=replace(options.limits, seconds=seconds))


def lacks_article(snapshot: Snapshot) -> bool:
    """Whether what the default method finds in a page is most likely not its article."""
    article = extract_snapshot(snapshot, restore=False)
    is_short = len(article.text.split()) < LEAST_WORDS
    return is_short or (article.confidence or 0.0) < LEAST_CONFIDENCE
