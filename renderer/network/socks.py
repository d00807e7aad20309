"""The server side of SOCKS 5 (RFC 1928), limited to what browsers use: CONNECT."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address

from .relay import Side

__all__ = ["CONNECTED", "FAILED", "NOT_ALLOWED", "NO_SUCH_HOST", "REFUSED", "TIMED_OUT", "Client"]

VERSION = 5
NO_LOGIN, NO_METHOD = 0, 0xFF
CONNECT = 1
IPV4, NAME, IPV6 = 1, 3, 4

CONNECTED, FAILED, NOT_ALLOWED, NO_SUCH_HOST, REFUSED, TIMED_OUT = 0, 1, 2, 4, 5, 6
"""Reply codes."""

NO_COMMAND, NO_SUCH_KIND = 7, 8

HANDSHAKE_SECONDS = 10.0

# Length of the longest greeting and the longest request.
MAX_BYTES = 257 + 262

Serve = Callable[["Client", str, int], Awaitable[None]]


class Client(Side):
    """A connection of the browser, from its greeting until it is relayed.

    Parameters
    ----------
    serve
        Handles the request for a host and port: joins the connection to another, or fails it.
    gone
        Called when the connection has ended.
    """

    def __init__(self, serve: Serve, gone: Callable[[Client], None]) -> None:
        super().__init__()
        self._serve = serve
        self._gone = gone
        self._buffer = b""
        self._greeted = False
        self._task: asyncio.Task[None] | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start to read, with a time limit on the handshake."""
        super().connection_made(transport)
        assert self.transport is not None
        self.transport.resume_reading()
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(HANDSHAKE_SECONDS, self.reset)

    def data_received(self, data: bytes) -> None:
        """Read the greeting and the request; once connected, pass data on."""
        if self.peer is not None:
            super().data_received(data)
            return
        self._buffer += data
        if self._task is not None or len(self._buffer) > MAX_BYTES:
            self.reset()  # data before the reply, which no browser sends
            return
        if not self._greeted:
            self._read_greeting()
        if self._greeted and self._task is None:
            self._read_request()

    def _read_greeting(self) -> None:
        if len(self._buffer) < 2 or len(self._buffer) < 2 + self._buffer[1]:
            if self._buffer[0] != VERSION:
                self.reset()
            return
        methods = self._buffer[2 : 2 + self._buffer[1]]
        if self._buffer[0] != VERSION or NO_LOGIN not in methods:
            self._send_last(bytes((VERSION, NO_METHOD)))
            return
        self._buffer = self._buffer[2 + len(methods) :]
        self._greeted = True
        assert self.transport is not None
        self.transport.write(bytes((VERSION, NO_LOGIN)))

    def _read_request(self) -> None:
        if len(self._buffer) < 5:
            return
        version, command, _, kind, length = self._buffer[:5]
        start, size = (5, length) if kind == NAME else (4, {IPV4: 4, IPV6: 16}.get(kind, 0))
        if version != VERSION or command != CONNECT or not size:
            self.fail(NO_SUCH_KIND if command == CONNECT else NO_COMMAND)
            return
        if len(self._buffer) < start + size + 2:
            return
        address = self._buffer[start : start + size]
        (port,) = struct.unpack("!H", self._buffer[start + size : start + size + 2])
        if len(self._buffer) > start + size + 2:
            self.reset()
            return
        self._begin(_host(kind, address), port)

    def _begin(self, host: str, port: int) -> None:
        assert self._deadline is not None
        self._deadline.cancel()
        self._task = asyncio.ensure_future(self._connect(host, port))
        self._task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _connect(self, host: str, port: int) -> None:
        try:
            await self._serve(self, host, port)
        except BaseException:
            self.reset()
            raise

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
        if self._deadline:
            self._deadline.cancel()
        if self._task and not self._task.done():
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


def _host(kind: int, address: bytes) -> str:
    if kind == IPV4:
        return str(IPv4Address(address))
    if kind == IPV6:
        return str(IPv6Address(address))
    return address.decode("ascii", "replace")


def _reply(code: int) -> bytes:
    # The bound address is of no use to a browser, and none of its business.
    return struct.pack("!BBBB4sH", VERSION, code, 0, IPV4, bytes(4), 0)
