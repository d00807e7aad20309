"""Reuses tabs for pages of one origin, one after the other, each loaded as on a first visit.

A new context takes a third of a page's time: it needs a process of its own, and each style sheet,
script and font is fetched and parsed again. With `reuse`, a page is opened in the tab of an earlier
page of exactly its origin. Everything that the earlier page could have left behind is cleared
first: cookies, storage of every kind, the window's name and the history. The browser's cache is
kept, since it serves exactly this purpose.
"""

from __future__ import annotations

import asyncio
from collections.abc import Set
from dataclasses import replace

from playwright.async_api import Error as PlaywrightError

from ...errors import BrowserCrashedError, RenderError
from ..network.network import Network
from ..options import Limits, RenderOptions
from ..origins import origin_of
from ..snapshot import Snapshot
from .context import Request
from .engine import Engine
from .protocol import ProtocolSession
from .tab import Tab

__all__ = ["TabPool", "sharing_key"]

# Pages after which a tab is closed, and idle tabs beyond which the least recently used is closed.
MAX_VISITS = 50
MAX_IDLE = 16

CLEAR_SECONDS = 3.0
BLANK_SECONDS = 0.005

# Everything but cookies, which are cleared separately, for every host.
STORAGE = "file_systems,indexeddb,local_storage,websql,service_workers,cache_storage,shared_storage"


def sharing_key(request: Request, options: RenderOptions) -> str | None:
    """Key of the tabs that a page may be opened in; None if it needs one of its own."""
    origin = origin_of(request.url)
    takes_picture = options.screenshot or options.pdf
    own = (
        options.cookies
        or options.storage_state
        or takes_picture
        or not options.javascript
        or options.acts
    )
    other = request.document or request.is_cut_off or request.recorded is not None
    if not options.reuse or own or other or origin is None:
        return None
    # Limits belong to a page, not to its tab: the time that is left differs from page to page.
    shared = replace(options, limits=Limits())
    return repr((origin, shared, options.egress, options.proxy, sorted(options.headers.items())))


class TabPool:
    """The tabs of one browser: opened for a page, kept for further pages of their key, or closed.

    Parameters
    ----------
    engine
        The browser.
    network
        Network access of its pages.
    """

    def __init__(self, engine: Engine, network: Network) -> None:
        self.engine = engine
        self._network = network
        # Least recently used first.
        self._idle: dict[str, list[Tab]] = {}

    @property
    def idle(self) -> list[Tab]:
        """Tabs that wait for another page."""
        return [tab for tabs in self._idle.values() for tab in tabs]

    async def take(self, key: str | None, request: Request, options: RenderOptions) -> Tab:
        """Take a tab for a page; from now on it belongs to the caller.

        This is an idle tab of the key in which the page's URL has not been opened, or a new tab.

        Raises
        ------
        EgressRefusedError
            The user's own proxy could reach addresses that the page may not.
        """
        idle = self._idle.get(key, []) if key is not None else []
        # A document that comes from the cache sets no cookies.
        tab = next((tab for tab in reversed(idle) if request.url not in tab.opened), None)
        if tab is None or key is None:
            return await Tab.open(self.engine, self._network, request, options)
        idle.remove(tab)
        if not idle:
            del self._idle[key]
        return tab

    async def leave(
        self,
        tab: Tab,
        key: str | None,
        session: ProtocolSession | None,
        snapshot: Snapshot | None,
        origins: Set[str | None],
    ) -> None:
        """Clear a tab and keep it for the next page of its key, or close it.

        Parameters
        ----------
        session
            Session of the page, which ends here.
        snapshot
            Snapshot of the page, if it was captured.
        origins
            Origins of all documents that the page requested.
        """
        kept = False
        if session is not None:
            if key is not None and snapshot is not None:
                kept = await _try_to_clear(tab, session, snapshot, origins)
            self.engine.wire.forget(session)
        if kept and key is not None and not self.engine.retired:
            await self._keep(tab, key)
        else:
            await tab.close()

    async def _keep(self, tab: Tab, key: str) -> None:
        # The most recently used key comes last.
        self._idle[key] = [*self._idle.pop(key, []), tab]
        if len(self.idle) > MAX_IDLE:
            oldest = next(iter(self._idle))
            surplus = self._idle[oldest].pop(0)
            if not self._idle[oldest]:
                del self._idle[oldest]
            await surplus.close()

    async def close(self) -> None:
        """Close the browser with all of its tabs; no process and no proxy remains."""
        idle = self.idle
        self._idle.clear()
        await self.engine.close()
        await asyncio.gather(*(tab.close_proxy() for tab in idle))


async def _try_to_clear(
    tab: Tab, session: ProtocolSession, snapshot: Snapshot, origins: Set[str | None]
) -> bool:
    """Clear a tab whose page was captured; returns whether the tab is as good as new."""
    own = origin_of(snapshot.page.requested_url)
    tab.opened.add(snapshot.page.requested_url)
    if snapshot.page.warnings or len(tab.opened) >= MAX_VISITS:
        return False

    def is_isolated() -> bool:
        # A frame of another origin has storage that lasts as long as the tab and cannot be cleared.
        return not tab.opened_others and origins <= {own, None}

    if not is_isolated():
        return False
    try:
        async with asyncio.timeout(CLEAR_SECONDS):
            await _clear(tab, session, own)
            await tab.engine.wire.detach(session)
    except (TimeoutError, RenderError, PlaywrightError):
        return False
    return is_isolated()  # its scripts ran until they were stopped above


async def _clear(tab: Tab, session: ProtocolSession, origin: str | None) -> None:
    session_storage = {"securityOrigin": origin, "isLocalStorage": False}
    await asyncio.gather(
        # The page must not write anything even while it is unloaded.
        session.send("Emulation.setScriptExecutionDisabled", value=True),
        session.send("DOMStorage.clear", storageId=session_storage),
    )
    await tab.page.goto("about:blank", wait_until="commit")
    await asyncio.gather(
        session.send("Network.clearBrowserCookies"),
        session.send("Storage.clearDataForOrigin", origin=origin, storageTypes=STORAGE),
        _forget_history(session),
    )
    # Only now is it certain that these reach the blank page and not the previous one.
    await asyncio.gather(
        session.send("Emulation.setScriptExecutionDisabled", value=False),
        session.send("Runtime.evaluate", expression="window.name = ''"),
    )
    if tab.egress_proxy is not None:
        await tab.egress_proxy.renew()


async def _forget_history(session: ProtocolSession) -> None:
    """Clear the tab's history as soon as the browser allows it, on the blank page.

    Playwright relies on the renderer process, which sometimes reports the blank page before the
    browser process has committed it.
    """
    while True:
        try:
            await session.send("Page.resetNavigationHistory")
            return
        except BrowserCrashedError:
            raise
        except RenderError:
            await asyncio.sleep(BLANK_SECONDS)
