"""Watches a page's network: what is on its way, how much has come, what answered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

from ...errors import NavigationError, NotHTMLError
from .protocol import ProtocolSession

__all__ = ["Answer", "NetworkWatch", "check_answer", "seconds_asked"]

# Resources that text may come from. Pictures, fonts, pings and sockets never hold a page up.
TEXTUAL = frozenset(("Document", "Script", "XHR", "Fetch"))

PAGES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain", "")


@dataclass(frozen=True)
class Answer:
    """The response that made the main document."""

    status: int
    mime: str
    retry_after: float | None = None


def check_answer(answer: Answer, url: str) -> None:
    """Let pass what is a page.

    Raises
    ------
    NavigationError
        The status is one of an error.
    NotHTMLError
        It is something other than a page.
    """
    if answer.status >= 400:
        raise NavigationError(
            f"{url} answered with HTTP status {answer.status}",
            url=url,
            status=answer.status,
            retry_after=answer.retry_after,
        )
    if answer.mime not in PAGES:
        raise NotHTMLError(f"{url} is {answer.mime}, not a page", url=url)


def seconds_asked(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a server asks to be left alone for (RFC 9110, 10.2.3), None if it does not.

    Parameters
    ----------
    headers
        Of the response.
    now
        Seconds since 1970.

    Examples
    --------
    >>> seconds_asked({"Retry-After": "120"}, now=0.0)
    120.0
    >>> seconds_asked({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=45.0)
    15.0
    >>> seconds_asked({"retry-after": "soon"}, now=0.0)
    """
    value = next((v for n, v in headers.items() if n.lower() == "retry-after"), "").strip()
    if value.isdecimal() and value.isascii():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return None


class NetworkWatch:
    """Counts of one page, kept from protocol events.

    Attributes
    ----------
    stopped
        Set when loading is ended because more came than the page may cost.
    """

    def __init__(self, main_frame: str, byte_limit: int) -> None:
        self.stopped = asyncio.Event()
        self.received = 0
        self.answer: Answer | None = None
        self._main_frame = main_frame
        self._limit = byte_limit
        self._underway: set[str] = set()
        self._session: ProtocolSession | None = None

    async def attach(self, session: ProtocolSession) -> None:
        """Start to watch."""
        self._session = session
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.responseReceived", self._answer)
        session.on("Network.dataReceived", self._data)
        session.on("Network.loadingFinished", self._ended)
        session.on("Network.loadingFailed", self._ended)
        await session.send("Network.enable", maxTotalBufferSize=0, maxResourceBufferSize=0)

    def text_on_its_way(self) -> bool:
        """Whether any document, script or data request is not over yet."""
        return bool(self._underway) and not self.stopped.is_set()

    @property
    def over_limit(self) -> bool:
        """Whether more bytes came than the page may cost."""
        return self.received > self._limit

    def _sent(self, event: dict[str, Any]) -> None:
        if event.get("type") in TEXTUAL:
            self._underway.add(event["requestId"])

    def _answer(self, event: dict[str, Any]) -> None:
        if event["type"] == "Document" and event.get("frameId") == self._main_frame:
            response = event["response"]
            status, mime = int(response["status"]), response["mimeType"].lower()
            self.answer = Answer(status, mime, seconds_asked(response["headers"], time()))

    def _data(self, event: dict[str, Any]) -> None:
        self.received += event["dataLength"]
        if self.over_limit and not self.stopped.is_set() and self._session:
            self.stopped.set()
            self._session.post("Page.stopLoading")

    def _ended(self, event: dict[str, Any]) -> None:
        self._underway.discard(event["requestId"])
