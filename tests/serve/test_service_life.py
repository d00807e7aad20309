"""`miolo serve` under load and under attack."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress

import httpx2
import pytest
import uvicorn
from miolo.serve import connections
from services import Aside, held_pages, kind, left, serving_miolo, until

HTML = "<h1>Quiet harbour</h1>" + 5 * "<p>A sentence that goes on for a while, and on, here."
LOCAL = ("--workers", "1", "--allow", "127.0.0.1")


@pytest.fixture(scope="module")
def service():
    with serving_miolo(*LOCAL, "--queue", "1") as running:
        yield running


@pytest.fixture
def pages():
    with held_pages() as found:
        yield found


def healthy(service) -> bool:
    return service.post("/extract", html=HTML, method="nce").status_code == 200


def test_what_has_no_room_is_refused_with_a_time(service, pages) -> None:
    origin, asked, release = pages
    first = Aside(service.post, "/extract", url=f"{origin}/held/1", method="nce", wait="dom")
    until(lambda: "/held/1" in asked)
    second = Aside(service.post, "/extract", html=HTML, method="nce")
    until(lambda: service.metric("miolo_queue_length") == 1)
    refused = service.post("/extract", html=HTML)
    assert kind(refused) == (429, "Busy")
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    release.set()
    assert [first.value().status_code, second.value().status_code] == [200, 200]
    assert service.metric("miolo_refused_total") == 1


def test_nobody_works_for_a_client_that_is_gone(service, pages) -> None:
    origin, asked, release = pages
    first = Aside(service.post, "/extract", url=f"{origin}/held/1", method="nce", wait="dom")
    until(lambda: "/held/1" in asked)
    with httpx2.Client(timeout=0.5) as hasty, pytest.raises(httpx2.ReadTimeout):
        hasty.post(f"{service.url}/extract", json={"url": f"{origin}/page/2"})
    until(lambda: service.metric("miolo_queue_length") == 0)
    release.set()
    assert first.value().status_code == 200
    assert healthy(service)
    assert "/page/2" not in asked


def test_who_goes_while_the_page_loads_frees_the_worker(service, pages) -> None:
    origin, asked, _ = pages
    worker = service.workers()[0].pid
    with httpx2.Client(timeout=1) as hasty, pytest.raises(httpx2.ReadTimeout):
        hasty.post(f"{service.url}/extract", json={"url": f"{origin}/held/1"})
    assert "/held/1" in asked
    assert healthy(service)
    assert service.workers()[0].pid == worker
    assert service.metric("miolo_worker_deaths_total") == 0


def test_waiting_counts_as_time(service, pages) -> None:
    origin, asked, release = pages
    first = Aside(service.post, "/extract", url=f"{origin}/held/1", method="nce", wait="dom")
    until(lambda: "/held/1" in asked)
    late = service.post("/extract", url=f"{origin}/page/2", deadline=0.5)
    assert kind(late) == (504, "PageTimeoutError")
    release.set()
    assert first.value().status_code == 200
    assert "/page/2" not in asked


def test_a_worker_that_dies_costs_its_own_request(service, pages) -> None:
    origin, asked, _ = pages
    lost = Aside(service.post, "/extract", url=f"{origin}/held/1")
    until(lambda: "/held/1" in asked)
    killed = service.workers()
    killed[0].kill()
    assert kind(lost.value()) == (502, "BrowserCrashedError")
    assert healthy(service)
    assert service.metric("miolo_worker_deaths_total") == 1
    assert not left(killed)


def test_a_page_that_eats_memory_costs_its_own_request(pages) -> None:
    origin, _, _ = pages
    with serving_miolo(*LOCAL, "--max-memory", str(900 << 20)) as service:
        found = service.post("/extract", url=f"{origin}/eats", deadline=20)
        # Whichever is first: the service's bound, or that of the page's process.
        assert kind(found) in {(422, "TooLargeError"), (502, "BrowserCrashedError")}
        assert healthy(service)


@pytest.fixture
def connected(monkeypatch):
    """Runs a conversation with a server whose patience is short."""
    monkeypatch.setattr(connections, "CHECK_SECONDS", 0.02)
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 0.2)

    async def answer(scope, receive, send) -> None:
        await asyncio.sleep(0.5)  # longer than the patience: at work
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": 50_000_000 * b"a"})

    async def conversation(talk):
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            answer, http=connections.PatientProtocol, ws="none", log_config=None
        )
        config.lifespan = "off"
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server._serve([listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        try:
            return await asyncio.wait_for(talk(server, reader, writer), 20)
        finally:
            writer.transport.abort()
            server.should_exit = True
            await serving

    return lambda talk: asyncio.run(conversation(talk))


def test_half_a_head_is_not_waited_for(connected) -> None:
    async def talk(server, reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
        # Aborted, it may end by a reset.
        with suppress(ConnectionError):
            return await reader.read()
        return b""

    assert connected(talk) == b""


def test_an_answer_that_nobody_takes_is_dropped(connected) -> None:
    async def talk(server, reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.readexactly(1)
        reader._transport.pause_reading()
        while server.server_state.connections:
            await asyncio.sleep(0.02)

    connected(talk)


def test_what_is_no_http_is_answered_as_all_else(connected) -> None:
    async def talk(server, reader, writer):
        writer.write(b"NONSENSE\r\n\r\n")
        return await reader.read()

    head, _, body = connected(talk).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"X-Request-Id: " in head
    assert json.loads(body)["error"]["kind"] == "BadRequest"
