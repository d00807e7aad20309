"""Connects to the first address that answers, and relays data between two sockets.

Transports write directly: between one socket and the other there is no task and no queue. While
one side cannot send, the other does not read.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Sequence
from typing import Any, cast

from .ip_addresses import Address

__all__ = ["Side", "connect", "join"]

# Value of `SO_LINGER` with which closing sends a reset. After an ordinary end the other side would
# take half a page for a whole one.
RESET = struct.pack("ii", 1, 0)


# Seconds between the starts of two connection attempts, as RFC 8305 recommends.
STAGGER = 0.25

# In this time TCP requests a connection four times: at 0, 1, 3 and 7 seconds.
CONNECT_SECONDS = 8.0

MAX_ADDRESSES = 8


class Side(asyncio.Protocol):
    """One of the two sides of a relayed connection."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.peer: Side | None = None
        self._ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Pause reading until there is a peer to write to."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        """Pass data on to the peer."""
        if self.peer and self.peer.transport:
            self.peer.transport.write(data)

    def pause_writing(self) -> None:
        """Make the peer stop reading for now."""
        if self.peer and self.peer.transport:
            self.peer.transport.pause_reading()

    def resume_writing(self) -> None:
        """Make the peer read again."""
        if self.peer and self.peer.transport:
            self.peer.transport.resume_reading()

    def eof_received(self) -> bool:
        """Pass the end of the stream on; the other direction stays open until its own end."""
        self._ended = True
        other = self.peer
        if other is None or other.transport is None or other.transport.is_closing():
            return False
        other.transport.write_eof()
        if other._ended:
            other.transport.close()
            return False
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        """Close the peer in the same way: by a reset, or after sending its remaining data."""
        other, self.peer = self.peer, None
        self.transport = None
        if other is None:
            return
        if exc is None and other.transport:
            other.transport.close()
        else:
            other.reset()

    def reset(self) -> None:
        """Close the connection at once, with a reset."""
        if self.transport is None:
            return
        sock: Any = self.transport.get_extra_info("socket")
        if sock is not None and sock.fileno() >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.transport.abort()


def join(one: Side, other: Side) -> None:
    """Relay data between two sides that are both connected."""
    one.peer, other.peer = other, one
    for side in (one, other):
        if side.transport:
            side.transport.resume_reading()


async def connect(addresses: Sequence[Address], port: int) -> Side:
    """Connect to the first address that answers (RFC 8305); the side returned does not read yet.

    Raises
    ------
    OSError
        No address answers. The error is that of the attempt that failed last, or a `TimeoutError`.
    """
    left = list(addresses[:MAX_ADDRESSES])
    attempts: set[asyncio.Task[Side]] = set()
    failure: BaseException = OSError("there is no address")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            while left or attempts:
                if left:
                    attempts.add(asyncio.ensure_future(_attempt(left.pop(0), port)))
                done, _ = await asyncio.wait(
                    attempts,
                    timeout=STAGGER if left else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                for task in done:
                    attempts.discard(task)
                    error = task.exception()
                    if error is None:
                        return task.result()
                    failure = error
        raise failure
    finally:
        for task in attempts:
            task.add_done_callback(_too_late)
            task.cancel()


async def _attempt(address: Address, port: int) -> Side:
    loop = asyncio.get_running_loop()
    # The address is numeric, so it is not resolved again.
    _, side = await loop.create_connection(Side, str(address), port)
    return side


def _too_late(task: asyncio.Task[Side]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().reset()
