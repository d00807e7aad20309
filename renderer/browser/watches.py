"""Watches over a page: for a flood of events, which stops its scripts, and for service workers.

A page that endlessly logs, fails, loads, navigates or opens frames slows all pages of the same
browser, because they share the process that forwards events. No page gets a service worker; that it
asks for one is noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .protocol import EVENT, ProtocolSession

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

SIGN = "miolo:service-worker"

# Runs in the page's own world, before its scripts and before logging is disabled. Only documents
# whose connection is trusted know service workers.
NO_SERVICE_WORKERS = f"""if (self.ServiceWorkerContainer) (() => {{
  const notice = console.debug.bind(console, '{SIGN}');
  let register = async () => {{}}, noticed = false;
  Object.defineProperty(ServiceWorkerContainer.prototype, 'register', {{
    get() {{
      if (!noticed) notice();
      noticed = true;
      return register;
    }},
    set(other) {{ register = other }},
  }});
}})();"""

NO_WORKERS_OR_LOGS = f"{NO_SERVICE_WORKERS}\n{NO_LOGGING}"
"""Makes each document report that it asks for a service worker, and log nothing else.

Nobody reads the log, and each line takes time.
"""


class FloodWatch:
    """Counts the events of one page."""

    def __init__(self, session: ProtocolSession) -> None:
        self.over = False
        self._session = session
        self._events = self._chars = self._frames = 0
        session.on_every_event = self._count

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


def watch_service_workers(session: ProtocolSession, on_asked: Callable[[], None]) -> None:
    """Call a function when a document of a page asks for a service worker."""

    def on_logged(event: dict[str, Any]) -> None:
        if (event.get("args") or [{}])[0].get("value") == SIGN:
            on_asked()

    session.on("Runtime.consoleAPICalled", on_logged)
