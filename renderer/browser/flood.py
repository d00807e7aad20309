"""Detects a page that floods the browser with events, and stops its scripts.

A page that endlessly logs, fails, loads, navigates or opens frames slows all pages of the same
browser, because they share the process that forwards events.
"""

from __future__ import annotations

from .protocol import EVENT, ProtocolSession

__all__ = ["FloodWatch", "disable_logging", "stop_scripts"]

# News pages have up to 3,000 events, with 4 MB in total, and 60 frames.
MAX_EVENTS, MAX_CHARS, MAX_FRAMES = 20_000, 8 << 20, 250

FRAME_CAME = EVENT + 'Page.frameAttached"'

# Runs before the page's own scripts, which then cannot write to the browser's log. The built-in
# functions used are bound in advance, since a page may replace them later.
NO_LOGGING = """(() => {
  for (const name of Object.keys(console))
    if (typeof console[name] === 'function') console[name] = () => {};
  const prevent = Function.prototype.call.bind(Event.prototype.preventDefault);
  for (const name of ['error', 'unhandledrejection'])
    addEventListener(name, (event) => prevent(event), true);
})()"""


async def disable_logging(session: ProtocolSession) -> None:
    """Keep the documents of a page from logging: nobody reads the log, and each line takes time."""
    await session.send("Page.addScriptToEvaluateOnNewDocument", source=NO_LOGGING)


class FloodWatch:
    """Counts the events of one page.

    Attributes
    ----------
    over
        Whether there were too many events, so that the page's scripts were stopped.
    """

    def __init__(self, session: ProtocolSession) -> None:
        self.over = False
        self._session = session
        self._events = self._chars = self._frames = 0
        session.on_every_event(self._count)

    def _count(self, message: str) -> None:
        self._events += 1
        self._chars += len(message)
        self._frames += message.startswith(FRAME_CAME)
        if not self.over and (
            self._events > MAX_EVENTS or self._chars > MAX_CHARS or self._frames > MAX_FRAMES
        ):
            self.over = True
            stop_scripts(self._session)
            self._session.post("Runtime.disable")  # which reports logs and failures


def stop_scripts(session: ProtocolSession) -> None:
    """End any script that runs for ever, and let no script start again."""
    session.post("Page.stopLoading")
    session.post("Emulation.setScriptExecutionDisabled", value=True)
    session.post("Runtime.terminateExecution")
