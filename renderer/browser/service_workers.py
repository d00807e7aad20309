"""Notices that a page asks for a service worker, which no page gets."""

from __future__ import annotations

from typing import Any

from .protocol import ProtocolSession

__all__ = ["ServiceWorkerWatch"]

SIGN = "miolo:service-worker"

# Runs in the page's own world, before its scripts and before logging is disabled.
NOTICE = f"""(() => {{
  const container = navigator.serviceWorker;
  if (!container) return;
  const notice = console.debug.bind(console, '{SIGN}');
  let register = container.register.bind(container), noticed = false;
  Object.defineProperty(container, 'register', {{
    get() {{
      if (!noticed) notice();
      noticed = true;
      return register;
    }},
    set(other) {{ register = other }},
  }});
}})()"""


class ServiceWorkerWatch:
    """Whether a page has asked for a service worker.

    Attributes
    ----------
    asked
        Whether it has.
    """

    def __init__(self, session: ProtocolSession) -> None:
        self.asked = False
        self._session = session

    async def watch(self) -> None:
        """Make each document report that it asks for one."""
        self._session.on("Runtime.consoleAPICalled", self._on_logged)
        await self._session.send("Page.addScriptToEvaluateOnNewDocument", source=NOTICE)

    def _on_logged(self, event: dict[str, Any]) -> None:
        arguments = event.get("args") or [{}]
        self.asked |= arguments[0].get("value") == SIGN
