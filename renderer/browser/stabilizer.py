"""Waits until nothing is under way that a page's article may come from, up to a time limit.

The page's own timers are skipped (`VirtualClock`), its requests are waited for. ``networkidle`` is
not used, because pages that poll, stream or track are never idle. Whether a pending request is
worth waiting for depends on whose it is, and on whether the page still lacks its article, which a
reader decides.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from time import monotonic
from typing import Any

from ...errors import RenderError
from .network_watch import NetworkWatch
from .protocol import WORLD, ProtocolSession

POLL = 0.1

# Seconds of a page's own time that are skipped, and those after an action or in a later round.
BUDGET, SHORT_BUDGET = 8.0, 1.0

# Rounds of skipping timers and drawing frames, each of which may cause requests, and those while
# the text grows by one request to the page's own site after the other.
MAX_ROUNDS, MAX_CHAIN = 3, 10

# Real seconds in which timers run that do not wait for requests.
RUSH_SECONDS = 1.0

# Seconds after which a request is first questioned. Seconds without a change of the text for which
# requests are awaited: those to the page's own site, or any if there is no reader to ask; those to
# others while the article is there; and those to others while it is not.
FIRST_LOOK, PATIENCE, IMPATIENCE, FOREIGN_PATIENCE = 0.3, 2.0, 0.3, 5.0

# How often the reader is asked about one page.
MAX_QUESTIONS = 4

# Requests to one host, while timers are skipped, after which they are no longer skipped: a page
# that polls does in a moment what would take it minutes.
MAX_REQUESTS = 300

# Characters of text, or of prose, of a page that has most likely come. Seconds without change of a
# page with less, which may wait for frames or storage, and of one with a worker or a stream.
ARRIVED, QUIET, CHANNEL_QUIET = 600, 0.3, 1.0

# Growths of the text of a page with a worker or a stream after which its text comes from there, and
# seconds for which the rest of an article that is there is awaited while the text grows: a live
# page grows for hours.
STREAM_GROWTHS, STREAM_SECONDS = 2, 3.0

# Seconds without pending requests of a page that is idle.
IDLE_SECONDS = 0.5

# Same-document navigations whose text is measured.
MAX_MOVES = 20

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

# Width of a text in characters, of which those of scripts without spaces say as much as two.
WIDTH = """((text) => text.length +
  (text.match(/[\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af]/g)?.length ?? 0))"""

# Characters in paragraphs of some length, which boxes and lists of teasers do not have.
PROSE = f"""(() => {{
  const width = {WIDTH};
  let total = 0;
  for (const each of document.getElementsByTagName('p')) {{
    const chars = width(each.textContent);
    if (chars > 80) total += chars;
  }}
  return total;
}})()"""

# Reports the length of a document's text once it is parsed, before one of its timers may navigate
# away, and whenever a script changes the address without another document.
REPORTS = f"""if (window === top) {{
  const report = (isNew) => mioloMass(JSON.stringify([{TEXT_MASS}, location.href, isNew]));
  document.addEventListener('DOMContentLoaded', () => report(true));
  let moves = 0;
  window.navigation?.addEventListener('currententrychange', () => {{
    if (moves++ < {MAX_MOVES}) report(false);
  }});
}}"""

# Draws two frames, then measures the prose and the visible text.
DRAWN = f"""new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(
  () => [{PROSE}, {TEXT_MASS}])"""
FRAMES_SECONDS, FRAME_SECONDS = 1.0, 0.03

# Seconds by which the clock of a page with little prose goes on between two frames, and how often:
# a page that polls would show the news of minutes.
STEP_SECONDS, MAX_STEPS = 0.25, 32

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

# Tasks without delay that may run before the clock advances all the same, and seconds between two
# steps of a clock that keeps pace with real time.
MAX_STARVATION, STEP = 10_000, 0.1

AT_END = "scrollY + innerHeight >= document.documentElement.scrollHeight - 1"


class VirtualClock:
    """The clock of one page, which skips the time in which the page waits for its own timers.

    Chromium can run a page's timers without waiting for them, and stop the page's clock while a
    request is pending (`Emulation.setVirtualTimePolicy` of its protocol). The clock belongs to the
    scheduler of the page's process. That process serves one page, since every page has a context of
    its own. Frames of other processes and workers keep their own clocks. No command ends virtual
    time: after its budget the clock stands until it runs on.
    """

    def __init__(self, session: ProtocolSession) -> None:
        self._session = session
        self._expired = asyncio.Event()
        self._stands = False

        def on_expired(_: dict[str, Any]) -> None:
            self._stands = True
            self._expired.set()

        session.on("Emulation.virtualTimeBudgetExpired", on_expired)

    async def skip(self, seconds: float, *, network: bool) -> None:
        """Run the timers of the next seconds at once; with `network`, requests stop the clock."""
        self._expired.clear()
        self._stands = False
        await self._session.send(
            "Emulation.setVirtualTimePolicy",
            policy="pauseIfNetworkFetchesPending" if network else "advance",
            budget=1000 * seconds,
            maxVirtualTimeTaskStarvationCount=MAX_STARVATION,
        )

    async def stop(self) -> None:
        """Let the clock stand."""
        self._stands = True
        await self._session.send("Emulation.setVirtualTimePolicy", policy="pause")

    async def wait(self, seconds: float) -> bool:
        """Wait until the time is skipped, for some real seconds at most; whether it is."""
        try:
            async with asyncio.timeout(seconds):
                await self._expired.wait()
        except TimeoutError:
            return False
        return True

    @contextlib.asynccontextmanager
    async def keep_pace(self) -> AsyncIterator[None]:
        """Let a clock that stands go on as fast as real time, in steps."""

        async def go_on() -> None:
            with contextlib.suppress(RenderError):
                while True:
                    await asyncio.sleep(STEP)
                    await self.step(STEP)

        steps = asyncio.ensure_future(go_on())
        try:
            yield
        finally:
            steps.cancel()

    async def step(self, seconds: float) -> None:
        """Let a clock that stands go on for some seconds."""
        if self._stands:
            await self.skip(seconds, network=False)

    async def run(self) -> None:
        """Let a clock that stands run on, without waiting for timers."""
        if self._stands:
            self._stands = False
            await self._session.send("Emulation.setVirtualTimePolicy", policy="advance")


class PageStabilizer:
    """Waits for one page to settle; its expressions run in a world that the page cannot reach.

    `lacks_article` is asked whether the page as it is now still lacks its article; None if nobody
    can tell. `clock` is None if the page's scripts do not run. `url` is the address of the
    document, and `later_url` the one to which a script changed it after the text had come, unless
    the user's own actions lead there (`follows`).
    """

    def __init__(
        self,
        session: ProtocolSession,
        network: NetworkWatch,
        lacks_article: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self.clock: VirtualClock | None = None
        self.url = self.later_url = ""
        self.follows = False
        self._session = session
        self._network = network
        self._reader = lacks_article
        self._questions = 0
        self._answer: bool | None = None
        self._answered_mass = -1
        self._max_mass = 0
        self.last_mass = self._growths = self._steps = 0
        self._changed = self._started = monotonic()
        self._world: int | None = None

    async def watch(self, *scripts: str) -> None:
        """Make each document report the length of its text, and skip its timers later.

        Further scripts run in the same world, before those of each document.
        """
        self.clock = VirtualClock(self._session)
        self._session.on("Runtime.bindingCalled", self._on_binding_called)
        self._session.on("Runtime.executionContextCreated", self._on_world)
        await self._session.install("\n".join((REPORTS, *scripts)), WORLD, "mioloMass")

    def _on_world(self, event: dict[str, Any]) -> None:
        world = event["context"]
        if world["name"] == WORLD and world["auxData"]["frameId"] == self._session.target:
            self._world = int(world["id"])

    def _on_binding_called(self, event: dict[str, Any]) -> None:
        if event["name"] != "mioloMass":
            return
        mass, url, is_new = json.loads(event["payload"])
        self._record_mass(int(mass))
        if is_new or self.follows or mass < ARRIVED:
            self.url, self.later_url = url, ""
        else:
            self.later_url = url if url != self.url else ""

    def _record_mass(self, mass: int) -> int:
        if mass != self.last_mass:
            self._changed = monotonic()
        self._growths += mass > self.last_mass
        self.last_mass = mass
        self._max_mass = max(self._max_mass, mass)
        return mass

    @property
    def has_lost_text(self) -> bool:
        """Whether the page had text and has lost most of it again."""
        return self.last_mass < WIPED * self._max_mass

    async def settle(self, seconds: float, budget: float = BUDGET) -> tuple[str, ...]:
        """Wait until the text no longer depends on timers and requests; what is pending, a phrase
        each.

        `budget` is the number of seconds of the page's own time that are skipped.
        """
        started = self._started = self._changed = monotonic()
        self._growths = self._steps = 0
        until = started + seconds
        for number in range(1, MAX_CHAIN + 1):
            first = self.last_mass
            await self._skip_timers(until, budget)
            count = self._network.count  # what is asked for while the text is measured is new
            before = await self.text_mass(), count
            await self._rest(until)
            if (self.last_mass, self._network.count) == before or monotonic() >= until:
                break
            is_asking = any(request.own for request in self._network.pending)
            if number >= MAX_ROUNDS and not (is_asking and self.last_mass > first):
                break
            budget = SHORT_BUDGET
        pending = await self._pending()
        is_growing = self._changed > max(started, until - QUIET)
        return ("text that was still changing", *pending) if is_growing else pending

    async def _skip_timers(self, until: float, budget: float) -> None:
        """Run the timers of some seconds, and wait for the requests that are worth it."""
        clock, sent = self.clock, dict(self._network.sent)
        started = monotonic()
        if clock is not None:
            await clock.skip(budget, network=True)
        is_skipped = False
        while (now := monotonic()) < until:
            pause = min(POLL, until - now)
            is_skipped = clock is not None and await clock.wait(pause)
            if is_skipped and not self._network.pending:
                return
            if clock is None or is_skipped:
                await asyncio.sleep(pause)
            await self.text_mass()
            if now - started >= FIRST_LOOK and not await self._is_worth_waiting():
                break
            counts = self._network.sent.items()
            is_flood = any(count - sent.get(host, 0) > MAX_REQUESTS for host, count in counts)
            if clock is not None and is_flood:
                await clock.stop()
                return
        if clock is not None and not is_skipped:
            await clock.skip(budget, network=False)
            await clock.wait(RUSH_SECONDS)

    async def _is_worth_waiting(self) -> bool:
        """Whether a pending request may bring what the page lacks."""
        pending = self._network.pending
        quiet = monotonic() - self._changed
        if not pending:
            return self.clock is None and quiet < FIRST_LOOK
        lacks, own = await self.lacks_article(), any(each.own for each in pending)
        if lacks:
            return own or quiet < FOREIGN_PATIENCE
        return quiet < (PATIENCE if own or lacks is None else IMPATIENCE)

    async def lacks_article(self) -> bool | None:
        """Whether the page lacks its article; None if nobody can tell."""
        if self._reader is None:
            return None
        if self._answered_mass != self.last_mass and self._questions < MAX_QUESTIONS:
            self._questions += 1
            self._answered_mass = self.last_mass
            with contextlib.suppress(RenderError):  # the document is being replaced
                self._answer = await self._reader()
        return self._answer

    async def seems_unfinished(self) -> bool:
        """Whether the page most likely lacks its article, by its length if nobody can tell."""
        with contextlib.suppress(RenderError):
            lacks = await self.lacks_article()
            return await self.text_mass() < ARRIVED if lacks is None else lacks
        return False

    async def _rest(self, until: float) -> None:
        """Draw frames, which scripts may wait for; a page with little prose also rests for a while.

        Its text may come from storage, a worker or a stream, of which no event tells, and whose
        messages wait while the page's clock stands.
        """
        started = monotonic()
        while True:
            if self.clock is not None and self._steps < MAX_STEPS:
                self._steps += 1
                await self.clock.step(STEP_SECONDS)
            prose = await self._draw_and_measure()
            now = monotonic()
            quiet = CHANNEL_QUIET if self._network.has_channel else QUIET
            if now - max(started, self._changed) >= quiet or now >= until:
                return
            is_stream = self._network.has_channel and self._growths >= STREAM_GROWTHS
            if prose >= ARRIVED and not is_stream:
                return
            is_late = now - self._started >= STREAM_SECONDS and self._changed > started
            if is_late and not await self.lacks_article():
                await self.text_mass()  # the reader takes a while
                return
            await asyncio.sleep(FRAME_SECONDS)

    async def _draw_and_measure(self) -> int:
        """Draw two frames, and measure the text; the number of characters of prose.

        While the page's clock stands, no frame is drawn by itself.
        """
        measured: Any = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FRAMES_SECONDS):
                measured = await self.evaluate(DRAWN, wait=True)
        if not measured:
            measured = await self.evaluate(f"[{PROSE}, {TEXT_MASS}]") or (0, 0)
        self._record_mass(int(measured[1]))
        return int(measured[0])

    async def _pending(self) -> tuple[str, ...]:
        """Requests that the text may still come from."""
        pending = self._network.pending
        if pending and not await self.lacks_article():
            pending = [each for each in pending if each.own or self._answer is None]
        return tuple(str(each) for each in pending)

    async def idle(self, seconds: float) -> tuple[str, ...]:
        """Wait until no request that text may come from has been pending for a while."""
        until, since = monotonic() + seconds, monotonic()
        while (now := monotonic()) < until:
            if self._network.pending:
                since = now
            elif now - since >= IDLE_SECONDS:
                return ()
            await asyncio.sleep(POLL)
        return tuple(str(each) for each in self._network.pending)

    async def scroll(self, screens: int, height: int, seconds: float) -> bool:
        """Scroll down screen by screen and back, so that lazy content loads.

        Returns whether the end of the page was reached.
        """
        until, at_end = monotonic() + seconds, False
        for screen in range(1, screens + 1):
            await self.evaluate(f"scrollTo({{top: {screen * height}, behavior: 'instant'}})")
            await self._draw_and_measure()  # frames, in which the page learns of it
            await self.settle(min(PATIENCE, until - monotonic()), SHORT_BUDGET)
            at_end = bool(await self.evaluate(AT_END))
            if monotonic() >= until or at_end:
                break
        await self.evaluate("scrollTo({top: 0, behavior: 'instant'})")
        await self._draw_and_measure()
        await self.settle(max(0.1, min(PATIENCE, until - monotonic())), SHORT_BUDGET)
        return at_end

    async def freeze(self) -> None:
        """Stop the page's scripts and animations, so that its layout no longer moves by itself."""
        await self._session.send("Emulation.setScriptExecutionDisabled", value=True)
        if self.clock is not None:
            await self.clock.run()  # no frame is drawn while it stands
        await self.evaluate(STOP_ANIMATIONS)

    async def layout(self) -> int:
        """Compute a hash of the boxes of the document's elements."""
        return int(await self.evaluate(LAYOUT) or 0)

    async def text_mass(self) -> int:
        """Number of characters of visible text, including frames of the same origin."""
        return self._record_mass(int(await self.evaluate(TEXT_MASS) or 0))

    async def evaluate(self, expression: str, *, wait: bool = False) -> Any:
        """Value of an expression, in a world that the page's scripts cannot reach."""
        if self._world is not None:
            # If the document was replaced, its world is gone, and a new one is created below.
            with contextlib.suppress(RenderError):
                return await self._session.evaluate(expression, self._world, wait=wait)
        self._world = await self._session.isolated_world(WORLD)
        return await self._session.evaluate(expression, self._world, wait=wait)

    async def reference(self, expression: str) -> str:
        """Protocol's id of the object that an expression gives, in the same world."""
        answer = await self._session.send(
            "Runtime.evaluate", expression=expression, contextId=self._world
        )
        return str(answer["result"].get("objectId", ""))
