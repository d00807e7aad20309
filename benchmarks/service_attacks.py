"""Attacks on a running `miolo serve`: their effect on an honest client, and their cost.

    python benchmarks/service_attacks.py [--only PREFIX]…

One service runs on loopback with one worker and a token. During each attack an honest client polls
``/healthz`` on its own connections, and requests one extraction, which it repeats until it is
answered. An attack is held off if no poll of ``/healthz`` takes longer than `LOOK_SECONDS`, the
extraction is answered within `ANSWER_SECONDS`, and the service's own process grows by at most
`GROWTH_BYTES`. Prints a table in Markdown, then a line of JSON. The exit code is 1 if an attack is
not held off.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

sys.path += [str(Path(__file__).resolve().parents[1] / "tests" / "shared")]

from services import Service, serving_miolo

TOKEN = "a-token-of-enough-letters"
BEARER = f"Authorization: Bearer {TOKEN}\r\n"
BODY_BYTES = 8 << 20

LOOK_SECONDS = 3.0
ANSWER_SECONDS = 10.0
GROWTH_BYTES = 200 << 20

# Seconds that an honest client waits for an answer, and between two tries.
PATIENCE_SECONDS = 30.0
PAUSE_SECONDS = 0.1

HONEST = json.dumps(
    {"html": 5 * "<p>A sentence that goes on for a while, and on.", "method": "nce"}
)

Place = tuple[str, int]
Attack = Callable[[Place, asyncio.Event], Coroutine[Any, Any, None]]


@dataclass
class Observation:
    """What is observed of the service during an attack."""

    look_seconds: float = 0.0
    answer_seconds: float = 0.0
    growth: int = 0
    faults: list[str] = field(default_factory=list)

    def judge(self) -> None:
        """Record the limits that were exceeded."""
        if self.look_seconds > LOOK_SECONDS:
            self.faults.append("looks wait")
        if self.answer_seconds > ANSWER_SECONDS:
            self.faults.append("an honest client waits")
        if self.growth > GROWTH_BYTES:
            self.faults.append("the service grows")

    @property
    def happened(self) -> str:
        """A short summary."""
        return (
            f"look {1000 * self.look_seconds:.0f} ms, answer {self.answer_seconds:.1f} s, "
            f"+{self.growth >> 20} MB"
        )


def document(body: bytes) -> Attack:
    """Send one request with this JSON."""

    async def attack(place: Place, done: asyncio.Event) -> None:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(_head(len(body)) + body)
        await reader.read(1)
        writer.transport.abort()

    return attack


def connections(number: int, sources: int, sent: bytes) -> Attack:
    """Hold a number of connections that have sent some bytes; reopen those that are closed."""

    async def one(place: Place, done: asyncio.Event, source: str) -> None:
        while not done.is_set():
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(*place, local_addr=(source, 0))
                writer.write(sent)
                await _first(reader.read(), done.wait())
                writer.transport.abort()

    async def attack(place: Place, done: asyncio.Event) -> None:
        addresses = cycle([f"127.0.0.{2 + each}" for each in range(sources)])
        await asyncio.gather(*(one(place, done, next(addresses)) for _ in range(number)))

    return attack


def untaken(number: int) -> Attack:
    """Request files on a number of connections, and read nothing of the answers."""

    async def one(place: Place, done: asyncio.Event) -> None:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().sock_connect(client, place)
            _, writer = await asyncio.open_connection(sock=client)
            writer.write(20 * b"GET /view.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            await done.wait()
            writer.transport.abort()

    async def attack(place: Place, done: asyncio.Event) -> None:
        await asyncio.gather(*(one(place, done) for _ in range(number)))

    return attack


def bodies(number: int, token: str) -> Attack:
    """Hold a number of requests that lack only their last byte."""
    sent = _head(BODY_BYTES, token) + b'{"html":"'.ljust(BODY_BYTES - 1, b"a")
    return connections(number, 1, sent)


def _head(length: int, token: str = BEARER) -> bytes:
    return (
        "POST /extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"{token}Content-Length: {length}\r\n\r\n"
    ).encode()


def _many(start: bytes, part: bytes, end: bytes) -> Attack:
    return document(start + (BODY_BYTES - len(start + end)) // len(part) * part + end)


def _keys() -> Attack:
    return document(b"{" + b",".join(b'"%06x":0' % each for each in range(760_000)) + b"}")


SLOW_HEAD = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "

ATTACKS: dict[str, Callable[[], Attack]] = {
    "json: unknown keys": _keys,
    "json: one key again and again": lambda: _many(b'{"url":0', b',"url":0', b"}"),
    "json: nested arrays": lambda: _many(b"", b"[", b""),
    "json: nested objects": lambda: _many(b"", b'{"a":', b""),
    "json: numbers": lambda: _many(b'{"viewport":[0', b",0", b"]}"),
    "json: roles": lambda: _many(b'{"html":"","include":[""', b',"a"', b"]}"),
    "json: digits": lambda: _many(b'{"deadline":', b"1", b"}"),
    "json: a long key": lambda: _many(b'{"', b"a", b'":0}'),
    "json: escapes": lambda: _many(b'{"deadline":-1,"html":"', b"\\n", b'"}'),
    "json: wide text": lambda: _many('{"deadline":-1,"html":"\U0001f600'.encode(), b"a", b'"}'),
    "json: white space": lambda: _many(b"", b" ", b"{}"),
    "connections: idle": lambda: connections(600, 1, b""),
    "connections: idle, of 100 addresses": lambda: connections(600, 100, b""),
    "connections: half a head": lambda: connections(600, 1, SLOW_HEAD),
    "connections: half a head, of 100 addresses": lambda: connections(600, 100, SLOW_HEAD),
    "connections: answers that nobody takes": lambda: untaken(600),
    "bodies: held, without a token": lambda: bodies(60, ""),
    "bodies: held, with the token": lambda: bodies(60, BEARER),
}


class Honest(threading.Thread):
    """A client that polls the service during an attack and records what it observes."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place
        self._end = threading.Event()
        self.seen = Observation()

    def run(self) -> None:
        """Poll the service until the end event is set."""
        start = monotonic()
        while not self._end.is_set():
            if self._ask("GET", "/healthz", "") == 200:
                self.seen.look_seconds = max(self.seen.look_seconds, monotonic() - start)
                start = monotonic()

    def extract(self) -> None:
        """Request an extraction until it succeeds."""
        start = monotonic()
        while self._ask("POST", "/extract", HONEST) != 200:
            self._end.wait(PAUSE_SECONDS)
        self.seen.answer_seconds = monotonic() - start

    def end(self) -> None:
        """Stop polling."""
        self._end.set()
        self.join()

    def _ask(self, method: str, path: str, body: str) -> int:
        """Status of an answer; 0 if there is none."""
        client = http.client.HTTPConnection(*self._place, timeout=PATIENCE_SECONDS)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
        try:
            client.request(method, path, body, headers)
            return client.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            client.close()


async def observe(service: Service, attack: Attack) -> Observation:
    """Observe a service during an attack."""
    address = urlsplit(service.url)
    place = (address.hostname or "", address.port or 0)
    honest, before = Honest(place), forget_peak(service.process.pid)
    honest.start()
    done = asyncio.Event()
    attacking = asyncio.create_task(attack(place, done))
    # The honest client requests its extraction once the attack has taken its places.
    await _first(asyncio.shield(attacking), asyncio.sleep(1.0))
    await asyncio.to_thread(honest.extract)
    done.set()
    await attacking
    await asyncio.to_thread(honest.end)
    honest.seen.growth = peak_bytes(service.process.pid) - before
    honest.seen.judge()
    return honest.seen


def forget_peak(pid: int) -> int:
    """Reset the peak memory of a process, and return its resident bytes."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return peak_bytes(pid)


def peak_bytes(pid: int) -> int:
    """Peak of the resident bytes of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(peak) << 10


async def _first(*waits: Awaitable[object]) -> None:
    """Wait for the first of several awaitables, and cancel the others."""
    tasks = [asyncio.ensure_future(each) for each in waits]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def service_rows(only: tuple[str, ...]) -> AsyncIterator[tuple[str, Observation, float]]:
    """The name, observation and seconds of every attack."""
    with serving_miolo("--workers", "1", MIOLO_TOKEN=TOKEN) as service:
        service.client.headers["Authorization"] = f"Bearer {TOKEN}"
        for name, build in ATTACKS.items():
            if name.startswith(only or ""):
                start = monotonic()
                yield name, await observe(service, build()), monotonic() - start


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", action="append", default=[], help="names that begin so")
    tried, held = asyncio.run(print_rows(tuple(options.parse_args().only)))
    print(json.dumps({"tried": tried, "held": held}))
    sys.exit(held != tried)


async def print_rows(only: tuple[str, ...]) -> tuple[int, int]:
    """Print rows as they arrive; returns the numbers of attacks tried and held off."""
    held = tried = 0
    print("| tried | happened | seconds | held |\n|---|---|---|---|")
    async for name, seen, seconds in service_rows(only):
        tried += 1
        held += not seen.faults
        verdict = "yes" if not seen.faults else "**no**: " + "; ".join(seen.faults)
        print(f"| {name} | {seen.happened} | {seconds:.1f} | {verdict} |", flush=True)
    return tried, held


if __name__ == "__main__":
    main()
