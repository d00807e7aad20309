"""`miolo serve` under load: speed, overload, hostile pages, and the speed afterwards.

    python benchmarks/service.py [--requests 200] [--hostile 1000] [--workers N] [--method auto]

A site is served on loopback, and each page has a unique word. First 1, 4 and 16 clients request
pages, each one after the other. The queue has room for eight requests, so that sixteen clients find
it full; a client that receives status 429 retries after `Retry-After`. A request is lost if it is
never answered with its page, and mixed up if the answer has another page's word. Then follow
requests of which every tenth is for a hostile page, and the first loads again.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep
from typing import Any

import httpx2
import numpy as np
import psutil
from miolo.workers.processes import private_bytes

CLIENTS = (1, 4, 16)
QUEUE = 8
HOSTILE_CLIENTS = 4
HOSTILE_SECONDS = 4.0
PATIENCE_SECONDS = 600.0

WORD = re.compile(r"marker(\d+)end")

HOSTILE = {
    "endless": "<p>a<script>for (;;);</script>",
    "alerts": "<p>b<script>for (;;) alert(1)</script>",
    "eater": "<p>c<script>const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))</script>",
    "itself": "<p>d<script>setInterval(() => location.reload(), 1)</script>",
    "nodes": "<script>for (let i = 0; i < 3e5; i++) document.write('<b>e</b>')</script>",
    "deep": 20_000 * "<div>" + "f",
    "windows": "<p>g<script>setInterval(() => open('/page/0'), 1)</script>",
    "endless-body": "",
}


class Handler(BaseHTTPRequestHandler):
    """Serves ``/page/N`` with its word, and ``/hostile/NAME``."""

    def do_GET(self) -> None:
        """Serve a page."""
        kind, _, name = self.path.strip("/").partition("/")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        try:
            self.wfile.write((HOSTILE.get(name, "") if kind == "hostile" else page(name)).encode())
            while name == "endless-body":
                self.wfile.write(b"<p>more, and more")
                sleep(0.05)
        except ConnectionError:
            pass

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def page(number: str) -> str:
    line = f"A sentence of marker{number}end that goes on for a while and tells what there was. "
    links = "".join(f"<li><a href=/page/{n}>Another story</a>" for n in range(30))
    body = 8 * f"<p>{4 * line}"
    return f"<!doctype html><title>Page</title><ul>{links}</ul><h1>Page</h1><main>{body}</main>"


@dataclass
class Load:
    """Outcome of a number of requests."""

    seconds: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    mixed_up: int = 0
    lost: int = 0
    took: float = 0.0

    @property
    def rate(self) -> float:
        """Pages per second."""
        return round(len(self.seconds) / max(self.took, 1e-9), 2)

    def milliseconds(self, percent: float) -> float:
        """A percentile of the milliseconds per page, including the time in the queue."""
        return round(1000 * float(np.percentile(self.seconds or [0.0], percent)), 1)


def main() -> None:
    options = ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=int, default=200, help="of each load")
    options.add_argument("--hostile", type=int, default=1000, help="requests between the loads")
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--method", default="auto")
    chosen = options.parse_args()
    with site() as origin, service(chosen.workers) as (process, url):
        figures = asyncio.run(measure(chosen, origin, url, process))
    print(json.dumps(figures))


async def measure(
    chosen: Namespace, origin: str, url: str, process: subprocess.Popen[str]
) -> dict[str, Any]:
    async with httpx2.AsyncClient(base_url=url, timeout=120) as client:
        before = await loads(chosen, origin, client, process, "before")
        hostile = await run_load(
            client, chosen.method, hostile_targets(origin, chosen.hostile), HOSTILE_CLIENTS
        )
        print(f"hostile: {dict(hostile.answers)}", file=sys.stderr)
        after = await loads(chosen, origin, client, process, "after")
        deaths = [
            line
            for line in (await client.get("/metrics")).text.splitlines()
            if line.startswith("miolo_worker_deaths_total")
        ]
    every = [*before.values(), hostile, *after.values()]
    return {
        "requests_per_second": {str(n): load.rate for n, load in before.items()},
        "p99_ms": {str(n): load.milliseconds(99) for n, load in before.items()},
        "lost": sum(load.lost for load in every),
        "mixed_up": sum(load.mixed_up for load in every),
        "requests_per_second_after": {str(n): load.rate for n, load in after.items()},
        "p99_ms_after": {str(n): load.milliseconds(99) for n, load in after.items()},
        "refused_and_retried": sum(load.answers["429"] for load in every),
        "worker_deaths": int(float(deaths[0].split()[1])),
    }


async def loads(
    chosen: Namespace,
    origin: str,
    client: httpx2.AsyncClient,
    process: subprocess.Popen[str],
    name: str,
) -> dict[int, Load]:
    by_clients = {}
    for clients in CLIENTS:
        targets = [(f"{origin}/page/{clients}{n:05}", 60.0) for n in range(chosen.requests)]
        load = by_clients[clients] = await run_load(client, chosen.method, targets, clients)
        log(name, clients, load, private_bytes(process.pid))
    return by_clients


def log(name: str, clients: int, load: Load, memory: int) -> None:
    ms = ", ".join(f"p{percent} {load.milliseconds(percent)} ms" for percent in (50, 95, 99))
    print(
        f"{name}, {clients} clients: {load.rate} requests/s, {ms}, {memory >> 20} MB, "
        f"{dict(load.answers)}, {load.lost} lost, {load.mixed_up} mixed up",
        file=sys.stderr,
    )


def hostile_targets(origin: str, number: int) -> list[tuple[str, float]]:
    """Ordinary pages, with a hostile one at every tenth place, each with its deadline."""
    names = list(HOSTILE)
    return [
        (f"{origin}/page/{n}", 60.0)
        if n % 10
        else (f"{origin}/hostile/{names[n // 10 % len(names)]}", HOSTILE_SECONDS)
        for n in range(number)
    ]


async def run_load(
    client: httpx2.AsyncClient, method: str, targets: list[tuple[str, float]], clients: int
) -> Load:
    """Make a number of clients request the pages, each one after the other."""
    load, waiting = Load(), iter(targets)

    async def one_client() -> None:
        for target, seconds in waiting:
            await send_request(client, method, target, seconds, load)

    started = monotonic()
    await asyncio.gather(*(one_client() for _ in range(clients)))
    load.took = monotonic() - started
    return load


async def send_request(
    client: httpx2.AsyncClient, method: str, url: str, seconds: float, load: Load
) -> None:
    body = {"url": url, "method": method, "format": "text", "deadline": seconds}
    started = monotonic()
    while monotonic() - started < PATIENCE_SECONDS:
        start = monotonic()
        answer = await client.post("/extract", json=body)
        load.answers[str(answer.status_code)] += 1
        if answer.status_code != 429:
            break
        await asyncio.sleep(float(answer.headers["retry-after"]))
    else:
        load.lost += 1
        return
    own = url.rpartition("/")[2]
    words = set(WORD.findall(answer.text)) if answer.status_code == 200 else set()
    load.mixed_up += bool(words - {own})
    if "/page/" in url:
        load.seconds.append(monotonic() - start)
        load.lost += own not in words


@contextmanager
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


@contextmanager
def service(workers: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a service; yields once it is ready, and reports processes that are left at the end."""
    words = [
        "--workers",
        str(workers),
        "--port",
        "0",
        "--no-sandbox",
        "--allow",
        "127.0.0.1",
        "--queue",
        str(QUEUE),
    ]
    command = [sys.executable, "-m", "miolo", "serve", "--log-json", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = json.loads(process.stderr.readline())["address"]
        threading.Thread(target=lambda: [*(process.stderr or ())], daemon=True).start()
        while httpx2.get(f"{url}/readyz").status_code != 200:
            sleep(0.2)
        try:
            yield process, url
        finally:
            family = psutil.Process(process.pid).children(recursive=True)
            process.terminate()
            process.wait()
            left = psutil.wait_procs(family, 10)[1]
            if left:
                print(f"{len(left)} processes left", file=sys.stderr)


if __name__ == "__main__":
    main()
