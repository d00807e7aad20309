"""`Tab`: one page in a browser context of its own, with its own egress proxy.

A context is never used for a second page. Credentials, caches, storage and requests that outlive
their page end with it, whatever kinds of state the browser has.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from ..network.egress_proxy import EgressProxy
from ..network.network import Network
from ..options import RenderOptions
from .context import Request, context_options, open_egress_proxy
from .engine import Engine

__all__ = ["Tab"]

CLOSE_SECONDS = 3.0


@dataclass(eq=False)
class Tab:
    """A tab in which one page is opened.

    Attributes
    ----------
    egress_proxy
        The context's proxy; None if it connects to the network by itself, or not at all.
    page
        The tab's own page, not a window that it opened.
    target
        ID of the page's target, which is that of its main frame.
    """

    engine: Engine
    egress_proxy: EgressProxy | None = None
    context: BrowserContext | None = None
    page: Page = field(init=False)
    target: str = ""

    @classmethod
    async def open(
        cls, engine: Engine, network: Network, request: Request, options: RenderOptions
    ) -> Tab:
        """Open a context with a blank page.

        Raises
        ------
        EgressRefusedError
            The user's own proxy could reach addresses that the page may not.
        """
        tab = cls(engine, await open_egress_proxy(network, request, options))
        try:
            await tab._fill(request, options)
        except BaseException:
            await asyncio.shield(tab.close())
            raise
        return tab

    async def _fill(self, request: Request, options: RenderOptions) -> None:
        chosen = context_options(request, options, self.egress_proxy)
        self.context = await self.engine.browser.new_context(**chosen)
        if options.cookies:
            cookies: Any = [dict(cookie) for cookie in options.cookies]
            await self.context.add_cookies(cookies)
        self.page = await self.context.new_page()
        self.context.on("page", self._close_popup)
        self.target = await _target_of(self.context, self.page)

    def _close_popup(self, popup: Page) -> None:
        task = asyncio.ensure_future(popup.close())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

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
            await self.close_proxy()

    async def close_proxy(self) -> None:
        """Close only the proxy; nothing else is left to close once the browser is gone."""
        if self.egress_proxy is not None:
            await self.egress_proxy.close()


async def _target_of(context: BrowserContext, page: Page) -> str:
    probe = await context.new_cdp_session(page)
    try:
        return (await probe.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    finally:
        await probe.detach()
