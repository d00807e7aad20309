"""One page from URL to snapshot: open, settle, capture, screenshot, each with a time limit."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any, TypeVar

from ...errors import (
    BrowserCrashedError,
    NavigationError,
    PageTimeoutError,
    PageWarning,
    RenderError,
    TooLargeError,
)
from ..archives.archive import NOT_ARCHIVED
from ..network.answer import PAGES, check_answer, check_status
from ..network.egress_proxy import Network, navigation_error
from ..network.exchange import TRANSFER
from ..network.origins import OwnHeaders, origin_of
from ..network.policy import proxy_login
from ..network.source_kinds import BYTES, not_a_page, type_kind
from ..options import RenderOptions
from ..page.snapshot import PageInfo, Snapshot
from .actions import PageActions, find_button, unfold_article
from .assemble import snapshot_of
from .blocker import PageBlocker
from .capture import Capture, capture, print_page, take_screenshot, wait_for_excess
from .consent import ConsentDialogs
from .context import Request, Tab, emulation
from .engine import Engine
from .identity import custom_identity
from .interceptor import RequestInterceptor, SuppliedDocument
from .layers import HiddenLayer, covering_layers, hide_layers, show_layers
from .network_watch import NetworkWatch
from .protocol import ProtocolSession
from .removals import WATCH_REMOVALS, Removals
from .stabilizer import PageStabilizer
from .traffic import Recorder, Replay
from .watches import FloodWatch, stop_scripts, watch_service_workers

T = TypeVar("T")

logger = logging.getLogger(__name__)

# Share of a page's time that is reserved for the capture when the rest has run out.
RESERVE_SHARE = 0.3

# Multiple of its time limit after which a page is abandoned, whatever it is doing.
OVERTIME = 1.1

# Share of a page's time for which an overdue reply is awaited.
BUSY_SHARE = 0.05

# Scheme of the document with which Chromium replaces a page that cannot be opened.
ERROR_PAGE = "chrome-error:"

CRASH_NEWS_SECONDS = 0.2

# Maximum number of captures of a page that moves while its screenshot is taken.
MAX_CAPTURES = 3

# Statuses of pages whose scripts check the visitor's browser.
OF_CHECKS = (403, 429, 503)

# Minimum number of nodes of a page that is cut short: an empty document has three.
LEAST_NODES = 4

# Seconds for which a complete document waits for a script or a style sheet that holds it up.
BLOCKING_SECONDS, BLOCKING_POLL = 4.0, 0.25

# Number of pending requests, and of characters of each, that a warning names.
NAMED, NAMED_CHARS = 3, 120

# Headers of a document that do not describe it once it is decoded.
OF_TRANSFER = TRANSFER | {"content-type"}

# Maximum seconds to wait for the source of a document that has been loaded.
READING_SECONDS = 1.0

# Maximum seconds to wait until what has come of a document that breaks off has been parsed.
PARSING_SECONDS, PARSING_POLL = 1.0, 0.05
SIZE = "new TextEncoder().encode(document.documentElement?.outerHTML ?? '').length"

# Share of the bytes of a document beyond which its parsed tree has what came of it.
PARSED_SHARE = 0.9

# Recording waits for no body longer than this share of a page's time: some never end.
BODY_SHARE = 0.25


async def visit(
    engine: Engine, network: Network, request: Request, options: RenderOptions
) -> Snapshot:
    """Render one page."""
    engine.pages += 1
    visitor = _Visit(engine, network, request, options)
    try:
        # Every step has its own time limit; this ends what hangs in spite of them.
        async with asyncio.timeout(OVERTIME * options.limits.seconds) as visitor.clock:
            return await visitor.run()
    except TimeoutError:
        late = f"the browser did not answer for {request.url} in time"
        raise PageTimeoutError(late, url=request.url) from None
    except RenderError as error:
        error.url = error.url or request.url
        raise
    finally:
        # Closing must not be cut short, even when the page's own task is cancelled.
        await asyncio.shield(visitor.opened.aclose())


@dataclass
class _Visit:
    """One visit. Fields without a value are set by `_enter`, once there is a tab."""

    engine: Engine
    access: Network
    request: Request
    options: RenderOptions
    started: float = field(default_factory=monotonic)
    opened: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)
    tab: Tab = field(init=False)
    session: ProtocolSession = field(init=False)
    network: NetworkWatch = field(init=False)
    stabilizer: PageStabilizer = field(init=False)
    recorder: Recorder | None = None
    replay: Replay | None = None
    interceptor: RequestInterceptor = field(init=False)
    flood: FloodWatch = field(init=False)
    clock: asyncio.Timeout | None = None
    consent: ConsentDialogs | None = None
    removals: Removals | None = None
    warnings: list[PageWarning] = field(default_factory=list)
    pending: tuple[str, ...] = ()
    stages: list[tuple[str, float]] = field(default_factory=list)
    unfolded_from: Capture | None = None
    asked_for_worker: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.network = NetworkWatch(self.options.limits.response_bytes)

    async def run(self) -> Snapshot:
        await self._enter()
        await asyncio.gather(
            self.tab.set_up(self.options, self.interceptor.emulation),
            self.network.attach(self.session),
            self.interceptor.open(self.network.watch_worker),
            self._prepare_scripts(),
        )
        with self._timed("document"):
            await self._open()
        self.interceptor.check(self.request.url)
        if self.network.answer and not await self._may_check_visitor():
            check_answer(self.network.answer, self.request.url)
            if self.network.answer.mime == "text/plain":
                self._warn("plain-text", "the page is plain text, not HTML")
        with self._timed("settle"):
            await self._settle()
        self._check_document()
        with self._timed("actions"):
            await self._act()
            await self._unfold()
        self._check_document()
        if refused := self.interceptor.refused:
            message = f"a script tried to navigate to {refused[0]}, which was refused"
            self._warn("left", message)
        restored = await self._restore()
        if self.asked_for_worker.is_set() and await self._look(self.stabilizer.seems_unfinished()):
            self._warn("service-worker", "the page asked for a service worker, which is refused")
        if self.pending:
            named = ", ".join(each[:NAMED_CHARS] for each in self.pending[:NAMED])
            more = len(self.pending) - NAMED
            named += f" and {more} more" if more > 0 else ""
            self._warn("unsettled", f"captured while these had not come: {named}")
        if self.options.screenshot:
            snapshot = await self._picture(restored)
        else:
            replies = self.unfolded_from or await self._capture()
            snapshot = await self._snapshot(replace(replies, restored=restored))
        if self.options.pdf:
            limits = self.options.limits
            seconds = self._remaining(reserve=False)
            snapshot = await print_page(self.session, snapshot, limits, seconds)
        sources = filter(None, (self.recorder, self.replay, self.tab.egress_proxy))
        warnings = [warning for source in sources for warning in source.warnings()]
        if self.flood.over:
            self._warn("flood", "its scripts were stopped: they sent the browser too many events")
        return snapshot.with_warnings(*self.warnings, *warnings)

    async def _enter(self) -> None:
        """Open a tab, and create what watches over its page."""
        options, request, limits = self.options, self.request, self.options.limits
        self.tab = tab = await Tab.open(self.engine, self.access, request, options)
        self.opened.push_async_callback(tab.close)
        self.session = session = tab.session
        self.opened.callback(self.engine.wire.forget, session.id)
        self.flood = FloodWatch(session)
        self.stabilizer = PageStabilizer(
            session, self.network, self._lacks_article if request.lacks_article else None
        )
        blocker = PageBlocker(options, request.url, tab.egress_proxy, is_cut_off=request.is_cut_off)
        self.opened.callback(blocker.log)
        if request.recorded is not None:
            patience = limits.seconds * BODY_SHARE
            self.recorder = Recorder(session, request.recorded, limits.response_bytes, patience)
            self.opened.callback(self.recorder.close)
        if request.archive is not None:
            self.replay = Replay(request.archive, self.recorder)
        home = options.headers_for or request.url
        identity = custom_identity(options.agent) if options.agent else self.engine.identity
        self.interceptor = RequestInterceptor(
            session,
            lambda: self.stabilizer.last_mass,
            self.recorder,
            self.replay,
            blocker,
            tuple(emulation(options, identity.override)),
            proxy_login(options.proxy) if options.proxy and not request.is_cut_off else {},
            request.document,
            tab.egress_proxy,
            OwnHeaders(options.headers, home) if options.headers else None,
        )
        self.opened.callback(self.interceptor.close)

    async def _prepare_scripts(self) -> None:
        """Install what must be in place before the page's scripts run."""
        if not self.options.javascript:
            return
        if self.options.restore:
            self.removals = Removals(self.session, self.stabilizer)
        watch_service_workers(self.session, self.asked_for_worker.set)
        watches = [self.stabilizer.watch(*([WATCH_REMOVALS] if self.removals else []))]
        if self.options.dismiss_consent:
            self.consent = ConsentDialogs(self.session)
            self.opened.callback(self.consent.close)
            watches.append(self.consent.watch())
        await asyncio.gather(*watches)

    @contextlib.contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        """Note how long a part of the visit takes."""
        started = monotonic()
        yield
        seconds = round(monotonic() - started, 3)
        self.stages.append((stage, seconds))
        logger.info("%s: %s took %.2f s", self.request.url, stage, seconds)

    def _remaining(self, *, reserve: bool = True) -> float:
        """Seconds left, without those reserved for the capture unless `reserve` is False."""
        limit = self.options.limits.seconds
        share = 1 - RESERVE_SHARE if reserve else 1.0
        return max(0.05, self.started + limit * share - monotonic())

    def _warn(self, code: str, message: str) -> None:
        warning = PageWarning(code, message)
        if warning not in self.warnings:  # a page may be captured more than once
            self.warnings.append(warning)

    def _has_warned(self, code: str) -> bool:
        return any(warning.code == code for warning in self.warnings)

    def _cut_short(self, code: str, message: str) -> None:
        self._warn(code, message)
        stop_scripts(self.session)

    async def _open(self) -> None:
        """Navigate, and wait for the document as the options specify.

        A document that has come completely waits for no script or style sheet that does not come.
        It is opened again without it, from what was received. One that breaks off is requested
        again if Chromium, which stops its parser then, has not parsed what came of it.
        """
        await self._navigate()
        unanswered = await self._load()
        if self.network.broken and not await self._parse_rest():
            self.network.stopped.clear()
            await self._navigate()
            await self._load()
            await self._parse_rest()
        elif unanswered:
            await self._leave_out(unanswered)
            await self._navigate()
            await self._load()
        elif not (self._has_warned("deadline") or self.network.stopped.is_set()):
            await self.network.has_document(min(READING_SECONDS, self._remaining()))
            if self.network.is_misread:  # it is supplied as its bytes are
                self.warnings += self.network.warnings
                self._supply_served()
                await self._navigate()
                await self._load()

    async def _may_check_visitor(self) -> bool:
        """Whether scripts in place of the page may let the visitor pass, and then load the page."""
        answer = self.network.answer
        if answer is None or answer.status not in OF_CHECKS or "html" not in answer.mime:
            return False
        with contextlib.suppress(RenderError):
            return bool(await self.stabilizer.evaluate("document.scripts.length"))
        return False

    async def _navigate(self) -> None:
        seconds = self._remaining()
        try:
            async with asyncio.timeout(seconds):
                failure = await self.tab.navigate(self.request.url)
        except TimeoutError:
            raise PageTimeoutError(
                f"{self.request.url} did not answer in {round(seconds, 1):g} s",
                url=self.request.url,
            ) from None
        if "ERR_ABORTED" in failure and self.network.answer is None:
            # A navigation also ends like this when its process dies, just before the crash event.
            await asyncio.sleep(CRASH_NEWS_SECONDS)
            if self.session.gone:
                raise BrowserCrashedError(f"Chromium died while it rendered {self.request.url}")
        if failure:
            raise self.opening_error(failure)

    async def _load(self) -> list[str]:
        """Wait for the document; returns the URLs of what holds it up, if it does not come."""

        async def stop_at_excess() -> None:
            # Only the beginning of the page can be captured.
            count = await wait_for_excess(self.session, self.options.limits.nodes)
            self._cut_short("too-many-nodes", f"loading was stopped at {count:,} nodes")

        event = self.tab.loaded if self.options.wait == "load" else self.tab.parsed
        unanswered: list[str] = []
        try:
            # If the document is not loaded to its end, the event may never come.
            async with asyncio.timeout(self._remaining()):
                await _first_of(
                    event.wait(),
                    self.network.stopped.wait(),
                    stop_at_excess(),
                    self._find_unanswered(unanswered),
                )
        except TimeoutError:
            self._cut_short(
                "deadline", "the document had not finished loading within the time limit"
            )
        return unanswered

    async def _parse_rest(self) -> bool:
        """Let the browser parse what has come of a document whose end does not come.

        Returns whether it has done so.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(PARSING_SECONDS, self._remaining())):
                while True:
                    with contextlib.suppress(RenderError):  # the document may be about to begin
                        size = await self.stabilizer.evaluate(SIZE)
                        if 0 < PARSED_SHARE * self.network.document_bytes <= size:
                            return True
                    await asyncio.sleep(PARSING_POLL)
        return False

    async def _find_unanswered(self, unanswered: list[str]) -> None:
        """Wait until scripts or style sheets have held up the document for too long."""
        while not unanswered:
            await asyncio.sleep(BLOCKING_POLL)
            if not self.tab.parsed.is_set():
                unanswered += [each.url for each in self.network.blocking(BLOCKING_SECONDS)]

    async def _leave_out(self, urls: list[str]) -> None:
        """Request no more of what does not come, and supply the document that has come."""
        home = origin_of(self.network.requested_url)
        origins = {origin_of(url) for url in urls}
        others = [f"{origin}/*" for origin in origins if origin not in (home, None)]
        own = [url for url in urls if origin_of(url) == home]
        await self.session.send("Network.setBlockedURLs", urls=[*others, *own])
        named = ", ".join(url[:NAMED_CHARS] for url in urls[:NAMED])
        self._warn("unanswered", f"left out, as it held up the page and did not come: {named}")
        self._supply_served()

    def _supply_served(self) -> None:
        """Answer the next request for the document with what has come."""
        network = self.network
        if network.served and network.answer:
            sent = network.served_headers.items()
            headers = tuple(each for each in sent if each[0].lower() not in OF_TRANSFER)
            html = b"\xef\xbb\xbf" + network.served.encode("utf-8", "replace")
            url, status = network.requested_url, network.answer.status
            served = SuppliedDocument(html, url, fetch=True, status=status, headers=headers)
            self.interceptor.supply(served)

    async def _settle(self) -> None:
        options = self.options
        if options.wait not in ("settle", "idle") or self._has_warned("too-many-nodes"):
            return  # nothing runs or loads any more in a page that has been stopped
        wait = self.stabilizer.settle if options.wait == "settle" else self.stabilizer.idle
        seconds = min(options.settle_seconds, self._remaining())
        try:
            # Slightly longer than its own timeout, which a busy page delays by evaluating nothing.
            async with asyncio.timeout(seconds + min(1.0, BUSY_SHARE * options.limits.seconds)):
                self.pending = await wait(seconds)
        except TimeoutError:
            self._cut_short("busy", "the page's scripts were too busy to be waited for")
        except BrowserCrashedError:
            raise
        except RenderError:
            # The document was replaced while it was examined; the capture shows the new one.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._remaining()):
                    await self.tab.parsed.wait()

    def _check_document(self) -> None:
        """Raise an error if the page has navigated to an address that could not be opened."""
        self.interceptor.check(self.request.url)
        if self.tab.url.startswith(ERROR_PAGE):
            raise self.opening_error(self.network.failure)
        if self.network.answer:
            check_status(self.network.answer, self.request.url)

    async def _act(self) -> None:
        """Run the user's actions on the page, before it is captured."""
        options = self.options
        if not (options.acts or options.dismiss_consent or options.scroll):
            return
        actions = PageActions(
            self.session,
            self.stabilizer,
            options,
            self.consent,
            self.engine.wire,
            self._warn,
            self._remaining,
        )
        self.interceptor.is_acting = True
        self.stabilizer.follows = bool(options.click or options.script)
        try:
            if self.removals and (options.acts or options.dismiss_consent):
                await self.removals.ignore()
            elif self.removals:
                await self.removals.expect_recycling()
            async with asyncio.timeout(self._remaining()):
                await actions.run()
        except TimeoutError:
            self._cut_short("busy", "the time was up before all actions were done")
        except BrowserCrashedError:
            raise
        except RenderError:
            self._warn("left", "the document was replaced while actions were done")
        finally:
            self.interceptor.is_acting = False

    async def _unfold(self) -> None:
        """Click the button that shows the rest of a cut article, unless the user has acted."""
        options = self.options
        if not (options.expand and options.javascript and options.wait == "settle"):
            return
        if options.acts or self.is_cut_short:
            return
        try:
            async with asyncio.timeout(self._remaining()):
                evidence = await find_button(self.stabilizer)
                if not evidence:
                    return
                before = await self._replies()
                self.interceptor.stays = True
                if not await unfold_article(self.stabilizer, self._remaining(), evidence):
                    self.unfolded_from = before
        except BrowserCrashedError:
            raise
        except (TimeoutError, RenderError):
            return
        finally:
            self.interceptor.stays = False

    async def _restore(self) -> frozenset[int]:
        """Put back the text that scripts took away; the backend node ids of what was put back."""
        if self.removals is None or self.unfolded_from or self.is_cut_short:
            return frozenset()
        restored = await self._look(self.removals.restore()) or frozenset()
        if self.removals.wiped:
            self._warn("wiped", "scripts removed text, which was put back")
        elif self.stabilizer.has_lost_text and not self.options.acts:
            self._warn("wiped", "the page's scripts removed its text")
        return restored

    @property
    def is_cut_short(self) -> bool:
        """Whether the page's scripts were stopped."""
        return any(map(self._has_warned, ("busy", "deadline", "too-many-nodes")))

    async def _lacks_article(self) -> bool:
        """Ask the reader about the page as it is now."""
        assert self.request.lacks_article is not None
        return await self.request.lacks_article(await self._assemble(await self._replies()))

    async def _replies(self) -> Capture:
        nodes, has_frames = self.options.limits.nodes, self.interceptor.has_frames
        return await capture(self.engine.wire, self.session, nodes, has_frames=has_frames)

    async def _assemble(self, replies: Capture) -> Snapshot:
        return await asyncio.to_thread(snapshot_of, replies, self._facts(), self.options.limits)

    async def _capture(self) -> Capture:
        replies = await self._in_time(self._replies())
        if self.clock:
            self.clock.reschedule(None)  # assembling the snapshot takes a bounded time
        return replies

    async def _snapshot(self, replies: Capture) -> Snapshot:
        network = self.network
        # This is certain only now: a busy script delays the events that report data.
        if not network.received and self._has_warned("deadline"):
            raise PageTimeoutError(
                f"{self.request.url} sent no content in time", url=self.request.url
            )
        snapshot = await self._assemble(replies)
        # What the user's own actions took away is not to be found in another version of the page.
        if not (self.options.click or self.options.script or self.options.hide):
            snapshot = replace(snapshot, served=network.served)
        if network.broken:
            cause = network.broken.removeprefix("net::")
            self._warn("broken-off", f"the end of the document could not be loaded: {cause}")
            if len(snapshot) < LEAST_NODES:
                raise self.opening_error(network.broken)
        if network.over_limit:
            self._warn("too-large", f"loading was stopped after {network.received:,} bytes")
            if len(snapshot) < LEAST_NODES:
                raise TooLargeError(
                    f"{self.request.url} is larger than the limit on bytes", url=self.request.url
                )
        return snapshot

    async def _picture(self, restored: frozenset[int]) -> Snapshot:
        """Capture the page with its screenshot, and again if the page has moved in between."""
        await self._look(self.stabilizer.freeze())
        started, captures = monotonic(), 0
        while True:
            captures += 1
            layout = await self._look(self.stabilizer.layout())
            replies = replace(await self._capture(), restored=restored)
            hidden: list[HiddenLayer] = []
            if self.options.hide_overlays:
                node_ids = await asyncio.to_thread(covering_layers, replies.replies[0])
                if not await self._look(hide_layers(self.session, node_ids, hidden)):
                    self._warn("overlays", "the picture may show overlays: they were not hidden")
            snapshot = await take_screenshot(
                self.session,
                await self._snapshot(replies),
                self.options.limits,
                self._remaining(reserve=False),
            )
            await self._look(show_layers(self.session, hidden))
            if layout is not None and layout == await self._look(self.stabilizer.layout()):
                return snapshot
            seconds = (monotonic() - started) / captures
            if captures == MAX_CAPTURES or self._remaining(reserve=False) < 2 * seconds:
                self._warn(
                    "moved", "the page moved while its picture was taken; boxes may be misplaced"
                )
                return snapshot

    async def _look(self, look: Awaitable[T]) -> T | None:
        """Await a reply that a busy or vanished page may never send; None if it does not come."""
        try:
            async with asyncio.timeout(self._remaining(reserve=False) * BUSY_SHARE):
                return await look
        except BrowserCrashedError:
            raise
        except (TimeoutError, RenderError):
            return None

    async def _in_time(self, work: Awaitable[T]) -> T:
        """Await within the page's time limit; scripts are ended once half the time left is used."""
        task = asyncio.ensure_future(work)
        try:
            done, _ = await asyncio.wait({task}, timeout=self._remaining(reserve=False) / 2)
            if not done:
                self._cut_short(
                    "busy", "the page's scripts were ended so that it could be captured"
                )
            async with asyncio.timeout(self._remaining(reserve=False)):
                return await task
        except TimeoutError:
            url, seconds = self.request.url, round(self.options.limits.seconds, 1)
            raise PageTimeoutError(
                f"{url} could not be captured in {seconds:g} s", url=url
            ) from None
        finally:
            task.cancel()

    def _facts(self) -> PageInfo:
        answer = None if self.request.document else self.network.answer
        moved = self.stabilizer.later_url
        return PageInfo(
            url=self.stabilizer.url if moved else self.tab.url,
            later_url=moved,
            requested_url=self.request.url,
            status=answer.status if answer else None,
            etag=answer.etag if answer else "",
            last_modified=answer.last_modified if answer else "",
            viewport=self.options.window,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            pending=self.pending,
            stages=tuple(self.stages),
        )

    def opening_error(self, line: str) -> RenderError:
        """The error for a page that could not be opened, from what the browser says."""
        url, answer = self.request.url, self.network.answer
        if "Download is starting" in line:
            mime = answer.mime if answer else ""
            return not_a_page(url, type_kind(BYTES if mime in PAGES else mime, url))
        if answer is not None and answer.status in (204, 205):
            status = answer.status
            return NavigationError(f"{url} answered {status}: no content", url=url, status=status)
        if self.request.archive is not None and "net::ERR_BLOCKED_BY_CLIENT" in line:
            return NavigationError(f"{url} is not in the archive", url=url, cause=NOT_ARCHIVED)
        return navigation_error(url, line, self.tab.egress_proxy, self.network.requested_url)


async def _first_of(*works: Coroutine[Any, Any, object]) -> None:
    """Await the first coroutine to finish, and cancel the others."""
    tasks = {asyncio.ensure_future(work) for work in works}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
