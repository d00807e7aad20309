"""Actions on a page before it is captured: consent, waiting, clicks, a script.

Selectors are looked up in an isolated world that the page's scripts cannot reach. The user's script
runs with the rights of the page's own scripts, and so under the same egress policy.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from ..options import RenderOptions
from .capture import capture
from .consent import ConsentDialogs, refuse_by_words
from .layers import HiddenLayers, covering_layers
from .protocol import BrowserWire, ProtocolSession
from .stabilizer import PageStabilizer

__all__ = ["PageActions"]

POLL = 0.15

# Seconds that the text may take to settle after a click or a script.
REST_SECONDS = 3.0

# Characters of a failed script's message that are kept; the page may have written the message.
MAX_MESSAGE = 200

# Maximum number of screens to scroll to the end of a page.
MAX_SCREENS = 200

# Share of the remaining time that waiting, a script and scrolling may each take.
SHARE = 0.8

IS_VISIBLE = "!!document.querySelector({0})?.getClientRects().length"

CLICK = """(() => {{
  const element = document.querySelector({0});
  if (!element) return false;
  element.scrollIntoView({{block: 'center', behavior: 'instant'}});
  element.click();
  return true;
}})()"""

# The elements are removed, since text that is merely not displayed can be an article that a script
# has yet to show. All are found first, because removing some changes what `:nth-child` matches.
HIDE = """(() => {{
  const find = (selector) => {{
    try {{ return [...document.querySelectorAll(selector)] }} catch {{ return [] }}
  }};
  const found = {0}.map(find);
  for (const element of found.flat()) {{
    if (element === document.documentElement) element.replaceChildren();
    else element.remove();
  }}
  return found.map((elements) => elements.length);
}})()"""


@dataclass
class PageActions:
    """The actions on one page.

    Attributes
    ----------
    session
        Session of the page.
    stabilizer
        Evaluates expressions apart from the page's scripts, and waits for its text to settle.
    options
        Options that specify the actions.
    consent
        The page's consent dialogs, if they are to be refused.
    wire, target
        The browser's own session, and the page's target.
    warn
        Called with the code and the message of a warning for each action that fails.
    remaining
        Returns the number of seconds left.
    """

    session: ProtocolSession
    stabilizer: PageStabilizer
    options: RenderOptions
    consent: ConsentDialogs | None
    wire: BrowserWire
    target: str
    warn: Callable[[str, str], None]
    remaining: Callable[[], float]

    async def run(self) -> None:
        """Run all requested actions: consent, waiting, clicks, script, scrolling, then hiding."""
        clock = self.stabilizer.clock
        async with clock.keep_pace() if clock else contextlib.nullcontext():
            await self._run()

    async def _run(self) -> None:
        options = self.options
        if self.consent is not None:
            await self._refuse(self.consent)
        if options.wait_for:
            await self._wait_for(options.wait_for)
        for selector in options.click:
            await self._click(selector)
        if options.script:
            await self._run_script(options.script)
        if options.scroll:
            await self._scroll()
        if options.dismiss_consent:
            await self._hide_covers()
        if options.hide:
            await self._hide(options.hide)

    async def _refuse(self, consent: ConsentDialogs) -> None:
        await consent.refuse(self.remaining())
        if not consent.refused:
            consent.refused = await refuse_by_words(self.stabilizer, self.wire, self.target)
        if consent.refused:
            await self._rest()

    async def _wait_for(self, selector: str) -> None:
        until = monotonic() + SHARE * self.remaining()
        while not await self._ask(IS_VISIBLE, selector):
            if monotonic() >= until:
                self.warn("not-found", f"nothing that matches {selector!r} became visible")
                return
            await asyncio.sleep(POLL)

    async def _click(self, selector: str) -> None:
        if await self._ask(CLICK, selector):
            await self._rest()
        else:
            self.warn("not-found", f"there is nothing to click that matches {selector!r}")

    async def _run_script(self, script: str) -> None:
        try:
            async with asyncio.timeout(SHARE * self.remaining()):
                answer = await self.session.send(
                    "Runtime.evaluate",
                    expression=script,
                    awaitPromise=True,
                    userGesture=True,
                    # Allows top-level `await`.
                    replMode=True,
                )
        except TimeoutError:
            self.warn("script", "the script had not ended when the time was up")
            return
        if failure := answer.get("exceptionDetails"):
            message = failure.get("exception", {}).get("description") or failure.get("text", "")
            self.warn("script", f"the script failed: {message[:MAX_MESSAGE]}")
        await self._rest()

    async def _scroll(self) -> None:
        scroll, height = self.options.scroll, self.options.viewport[1]
        screens = MAX_SCREENS if scroll == "end" else scroll
        at_end = await self.stabilizer.scroll(screens, height, SHARE * self.remaining())
        if scroll == "end" and not at_end:
            self.warn("scrolling", "scrolling was stopped before the end of the page")

    async def _hide_covers(self) -> None:
        """Hide layers that still cover the text after consent dialogs have been refused."""
        if await self.stabilizer.lacks_article():
            return  # the dialog is what the page shows
        nodes = self.options.limits.nodes
        page = await capture(self.wire, self.session, self.target, nodes)
        node_ids = await asyncio.to_thread(covering_layers, page.replies[0])
        await HiddenLayers(self.session).hide(node_ids)

    async def _hide(self, selectors: tuple[str, ...]) -> None:
        counts = await self._ask(HIDE, selectors)
        for selector, count in zip(selectors, counts or [0] * len(selectors), strict=True):
            if not count:
                self.warn("not-found", f"there is nothing to hide that matches {selector!r}")

    async def _ask(self, expression: str, value: str | tuple[str, ...]) -> Any:
        return await self.stabilizer.evaluate(expression.format(json.dumps(value)))

    async def _rest(self) -> None:
        await self.stabilizer.settle(min(REST_SECONDS, self.remaining()))
