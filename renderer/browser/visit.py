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

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from ...errors import (
    BrowserCrashedError,
    NavigationError,
    PageTimeoutError,
    PageWarning,
    RenderError,
    TooLargeError,
)
from ..archives.archive import NOT_ARCHIVED
from ..network.answer import PAGES, Answer, check_answer, check_status
from ..network.egress_proxy import EgressProxy, Network
from ..network.failures import navigation_error
from ..network.origins import origin_of
from ..network.own_headers import OwnHeaders
from ..network.source_kinds import DOWNLOAD, not_a_page, type_kind
from ..options import RenderOptions
from ..page.snapshot import PageInfo, Snapshot
from .actions import PageActions
from .assemble import snapshot_of
from .blocker import PageBlocker
from .capture import Capture, capture, print_page, take_screenshot, wait_for_excess
from .consent import ConsentDialogs
from .context import Request, Tab
from .engine import Engine
from .expansion import find_button, unfold_article
from .interceptor import RequestInterceptor, SuppliedDocument
from .layers import HiddenLayers, covering_layers
from .network_watch import NetworkWatch
from .protocol import ProtocolSession
from .removals import WATCH_REMOVALS, Removals
from .stabilizer import WORLD, PageStabilizer
from .traffic import Traffic
from .watches import FloodWatch, ServiceWorkerWatch, disable_logging, stop_scripts

__all__ = ["visit"]

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

CONNECTION_CLOSED = "Connection closed"
CRASH_SIGNS = ("crashed", "has been closed", CONNECTION_CLOSED)
CRASH_NEWS_SECONDS = 0.2

# Maximum number of captures of a page that moves while its screenshot is taken.
MAX_CAPTURES = 3

# Minimum number of nodes of a page that is cut short: an empty document has three.
LEAST_NODES = 4

# Seconds for which a complete document waits for a script or a style sheet that holds it up.
BLOCKING_SECONDS, BLOCKING_POLL = 4.0, 0.25

# Number of pending requests, and of characters of each, that a warning names.
NAMED, NAMED_CHARS = 3, 120

# Headers of a document that do not describe it once it is decoded.
OF_TRANSFER = ("content-encoding", "content-length", "transfer-encoding", "content-type")

# Maximum seconds to wait for the source of a document that has been loaded.
READING_SECONDS = 1.0

# Recording waits for no body longer than this share of a page's time: some never end.
BODY_SHARE = 0.25


async def visit(
    engine: Engine, network: Network, request: Request, options: RenderOptions
) -> Snapshot:
    """Render one page.

    Raises
    ------
    RenderError
        No part of the page could be captured.
    """
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
    except PlaywrightError as error:
        if await visitor.has_crashed(error):
            raise _crash_error(request.url) from error
        raise visitor.translate(error) from error
    except Exception as error:
        # Playwright raises a bare `Exception` if its driver has died.
        if CONNECTION_CLOSED in str(error):
            raise _crash_error(request.url) from error
        raise
    finally:
        # Closing must not be cut short, even when the page's own task is cancelled.
        await asyncio.shield(visitor.close())


@dataclass
class _Visit:
    engine: Engine
    access: Network
    request: Request
    options: RenderOptions
    started: float = field(default_factory=monotonic)
    warnings: list[PageWarning] = field(default_factory=list)
    tab: Tab | None = None
    session: ProtocolSession | None = None
    network: NetworkWatch | None = None
    traffic: Traffic | None = None
    blocker: PageBlocker | None = None
    interceptor: RequestInterceptor | None = None
    flood: FloodWatch | None = None
    clock: asyncio.Timeout | None = None
    consent: ConsentDialogs | None = None
    stabilizer: PageStabilizer | None = None
    removals: Removals | None = None
    workers: ServiceWorkerWatch | None = None
    pending: tuple[str, ...] = ()
    stages: list[tuple[str, float]] = field(default_factory=list)
    unfolded_from: Capture | None = None
    is_parsed: bool = False

    async def run(self) -> Snapshot:
        page, target = await self._enter()
        assert self.session is not None
        network = NetworkWatch(target, self.options.limits.response_bytes)
        self.network = network
        lacks_article = self.request.lacks_article and self._lacks_article
        stabilizer = PageStabilizer(self.session, network, lacks_article)
        self.stabilizer = stabilizer
        self.traffic = self._new_traffic(target)
        self.blocker = self._new_blocker()
        interceptor = RequestInterceptor(
            self.session,
            target,
            stabilizer.last_mass,
            self.traffic,
            self.blocker,
            self.engine.identity_for(self.options.user_agent).override,
            self.request.document,
            self._egress_proxy,
            self._own_headers(),
        )
        self.interceptor = interceptor
        await asyncio.gather(
            network.attach(self.session),
            interceptor.open(network.watch_worker),
            self._before(stabilizer),
        )
        with self._timed("document"):
            await self._open(page)
        interceptor.check(self.request.url)
        if network.answer:
            check_answer(network.answer, self.request.url)
            if network.answer.mime == "text/plain":
                self._warn("plain-text", "the address answered with plain text")
        with self._timed("settle"):
            await self._settle(page, stabilizer)
        self._check_document(page, network, interceptor)
        with self._timed("actions"):
            await self._act(stabilizer, interceptor)
            await self._unfold(stabilizer, interceptor)
        self._check_document(page, network, interceptor)
        if interceptor.refused:
            self._warn(
                "left",
                f"a script tried to navigate to {interceptor.refused[0]}, which was refused",
            )
        restored = await self._restore()
        asked = self.workers is not None and self.workers.asked
        if asked and await self._look(stabilizer.seems_unfinished()):
            self._warn("service-worker", "the page asked for a service worker, which is refused")
        if self.pending:
            self._warn("unsettled", _pending_message(self.pending))
        if self.options.screenshot:
            snapshot = await self._picture(page, target, network, stabilizer, restored)
        else:
            replies = self.unfolded_from or await self._capture(target)
            snapshot = await self._snapshot(replace(replies, restored=restored), page, network)
        if self.options.pdf:
            limits = self.options.limits
            snapshot = await print_page(page, snapshot, limits, self._remaining(reserve=False))
        return self._with_warnings(snapshot)

    async def _before(self, stabilizer: PageStabilizer) -> None:
        """Install what must be in place before the page's scripts run."""
        assert self.session is not None
        if self.options.javascript:
            self.workers = ServiceWorkerWatch(self.session)
            await self.workers.watch()
            await disable_logging(self.session)
            await stabilizer.watch()
            if self.options.restore:
                self.removals = Removals(self.session, stabilizer)
                await self.session.send(
                    "Page.addScriptToEvaluateOnNewDocument",
                    source=WATCH_REMOVALS,
                    worldName=WORLD,
                )
            if self.options.dismiss_consent:
                self.consent = ConsentDialogs(self.session)
                await self.consent.watch()

    def _own_headers(self) -> OwnHeaders | None:
        headers = self.options.headers
        return (
            OwnHeaders(headers, self.options.headers_for or self.request.url) if headers else None
        )

    def _new_traffic(self, target: str) -> Traffic:
        limits, request = self.options.limits, self.request
        patience = limits.seconds * BODY_SHARE
        return Traffic(request.archive, request.recorded, target, limits.response_bytes, patience)

    def _new_blocker(self) -> PageBlocker:
        url, is_cut_off = self.request.url, self.request.is_cut_off
        return PageBlocker(self.options, url, self._egress_proxy, is_cut_off=is_cut_off)

    async def _enter(self) -> tuple[Page, str]:
        self.tab = await Tab.open(self.engine, self.access, self.request, self.options)
        self.session = await self.engine.wire.attach(self.tab.target)
        self.session.on("Inspector.targetCrashed", lambda _: self.session and self.session.close())
        self.flood = FloodWatch(self.session)
        await self.session.send("Inspector.enable")
        self.session.on("Page.domContentEventFired", self._on_parsed)
        await self.session.send("Page.enable")
        return self.tab.page, self.tab.target

    @contextlib.contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        """Note how long a part of the visit takes."""
        started = monotonic()
        yield
        seconds = round(monotonic() - started, 3)
        self.stages.append((stage, seconds))
        logger.info("%s: %s took %.2f s", self.request.url, stage, seconds)

    def _on_parsed(self, _: dict[str, Any]) -> None:
        self.is_parsed = True

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
        assert self.session is not None
        stop_scripts(self.session)

    async def _open(self, page: Page) -> None:
        """Navigate, and wait for the document as the options specify.

        A document that has come completely waits for no script or style sheet that does not come.
        It is opened again without it, from what was received.
        """
        await self._navigate(page)
        unanswered = await self._load(page)
        if unanswered:
            await self._leave_out(unanswered)
            await self._navigate(page)
            await self._load(page)
        elif await self._decode_again():
            await self._navigate(page)
            await self._load(page)

    async def _decode_again(self) -> bool:
        """Supply the document as its bytes are, if the browser has decoded it otherwise."""
        assert self.network is not None
        if self._has_warned("deadline") or self.network.stopped.is_set():
            return False
        await self.network.has_document(min(READING_SECONDS, self._remaining()))
        if not self.network.is_misread:
            return False
        self.warnings += self.network.warnings
        self._supply_served()
        return True

    async def _navigate(self, page: Page) -> None:
        self.is_parsed = False
        seconds = self._remaining()
        try:
            await page.goto(self.request.url, wait_until="commit", timeout=1000 * seconds)
        except PlaywrightTimeout:
            raise PageTimeoutError(
                f"{self.request.url} did not answer in {round(seconds, 1):g} s",
                url=self.request.url,
            ) from None

    async def _load(self, page: Page) -> list[str]:
        """Wait for the document; returns the URLs of what holds it up, if it does not come."""
        event = "load" if self.options.wait == "load" else "domcontentloaded"
        assert self.network is not None
        unanswered: list[str] = []
        try:
            # If the document is not loaded to its end, the event may never come.
            await _first_of(
                page.wait_for_load_state(event, timeout=1000 * self._remaining()),
                self.network.stopped.wait(),
                self._stop_at_excess(),
                self._find_unanswered(unanswered),
            )
        except PlaywrightTimeout:
            self._cut_short(
                "deadline", "the document had not finished loading within the time limit"
            )
        return unanswered

    async def _find_unanswered(self, unanswered: list[str]) -> None:
        """Wait until scripts or style sheets have held up the document for too long."""
        assert self.network is not None
        while not unanswered:
            await asyncio.sleep(BLOCKING_POLL)
            if not self.is_parsed:
                unanswered += [each.url for each in self.network.blocking(BLOCKING_SECONDS)]

    async def _leave_out(self, urls: list[str]) -> None:
        """Request no more of what does not come, and supply the document that has come."""
        assert self.network is not None
        assert self.session is not None
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
        assert self.network is not None
        assert self.interceptor is not None
        if self.network.served and self.network.answer:
            headers = {
                name: value
                for name, value in self.network.served_headers.items()
                if name.lower() not in OF_TRANSFER
            }
            html = b"\xef\xbb\xbf" + self.network.served.encode("utf-8", "replace")
            self.interceptor.supply(
                SuppliedDocument(
                    html,
                    self.network.requested_url,
                    fetch=True,
                    status=self.network.answer.status,
                    headers=tuple(headers.items()),
                )
            )

    async def _stop_at_excess(self) -> None:
        """Stop loading a page of which only the beginning can be captured."""
        assert self.session is not None
        count = await wait_for_excess(self.session, self.options.limits.nodes)
        self._cut_short("too-many-nodes", f"loading was stopped at {count:,} nodes")

    async def _settle(self, page: Page, stabilizer: PageStabilizer) -> None:
        options = self.options
        if options.wait not in ("settle", "idle") or self._has_warned("too-many-nodes"):
            return  # nothing runs or loads any more in a page that has been stopped
        wait = stabilizer.settle if options.wait == "settle" else stabilizer.idle
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
            with contextlib.suppress(PlaywrightTimeout):
                await page.wait_for_load_state("domcontentloaded", timeout=1000 * self._remaining())

    def _check_document(
        self, page: Page, network: NetworkWatch, interceptor: RequestInterceptor
    ) -> None:
        """Raise an error if the page has navigated to an address that could not be opened."""
        interceptor.check(self.request.url)
        if page.url.startswith(ERROR_PAGE):
            raise self._opening_error(network.failure)
        if network.answer:
            check_status(network.answer, self.request.url)

    async def _act(self, stabilizer: PageStabilizer, interceptor: RequestInterceptor) -> None:
        """Run the user's actions on the page, before it is captured."""
        options = self.options
        if not (options.acts or options.dismiss_consent or options.scroll):
            return
        assert self.session is not None
        assert self.tab is not None
        actions = PageActions(
            self.session,
            stabilizer,
            options,
            self.consent,
            self.engine.wire,
            self.tab.target,
            self._warn,
            self._remaining,
        )
        interceptor.is_acting = True
        stabilizer.follows = bool(options.click or options.script)
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
            interceptor.is_acting = False

    async def _unfold(self, stabilizer: PageStabilizer, interceptor: RequestInterceptor) -> None:
        """Click the button that shows the rest of a cut article, unless the user has acted."""
        options = self.options
        if not (options.expand and options.javascript and options.wait == "settle"):
            return
        if options.acts or self.is_cut_short:
            return
        assert self.session is not None
        assert self.tab is not None
        try:
            async with asyncio.timeout(self._remaining()):
                evidence = await find_button(stabilizer)
                if not evidence:
                    return
                wire, nodes = self.engine.wire, options.limits.nodes
                before = await capture(wire, self.session, self.tab.target, nodes)
                interceptor.stays = True
                if not await unfold_article(stabilizer, self._remaining(), evidence):
                    self.unfolded_from = before
        except BrowserCrashedError:
            raise
        except (TimeoutError, RenderError):
            return
        finally:
            interceptor.stays = False

    async def _restore(self) -> frozenset[int]:
        """Put back the text that scripts took away; the backend node ids of what was put back."""
        assert self.stabilizer is not None
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
        assert self.session is not None
        assert self.tab is not None
        assert self.network is not None
        assert self.request.lacks_article is not None
        limits = self.options.limits
        replies = await capture(self.engine.wire, self.session, self.tab.target, limits.nodes)
        facts = self._facts(self.tab.page, self.network)
        snapshot = await asyncio.to_thread(snapshot_of, replies, facts, limits)
        return await self.request.lacks_article(snapshot)

    async def _capture(self, target: str) -> Capture:
        assert self.session is not None
        nodes = self.options.limits.nodes
        replies = await self._in_time(capture(self.engine.wire, self.session, target, nodes))
        if self.clock:
            self.clock.reschedule(None)  # assembling the snapshot takes a bounded time
        return replies

    async def _snapshot(self, replies: Capture, page: Page, network: NetworkWatch) -> Snapshot:
        self._check_received(network)
        limits = self.options.limits
        snapshot = await asyncio.to_thread(snapshot_of, replies, self._facts(page, network), limits)
        # What the user's own actions took away is not to be found in another version of the page.
        if not (self.options.click or self.options.script or self.options.hide):
            snapshot = replace(snapshot, served=network.served)
        if network.broken:
            cause = network.broken.removeprefix("net::")
            self._warn("broken-off", f"the end of the document could not be loaded: {cause}")
            if len(snapshot) < LEAST_NODES:
                raise self._opening_error(network.broken)
        if network.over_limit:
            self._warn("too-large", f"loading was stopped after {network.received:,} bytes")
            if len(snapshot) < LEAST_NODES:
                raise TooLargeError(
                    f"{self.request.url} is larger than the limit on bytes", url=self.request.url
                )
        return snapshot

    def _check_received(self, network: NetworkWatch) -> None:
        """Raise an error if the time was up before any of the document had been received.

        This is certain only after the capture: a busy script delays the events that report data.
        """
        if not network.received and self._has_warned("deadline"):
            raise PageTimeoutError(
                f"{self.request.url} sent no content in time", url=self.request.url
            )

    async def _picture(
        self,
        page: Page,
        target: str,
        network: NetworkWatch,
        stabilizer: PageStabilizer,
        restored: frozenset[int],
    ) -> Snapshot:
        """Capture the page with its screenshot, and again if the page has moved in between."""
        assert self.session is not None
        await self._look(stabilizer.freeze())
        started, captures = monotonic(), 0
        while True:
            captures += 1
            layout = await self._look(stabilizer.layout())
            replies = replace(await self._capture(target), restored=restored)
            layers = await self._hide_layers(replies)
            snapshot = await take_screenshot(
                self.session,
                await self._snapshot(replies, page, network),
                self.options.limits,
                self._remaining(reserve=False),
            )
            await self._look(layers.show())
            if layout is not None and layout == await self._look(stabilizer.layout()):
                return snapshot
            seconds = (monotonic() - started) / captures
            if captures == MAX_CAPTURES or self._remaining(reserve=False) < 2 * seconds:
                self._warn(
                    "moved", "the page moved while its picture was taken; boxes may be misplaced"
                )
                return snapshot

    async def _hide_layers(self, replies: Capture) -> HiddenLayers:
        """Hide layers that cover the text, if that is requested."""
        assert self.session is not None
        layers = HiddenLayers(self.session)
        if self.options.hide_overlays:
            node_ids = await asyncio.to_thread(covering_layers, replies.replies[0])
            await self._look(layers.hide(node_ids))
        return layers

    async def _look(self, look: Awaitable[T]) -> T | None:
        """Await a reply that a busy or vanished page may never send; None if it does not come."""
        try:
            async with asyncio.timeout(self._remaining(reserve=False) * BUSY_SHARE):
                return await look
        except BrowserCrashedError:
            raise
        except (TimeoutError, RenderError):
            return None

    def _with_warnings(self, snapshot: Snapshot) -> Snapshot:
        warnings = self.traffic.warnings() if self.traffic else []
        warnings += self._egress_proxy.warnings() if self._egress_proxy else []
        if self.flood and self.flood.over:
            self._warn("flood", "its scripts were stopped: they sent the browser too many events")
        return snapshot.with_warnings(*self.warnings, *warnings)

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

    def _facts(self, page: Page, network: NetworkWatch) -> PageInfo:
        answer = None if self.request.document else network.answer
        assert self.stabilizer is not None
        moved = self.stabilizer.later_url
        return PageInfo(
            url=self.stabilizer.url if moved else page.url,
            later_url=moved,
            requested_url=self.request.url,
            status=answer.status if answer else None,
            etag=answer.etag if answer else "",
            last_modified=answer.last_modified if answer else "",
            viewport=self.options.viewport,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            pending=self.pending,
            stages=tuple(self.stages),
        )

    async def has_crashed(self, error: PlaywrightError) -> bool:
        """Whether the page's process, or the whole browser, is gone."""
        if any(sign in error.message for sign in CRASH_SIGNS):
            return True
        if "ERR_ABORTED" in error.message and self._answer is None:
            # A navigation also ends like this when its process dies, just before the crash event.
            await asyncio.sleep(CRASH_NEWS_SECONDS)
        return self.session is not None and self.session.gone

    def translate(self, error: PlaywrightError) -> RenderError:
        """Convert an error of Playwright's to a `RenderError`."""
        return self._opening_error(error.message.splitlines()[0])

    def _opening_error(self, line: str) -> RenderError:
        url = self.request.url
        if "Download is starting" in line:
            mime = self._answer.mime if self._answer else ""
            return not_a_page(url, DOWNLOAD if mime in PAGES else type_kind(mime))
        if self._answer is not None and self._answer.status in (204, 205):
            status = self._answer.status
            return NavigationError(f"{url} answered {status}: no content", url=url, status=status)
        if self.request.archive is not None and "net::ERR_BLOCKED_BY_CLIENT" in line:
            return NavigationError(f"{url} is not in the archive", url=url, cause=NOT_ARCHIVED)
        failed_url = self.network.requested_url if self.network else ""
        return navigation_error(url, line, self._egress_proxy, failed_url)

    @property
    def _egress_proxy(self) -> EgressProxy | None:
        return self.tab.egress_proxy if self.tab else None

    @property
    def _answer(self) -> Answer | None:
        return self.network.answer if self.network else None

    async def close(self) -> None:
        """Close the tab with everything that its page has left there."""
        if self.traffic is not None:
            self.traffic.close()
        if self.blocker is not None:
            self.blocker.log()
        if self.consent is not None:
            self.consent.close()
        if self.session is not None:
            self.engine.wire.forget(self.session)
        if self.tab is not None:
            await self.tab.close()


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


def _pending_message(pending: tuple[str, ...]) -> str:
    named = ", ".join(each[:NAMED_CHARS] for each in pending[:NAMED])
    more = f" and {len(pending) - NAMED} more" if len(pending) > NAMED else ""
    return f"captured while these had not come: {named}{more}"


def _crash_error(url: str) -> BrowserCrashedError:
    return BrowserCrashedError(f"Chromium died while it rendered {url}", url=url)
