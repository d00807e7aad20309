"""The body of a response that is held up, read in pieces within bounds of size and time."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass
from time import monotonic

from ...errors import RenderError
from ..protocol import ProtocolSession

__all__ = ["Body", "take_body"]

# A read waits until all it asks for is there, and what it was waiting for is lost where a body
# never ends: so the first are small, and the more there is the more is asked for.
FIRST, LONGEST, GROWTH = 1 << 10, 1 << 20, 4


@dataclass(frozen=True)
class Body:
    """What was read of a body, and whether that is all."""

    data: bytes
    is_whole: bool


async def take_body(session: ProtocolSession, request: str, limit: int, until: float) -> Body:
    """Read the decoded body of a request that is paused at its response.

    Parameters
    ----------
    session
        The session that paused it.
    request
        Its id there. Afterwards it can be fulfilled or failed, no longer continued.
    limit
        Bytes to read at most, but for the last piece.
    until
        When to stop, on the monotonic clock: some responses never end.
    """
    found = bytearray()
    try:
        async with asyncio.timeout(until - monotonic()):
            taken = await session.send("Fetch.takeResponseBodyAsStream", requestId=request)
            while len(found) <= limit:
                size = min(LONGEST, max(FIRST, len(found) // GROWTH))
                piece = await session.send("IO.read", handle=taken["stream"], size=size)
                data = piece["data"]
                found += base64.b64decode(data) if piece.get("base64Encoded") else data.encode()
                if piece["eof"]:
                    return Body(bytes(found), is_whole=True)
    except (TimeoutError, RenderError):
        pass  # what came until then is what a browser shows of it
    return Body(bytes(found), is_whole=False)
