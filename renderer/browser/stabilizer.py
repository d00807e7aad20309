"""Waits until a page's visible text has stopped growing, up to a time limit.

``networkidle`` is not used, because pages that poll, stream or track are never idle.
"""

from __future__ import annotations

import asyncio
import contextlib
from time import monotonic
from typing import Any

from ...errors import RenderError
from .network_watch import NetworkWatch
from .protocol import ProtocolSession

__all__ = ["PageStabilizer"]

POLL = 0.15

# Seconds without change after which the text counts as complete: the first while no request that
# text may come from is pending, the second otherwise.
QUIET, PATIENCE = 0.3, 2.0

# A page that keeps less than this share of its longest text has wiped it.
WIPED = 0.2

TEXT_MASS = """(() => {
  const mass = (doc) => {
    let total = doc.body ? doc.body.innerText.length : 0;
    for (const frame of doc.querySelectorAll('iframe, frame')) {
      try { if (frame.contentDocument) total += mass(frame.contentDocument); } catch {}
    }
    return total;
  };
  return mass(document);
})()"""

# Reports the length of a document's text once it is parsed, before one of its timers may navigate
# away.
FIRST_MASS = f"""document.addEventListener('DOMContentLoaded', () => {{
  if (window === top) mioloMass(String({TEXT_MASS}));
}})"""

WORLD = "miolo"

# Finishes finite animations and pauses endless ones; a hostile page may have any number.
STOP_ANIMATIONS = """(() => {
  for (const animation of document.getAnimations().slice(0, 5000)) {
    try {
      const endless = animation.effect.getComputedTiming().endTime === Infinity;
      endless ? animation.pause() : animation.finish();
    } catch {}
  }
  for (const drawing of document.querySelectorAll('svg')) drawing.pauseAnimations();
  // The picture itself resizes the window, at which transitions would begin.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { transition: none !important }');
  document.adoptedStyleSheets.push(sheet);
})()"""

# Hash that changes when an element moves or changes its size by a pixel.
LAYOUT = """(() => {
  const elements = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
  let hash = 0;
  for (let count = 0; count < 50000 && elements.nextNode(); count++) {
    const box = elements.currentNode.getBoundingClientRect();
    for (const edge of [box.x + scrollX, box.y + scrollY, box.width, box.height]) {
      hash = (31 * hash + Math.round(edge)) | 0;
    }
  }
  return hash;
})()"""

AT_END = "scrollY + innerHeight >= document.documentElement.scrollHeight - 1"


class PageStabilizer:
    """Waits for one page to settle; its expressions run in a world that the page cannot reach."""

    def __init__(self, session: ProtocolSession, network: NetworkWatch) -> None:
        self._session = session
        self._network = network
        self._max_mass = 0
        self._last = 0
        self._world: int | None = None

    async def watch(self) -> None:
        """Make each document report the length of its text once it is parsed."""
        self._session.on("Runtime.bindingCalled", self._on_binding_called)
        await self._session.send("Runtime.enable")
        await self._session.send("Runtime.addBinding", name="mioloMass", executionContextName=WORLD)
        await self._session.send(
            "Page.addScriptToEvaluateOnNewDocument", source=FIRST_MASS, worldName=WORLD
        )

    def _on_binding_called(self, event: dict[str, Any]) -> None:
        if event["name"] == "mioloMass" and event["payload"].isdecimal():
            self._record_mass(int(event["payload"]))

    def _record_mass(self, mass: int) -> int:
        self._last = mass
        self._max_mass = max(self._max_mass, mass)
        return mass

    def last_mass(self) -> int:
        """Number of characters of visible text when last measured."""
        return self._last

    @property
    def has_lost_text(self) -> bool:
        """Whether the page had text and has lost most of it again."""
        return self._last < WIPED * self._max_mass

    async def settle(self, seconds: float) -> bool:
        """Wait for the text to settle; False if the time runs out first."""
        until = monotonic() + seconds
        state, since = await self._state(), monotonic()
        while True:
            now = monotonic()
            if now - since >= (PATIENCE if state[1] else QUIET):
                return True
            if now >= until:
                return False
            await asyncio.sleep(min(POLL, until - now))
            seen = await self._state()
            if seen != state:
                state, since = seen, monotonic()

    async def scroll(self, screens: int, height: int, seconds: float) -> bool:
        """Scroll down screen by screen and back, so that lazy content loads.

        Returns whether the end of the page was reached.
        """
        until, at_end = monotonic() + seconds, False
        for screen in range(1, screens + 1):
            await self.evaluate(f"scrollTo({{top: {screen * height}, behavior: 'instant'}})")
            await self.settle(min(PATIENCE, until - monotonic()))
            at_end = bool(await self.evaluate(AT_END))
            if monotonic() >= until or at_end:
                break
        await self.evaluate("scrollTo({top: 0, behavior: 'instant'})")
        return at_end

    async def freeze(self) -> None:
        """Stop the page's scripts and animations, so that its layout no longer moves by itself."""
        await self._session.send("Emulation.setScriptExecutionDisabled", value=True)
        await self.evaluate(STOP_ANIMATIONS)

    async def layout(self) -> int:
        """Compute a hash of the boxes of the document's elements."""
        return int(await self.evaluate(LAYOUT) or 0)

    async def text_mass(self) -> int:
        """Number of characters of visible text, including frames of the same origin."""
        return self._record_mass(int(await self.evaluate(TEXT_MASS) or 0))

    async def _state(self) -> tuple[int, bool]:
        return await self.text_mass(), self._network.is_loading_text()

    async def evaluate(self, expression: str) -> Any:
        """Value of an expression, in a world that the page's scripts cannot reach."""
        if self._world is not None:
            # If the document was replaced, its world is gone, and a new one is created below.
            with contextlib.suppress(RenderError):
                return await self._evaluate_in(self._world, expression)
        tree = await self._session.send("Page.getFrameTree")
        world = await self._session.send(
            "Page.createIsolatedWorld",
            frameId=tree["frameTree"]["frame"]["id"],
            worldName=WORLD,
        )
        self._world = int(world["executionContextId"])
        return await self._evaluate_in(self._world, expression)

    async def _evaluate_in(self, world: int, expression: str) -> Any:
        answer = await self._session.send(
            "Runtime.evaluate", expression=expression, contextId=world, returnByValue=True
        )
        return answer["result"].get("value")
