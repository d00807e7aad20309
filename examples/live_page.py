"""A snapshot of a page that another program has open in its own Playwright.

What that program did there is in it: clicked, logged in, scrolled. Its browser must be known to
its context (``page.context.browser``): no persistent context.
"""

from __future__ import annotations

from datetime import UTC, datetime

from miolo import Limits, PageInfo, Snapshot
from miolo.renderer.browser.assemble import assemble
from miolo.renderer.browser.capture import capture
from miolo.renderer.browser.decode import decode
from miolo.renderer.browser.protocol import BrowserWire
from miolo.renderer.browser.trim import trim
from playwright.async_api import Page

# Resolves when the page's text has not changed for a second, or after eight.
TEXT_IS_STILL = """async () => {
    const length = () => (document.body ? document.body.innerText.length : 0);
    let last = length(), still = 0;
    for (let look = 0; look < 40 && still < 5; look++) {
        await new Promise(resolve => setTimeout(resolve, 200));
        still = length() === last ? still + 1 : 0;
        last = length();
    }
}"""


async def settled(page: Page) -> None:
    """Wait for what the page's scripts put there after it was loaded."""
    await page.wait_for_load_state("domcontentloaded")
    await page.evaluate(TEXT_IS_STILL)


async def snapshot_of(page: Page, requested_url: str = "", status: int | None = None) -> Snapshot:
    """Capture an open page with all its frames; the page is not changed.

    Parameters
    ----------
    page
        The page, as far as it has come.
    requested_url, status
        What was asked for and how that was answered, where it is known.
    """
    browser = page.context.browser
    if browser is None:
        raise ValueError("a persistent context knows no browser to capture its pages with")
    probe, wired = await page.context.new_cdp_session(page), await browser.new_browser_cdp_session()
    try:
        target = (await probe.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
        wire = BrowserWire(wired)
        session = await wire.attach(target)
        replies = await capture(wire, session, target, Limits().nodes)
    finally:
        await probe.detach()
        await wired.detach()
    size = page.viewport_size or {"width": 1280, "height": 1024}
    facts = PageInfo(
        url=page.url,
        requested_url=requested_url or page.url,
        status=status,
        viewport=(size["width"], size["height"]),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return trim(assemble(decode(replies), facts), Limits())
