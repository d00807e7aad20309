"""Watches a page's network: pending requests, received bytes, and the main response."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from ...errors import PageWarning, RenderError
from ..network.answer import Answer
from ..network.origins import host_of, site_of
from ..page.encoding import charset_of, decode_again
from .protocol import ProtocolSession, Tasks

# Types of resources that text may come from. Images, fonts, pings and sockets are not waited for.
TEXTUAL = frozenset(("Document", "Script", "Stylesheet", "XHR", "Fetch"))

# Types of resources that hold up the parser of a document.
BLOCKING = frozenset(("Script", "Stylesheet"))

# Buffers of the browser for bodies. Only that of the main document is read, once it has come.
BODY_BYTES, BUFFER_BYTES = 4 << 20, 6 << 20

# Resolved after the script of a worker has run once.
TURN = "new Promise((done) => setTimeout(done))"


@dataclass(frozen=True)
class PendingRequest:
    """A request whose answer has not come whole; `own` if it goes to the site of the document."""

    url: str
    kind: str
    own: bool
    started: float = field(default_factory=monotonic)

    def __str__(self) -> str:
        return f"{self.kind.lower()} {self.url[:200]}"


class NetworkWatch:
    """Network activity of one page, tracked by protocol events."""

    def __init__(self, byte_limit: int) -> None:
        # Set when no more of the document will come: its body is broken, or loading is stopped
        # because more bytes came than the limit allows.
        self.stopped = asyncio.Event()
        self.received = 0
        # Bytes of the document itself.
        self.document_bytes = 0
        # The last request of the page's own document: its URL after redirects, Chromium's error
        # for it, and for a body that has come only in part; empty for none.
        self.requested_url = self.failure = self.broken = ""
        self.answer: Answer | None = None
        # HTML of the document as it came, "" until all of it has come; whether the browser has
        # decoded it otherwise, and the warning about its encoding.
        self.served = ""
        self.is_misread = False
        self.warnings: tuple[PageWarning, ...] = ()
        self.served_headers: dict[str, str] = {}
        self.complete_since = float("inf")  # when the document had come completely
        # Requests to each host, and of those for documents, style sheets, scripts and data.
        self.sent: dict[str, int] = {}
        self.count = 0
        # Whether the page has started a worker or opened a stream (`EventSource`, `WebSocket`), of
        # whose messages no event of a request tells.
        self.has_channel = False
        self._main_frame = ""
        self._limit = byte_limit
        self._has_read = asyncio.Event()
        self._underway: dict[str, PendingRequest] = {}
        self._reading = Tasks()
        self._main_request = ""
        self._answered = ""
        self._session: ProtocolSession | None = None

    async def attach(self, session: ProtocolSession) -> None:
        """Start to watch a page."""
        self._session, self._main_frame = session, session.target
        session.on("Network.requestWillBeSent", self._on_sent)
        session.on("Network.webSocketCreated", self._on_stream)
        session.on("Network.responseReceived", self._answer)
        session.on("Network.dataReceived", self._data)
        session.on("Network.loadingFinished", self._on_finished)
        session.on("Network.loadingFailed", self._on_failed)
        await session.send(
            "Network.enable", maxTotalBufferSize=BUFFER_BYTES, maxResourceBufferSize=BODY_BYTES
        )

    async def watch_worker(self, session: ProtocolSession, url: str) -> None:
        """Resume a worker of the page, whose requests are watched, too."""
        self.has_channel = True
        # The end of the request for its script is reported nowhere, and the script's own requests
        # come once it runs.
        pending = self._underway.items()
        self._underway = {key: each for key, each in pending if each.url != url}
        start = f"worker {id(session)}"
        self._underway[start] = PendingRequest(url, "Script", own=True)
        session.on("Network.requestWillBeSent", self._on_sent)
        session.on("Network.loadingFinished", self._on_ended)
        session.on("Network.loadingFailed", self._on_ended)
        try:
            await session.send("Network.enable", maxTotalBufferSize=0, maxResourceBufferSize=0)
            # Without it, Chromium dies if a worker ends while a promise is awaited.
            await session.send("Runtime.enable")
            await session.send("Runtime.runIfWaitingForDebugger")
            await session.send("Runtime.evaluate", expression=TURN, awaitPromise=True)
        finally:
            self._underway.pop(start, None)

    @property
    def pending(self) -> list[PendingRequest]:
        """Pending requests for documents, style sheets, scripts and data, the earliest first."""
        return [] if self.over_limit else list(self._underway.values())

    def blocking(self, seconds: float) -> list[PendingRequest]:
        """Scripts and style sheets that the complete document has awaited for some seconds."""
        until = monotonic() - seconds
        if self.complete_since > until:
            return []
        return [each for each in self.pending if each.kind in BLOCKING and each.started <= until]

    @property
    def over_limit(self) -> bool:
        """Whether more bytes came than the limit allows."""
        return self.received > self._limit

    def _on_sent(self, event: dict[str, Any]) -> None:
        url, kind = event["request"]["url"], event.get("type")
        host = host_of(url)
        self.sent[host] = self.sent.get(host, 0) + 1
        if self._is_main(event):
            self._main_request, self.failure = event["requestId"], ""
            self.requested_url = url
            self.complete_since = float("inf")
        if kind == "EventSource":
            self._on_stream(event)
        if kind in TEXTUAL:
            self.count += 1
            own = site_of(url) == site_of(self.requested_url)
            self._underway[event["requestId"]] = PendingRequest(url, kind, own)

    def _on_stream(self, _: dict[str, Any]) -> None:
        self.has_channel = True

    def _answer(self, event: dict[str, Any]) -> None:
        if self._is_main(event):
            response = event["response"]
            status, mime = int(response["status"]), response["mimeType"].lower()
            self.answer = Answer.from_headers(status, mime, response["headers"])
            self._answered, self.broken, self.served = event["requestId"], "", ""
            self.document_bytes = 0
            self.is_misread = False
            self._has_read.clear()
            # The requests of the document before it end without an event.
            own = self._underway.get(event["requestId"])
            self._underway = {event["requestId"]: own} if own else {}
            self.served_headers = dict(response["headers"])

    def _data(self, event: dict[str, Any]) -> None:
        was_over = self.over_limit
        self.received += event["dataLength"]
        if event["requestId"] == self._answered:
            self.document_bytes += event["dataLength"]
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

    def _on_finished(self, event: dict[str, Any]) -> None:
        self._on_ended(event)
        if event["requestId"] == self._answered:
            self.complete_since = monotonic()
            if self.answer and "html" in self.answer.mime:
                self._reading.start(self._read_served(event["requestId"]))

    async def _read_served(self, request: str) -> None:
        # A document that is larger than the buffer, or gone, is not known as it was served.
        with contextlib.suppress(RenderError):
            assert self._session is not None
            body = await self._session.send("Network.getResponseBody", requestId=request)
            if request == self._answered:
                html = base64.b64decode(body["body"]) if body["base64Encoded"] else body["body"]
                headers = {name.lower(): value for name, value in self.served_headers.items()}
                page = decode_again(html, charset_of(headers.get("content-type", "")))
                self.served, self.is_misread = page.text, page.is_misread
                self.warnings = page.warnings
        self._has_read.set()

    async def has_document(self, seconds: float) -> None:
        """Wait until the page's document has been read as it came, but no longer than this."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_read.wait()

    def _on_ended(self, event: dict[str, Any]) -> None:
        self._underway.pop(event["requestId"], None)
