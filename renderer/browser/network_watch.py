"""Watches a page's network: open requests, received bytes, and the main response."""

from __future__ import annotations

import asyncio
from typing import Any

from ..network.answer import Answer
from .protocol import ProtocolSession

__all__ = ["NetworkWatch"]

# Types of resources that text may come from. Images, fonts, pings and sockets are not waited for.
TEXTUAL = frozenset(("Document", "Script", "XHR", "Fetch"))


class NetworkWatch:
    """Network activity of one page, tracked by protocol events.

    Attributes
    ----------
    requested_url
        URL of the last request of the page's own document, after redirects; empty before the first.
    failure
        Chromium's error for the last request of the page's own document; empty if it succeeded.
    broken
        Chromium's error for a body of the page's document that has come only in part; empty if it
        may still be complete.
    stopped
        Set when no more of the document will come: its body is broken, or loading is stopped
        because more bytes came than the limit allows.
    """

    def __init__(self, main_frame: str, byte_limit: int) -> None:
        self.stopped = asyncio.Event()
        self.received = 0
        self.requested_url = ""
        self.failure = ""
        self.broken = ""
        self.answer: Answer | None = None
        self._main_frame = main_frame
        self._limit = byte_limit
        self._underway: set[str] = set()
        self._main_request = ""
        self._answered = ""
        self._session: ProtocolSession | None = None

    async def attach(self, session: ProtocolSession) -> None:
        """Start to watch."""
        self._session = session
        session.on("Network.requestWillBeSent", self._on_sent)
        session.on("Network.responseReceived", self._answer)
        session.on("Network.dataReceived", self._data)
        session.on("Network.loadingFinished", self._on_ended)
        session.on("Network.loadingFailed", self._on_failed)
        await session.send("Network.enable", maxTotalBufferSize=0, maxResourceBufferSize=0)

    def is_loading_text(self) -> bool:
        """Whether any request for a document, script or data is still pending."""
        return bool(self._underway) and not self.over_limit

    @property
    def over_limit(self) -> bool:
        """Whether more bytes came than the limit allows."""
        return self.received > self._limit

    def _on_sent(self, event: dict[str, Any]) -> None:
        if event.get("type") in TEXTUAL:
            self._underway.add(event["requestId"])
        if self._is_main(event):
            self._main_request, self.failure = event["requestId"], ""
            self.requested_url = event["request"]["url"]

    def _answer(self, event: dict[str, Any]) -> None:
        if self._is_main(event):
            response = event["response"]
            status, mime = int(response["status"]), response["mimeType"].lower()
            self.answer = Answer.from_headers(status, mime, response["headers"])
            self._answered, self.broken = event["requestId"], ""

    def _data(self, event: dict[str, Any]) -> None:
        was_over = self.over_limit
        self.received += event["dataLength"]
        if self.over_limit and not was_over and self._session:
            self.stopped.set()
            self._session.post("Page.stopLoading")

    def _is_main(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "Document" and event.get("frameId") == self._main_frame

    def _on_failed(self, event: dict[str, Any]) -> None:
        if event["requestId"] == self._main_request:
            self.failure = event["errorText"]
        # A navigation to another document, or the end of the page's time, cancels the request.
        if event["requestId"] == self._answered and not event.get("canceled"):
            self.broken = event["errorText"]
            self.stopped.set()
        self._on_ended(event)

    def _on_ended(self, event: dict[str, Any]) -> None:
        self._underway.discard(event["requestId"])
