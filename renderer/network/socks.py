"""The server side of SOCKS 5 (RFC 1928), limited to what browsers use: CONNECT.

A connection is made to the first address that answers, and data is relayed between the two sockets.
Transports write directly: between one socket and the other there is no task and no queue. While one
side cannot send, the other does not read.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Any, cast

from .ip_addresses import Address

VERSION = 5
NO_LOGIN, NO_METHOD = 0, 0xFF
CONNECT = 1
IPV4, NAME, IPV6 = 1, 3, 4

CONNECTED, FAILED, NOT_ALLOWED, NO_SUCH_HOST, REFUSED, TIMED_OUT = 0, 1, 2, 4, 5, 6  # reply codes

NO_COMMAND, NO_SUCH_KIND = 7, 8

HANDSHAKE_SECONDS = 10.0

MAX_BYTES = 257 + 262  # length of the longest greeting and the longest request

Serve = Callable[["Client", str, int], Awaitable[None]]

# Value of `SO_LINGER` with which closing sends a reset. After an ordinary end the other side would
# take half a page for a whole one.
RESET = struct.pack("ii", 1, 0)

STAGGER = 0.25  # seconds between the starts of two connection attempts, as RFC 8305 recommends
CONNECT_SECONDS = 8.0  # in this time TCP requests a connection four times: at 0, 1, 3 and 7 seconds

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
    """Connect to the first address that answers (RFC 8305); the side returned does not read yet."""

    async def attempt(address: Address) -> Side:
        # The address is numeric, so it is not resolved again.
        loop = asyncio.get_running_loop()
        return (await loop.create_connection(Side, str(address), port))[1]

    def close_late(task: asyncio.Task[Side]) -> None:
        if not task.cancelled() and task.exception() is None:
            task.result().reset()

    left = list(addresses[:MAX_ADDRESSES])
    attempts: set[asyncio.Task[Side]] = set()
    failure: BaseException = OSError("there is no address")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            while left or attempts:
                if left:
                    attempts.add(asyncio.ensure_future(attempt(left.pop(0))))
                done, _ = await asyncio.wait(
                    attempts, timeout=STAGGER if left else None, return_when=asyncio.FIRST_COMPLETED
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
            task.add_done_callback(close_late)
            task.cancel()


class Client(Side):
    """A connection of the browser, from its greeting until it is relayed.

    `serve` handles the request for a host and port: it joins the connection to another, or fails
    it. `gone` is called when the connection has ended.
    """

    def __init__(self, serve: Serve, gone: Callable[[Client], None]) -> None:
        super().__init__()
        self._serve = serve
        self._gone = gone
        self._reader = asyncio.StreamReader()
        # Bytes that were received and not read yet, and whether the whole request was read.
        self._unread = 0
        self._has_asked = False
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start to read."""
        super().connection_made(transport)
        assert self.transport is not None
        self.transport.resume_reading()
        self._task = asyncio.ensure_future(self._answer())
        self._task.add_done_callback(lambda done: done.cancelled() or done.exception())

    def data_received(self, data: bytes) -> None:
        """Read the greeting and the request; once connected, pass data on."""
        if self.peer is not None:
            super().data_received(data)
            return
        self._unread += len(data)
        if self._has_asked or self._unread > MAX_BYTES:
            self.reset()  # data before the reply, which no browser sends
        else:
            self._reader.feed_data(data)

    async def _answer(self) -> None:
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                request = await self._read_request()
            self._has_asked = True
            if request and self._unread:
                self.reset()
            elif request:
                await self._serve(self, *request)
        except BaseException:
            self.reset()
            raise

    async def _read_request(self) -> tuple[str, int] | None:
        """The host and port that are asked for; None for a request that is refused."""
        version, count = await self._read(2)
        if version != VERSION or NO_LOGIN not in await self._read(count):
            self._send_last(bytes((VERSION, NO_METHOD)))
            return None
        assert self.transport is not None
        self.transport.write(bytes((VERSION, NO_LOGIN)))
        version, command, _, kind = await self._read(4)
        size = (await self._read(1))[0] if kind == NAME else {IPV4: 4, IPV6: 16}.get(kind, 0)
        if version != VERSION or command != CONNECT or not size:
            self.fail(NO_SUCH_KIND if command == CONNECT else NO_COMMAND)
            return None
        address, port = await self._read(size), int.from_bytes(await self._read(2), "big")
        host = address.decode("ascii", "replace") if kind == NAME else str(ip_address(address))
        return host, port

    async def _read(self, size: int) -> bytes:
        data = await self._reader.readexactly(size)
        self._unread -= size
        return data

    def succeed(self) -> None:
        """Reply that the connection is open."""
        if self.transport:
            self.transport.write(_reply(CONNECTED))

    def fail(self, code: int) -> None:
        """Reply with the reason for the failure, and close the connection."""
        self._send_last(_reply(code))

    def _send_last(self, last: bytes) -> None:
        if self.transport:
            self.transport.write(last)
            self.transport.close()

    def eof_received(self) -> bool:
        """Pass the end of the stream on; before the connection is made, close it."""
        return super().eof_received() if self.peer else False

    def connection_lost(self, exc: BaseException | None) -> None:
        """Stop everything that belongs to the connection."""
        if self._task:
            self._task.cancel()
        super().connection_lost(exc)
        self._gone(self)

    async def end(self) -> None:
        """Close the connection at once; afterwards none of its tasks is running."""
        self.reset()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self.peer:
            self.peer.reset()


def _reply(code: int) -> bytes:
    # The bound address is of no use to a browser, and none of its business.
    return struct.pack("!BBBB4sH", VERSION, code, 0, IPV4, bytes(4), 0)
