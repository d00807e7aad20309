"""Answers a page's requests from an archive, and refuses those to which it has no response."""

from __future__ import annotations

import asyncio
import base64
import re
from collections import Counter
from typing import Any

from ...errors import MioloError, PageWarning
from ..archives.archive import Archive
from ..network.exchange import Exchange, digest, plain_headers
from .protocol import ProtocolSession
from .recorder import MAX_FULFILLED_BYTES, Recorder, header_rows, request_body

__all__ = ["Replay"]

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
VALUE = re.compile(r"[\t\x20-\x7e\x80-\U0010ffff]*")


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
            send = _continue if local else _refuse
            await send(session, request)
            return True
        exchange = await self._find(url, event["request"])
        if exchange is None or not _can_be_sent(exchange):
            if not is_expected:
                return False
            self._lacking.append(url)
            await _refuse(session, request)
            return True
        if self._recorder:
            self._recorder.add_replayed(exchange)
        await _fulfil(session, request, exchange)
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


def _can_be_sent(exchange: Exchange) -> bool:
    return 100 <= exchange.status <= 599 and len(exchange.body) <= MAX_FULFILLED_BYTES


async def _continue(session: ProtocolSession, request: str) -> None:
    await session.send("Fetch.continueRequest", requestId=request)


async def _refuse(session: ProtocolSession, request: str) -> None:
    await session.send("Fetch.failRequest", requestId=request, errorReason="BlockedByClient")


async def _fulfil(session: ProtocolSession, request: str, exchange: Exchange) -> None:
    headers = [
        (name, value)
        for name, value in plain_headers(exchange.headers)
        if NAME.fullmatch(name) and VALUE.fullmatch(value)
    ]
    await session.send(
        "Fetch.fulfillRequest",
        requestId=request,
        responseCode=exchange.status,
        responseHeaders=header_rows(tuple(headers)),
        body=base64.b64encode(exchange.body).decode(),
    )
