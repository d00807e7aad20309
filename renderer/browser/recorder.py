"""Records the responses to a page's requests while they are paused."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from ...errors import PageWarning, RenderError
from ..network.exchange import REDIRECTS, Exchange, now, plain_headers, whole_url
from .protocol import ProtocolSession

__all__ = [
    "MAX_FULFILLED_BYTES",
    "Body",
    "Recorder",
    "header_rows",
    "paused_exchange",
    "request_body",
    "take_body",
]

MAX_FULFILLED_BYTES = 8 << 20
"""Longer bodies are not passed to a page: the transfer takes 0.3 s for 1 MB, and 5 s for 8 MB."""

# Responses of these types may never end, and no text comes from them.
UNREAD = frozenset(("EventSource", "Media", "WebSocket"))

# Values of `Sec-Fetch-Dest` by Chromium's type of the resource.
DESTS = {
    "Stylesheet": "style",
    "Image": "image",
    "Font": "font",
    "Script": "script",
    "TextTrack": "track",
    "Manifest": "manifest",
}


class Recorder:
    """Fills a list with the exchanges of one page.

    Parameters
    ----------
    into
        The list.
    main_frame
        ID of the page's main frame.
    limit
        Maximum total length of the recorded bodies, in bytes.
    patience
        Seconds to wait for a body: some never end.
    """

    def __init__(self, into: list[Exchange], main_frame: str, limit: int, patience: float) -> None:
        self._into = into
        self._main_frame = main_frame
        self._left = limit
        self._patience = patience
        self._exchanges: list[tuple[str, Exchange]] = []
        self._cookies: dict[str, list[tuple[int, str]]] = {}
        self._unread: list[str] = []

    def watch(self, session: ProtocolSession) -> None:
        """Listen for cookies, which a paused response does not contain."""
        session.on("Network.responseReceivedExtraInfo", self._describe)

    def _describe(self, event: dict[str, Any]) -> None:
        lines = [v for n, v in event["headers"].items() if n.lower() == "set-cookie"]
        answer = (int(event.get("statusCode", 0)), "\n".join(lines))
        self._cookies.setdefault(event["requestId"], []).append(answer)

    async def take(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Record a paused response, and let it continue."""
        status = event.get("responseStatusCode")
        url = event["request"]["url"]
        if status is None or not url.startswith(("http://", "https://")):
            await _continue_request(session, event)
        elif status in REDIRECTS and _header(event, "location") is not None:
            self._keep(event, b"")
            await _continue_request(session, event)
        elif event["resourceType"] in UNREAD or _length(event) > self._left:
            self._unread.append(url)
            await _continue_request(session, event)
        elif _header(event, "content-length") is not None:
            await self._copy(session, event)
        else:
            await self._take(session, event)

    async def _copy(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Copy a body of known length; the page gets the original response."""
        try:
            got = await session.send("Fetch.getResponseBody", requestId=event["requestId"])
        except RenderError:
            self._unread.append(event["request"]["url"])
        else:
            text = got["body"]
            self._keep(event, base64.b64decode(text) if got["base64Encoded"] else text.encode())
        await _continue_request(session, event)

    async def _take(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Read a body that may never end; the page gets the part that came.

        A document that is supplied like this has no network address, and may request nothing from a
        local one. Bodies of known length are therefore copied instead.
        """
        request = event["requestId"]
        limit, until = min(self._left, MAX_FULFILLED_BYTES), monotonic() + self._patience
        body = await take_body(session, request, limit, until)
        data = body.data[:limit]
        self._keep(event, data)
        if not body.is_whole:
            self._unread.append(event["request"]["url"])
        rows = paused_exchange(event, b"", "").headers
        await session.send(
            "Fetch.fulfillRequest",
            requestId=request,
            responseCode=event["responseStatusCode"],
            responseHeaders=header_rows(rows),
            body=base64.b64encode(data).decode(),
        )

    def _keep(self, event: dict[str, Any], body: bytes) -> None:
        if len(body) > self._left:
            self._unread.append(event["request"]["url"])
            return
        self._left -= len(body)
        exchange = paused_exchange(event, body, self._dest(event))
        self._exchanges.append((event.get("networkId", ""), exchange))

    def _dest(self, event: dict[str, Any]) -> str:
        if event["resourceType"] == "Document":
            return "document" if event["frameId"] == self._main_frame else "iframe"
        return DESTS.get(event["resourceType"], "empty")

    def add_replayed(self, exchange: Exchange) -> None:
        """Record an exchange that did not come from the network."""
        self._exchanges.append(("", exchange))

    def close(self) -> None:
        """Add the recorded exchanges to the list."""
        for name, exchange in self._exchanges:
            self._into.append(self._with_cookies(name, exchange))
        self._exchanges.clear()

    def _with_cookies(self, name: str, exchange: Exchange) -> Exchange:
        lines = self._cookies.get(name, [])
        # All hops of a redirect share one request id; each is reported in turn.
        mine = next((hop for hop in lines if hop[0] == exchange.status), None)
        if mine is None:
            return exchange
        lines.remove(mine)
        rows = [("Set-Cookie", line) for line in mine[1].splitlines() if line]
        return replace(exchange, headers=(*exchange.headers, *rows))

    def warnings(self) -> list[PageWarning]:
        """A warning about what could not be recorded, if there was anything."""
        if not self._unread:
            return []
        message = (
            f"{len(self._unread)} responses were not recorded whole, such as {self._unread[0]}"
        )
        return [PageWarning("unrecorded", message)]


async def _continue_request(session: ProtocolSession, event: dict[str, Any]) -> None:
    await session.send("Fetch.continueRequest", requestId=event["requestId"])


def paused_exchange(event: dict[str, Any], body: bytes, dest: str) -> Exchange:
    """The exchange of a request that is paused at its response."""
    rows = [(row["name"], row["value"]) for row in event.get("responseHeaders", ())]
    return Exchange(
        url=whole_url(event["request"]["url"]),
        status=event["responseStatusCode"],
        headers=plain_headers(rows),
        body=body,
        method=event["request"]["method"],
        posted=request_body(event["request"]),
        dest=dest,
        time=now(),
    )


def header_rows(headers: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    """Headers in the form that the protocol takes."""
    return [{"name": name, "value": value} for name, value in headers]


def request_body(request: dict[str, Any]) -> bytes:
    """The data that a request sends, without parts that a script takes from files."""
    entries = request.get("postDataEntries") or ()
    return b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)


def _header(event: dict[str, Any], name: str) -> str | None:
    rows = event.get("responseHeaders", ())
    return next((row["value"] for row in rows if row["name"].lower() == name), None)


def _length(event: dict[str, Any]) -> int:
    value = _header(event, "content-length") or ""
    return int(value) if value.isdecimal() and len(value) < 16 else 0


# The body of a paused response, read in pieces within limits on size and time.

# A read waits until all requested bytes are there, and loses them if the body never ends. The first
# reads are therefore small, and their size grows with the body.
FIRST, LONGEST, GROWTH = 1 << 10, 1 << 20, 4


@dataclass(frozen=True)
class Body:
    """The part of a body that was read, and whether it is complete."""

    data: bytes
    is_whole: bool


async def take_body(session: ProtocolSession, request: str, limit: int, until: float) -> Body:
    """Read the decoded body of a request that is paused at its response.

    Parameters
    ----------
    session
        The session that paused it.
    request
        Its id in that session. Afterwards it can be fulfilled or failed, but no longer continued.
    limit
        Maximum number of bytes to read; the last piece may exceed it.
    until
        When to stop, on the monotonic clock: some responses never end.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(until - monotonic()):
            reply = await session.send("Fetch.takeResponseBodyAsStream", requestId=request)
            while len(body) <= limit:
                size = min(LONGEST, max(FIRST, len(body) // GROWTH))
                piece = await session.send("IO.read", handle=reply["stream"], size=size)
                data = piece["data"]
                body += base64.b64decode(data) if piece.get("base64Encoded") else data.encode()
                if piece["eof"]:
                    return Body(bytes(body), is_whole=True)
    except (TimeoutError, RenderError):
        pass  # a browser, too, shows what came until then
    return Body(bytes(body), is_whole=False)
