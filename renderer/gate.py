"""Decides on documents before they load, and answers for HTML that is given.

Only documents are held up (one round trip each), never the page's other requests, except
where a given HTML may fetch nothing.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import RenderError
from .protocol import ProtocolSession

__all__ = ["Gate", "Given"]

# With so much visible text the article is there: a script that leaves now is refused.
# Interstitials ("you are being redirected") stay below it. NCE's own least article.
ARRIVED_CHARS = 600

# Documents that one visit may load in the main frame, redirects by script or meta included.
MAX_HOPS = 10


@dataclass(frozen=True)
class Given:
    """HTML to be rendered as if it had come from a URL."""

    html: bytes
    url: str
    fetch: bool


class Gate:
    """The gate of one page."""

    def __init__(
        self,
        session: ProtocolSession,
        main_frame: str,
        text_mass: Callable[[], int],
        given: Given | None = None,
    ) -> None:
        self.refused: list[str] = []
        self._session = session
        self._main_frame = main_frame
        self._text_mass = text_mass
        self._given = given
        self._hops = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Start to decide."""
        self._session.on("Fetch.requestPaused", self._paused)
        everything = self._given is not None and not self._given.fetch
        pattern = {"urlPattern": "*"} if everything else {"resourceType": "Document"}
        await self._session.send("Fetch.enable", patterns=[pattern])

    def _paused(self, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._decide(event))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _decide(self, event: dict[str, Any]) -> None:
        # Where the page is gone, so is its request.
        with contextlib.suppress(RenderError):
            await self._answer(event)

    async def _answer(self, event: dict[str, Any]) -> None:
        request = event["requestId"]
        main = event["resourceType"] == "Document" and event["frameId"] == self._main_frame
        if main and not event.get("redirectedRequestId"):
            self._hops += 1
        if self._given and main and self._hops == 1:
            await self._fulfil(request, self._given)
        elif self._given and not self._given.fetch:
            await self._refuse(request, "BlockedByClient")
        elif main and self._hops > 1 and self._leaves():
            self.refused.append(event["request"]["url"])
            await self._refuse(request, "Aborted")
        else:
            await self._session.send("Fetch.continueRequest", requestId=request)

    def _leaves(self) -> bool:
        # What was last seen, since a page answers no question while it waits to leave.
        return self._hops > MAX_HOPS or self._text_mass() >= ARRIVED_CHARS

    async def _refuse(self, request: str, reason: str) -> None:
        await self._session.send("Fetch.failRequest", requestId=request, errorReason=reason)

    async def _fulfil(self, request: str, given: Given) -> None:
        await self._session.send(
            "Fetch.fulfillRequest",
            requestId=request,
            responseCode=200,
            responseHeaders=[{"name": "Content-Type", "value": "text/html"}],
            body=base64.b64encode(given.html).decode(),
        )
