"""Records all requests of a page, or answers them from an archive, while they are paused."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from ...errors import MioloError, PageWarning, RenderError
from ...patterns import lazy_re
from ..archives.archive import Archive
from ..network.exchange import REDIRECTS, Exchange, digest, now, plain_headers, whole_url
from .protocol import BrowserWire, ProtocolSession, Tasks

MAX_FULFILLED_BYTES = 8 << 20
"""Longer bodies are not passed to a page: the transfer takes 0.3 s for 1 MB, and 5 s for 8 MB."""

# Responses of these types may never end, and no text comes from them.
UNREAD = frozenset(("EventSource", "Media", "WebSocket"))

# Values of `Sec-Fetch-Dest` by Chromium's type of the resource.
DESTS = {
    "Stylesheet": "style", "Image": "image", "Font": "font", "Script": "script",
    "TextTrack": "track", "Manifest": "manifest",
}  # fmt: skip

NAME = lazy_re(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
VALUE = lazy_re(r"[\t\x20-\x7e\x80-\U0010ffff]*")

# The body of a paused response is read in pieces, within limits on size and time. A read waits
# until all requested bytes are there, and loses them if the body never ends. The first reads are
# therefore small, and their size grows with the body.
FIRST, LONGEST, GROWTH = 1 << 10, 1 << 20, 4


# Frames in other processes and workers: each is paused until it is set up or watched, then resumed.
Guard = Callable[[ProtocolSession], Awaitable[None]]
Watch = Callable[[ProtocolSession, str], Awaitable[None]]


@dataclass(eq=False)
class ChildTargets:
    """Attaches to workers, and to frames below that of a session and those below them.

    `guard` is called with the session of each frame before it runs, and `watch` with the session
    and the URL of each worker, which it resumes. The frame of a worker reports its script, but no
    other request.
    """

    session: ProtocolSession
    guard: Guard
    watch: Watch
    has_frames: bool = False
    _wire: BrowserWire = field(init=False)
    _held: list[ChildTargets] = field(default_factory=list)
    _tasks: Tasks = field(default_factory=Tasks)

    def __post_init__(self) -> None:
        self._wire = BrowserWire(self.session)

    async def attach(self) -> None:
        """Start to attach to targets as they appear."""
        await self._wire.attach_to_new(self._on_attached, "iframe", "worker", flatten=False)

    def _on_attached(self, event: dict[str, Any]) -> None:
        self.has_frames |= event["targetInfo"]["type"] == "iframe"
        session = self._wire.adopt(event["sessionId"], event["targetInfo"]["targetId"])
        self._tasks.start(self._open(session, event["targetInfo"]))

    async def _open(self, session: ProtocolSession, target: dict[str, Any]) -> None:
        # If the target is gone, so are its requests.
        with contextlib.suppress(RenderError):
            if target["type"] == "worker":
                await self.watch(session, target["url"])
                return
            await self.guard(session)
            below = ChildTargets(session, self.guard, self.watch)
            self._held.append(below)
            await below.attach()
            await session.send("Runtime.runIfWaitingForDebugger")

    def close(self) -> None:
        """Fail the pending commands of all targets."""
        self._wire.close()
        for below in self._held:
            below.close()


class Recorder:
    """Fills a list with the exchanges of one page.

    `limit` is the maximum total length of the recorded bodies, in bytes, and `patience` the number
    of seconds to wait for a body: some never end.
    """

    def __init__(
        self, session: ProtocolSession, into: list[Exchange], limit: int, patience: float
    ) -> None:
        # A paused response does not contain its cookies.
        session.on("Network.responseReceivedExtraInfo", self._describe)
        self._into = into
        self._main_frame = session.target
        self._left = limit
        self._patience = patience
        self.exchanges: list[tuple[str, Exchange]] = []  # with the id of its network request
        self._cookies: dict[str, list[tuple[int, str]]] = {}
        self._unread: list[str] = []

    def _describe(self, event: dict[str, Any]) -> None:
        lines = [v for n, v in event["headers"].items() if n.lower() == "set-cookie"]
        answer = (int(event.get("statusCode", 0)), "\n".join(lines))
        self._cookies.setdefault(event["requestId"], []).append(answer)

    async def take(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Record a paused response, and let it continue."""
        status = event.get("responseStatusCode")
        url, length = event["request"]["url"], _header(event, "content-length")
        size = int(length) if length and length.isdecimal() and len(length) < 16 else 0
        if status is None or not url.startswith(("http://", "https://")):
            await continue_request(session, event["requestId"])
        elif status in REDIRECTS and _header(event, "location") is not None:
            self._keep(event, b"")
            await continue_request(session, event["requestId"])
        elif event["resourceType"] in UNREAD or size > self._left:
            self._unread.append(url)
            await continue_request(session, event["requestId"])
        elif length is not None:
            # A body of known length is copied; the page gets the original response.
            try:
                got = await session.send("Fetch.getResponseBody", requestId=event["requestId"])
            except RenderError:
                self._unread.append(url)
            else:
                text = got["body"]
                self._keep(event, base64.b64decode(text) if got["base64Encoded"] else text.encode())
            await continue_request(session, event["requestId"])
        else:
            await self._take(session, event)

    async def _take(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Read a body that may never end; the page gets the part that came.

        A document that is supplied like this has no network address, and may request nothing from a
        local one. Bodies of known length are therefore copied instead.
        """
        request = event["requestId"]
        limit, until = min(self._left, MAX_FULFILLED_BYTES), monotonic() + self._patience
        body, is_whole = await take_body(session, request, limit, until)
        data = body[:limit]
        self._keep(event, data)
        if not is_whole:
            self._unread.append(event["request"]["url"])
        headers = paused_exchange(event, b"", "").headers
        await fulfil_request(session, request, event["responseStatusCode"], headers, data)

    def _keep(self, event: dict[str, Any], body: bytes) -> None:
        if len(body) > self._left:
            self._unread.append(event["request"]["url"])
            return
        self._left -= len(body)
        dest = DESTS.get(event["resourceType"], "empty")
        if event["resourceType"] == "Document":
            dest = "document" if event["frameId"] == self._main_frame else "iframe"
        exchange = paused_exchange(event, body, dest)
        self.exchanges.append((event.get("networkId", ""), exchange))

    def close(self) -> None:
        """Add the recorded exchanges to the list."""
        for name, exchange in self.exchanges:
            lines = self._cookies.get(name, [])
            # All hops of a redirect share one request id; each is reported in turn.
            if own := next((hop for hop in lines if hop[0] == exchange.status), None):
                lines.remove(own)
                rows = [("Set-Cookie", line) for line in own[1].splitlines() if line]
                exchange = replace(exchange, headers=(*exchange.headers, *rows))
            self._into.append(exchange)
        self.exchanges.clear()

    def warnings(self) -> list[PageWarning]:
        """A warning about what could not be recorded, if there was anything."""
        if not self._unread:
            return []
        message = (
            f"{len(self._unread)} responses were not recorded whole, such as {self._unread[0]}"
        )
        return [PageWarning("unrecorded", message)]


async def continue_request(session: ProtocolSession, request: str, **changes: Any) -> None:
    """Let a paused request or response go on."""
    await session.send("Fetch.continueRequest", requestId=request, **changes)


async def refuse_request(
    session: ProtocolSession, request: str, reason: str = "BlockedByClient"
) -> None:
    """Fail a paused request, with Chromium's name for the reason."""
    await session.send("Fetch.failRequest", requestId=request, errorReason=reason)


async def fulfil_request(
    session: ProtocolSession,
    request: str,
    status: int,
    headers: Iterable[tuple[str, str]],
    body: bytes,
) -> None:
    """Answer a paused request."""
    await session.send(
        "Fetch.fulfillRequest",
        requestId=request,
        responseCode=status,
        responseHeaders=[{"name": name, "value": value} for name, value in headers],
        body=base64.b64encode(body).decode(),
    )


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


def request_body(request: dict[str, Any]) -> bytes:
    """The data that a request sends, without parts that a script takes from files."""
    entries = request.get("postDataEntries") or ()
    return b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)


def _header(event: dict[str, Any], name: str) -> str | None:
    rows = event.get("responseHeaders", ())
    return next((row["value"] for row in rows if row["name"].lower() == name), None)


async def take_body(
    session: ProtocolSession, request: str, limit: int, until: float
) -> tuple[bytes, bool]:
    """The decoded body of a request that is paused at its response, and whether it is complete.

    Afterwards the request can be fulfilled or failed, but no longer continued. The last piece may
    exceed the limit. Some responses never end: reading stops at `until`, on the monotonic clock.
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
                    return bytes(body), True
    except (TimeoutError, RenderError):
        pass  # a browser, too, shows what came until then
    return bytes(body), False


class Replay:
    """The replay of one page.

    A page that requests one resource several times gets its responses in the order in which they
    were recorded, starting at the time of the page's own response.
    """

    def __init__(self, archive: Archive, recorder: Recorder | None = None) -> None:
        self._archive = archive
        self._recorder = recorder
        self._since = ""
        self._counts: Counter[tuple[str, str, str]] = Counter()
        self._lacking: list[str] = []

    async def answer(
        self, session: ProtocolSession, event: dict[str, Any], *, is_expected: bool = True
    ) -> bool:
        """Answer a paused request.

        Returns False, without an answer, if the archive has no response and need not have one.
        """
        request, url = event["requestId"], event["request"]["url"]
        if not url.lower().startswith(("http:", "https:")):
            local = url.startswith(("data:", "blob:", "about:"))
            send = continue_request if local else refuse_request
            await send(session, request)
            return True
        exchange = await self._find(url, event["request"])
        is_short = exchange is not None and len(exchange.body) <= MAX_FULFILLED_BYTES
        if exchange is None or not is_short or not 100 <= exchange.status <= 599:
            if not is_expected:
                return False
            self._lacking.append(url)
            await refuse_request(session, request)
            return True
        if self._recorder:
            self._recorder.exchanges.append(("", exchange))
        headers = (
            (name, value)
            for name, value in plain_headers(exchange.headers)
            if NAME.fullmatch(name) and VALUE.fullmatch(value)
        )
        await fulfil_request(session, request, exchange.status, headers, exchange.body)
        return True

    async def _find(self, url: str, request: dict[str, Any]) -> Exchange | None:
        method, posted = request["method"], request_body(request)
        key = (url, method, digest(posted))
        nth, self._counts[key] = self._counts[key], self._counts[key] + 1
        try:
            exchange = await asyncio.to_thread(
                self._archive.find, url, method, posted=posted, since=self._since, nth=nth
            )
        except MioloError:
            return None
        if exchange and not self._since:
            self._since = exchange.time
        return exchange

    def warnings(self) -> list[PageWarning]:
        """A warning about what the archive lacks, if it lacks anything."""
        if not self._lacking:
            return []
        message = (
            "the archive has no response, or one that is too large, "
            f"for {len(self._lacking)} requests, such as {self._lacking[0]}"
        )
        return [PageWarning("not-archived", message)]
