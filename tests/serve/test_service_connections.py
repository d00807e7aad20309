"""Connections: how many there may be, for how long, and which one is closed first."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

import pytest
import uvicorn
from miolo.serve.metrics import Metrics
from miolo.serve.server import BoundedProtocol, ConnectionLimits
from miolo.serve.shell import Shell
from patience import patient
from service_doors import GUARDED

PATIENT = ConnectionLimits(head_seconds=60, stall_seconds=60, check_seconds=0.02)
HASTY = replace(PATIENT, head_seconds=0.2, stall_seconds=0.2)

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
HELD = GET.replace(b"/ ", b"/held ")
LARGE_ONE = GET.replace(b"/ ", b"/large ")
HALF = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
TWO_LENGTHS = (
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
)
OPEN = frozenset(("/", "/held", "/large"))
LARGE = 50_000_000
OK = b"HTTP/1.1 200 "


class Connection:
    """The client side of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, head: bytes = GET) -> bytes:
        """Send a request and return the start of the answer; empty if the connection is closed."""
        self.writer.write(head)
        return await self.receive(len(OK))

    async def receive(self, size: int) -> bytes:
        with suppress(ConnectionError):
            return await self.reader.read(size)
        return b""


class Server:
    """A server with small answers, an answer that waits (``/held``) and a ``/large`` one."""

    def __init__(self, limits: ConnectionLimits) -> None:
        shell = Shell(self._answer, GUARDED, Metrics(), frozenset(), OPEN)
        self.requested, self.released = asyncio.Event(), asyncio.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            shell,
            http=partial(BoundedProtocol, limits, Metrics()),  # type: ignore[arg-type]
            interface="asgi3",
            ws="none",
            log_config=None,
            lifespan="off",
        )
        self._server = uvicorn.Server(config)
        self._open: list[Connection] = []

    @property
    def connections(self) -> int:
        return len(self._server.server_state.connections)

    async def __aenter__(self) -> Server:
        self._serving = asyncio.create_task(self._server._serve([self._listener]))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.released.set()
        for connection in self._open:
            connection.writer.transport.abort()
        self._server.should_exit = True
        await self._serving

    async def connect(self, source: str = "127.0.0.1") -> Connection:
        """Open a connection from a source address."""
        place = self._listener.getsockname()
        own = await asyncio.open_connection(*place, local_addr=(source, 0))
        self._open.append(Connection(*own))
        return self._open[-1]

    async def _answer(self, scope, receive, send) -> None:
        if scope["path"] == "/held":
            self.requested.set()
            await self.released.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        size = LARGE if scope["path"] == "/large" else 1
        await send({"type": "http.response.body", "body": size * b"a"})


@asynccontextmanager
async def conversation(limits: ConnectionLimits) -> AsyncIterator[Server]:
    async with Server(limits) as server, asyncio.timeout(patient(30)):
        yield server


@pytest.mark.parametrize(
    ("limits", "sources"),
    [
        (replace(PATIENT, per_address=3), ["127.0.0.1"]),
        (replace(PATIENT, per_address=0, total=3), ["127.0.0.1"]),
        (replace(PATIENT, total=3), ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]),
    ],
)
@pytest.mark.parametrize("sent", [b"", HALF])
async def test_the_oldest_idle_connection_is_closed_beyond_the_limit(limits, sources, sent) -> None:
    async with conversation(limits) as server:
        for turn in range(6):
            idle = await server.connect(sources[turn % len(sources)])
            idle.writer.write(sent)
        newest = await server.connect(sources[0])
        assert await newest.ask() == OK
        first, *_, last = server._open[:-1]
        assert await first.receive(1) == b""
        assert server.connections == 3
        last.writer.write(b"a\r\n\r\n" if sent else GET)
        assert await last.receive(len(OK)) == OK


async def test_a_client_that_reads_nothing_does_not_block_others() -> None:
    async with conversation(replace(PATIENT, per_address=2)) as server:
        for _ in range(2):
            assert await (await server.connect()).ask(LARGE_ONE) == OK
        assert await (await server.connect()).ask() == OK
        assert server.connections == 2


async def test_one_address_does_not_block_others() -> None:
    async with conversation(replace(PATIENT, per_address=2, total=4)) as server:
        others = [await server.connect("127.0.0.2") for _ in range(2)]
        for _ in range(6):
            await server.connect()
        assert await others[0].ask() == OK


async def test_busy_connections_are_not_closed() -> None:
    async with conversation(replace(PATIENT, per_address=2)) as server:
        worked_for = await server.connect()
        answer = asyncio.create_task(worked_for.ask(HELD))
        await server.requested.wait()
        idle = await server.connect()
        newest = await server.connect()
        assert await idle.receive(1) == b""
        held = asyncio.create_task(newest.ask(HELD))
        server.requested.clear()
        await server.requested.wait()
        assert await (await server.connect()).ask() == b""
        server.released.set()
        assert [await answer, await held] == [OK, OK]


@pytest.mark.parametrize("sent", [b"", HALF, GET + HALF])
async def test_a_connection_without_a_complete_request_head_is_closed(sent) -> None:
    async with conversation(HASTY) as server:
        slow = await server.connect()
        slow.writer.write(sent)
        worked_for = await server.connect()
        answer = asyncio.create_task(worked_for.ask(HELD))
        while await slow.receive(1000):
            continue
        # The limit has passed, but it does not apply to a request that is being answered.
        server.released.set()
        assert await answer == OK


async def test_a_response_that_nobody_reads_is_dropped() -> None:
    async with conversation(HASTY) as server:
        connection = await server.connect()
        assert await connection.ask(LARGE_ONE) == OK
        # Two later connections have been closed, so the time of this one is over.
        for _ in range(2):
            assert await (await server.connect()).receive(1) == b""
        size = 0
        while part := await connection.receive(1 << 20):
            size += len(part)
        assert size < LARGE


@pytest.mark.parametrize("before", [b"", GET])
async def test_a_request_with_two_lengths_closes_its_connection(before) -> None:
    async with conversation(PATIENT) as server:
        connection = await server.connect()
        connection.writer.write(before + TWO_LENGTHS + GET)
        answers = await connection.reader.read()
        assert answers.count(b"HTTP/1.1 200 ") == bool(before)
        assert answers.count(b"HTTP/1.1 400 ") == 1
