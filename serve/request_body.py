"""A request's body, within limits of bytes and time, and its JSON, within limits of size."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive

from .problems import CLIENT_GONE

__all__ = ["BodyLimits", "check_json", "parse_json", "read_body", "replay"]

# A valid request needs far less: some twenty keys, lists of roles, one long text (the HTML).
MAX_STRINGS = 256
MAX_STRUCTURE_BYTES = 4096
MAX_TEXT_BYTES = 64 << 10


@dataclass(frozen=True)
class BodyLimits:
    """How much of a body is read, and for how long.

    Attributes
    ----------
    max_bytes
        Maximum size of the body.
    seconds
        Maximum time for the whole body.
    stall_seconds
        Maximum time between one part of it and the next.
    """

    max_bytes: int
    seconds: float = 20.0
    stall_seconds: float = 5.0


async def read_body(receive: Receive, limits: BodyLimits, hold: Callable[[int], None]) -> bytes:
    """Read the whole body of a request.

    Parameters
    ----------
    receive
        ASGI callable that the request is read from.
    hold
        Called with the size of each part before it is kept; may refuse it by an exception.

    Raises
    ------
    HTTPException
        The body is too large (413) or takes too long (408), or the client is gone (499).
    """
    parts: list[bytes] = []
    size, due, complete = 0, monotonic() + limits.seconds, False
    while not complete:
        message = await _next_part(receive, min(due - monotonic(), limits.stall_seconds))
        part = message.get("body", b"")
        size += len(part)
        if size > limits.max_bytes:
            raise HTTPException(413, f"the body is larger than {limits.max_bytes:,} bytes")
        hold(len(part))
        parts.append(part)
        complete = not message.get("more_body", False)
    return b"".join(parts)


async def _next_part(receive: Receive, seconds: float) -> Message:
    try:
        async with asyncio.timeout(seconds):
            message = await receive()
    except TimeoutError:
        raise HTTPException(408, "the body was not received in time") from None
    if message["type"] == "http.disconnect":
        raise HTTPException(CLIENT_GONE, "the client has disconnected")
    return message


def replay(body: bytes, receive: Receive) -> Receive:
    """ASGI callable that receives a body already read as one message, then what follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> Message:
        return messages.pop() if messages else await receive()

    return read


async def parse_json(request: Request) -> None:
    """Parse a request's body. The request keeps the result, so that it is parsed only once.

    Raises
    ------
    HTTPException
        The body is not JSON: empty, not UTF-8, nested too deeply, or malformed (422).
    """
    try:
        await request.json()
    except (ValueError, RecursionError):
        raise HTTPException(422, "the body is not JSON") from None


def check_json(
    body: bytes,
    *,
    max_strings: int = MAX_STRINGS,
    max_structure: int = MAX_STRUCTURE_BYTES,
    max_text: int = MAX_TEXT_BYTES,
) -> None:
    """Reject JSON that is larger than any valid request, before any object is built.

    One string, the page's HTML, may be as long as the body; everything else is small. The check
    takes a few passes over the bytes.

    Parameters
    ----------
    body
        The whole body.
    max_strings
        Maximum number of strings, keys included.
    max_structure
        Maximum number of bytes outside strings.
    max_text
        Maximum number of bytes of all strings except the longest.

    Raises
    ------
    HTTPException
        There are too many strings, too much text in strings other than the longest, too many
        bytes outside strings, or zero bytes, as in UTF-16 (422).
    """
    # In UTF-8 no byte of a longer character equals a quotation mark or a backslash.
    plain = body.replace(rb"\\", b"__").replace(rb"\"", b"__")
    parts = plain.split(b'"', 2 * max_strings + 1)
    texts = [len(part) for part in parts[1::2]]
    if (
        len(parts) > 2 * max_strings + 1
        or sum(map(len, parts[::2])) > max_structure
        or sum(texts) - max(texts, default=0) > max_text
    ):
        raise HTTPException(422, "the JSON is larger than any valid request")
    if b"\0" in body:
        raise HTTPException(422, "the JSON must be encoded as UTF-8")
