"""Snapshots of pages that another program has opened with Playwright.

A snapshot shows the current state of the page, after the program's clicks, login or scrolling. The
page's context must have a browser (``page.context.browser``), so persistent contexts do not work.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..errors import NavigationError
from ..renderer.browser.assemble import snapshot_of
from ..renderer.browser.capture import capture
from ..renderer.browser.protocol import BrowserWire
from ..renderer.options import Limits
from ..renderer.page.snapshot import PageInfo, Snapshot

if TYPE_CHECKING:
    from playwright.async_api import Page

IS_ACTIVE = "() => (document.visibilityState === 'visible') + 2 * document.hasFocus()"
"""Rank of a tab: 0 in the background, 1 if its window shows it, more if it has the focus."""

ASK_SECONDS = 5.0
CONNECT_SECONDS = 15.0

# Resolves when the length of the page's text has not changed for one second, or after eight.
TEXT_IS_STILL = """async () => {
    const length = () => (document.body ? document.body.innerText.length : 0);
    let last = length(), still = 0;
    for (let look = 0; look < 40 && still < 5; look++) {
        await new Promise(resolve => setTimeout(resolve, 200));
        still = length() === last ? still + 1 : 0;
        last = length();
    }
}"""


async def wait_until_still(page: Page) -> None:
    """Wait until the page's scripts have stopped changing its text, for at most eight seconds."""
    await page.wait_for_load_state("domcontentloaded")
    await page.evaluate(TEXT_IS_STILL)


async def capture_tab(address: str, part: str = "", limits: Limits | None = None) -> Snapshot:
    """Capture a tab that is open in the user's own browser, such as one of a logged-in user.

    Nothing is navigated, closed or changed, and no request is sent. The browser is a Chromium that
    was started with ``--remote-debugging-port=9222``; its `address` is that port, or such as
    ``"127.0.0.1:9222"``. The tab has `part` in its address, or is the active one. If there
    is no such browser or tab, a `NavigationError` is raised.
    """
    from playwright.async_api import Error as PlaywrightError
    from playwright.async_api import async_playwright

    endpoint = f"127.0.0.1:{address}" if address.isdecimal() else address
    endpoint = endpoint if "://" in endpoint else f"http://{endpoint}"
    port = address.rpartition(":")[2].strip("/")
    port = port if port.isdecimal() else "9222"
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.connect_over_cdp(
                endpoint, no_defaults=True, timeout=CONNECT_SECONDS * 1000
            )
        except PlaywrightError as error:
            raise NavigationError(
                f"no browser answers at {address}: start it with --remote-debugging-port={port} "
                f"({error.message.splitlines()[0]})",
                url=address,
            ) from None
        # The connection is closed with the driver; `Browser.close` might close more.
        tabs = [page for context in browser.contexts for page in context.pages if part in page.url]
        if not tabs:
            what = f"no tab whose address contains {part!r}" if part else "no open tab"
            raise NavigationError(f"the browser at {address} has {what}", url=part or address)

        async def rank(page: Page) -> int:
            try:
                async with asyncio.timeout(ASK_SECONDS):
                    return await page.evaluate(IS_ACTIVE)
            except Exception:  # a page that is closed, crashed or stopped by its debugger
                return -1

        ranks = await asyncio.gather(*map(rank, tabs))
        return await capture_page(tabs[ranks.index(max(ranks))], limits=limits)


async def capture_page(
    page: Page, requested_url: str = "", status: int | None = None, limits: Limits | None = None
) -> Snapshot:
    """Capture an open page, in any state, with all its frames, without changing it.

    The requested address and the HTTP status of the response are recorded if they are known. A page
    of a persistent context is a `ValueError`.
    """
    browser = page.context.browser
    if browser is None:
        raise ValueError("pages of a persistent context cannot be captured")
    limits = limits or Limits()
    probe = await page.context.new_cdp_session(page)
    browser_session = await browser.new_browser_cdp_session()
    try:
        target = (await probe.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
        wire = BrowserWire(browser_session)
        session = await wire.attach(target)
        replies = await capture(wire, session, limits.nodes)
    finally:
        await probe.detach()
        await browser_session.detach()
    size = page.viewport_size or {"width": 1280, "height": 1024}
    info = PageInfo(
        url=page.url,
        requested_url=requested_url or page.url,
        status=status,
        viewport=(size["width"], size["height"]),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return snapshot_of(replies, info, limits)
