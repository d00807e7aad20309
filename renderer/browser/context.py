"""The request for a page, and its `Tab`: one page in a browser context with a proxy of its own.

A context is never used for a second page. Credentials, caches, storage and requests that outlive
their page end with it, whatever kinds of state the browser has.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from ..archives.archive import Archive
from ..network.egress_proxy import EgressProxy, Network
from ..network.exchange import Exchange
from ..network.policy import check_proxy, proxy_settings
from ..options import RenderOptions
from ..page.snapshot import Snapshot
from .chromium import DEAD_PROXY, EVEN_LOOPBACK
from .engine import Engine
from .interceptor import SuppliedDocument
from .protocol import ProtocolSession

LacksArticle = Callable[[Snapshot], Awaitable[bool]]

CLOSE_SECONDS = 3.0


@dataclass(frozen=True)
class Request:
    """What to render: a URL, or HTML as if it had come from one.

    An archive answers every request in place of the network. `lacks_article` is asked whether a
    page that is not complete still lacks its article.
    """

    url: str
    document: SuppliedDocument | None = None
    archive: Archive | None = None
    recorded: list[Exchange] | None = None
    lacks_article: LacksArticle | None = None

    @property
    def is_file(self) -> bool:
        """Whether the page is a local file."""
        return self.url.startswith("file:")

    @property
    def is_cut_off(self) -> bool:
        """Whether nothing may be fetched from the network."""
        is_alone = self.document is not None and not self.document.fetch
        return self.archive is not None or is_alone or self.is_file


def context_options(
    request: Request, options: RenderOptions, egress_proxy: EgressProxy | None
) -> dict[str, Any]:
    """Playwright's options for the context of a page.

    The user agent is not among them: for workers, Playwright would clear the brands that belong to
    it. `RequestInterceptor` sets both.
    """
    width, height = options.window
    chosen: dict[str, Any] = {
        "viewport": {"width": width, "height": height},
        "java_script_enabled": options.javascript,
        "locale": options.locale,
        "timezone_id": options.timezone,
        "color_scheme": options.color_scheme,
        "storage_state": options.storage_state,
        "accept_downloads": False,
        "service_workers": "block",
        "permissions": [],
    }
    if device := options.shown_on:
        chosen["device_scale_factor"] = device.scale
        chosen["is_mobile"], chosen["has_touch"] = device.is_mobile, device.has_touch
        chosen["screen"] = {"width": device.screen[0], "height": device.screen[1]}
    if request.is_cut_off:
        chosen["proxy"] = {"server": DEAD_PROXY, "bypass": EVEN_LOOPBACK}
    elif egress_proxy:
        chosen["proxy"] = {
            "server": f"socks5://127.0.0.1:{egress_proxy.port}",
            "bypass": EVEN_LOOPBACK,
        }
    elif options.proxy:
        chosen["proxy"] = proxy_settings(options.proxy)
    return chosen


@dataclass(eq=False)
class Tab:
    """A tab in which one page is opened, and its context's proxy, if Miolo makes its connections.

    `page` is the tab's own page, not a window that it opened; `target` the ID of the page's target,
    which is that of its main frame.
    """

    engine: Engine
    egress_proxy: EgressProxy | None = None
    context: BrowserContext | None = None
    page: Page = field(init=False)
    target: str = ""
    session: ProtocolSession = field(init=False)

    @classmethod
    async def open(
        cls, engine: Engine, network: Network, request: Request, options: RenderOptions
    ) -> Tab:
        """Open a context with a blank page."""
        tab = cls(engine)
        if not request.is_cut_off:
            check_proxy(options.proxy, options.egress)
            if options.is_filtered:
                hosts = options.blocking.hosts
                tab.egress_proxy = await network.open_proxy(options.egress, request.url, hosts)
        try:
            await tab._fill(request, options)
        except BaseException:
            await asyncio.shield(tab.close())
            raise
        return tab

    async def _fill(self, request: Request, options: RenderOptions) -> None:
        chosen = context_options(request, options, self.egress_proxy)
        # Playwright does not name the context as the browser does: it is the one that is new.
        async with self.engine.opening:
            before = await self._contexts()
            self.context = await self.engine.browser.new_context(**chosen)
            (name,) = await self._contexts() - before
        if options.cookies:
            cookies: Any = [dict(cookie) for cookie in options.cookies]
            await self.context.add_cookies(cookies)
        async with self.context.expect_page() as opened:
            created = await self.engine.wire.send(
                "Target.createTarget",
                url="about:blank",
                browserContextId=name,
                enableBeginFrameControl=not options.is_painted,
            )
        self.page = await opened.value
        self.context.on("page", _close_popup)
        self.target = created["targetId"]
        self.session = await self.engine.wire.attach(self.target)

    async def _contexts(self) -> set[str]:
        return set((await self.engine.wire.send("Target.getBrowserContexts"))["browserContextIds"])

    async def close(self) -> None:
        """Close context and proxy; a browser that does not close a context in time is given up."""
        try:
            with contextlib.suppress(PlaywrightError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    if self.context is not None:
                        await self.context.close()
        except TimeoutError:
            self.engine.retired = self.engine.stuck = True
        finally:
            if self.egress_proxy is not None:
                await self.egress_proxy.close()


def _close_popup(popup: Page) -> None:
    task = asyncio.ensure_future(popup.close())
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
