"""A request's body: so many bytes in so much time."""

from __future__ import annotations

import asyncio
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

__all__ = ["bound_body"]

BODY_SECONDS = 20.0

# A body that is too large is read on to its end, but not for ever: who still sends does not
# hear the answer.
DROPPED_TIMES = 4


def bound_body(receive: Receive, max_bytes: int) -> Receive:
    """The same with an end.

    Parameters
    ----------
    receive
        What the request is read from.
    max_bytes
        Of its body, counted as they come.

    Returns
    -------
    What raises `HTTPException` (408, 413) where the body takes too long or is too large.
    """
    state = _State(monotonic() + BODY_SECONDS)

    async def read() -> Message:
        if state.complete:
            return await receive()
        try:
            async with asyncio.timeout(state.due - monotonic()):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "the body took too long to come") from None
        state.count(message)
        if state.bytes > max_bytes and (state.complete or state.bytes > DROPPED_TIMES * max_bytes):
            raise HTTPException(413, f"the body may have {max_bytes:,} bytes")
        return message if state.bytes <= max_bytes else {**message, "body": b""}

    return read


class _State:
    def __init__(self, due: float) -> None:
        self.due = due
        self.bytes = 0
        self.complete = False

    def count(self, message: Message) -> None:
        self.bytes += len(message.get("body", b""))
        self.complete = not message.get("more_body", False)
