"""One page from address to snapshot: open, settle, capture, picture, each in its time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from ..errors import BrowserCrashed, NavigationError, NotHTML, PageTimeout, RenderError, TooLarge
from .assemble import assemble
from .capture import capture
from .decode import decode
from .engine import Engine
from .gate import Gate, Given
from .network import Answer, NetworkWatch
from .options import RenderOptions
from .protocol import ProtocolSession
from .screenshot import take_screenshot
from .settle import Settler
from .snapshot import PageFacts, Snapshot, Warn
from .trim import trim

__all__ = ["Request", "visit"]

T = TypeVar("T")

# Kept back of a page's time for capturing what is there when the rest has run out.
RESERVE_SHARE = 0.3

PAGES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain", "")

CRASH_SIGNS = ("crashed", "has been closed", "Connection closed")
CRASH_NEWS_SECONDS = 0.2

# Nothing listens there: what a given HTML asks for in ways that no gate sees ends here.
DEAD_PROXY = "http://127.0.0.1:9"


@dataclass(frozen=True)
class Request:
    """What to render: an address, or HTML as if it had come from one."""

    url: str
    given: Given | None = None


async def visit(engine: Engine, request: Request, options: RenderOptions) -> Snapshot:
    """Render one page in a fresh context.

    Raises
    ------
    RenderError
        Nothing of the page could be captured.
    """
    visitor = _Visit(engine, request, options)
    try:
        return await visitor.run()
    except PlaywrightError as error:
        if await visitor.crashed(error):
            raise _crashed(request.url) from error
        raise visitor.translated(error) from error
    finally:
        await visitor.close()


@dataclass
class _Visit:
    engine: Engine
    request: Request
    options: RenderOptions
    started: float = field(default_factory=monotonic)
    warnings: list[Warn] = field(default_factory=list)
    context: BrowserContext | None = None
    session: ProtocolSession | None = None
    network: NetworkWatch | None = None

    async def run(self) -> Snapshot:
        page, target = await self._enter()
        assert self.session is not None
        network = NetworkWatch(target, self.options.limits.response_bytes)
        self.network = network
        settler = Settler(self.session, network)
        gate = Gate(self.session, target, settler.last_mass, self.request.given)
        await network.attach(self.session)
        await gate.open()
        if self.options.javascript and self.options.wait == "settle":
            await settler.watch()
        await self._open(page)
        self._check_answer(network)
        await self._settle(page, settler)
        if gate.refused:
            self._warn("left", f"a script wanted to leave for {gate.refused[0]}; it was not let")
        if settler.wiped:
            self._warn("wiped", "the page's scripts took its text away again")
        return await self._capture(page, target, network)

    async def _enter(self) -> tuple[Page, str]:
        self.context = await self.engine.browser.new_context(**self._context_options())
        self.context.set_default_timeout(1000 * self.options.limits.seconds)
        if self.options.cookies:
            cookies: Any = [dict(cookie) for cookie in self.options.cookies]
            await self.context.add_cookies(cookies)
        page = await self.context.new_page()
        self.context.on("page", lambda popup: _close_quietly(popup))
        target = await _target_of(self.context, page)
        self.session = await self.engine.wire.attach(target)
        self.session.on("Inspector.targetCrashed", lambda _: self.session and self.session.close())
        await self.session.send("Inspector.enable")
        return page, target

    def _context_options(self) -> dict[str, Any]:
        options = self.options
        width, height = options.viewport
        chosen: dict[str, Any] = {
            "viewport": {"width": width, "height": height},
            "java_script_enabled": options.javascript,
            "user_agent": options.user_agent,
            "locale": options.locale,
            "timezone_id": options.timezone,
            "extra_http_headers": dict(options.headers) or None,
            "storage_state": options.storage_state,
            "accept_downloads": False,
            "service_workers": "block",
            "permissions": [],
        }
        given = self.request.given
        if given and not given.fetch:
            chosen["proxy"] = {"server": DEAD_PROXY, "bypass": "<-loopback>"}
        elif options.proxy:
            chosen["proxy"] = {"server": options.proxy}
        return chosen

    def _left(self, *, reserve: bool = True) -> float:
        """Seconds left, those kept for the capture aside."""
        limit = self.options.limits.seconds
        share = 1 - RESERVE_SHARE if reserve else 1.0
        return max(0.05, self.started + limit * share - monotonic())

    def _warn(self, code: str, message: str) -> None:
        self.warnings.append(Warn(code, message))

    async def _open(self, page: Page) -> None:
        """Navigate, and wait for the document as the options say."""
        try:
            await page.goto(self.request.url, wait_until="commit", timeout=1000 * self._left())
        except PlaywrightTimeout:
            raise PageTimeout(
                f"{self.request.url} did not answer in {self._left_out()} s", url=self.request.url
            ) from None
        event = "load" if self.options.wait == "load" else "domcontentloaded"
        try:
            await page.wait_for_load_state(event, timeout=1000 * self._left())
        except PlaywrightTimeout:
            self._warn("deadline", "the document had not come to its end when the time was up")
            await self._stop_scripts()

    def _left_out(self) -> str:
        return f"{self.options.limits.seconds * (1 - RESERVE_SHARE):.0f}"

    def _check_answer(self, network: NetworkWatch) -> None:
        answer, url = network.answer, self.request.url
        if answer is None:
            return
        if answer.status >= 400:
            raise NavigationError(
                f"{url} answered with HTTP status {answer.status}", url=url, status=answer.status
            )
        if answer.mime not in PAGES:
            raise NotHTML(f"{url} is {answer.mime}, not a page", url=url)
        if answer.mime == "text/plain":
            self._warn("plain-text", "the address answered with plain text")

    async def _settle(self, page: Page, settler: Settler) -> None:
        options = self.options
        if options.wait != "settle" and not options.scroll:
            return
        seconds = min(options.settle_seconds, self._left())
        try:
            # A second more than it asks for itself: a busy page answers no question at all.
            async with asyncio.timeout(seconds + 1.0):
                if options.wait == "settle" and not await settler.settle(seconds):
                    self._warn("unsettled", "the page's text was still changing when captured")
            if options.scroll:
                async with asyncio.timeout(self._left()):
                    await settler.scroll(options.scroll, options.viewport[1], self._left())
        except TimeoutError:
            self._warn("busy", "the page's scripts were too busy to be waited for")
            await self._stop_scripts()
        except BrowserCrashed:
            raise
        except RenderError:
            # The document was replaced while it was looked at; the capture tells what is there.
            with contextlib.suppress(PlaywrightTimeout):
                await page.wait_for_load_state("domcontentloaded", timeout=1000 * self._left())

    async def _stop_scripts(self) -> None:
        """End a script that runs for ever, and let none start again."""
        assert self.session is not None
        self.session.post("Page.stopLoading")
        self.session.post("Emulation.setScriptExecutionDisabled", value=True)
        self.session.post("Runtime.terminateExecution")

    async def _capture(self, page: Page, target: str, network: NetworkWatch) -> Snapshot:
        assert self.session is not None
        replies = await self._in_time(capture(self.engine.wire, self.session, target))
        snapshot = trim(assemble(decode(replies), self._facts(page, network)), self.options.limits)
        if network.over_limit:
            self._warn("too-large", f"loading was stopped after {network.received:,} bytes")
            if len(snapshot) < 4:
                raise TooLarge(
                    f"{self.request.url} is larger than the limit on bytes", url=self.request.url
                )
        if self.options.screenshot:
            snapshot = await take_screenshot(
                self.session, snapshot, self.options.limits, self._left(reserve=False)
            )
        return snapshot.warned(*self.warnings)

    async def _in_time(self, work: Awaitable[T]) -> T:
        """Await under the page's own deadline; scripts that hold it up are ended half-way."""
        task = asyncio.ensure_future(work)
        try:
            done, _ = await asyncio.wait({task}, timeout=self._left(reserve=False) / 2)
            if not done:
                self._warn("busy", "the page's scripts were ended so that it could be captured")
                await self._stop_scripts()
            async with asyncio.timeout(self._left(reserve=False)):
                return await task
        except TimeoutError:
            raise PageTimeout(
                f"{self.request.url} could not be captured in {self.options.limits.seconds:g} s",
                url=self.request.url,
            ) from None
        finally:
            task.cancel()

    def _facts(self, page: Page, network: NetworkWatch) -> PageFacts:
        return PageFacts(
            url=page.url,
            requested_url=self.request.url,
            status=None if self.request.given or not network.answer else network.answer.status,
            viewport=self.options.viewport,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    async def crashed(self, error: PlaywrightError) -> bool:
        """Whether the page's process, or the whole browser, is gone."""
        if any(sign in error.message for sign in CRASH_SIGNS):
            return True
        if "ERR_ABORTED" in error.message and self._answer is None:
            # A navigation ends so too when its process dies, just before that is told.
            await asyncio.sleep(CRASH_NEWS_SECONDS)
        return self.session is not None and self.session.gone

    def translated(self, error: PlaywrightError) -> RenderError:
        """Playwright's message as an error of ours."""
        url, line = self.request.url, error.message.splitlines()[0]
        if "Download is starting" in line:
            return NotHTML(f"{url} is a download, not a page", url=url)
        if self._answer is not None and self._answer.status in (204, 205):
            status = self._answer.status
            return NavigationError(f"{url} answered {status}: no content", url=url, status=status)
        _, mark, rest = line.partition("net::")
        cause = rest.split()[0] if mark and rest else None
        return NavigationError(f"{url} cannot be opened: {cause or line}", url=url, cause=cause)

    @property
    def _answer(self) -> Answer | None:
        return self.network.answer if self.network else None

    async def close(self) -> None:
        if self.session is not None:
            self.engine.wire.forget(self.session)
        if self.context is not None:
            # Closing must not be cut short, even when the page's own task is cancelled.
            await asyncio.shield(_close_context(self.context))


async def _close_context(context: BrowserContext) -> None:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(10):
            await context.close()


def _close_quietly(popup: Page) -> None:
    task = asyncio.ensure_future(popup.close())
    task.add_done_callback(lambda done: done.cancelled() or done.exception())


async def _target_of(context: BrowserContext, page: Page) -> str:
    probe = await context.new_cdp_session(page)
    try:
        return (await probe.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    finally:
        await probe.detach()


def _crashed(url: str) -> BrowserCrashed:
    return BrowserCrashed(f"Chromium died while it rendered {url}", url=url)
