"""Actions on a page before it is captured: consent, waiting, clicks, a script, unfolding.

Selectors are looked up in an isolated world that the page's scripts cannot reach. The user's script
runs with the rights of the page's own scripts, and so under the same egress policy. The button that
unfolds an article which the page shows only in part is clicked without a request of the user.
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
from ..page.button_words import MAX_LABEL, button_words
from .capture import capture
from .consent import ConsentDialogs, refuse_by_words
from .layers import covering_layers, hide_layers
from .protocol import BrowserWire, ProtocolSession
from .stabilizer import PROSE, SHORT_BUDGET, WIDTH, PageStabilizer

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
    """The actions on one page; `warn` gets the code and the message of each action that fails."""

    session: ProtocolSession
    stabilizer: PageStabilizer
    options: RenderOptions
    consent: ConsentDialogs | None
    wire: BrowserWire
    warn: Callable[[str, str], None]
    remaining: Callable[[], float]

    async def run(self) -> None:
        """Run all requested actions: consent, waiting, clicks, script, scrolling, then hiding."""
        clock, options = self.stabilizer.clock, self.options
        async with clock.keep_pace() if clock else contextlib.nullcontext():
            if self.consent is not None:
                await self._refuse(self.consent)
            if options.wait_for:
                await self._wait_for(options.wait_for)
            for selector in options.click:
                if await self._ask(CLICK, selector):
                    await self._rest()
                else:
                    self.warn("not-found", f"there is nothing to click that matches {selector!r}")
            if options.script:
                await self._run_script(options.script)
            if options.scroll:
                await self._scroll()
            if options.dismiss_consent and not await self.stabilizer.lacks_article():
                # Layers still cover the text; a page without it would show nothing else.
                nodes = options.limits.nodes
                page = await capture(self.wire, self.session, nodes)
                node_ids = await asyncio.to_thread(covering_layers, page.replies[0])
                await hide_layers(self.session, node_ids, [])
            if options.hide:
                await self._hide(options.hide)

    async def _refuse(self, consent: ConsentDialogs) -> None:
        await consent.refuse(self.remaining())
        if not consent.refused:
            consent.refused = await refuse_by_words(self.stabilizer, self.wire, self.session)
        if consent.refused:
            await self._rest()

    async def _wait_for(self, selector: str) -> None:
        until = monotonic() + SHARE * self.remaining()
        while not await self._ask(IS_VISIBLE, selector):
            if monotonic() >= until:
                self.warn("not-found", f"nothing that matches {selector!r} became visible")
                return
            await asyncio.sleep(POLL)

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
        scroll, height = self.options.scroll, self.options.window[1]
        screens = MAX_SCREENS if scroll == "end" else scroll
        at_end = await self.stabilizer.scroll(screens, height, SHARE * self.remaining())
        if scroll == "end" and not at_end:
            self.warn("scrolling", "scrolling was stopped before the end of the page")

    async def _hide(self, selectors: tuple[str, ...]) -> None:
        counts = await self._ask(HIDE, selectors)
        for selector, count in zip(selectors, counts or [0] * len(selectors), strict=True):
            if not count:
                self.warn("not-found", f"there is nothing to hide that matches {selector!r}")

    async def _ask(self, expression: str, value: str | tuple[str, ...]) -> Any:
        return await self.stabilizer.evaluate(expression.format(json.dumps(value)))

    async def _rest(self) -> None:
        await self.stabilizer.settle(min(REST_SECONDS, self.remaining()))


# Seconds that the page may take to show the rest.
UNFOLD_SECONDS = 3.0

# Least growth of the page's text, in characters, with which the rest counts as shown. If no word
# says what the button does, its paragraphs must grow by as much.
LEAST_GROWTH = 100

# Most buttons that are examined.
MAX_BUTTONS = 200

# Finds the button and remembers it. It follows prose within one block of the page, it leads to no
# other page and submits nothing, and it is not one of many alike, which unfold teasers or comments.
# A button without words for it is closed and directly follows the prose. Those in layers over the
# page accept what is asked there.
FIND_UNFOLDING = """(() => {{
  const label = new RegExp({labels}, 'iu'), other = new RegExp({others}, 'iu');
  const outside = 'nav, header, footer, aside, form, dialog, [role=dialog], [role=navigation], li';
  const width = {width};
  const leads = (element) => {{
    const href = element.getAttribute('href');
    return href !== null && !/^(#|javascript:)/i.test(href.trim());
  }};
  const LINES = 'p, div, section, article, span';
  // Some pages have their paragraphs in other elements.
  const line = (element) => element.matches('p') ? width(element.textContent.trim())
    : [...element.childNodes].reduce(
      (sum, each) => sum + (each.nodeType === 3 ? width(each.data.trim()) : 0), 0);
  const isLong = (element) => line(element) > 80;
  const prose = (block) => [block, ...block.querySelectorAll(LINES)].reduce((sum, each) =>
    sum + (each.matches && (each.matches('p') || isLong(each)) ? line(each) : 0), 0);
  const follows = (element) => {{
    for (let at = element, up = 0; at && up < 3; at = at.parentElement, up++) {{
      const before = at.previousElementSibling;
      if (before)
        return isLong(before) || [...before.querySelectorAll(LINES)].slice(-3).some(isLong);
    }}
    return false;
  }};
  const isOver = (element) => {{
    for (let at = element, up = 0; at && up < 20; at = at.parentElement, up++)
      if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return true;
    return false;
  }};
  const named = [], closed = [];
  let tried = 0;
  const buttons = 'button, a, summary, label, [role=button], [aria-expanded=false], [tabindex], '
    + '[onclick]';
  const roots = [document];
  for (let place = 0; place < roots.length && roots.length <= {most}; place++)
    for (const host of roots[place].querySelectorAll('*'))
      if (host.shadowRoot) roots.push(host.shadowRoot);
  for (const each of roots.flatMap((root) => [...root.querySelectorAll(buttons)])) {{
    // What holds others or paragraphs is no button; the texts of such elements in one another would
    // take quadratic time.
    if (each.querySelector('p, [tabindex], [onclick], [role=button], [aria-expanded]')) continue;
    const text = (each.getAttribute('aria-label') || each.textContent).replace(/\\s+/g, ' ').trim();
    if (text.length > {max_label} || other.test(text) || leads(each) || each.closest(outside))
      continue;
    const isNamed = label.test(text), isClosed = each.getAttribute('aria-expanded') === 'false';
    if (!isNamed && !(isClosed && text && follows(each))) continue;
    if (each.getAttribute('aria-haspopup') || !each.getClientRects().length) continue;
    if (isOver(each)) continue;
    if (tried++ >= {most}) break;
    let block = each.parentNode;  // an element or a shadow root
    const button = each;
    for (let up = 0; block && block !== document.body && up < 4; up++) {{
      const head = [...block.querySelectorAll(LINES)].some((each) => isLong(each) &&
        each.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
      if (head && prose(block) >= 160) break;
      block = block.parentNode;
    }}
    if (block && block !== document.body && prose(block) >= 160)
      (isNamed ? named : closed).push(each);
  }}
  const words = (each) => each.textContent.trim();
  const single = named.filter((each) => named.every(
    (other) => other === each || words(other) !== words(each)));
  const found = !named.length ? closed : named.length > 2 ? single : named;
  globalThis.mioloUnfoldRoot = null;
  globalThis.mioloUnfold = found.length && found.length <= 2 ? found[0] : null;
  return globalThis.mioloUnfold ? (named.length ? 'named' : 'closed') : '';
}})()"""

# Characters of the text around the button that are in no element of the document itself.
SHADOW_TEXT = """(() => {
  const root = mioloUnfoldRoot ??= mioloUnfold.getRootNode();
  return root === document ? 0 : root.textContent.length;
})()"""

CLICK_UNFOLDING = "mioloUnfold.isConnected && (mioloUnfold.click(), true)"


async def find_button(stabilizer: PageStabilizer) -> str:
    """What shows that the page has a button that most likely unfolds its article; empty if none.

    Either ``"named"``, if its words do, or ``"closed"``, if only its state and its place do.
    """
    expression = FIND_UNFOLDING.format(
        labels=json.dumps(button_words("unfold")),
        others=json.dumps(button_words("other")),
        width=WIDTH,
        max_label=MAX_LABEL,
        most=MAX_BUTTONS,
    )
    return str(await stabilizer.evaluate(expression) or "")


async def unfold_article(stabilizer: PageStabilizer, seconds: float, evidence: str) -> bool:
    """Click the button that was found; whether the page then shows more text."""

    async def measure() -> int:
        chars = int(await stabilizer.evaluate(PROSE if evidence == "closed" else SHADOW_TEXT) or 0)
        return chars if evidence == "closed" else chars + await stabilizer.text_mass()

    before = await measure()
    await stabilizer.evaluate(CLICK_UNFOLDING)
    await stabilizer.settle(min(UNFOLD_SECONDS, seconds), SHORT_BUDGET)
    return await measure() >= before + LEAST_GROWTH
