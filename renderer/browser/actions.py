"""Actions on a page before it is captured: consent, waiting, unfolding, clicks, a script.

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
from .stabilizer import SHORT_BUDGET, PageStabilizer

__all__ = ["PageActions", "find_button", "unfold_article"]

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

# Seconds that the page may take to show the rest.
UNFOLD_SECONDS = 3.0

# Least growth of the page's text, in characters, with which the rest counts as shown.
LEAST_GROWTH = 100

# What such buttons say in twenty languages, as parts of short labels in lower case: to read, see,
# show or load, the rest, the whole, or more.
UNFOLD_LABELS = (
    "read more|read on|read full|read the full|read the rest|read the whole|continue reading|"
    "keep reading|show more|show all|show full|see more|see full|view more|view full|full story|"
    "full article|load more of|expand|"  # English
    "weiterlesen|mehr lesen|mehr anzeigen|ganzen artikel|vollständig|alles anzeigen|"  # German
    "lire la suite|lire plus|voir plus|afficher plus|afficher la suite|article complet|"  # French
    "leer más|seguir leyendo|continuar leyendo|ver más|mostrar más|artículo completo|"  # Spanish
    "ler mais|continuar a ler|continue lendo|ver mais|mostrar mais|leia mais|"  # Portuguese
    "leggi tutto|leggi di più|continua a leggere|mostra di più|mostra tutto|"  # Italian
    "lees meer|lees verder|meer lezen|verder lezen|toon meer|meer weergeven|"  # Dutch
    "läs mer|läs vidare|fortsätt läsa|visa mer|"  # Swedish
    "læs mere|læs videre|vis mere|fortsæt|"  # Danish
    "les mer|les videre|vis mer|fortsett|"  # Norwegian
    "lue lisää|jatka lukemista|näytä lisää|"  # Finnish
    "czytaj dalej|czytaj więcej|pokaż więcej|rozwiń|"  # Polish
    "číst dál|číst více|zobrazit více|"  # Czech
    "tovább olvasom|olvass tovább|több megjelenítése|"  # Hungarian
    "citește mai mult|citește tot|continuă|"  # Romanian
    "διαβάστε περισσότερα|συνέχεια|"  # Greek
    "читать дал|читать полностью|показать ещё|показать полностью|развернуть|"  # Russian
    "читати далі|показати більше|розгорнути|"  # Ukrainian
    "devamını oku|devamını göster|daha fazla|"  # Turkish
    "続きを読む|もっと見る|全文を|"  # Japanese
    "阅读全文|閱讀全文|展开|展開|查看全文|继续阅读|繼續閱讀|"  # Chinese
    "더 보기|더보기|전체 보기|계속 읽기|"  # Korean
    "اقرأ المزيد|أكمل القراءة|عرض المزيد|"  # Arabic
    "קרא עוד|המשך קריאה|הצג עוד"  # Hebrew
)

# Finds the button and remembers it. It follows prose within one block of the page, it leads to no
# other page and submits nothing, and it is not one of many alike, which unfold teasers or comments.
FIND_BUTTON = """(() => {{
  const label = new RegExp({labels}, 'iu');
  const outside = 'nav, header, footer, aside, form, dialog, [role=dialog], [role=navigation], li';
  const leads = (element) => {{
    const href = element.getAttribute('href');
    return href !== null && !/^(#|javascript:)/i.test(href.trim());
  }};
  const prose = (element) => [...element.querySelectorAll('p')].reduce(
    (sum, each) => sum + each.textContent.trim().length, 0);
  const found = [];
  const buttons = 'button, a, [role=button], [aria-expanded=false]';
  for (const each of document.querySelectorAll(buttons)) {{
    const text = (each.getAttribute('aria-label') || each.textContent).replace(/\\s+/g, ' ').trim();
    if (text.length > 60 || !label.test(text) || leads(each) || each.closest(outside)) continue;
    if (each.getAttribute('aria-haspopup') || !each.getClientRects().length) continue;
    let block = each.parentElement;
    for (let up = 0; block && block !== document.body && up < 4; up++) {{
      const head = [...block.querySelectorAll('p')].some((p) => p.textContent.trim().length > 80 &&
        p.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING);
      if (head && prose(block) >= 160) break;
      block = block.parentElement;
    }}
    if (block && block !== document.body && prose(block) >= 160) found.push(each);
  }}
  globalThis.mioloUnfold = found.length && found.length <= 2 ? found[0] : null;
  return !!globalThis.mioloUnfold;
}})()"""

UNFOLD = "mioloUnfold.isConnected && (mioloUnfold.click(), true)"


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


async def find_button(stabilizer: PageStabilizer) -> bool:
    """Whether the page has a button that most likely unfolds its article."""
    return bool(await stabilizer.evaluate(FIND_BUTTON.format(labels=json.dumps(UNFOLD_LABELS))))


async def unfold_article(stabilizer: PageStabilizer, seconds: float) -> bool:
    """Click the button that was found; whether the page then shows more text."""
    before = await stabilizer.text_mass()
    await stabilizer.evaluate(UNFOLD)
    await stabilizer.settle(min(UNFOLD_SECONDS, seconds), SHORT_BUDGET)
    return await stabilizer.text_mass() >= before + LEAST_GROWTH
