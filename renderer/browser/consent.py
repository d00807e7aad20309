"""Refuses consent dialogs, by rules of DuckDuckGo's Autoconsent or by the words of buttons.

The rules (``miolo[consent]``, Mozilla Public License 2.0) come as a script and a list. The script
runs in a world of its own in each document, isolated from the page's scripts, and requests its
rules over a binding. Code that it wants evaluated in the page itself has the rights of the page's
own scripts. Without the rules, or where none applies, buttons are found by their words, in the page
and in its frames.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from functools import cache
from typing import Any

from ...errors import RenderError
from ..page.button_words import button_words
from .capture import MAX_FRAMES, frame_targets
from .protocol import WORLD, BrowserWire, ProtocolSession, Tasks
from .stabilizer import PageStabilizer

RULES_WORLD = "miolo-consent"
BINDING = "mioloConsent"

# Seconds to wait for a dialog to appear once the page has settled, and for it to be refused.
APPEAR_SECONDS, REFUSE_SECONDS = 0.6, 8.0

# A page could only send messages in the script's name by breaking into another world; they are
# limited all the same.
MAX_MESSAGES, MAX_CHARS = 1_000, 100_000

CONFIG = {
    "enabled": True, "autoAction": "optOut", "disabledCmps": [], "enablePrehide": False,
    "enableCosmeticRules": True, "enableGeneratedRules": True, "enableHeuristicDetection": True,
    "enableHeuristicAction": True, "detectRetries": 20, "isMainWorld": False,
    "prehideTimeout": 2000, "visualTest": False, "enableFilterList": False, "logs": {},
}  # fmt: skip

START = f"window.autoconsentSendMessage = (m) => {BINDING}(JSON.stringify(m));\n"

# Clicks the button that refuses a dialog; the answer is whether there was a dialog, and one. A
# dialog lies over the page or fills a frame, and speaks of consent.
REFUSE = """((inFrame) => {{
  const about = new RegExp({about}, 'iu'), refusing = new RegExp({refusing}, 'iu');
  const label = (each) => (each.innerText || each.value || each.getAttribute('aria-label') || '')
    .replace(/\\s+/g, ' ').trim();
  const layer = (at) => {{
    for (let up = 0; at && up < 40; at = at.parentElement || at.getRootNode().host, up++) {{
      if (at.matches('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]')) return at;
      if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return at;
    }}
    return inFrame ? document.body : null;
  }};
  const roots = [document];
  for (const root of roots) {{
    for (const each of root.querySelectorAll('*')) {{
      if (each.shadowRoot && roots.length < 200) roots.push(each.shadowRoot);
    }}
  }}
  const names = 'button, a, [role=button], input[type=button], input[type=submit]';
  const buttons = roots.flatMap((root) => [...root.querySelectorAll(names)].slice(0, 2000));
  for (const button of buttons) {{
    const text = label(button);
    if (!text || text.length > 60 || !refusing.test(text)) continue;
    const around = layer(button);
    if (!around || !button.getClientRects().length || !about.test(around.innerText)) continue;
    button.click();
    return true;
  }}
  return false;
}})({in_frame})"""


class ConsentDialogs:
    """The consent dialogs of one page."""

    def __init__(self, session: ProtocolSession) -> None:
        self.refused = False
        self._session = session
        self._worlds: dict[int, str] = {}
        self._pages: dict[str, int] = {}
        self._messages = 0
        self._appeared, self._ended = asyncio.Event(), asyncio.Event()
        self._tasks = Tasks()

    async def watch(self) -> None:
        """Make each document look for dialogs; do nothing if no rules are installed."""
        rules = _rules()
        if rules is None:
            return
        self._session.on("Runtime.executionContextCreated", self._on_world)
        self._session.on("Runtime.bindingCalled", self._on_message)
        await self._session.install(START + rules[0], RULES_WORLD, BINDING)

    async def refuse(self, seconds: float) -> None:
        """Wait for a dialog to appear, and then until it is refused."""
        if _rules() is None:
            return
        for event, patience in ((self._appeared, APPEAR_SECONDS), (self._ended, REFUSE_SECONDS)):
            try:
                await asyncio.wait_for(event.wait(), min(patience, seconds))
            except TimeoutError:
                return

    def close(self) -> None:
        """Stop answering the script's messages."""
        for task in self._tasks:
            task.cancel()

    def _on_world(self, event: dict[str, Any]) -> None:
        world = event["context"]
        facts = world.get("auxData", {})
        frame = facts.get("frameId", "")
        if world["name"] == RULES_WORLD:
            self._worlds[world["id"]] = frame
        elif facts.get("isDefault"):
            self._pages[frame] = world["id"]

    def _on_message(self, event: dict[str, Any]) -> None:
        self._messages += 1
        is_asked = event["name"] == BINDING and len(event["payload"]) <= MAX_CHARS
        if not is_asked or self._messages > MAX_MESSAGES:
            return
        try:
            message = json.loads(event["payload"])
        except ValueError:
            return
        if isinstance(message, dict):
            self._tasks.start(self._take(event["executionContextId"], message))

    async def _take(self, world: int, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "popupFound":
            self._appeared.set()
        elif kind == "optOutResult":
            self.refused |= bool(message.get("result"))
        if kind in ("autoconsentDone", "autoconsentError") or message.get("result") is False:
            self._ended.set()
        try:
            if kind == "init":
                await self._start(world)
            elif kind == "eval":
                await self._evaluate(world, message)
        except RenderError:
            return  # the document is gone

    async def _start(self, world: int) -> None:
        rules = _rules()
        assert rules is not None
        config = json.dumps(CONFIG)
        answer = f"{{type: 'initResp', config: {config}, rules: {{autoconsent: {rules[1]}}}}}"
        await self._send(world, answer)

    async def _evaluate(self, world: int, message: dict[str, Any]) -> None:
        page = self._pages.get(self._worlds.get(world, ""))
        result = False
        if page is not None:
            code = str(message.get("code"))
            result = bool(await self._session.evaluate(code, page, wait=True))
        reply = {"type": "evalResp", "id": message.get("id"), "result": result}
        await self._send(world, json.dumps(reply))

    async def _send(self, world: int, message: str) -> None:
        await self._session.send(
            "Runtime.evaluate",
            expression=f"void window.autoconsentReceiveMessage({message})",
            contextId=world,
            userGesture=True,
        )


@cache
def _rules() -> tuple[str, str] | None:
    """The script, and the list of rules as JSON; None if they are not installed."""
    try:
        from duckduckgo_autoconsent import bundle, rules_json
    except ModuleNotFoundError:
        return None
    return bundle(), rules_json()


async def refuse_by_words(
    stabilizer: PageStabilizer, wire: BrowserWire, session: ProtocolSession
) -> bool:
    """Click the button that refuses a consent dialog, in any frame; whether there is one."""
    about, refusing = (json.dumps(button_words(what)) for what in ("consent", "refuse"))
    in_page, in_frame = (
        REFUSE.format(about=about, refusing=refusing, in_frame=is_frame)
        for is_frame in ("false", "true")
    )
    if await stabilizer.evaluate(in_page) or await _is_true_in(session, in_frame, skipped=1):
        return True
    for info in await frame_targets(wire, session.target):
        try:
            other = await wire.attach(info["target"])
        except RenderError:
            continue  # the frame is gone
        try:
            if await _is_true_in(other, in_frame):
                return True
        finally:
            await wire.detach(other)
    return False


async def _is_true_in(session: ProtocolSession, expression: str, skipped: int = 0) -> bool:
    """Whether an expression is true in a frame of a target, the first ones left out."""
    try:
        trees = [(await session.send("Page.getFrameTree"))["frameTree"]]
    except RenderError:
        return False
    for tree in trees:
        trees += tree.get("childFrames", ())
    for tree in trees[skipped:MAX_FRAMES]:
        with contextlib.suppress(RenderError):  # the frame is gone
            world = await session.isolated_world(WORLD, tree["frame"]["id"])
            if await session.evaluate(expression, world):
                return True
    return False
