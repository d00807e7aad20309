"""One plain GET through the browser's own network: robots.txt, sitemaps, feeds, pages as served.

No document is ever loaded: the request is ended once its body was read. The browser reads it
in pieces, so a body that never ends, or unpacks to anything, costs no more than its bound.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from urllib.parse import urljoin

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from ...errors import BrowserCrashed, NavigationError, PageTimeout, RenderError, TooLarge
from ..context import NOT_ARCHIVED, Request
from ..egress.failures import navigation_error
from ..egress.outlet import Outlet
from ..engine import Engine
from ..options import RenderOptions
from ..protocol import ProtocolSession
from ..tab import Tab
from ..tabs import getting_key, leave_blank, take
from .archive import Archive
from .body import take_body
from .exchange import REDIRECTS, Exchange
from .recorder import answered

__all__ = ["Get", "fetch_archived", "fetch_live"]

# As many as Chromium follows.
MAX_REDIRECTS = 20

HELD_UP = {"urlPattern": "*", "requestStage": "Response"}


@dataclass(frozen=True)
class Get:
    """A plain GET: its address, and what it may cost."""

    url: str
    seconds: float
    max_bytes: int

    def too_large(self) -> TooLarge:
        """The answer is larger than it may be."""
        return TooLarge(f"{self.url} is larger than {self.max_bytes:,} bytes", url=self.url)


def fetch_archived(archive: Archive, get: Get) -> list[Exchange]:
    """The answers of an archive: redirects, and the last one.

    Raises
    ------
    NavigationError
        The archive lacks one.
    TooLarge
        The body is longer than it may be.
    """
    found: list[Exchange] = []
    url = get.url
    for _ in range(MAX_REDIRECTS):
        answer = archive.find(url)
        if answer is None:
            raise NavigationError(f"{url} is not in the archive", url=get.url, cause=NOT_ARCHIVED)
        found.append(answer)
        target = answer.header("location")
        if answer.status not in REDIRECTS or not target:
            if len(answer.body) > get.max_bytes:
                raise get.too_large()
            return found
        url = _joined(url, target)
    cause = "ERR_TOO_MANY_REDIRECTS"
    raise NavigationError(f"{get.url} cannot be opened: {cause}", url=get.url, cause=cause)


def _joined(url: str, target: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError:
        return target


async def fetch_live(engine: Engine, get: Get, options: RenderOptions) -> list[Exchange]:
    """The answers of the network: redirects, and the last one.

    Raises
    ------
    NavigationError
        The address cannot be opened. A status of 400 or more is an answer like any other.
    BrowserCrashed
        Chromium died.
    PageTimeout, TooLarge
        The answer takes longer, or is longer, than it may.
    """
    until = monotonic() + get.seconds
    key = getting_key(options)
    tab = take(engine, key, get.url)
    try:
        tab = tab or await Tab.open(engine, Request(get.url), options)
        return await _get_in(tab, key, get, until)
    except PlaywrightError as error:
        raise _translated(get.url, error, tab.outlet if tab else None) from None


async def _get_in(tab: Tab, key: str | None, get: Get, until: float) -> list[Exchange]:
    """Get in a tab, which is kept under the key where all went well."""
    session, kept = None, None
    try:
        session = await tab.engine.wire.attach(tab.target)
        found = await _Getting(session, get, until).run(tab.page)
        kept = key
        return found
    finally:
        await asyncio.shield(leave_blank(tab, kept, session, get.url))


@dataclass
class _Getting:
    session: ProtocolSession
    get: Get
    until: float
    found: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, page: Page) -> list[Exchange]:
        self.session.on("Fetch.requestPaused", self._paused)
        await self.session.send("Fetch.enable", patterns=[HELD_UP])
        opening = asyncio.ensure_future(page.goto(self.get.url, wait_until="commit", timeout=0))
        opening.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            async with asyncio.timeout(self.until - monotonic()):
                await asyncio.wait({self._end, opening}, return_when=asyncio.FIRST_COMPLETED)
                if not self._tasks and not self._end.done():
                    await opening  # an error of the network, before any answer
                await self._end
        except TimeoutError:
            told = f"{self.get.url} did not answer in {self.get.seconds:g} s"
            raise PageTimeout(told, url=self.get.url) from None
        finally:
            opening.cancel()
        return self.found

    def _paused(self, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._take(event))
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) and not self._end.done():
            self._end.set_exception(error)

    async def _take(self, event: dict[str, Any]) -> None:
        request = {"requestId": event["requestId"]}
        status = event.get("responseStatusCode")
        known = answered(event, b"", "empty") if status else None
        if known is None or (status in REDIRECTS and known.header("location")):
            if known:
                self.found.append(known)
            await self.session.send("Fetch.continueRequest", **request)
            return
        limit, until = self.get.max_bytes, self.until
        body = await take_body(self.session, event["requestId"], limit, until, in_part=False)
        if len(body.data) > self.get.max_bytes:
            raise self.get.too_large()
        if body.is_whole and not self._end.done():
            self.found.append(answered(event, body.data, "empty"))
            self.session.post("Fetch.failRequest", **request, errorReason="Aborted")
            self._end.set_result(None)
        # Without its whole body the request is left until the time is up, or its page is gone.


def _translated(url: str, error: PlaywrightError, outlet: Outlet | None) -> RenderError:
    line = error.message.splitlines()[0]
    if "crashed" in line or "closed" in line:
        return BrowserCrashed(f"Chromium died while it got {url}", url=url)
    return navigation_error(url, line, outlet)
