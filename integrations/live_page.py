"""Snapshots of pages that another program has opened with Playwright.

A snapshot shows the current state of the page, after the program's clicks, login or scrolling. The
page's context must have a browser (``page.context.browser``), so persistent contexts do not work.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..renderer.browser.assemble import snapshot_of
from ..renderer.browser.capture import capture
from ..renderer.browser.protocol import BrowserWire
from ..renderer.options import Limits
from ..renderer.page.snapshot import PageInfo, Snapshot

if TYPE_CHECKING:
    from playwright.async_api import Page

__all__ = ["capture_page", "wait_until_still"]

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


async def capture_page(
    page: Page, requested_url: str = "", status: int | None = None, limits: Limits | None = None
) -> Snapshot:
    """Capture an open page with all its frames, without changing it.

    Parameters
    ----------
    page
        An open page in any state.
    requested_url, status
        Requested address and HTTP status of the response, if known.
    limits
        Bounds on the snapshot; `Limits` by default.

    Raises
    ------
    ValueError
        The page belongs to a persistent context.
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
        replies = await capture(wire, session, target, limits.nodes)
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
