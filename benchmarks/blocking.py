"""What blocking saves on a page with 60 scripts and pictures of third parties.

    python benchmarks/blocking.py [--pages 10] [--proxy]

The page, its own style sheet, script and picture, and everything of the third parties come from one
server on loopback, which answers after 40 ms. The third parties have 20 names of the package's
lists. A script of theirs is busy for 10 ms, and adds a box and a pixel. Pages with and without
blocking take turns. Processor time is that of the server's process, which is Miolo's own, and of
all processes of the browser. With ``--proxy`` a proxy of the user's, on loopback, makes the
connections, so that Chromium has to block.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import miolo
import psutil

HOSTS = (
    *(f"{name}.doubleclick.net" for name in ("ad", "cm.g", "pubads.g", "securepubads.g")),
    *(f"{name}.googlesyndication.com" for name in ("pagead2", "tpc")),
    *("www.google-analytics.com", "www.googletagmanager.com", "static.criteo.net"),
    *("cdn.taboola.com", "widgets.outbrain.com", "sb.scorecardresearch.com", "ib.adnxs.com"),
    *("static.hotjar.com", "cdn.parsely.com", "static.chartbeat.com", "ads.pubmatic.com"),
    *("fastlane.rubiconproject.com", "c.amazon-adsystem.com", "secure.quantserve.com"),
)
SCRIPTS, PICTURES = 40, 20
ANSWER_SECONDS = 0.04

PROSE = "The harbour of the town has had the same crane for ninety years, says its keeper. "
SCRIPT = """{
const until = performance.now() + 10; while (performance.now() < until);
new Image().src = document.currentScript.src.replace('script', 'pixel');
const box = document.createElement('div'); box.textContent = 'Advertisement';
addEventListener('DOMContentLoaded', () => document.querySelector('aside').append(box));
}"""
PICTURE = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
)
# Everything that the lists block, without what only some users want to block.
BLOCKED = "ads,trackers"


class Answers(BaseHTTPRequestHandler):
    """The site, its third parties, and the user's proxy."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a request to the server itself, or through it as a proxy."""
        path = urlsplit(self.path).path
        self.server.__dict__["requests"].append(self.headers["Host"])
        time.sleep(ANSWER_SECONDS)
        assert isinstance(self.server, ThreadingHTTPServer)
        kind, body = answer(path, self.server.server_port)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class Server(ThreadingHTTPServer):
    """The server; a browser that has its page closes connections before they are answered."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report nothing."""


def answer(path: str, port: int) -> tuple[str, bytes]:
    """Media type and body of an answer."""
    if path == "/":
        return "text/html; charset=utf-8", page(port).encode()
    if "script" in path:
        return "text/javascript", SCRIPT.encode()
    if path == "/style.css":
        return "text/css", b"aside { float: right; width: 200px } main { max-width: 700px }"
    if path == "/own.js":
        return "text/javascript", b"document.querySelector('main').dataset.ready = 'yes'"
    return "image/gif", PICTURE


def page(port: int) -> str:
    """The page: an article among requests to third parties."""

    def url(number: int, kind: str) -> str:
        return f"http://{HOSTS[number % len(HOSTS)]}:{port}/{kind}{number}"

    scripts = "".join(f"<script src='{url(n, 'script')}'></script>" for n in range(SCRIPTS // 2))
    late = "".join(f"<script async src='{url(n, 'script')}'></script>" for n in range(20, SCRIPTS))
    pictures = "".join(
        f"<img src='{url(n, 'picture')}' width=300 height=250>" for n in range(PICTURES)
    )
    return (
        "<!doctype html><html lang=en><title>The crane of the harbour</title>"
        f"<link rel=stylesheet href=/style.css>{scripts}{late}<script src=/own.js></script>"
        f"<aside>{pictures}</aside><main><article><h1>The crane of the harbour</h1>"
        f"<img src=/picture width=600 height=300 alt=Crane>{f'<p>{4 * PROSE}</p>' * 12}"
        "</article></main>"
    )


@contextlib.contextmanager
def serving() -> Iterator[ThreadingHTTPServer]:
    """Run the server."""
    server = Server(("127.0.0.1", 0), Answers)
    server.__dict__["requests"] = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()


@dataclass
class Clock:
    """Processor time of this process and those below it, also of those that have ended."""

    seen: dict[tuple[int, float], float] = field(default_factory=dict)

    def note(self) -> float:
        """Read the times of all processes; returns their sum, in seconds."""
        own = psutil.Process()
        for process in [own, *own.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                self.seen[process.pid, process.create_time()] = times.user + times.system
        return sum(self.seen.values())

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Read the times every 50 ms, since the processes of a page end with it."""

        async def repeat() -> None:
            while True:
                await asyncio.to_thread(self.note)
                await asyncio.sleep(0.05)

        task = asyncio.ensure_future(repeat())
        try:
            yield
        finally:
            task.cancel()


@dataclass
class Figures:
    """Figures of the pages of one kind."""

    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)


async def measure(pages: int, *, with_proxy: bool) -> dict[str, Figures]:
    """Render the page in turns with and without blocking, after one page of each."""
    figures = {"none": Figures(), BLOCKED: Figures()}
    clock = Clock()
    with serving() as server:
        address = f"127.0.0.1:{server.server_port}"
        egress = miolo.EgressPolicy("always" if with_proxy else "named")
        base = miolo.RenderOptions(egress=egress, proxy=address if with_proxy else None)
        options = {name: miolo.RenderOptions(**{**vars(base), "block": name}) for name in figures}
        switches = ("--host-resolver-rules=MAP * 127.0.0.1",)
        async with miolo.Renderer(base, switches=switches) as renderer, clock.running():
            for number in range(pages + 1):
                for name, chosen in options.items():
                    server.__dict__["requests"].clear()
                    before, started = clock.note(), time.perf_counter()
                    snapshot = await renderer.render(f"http://{address}/", chosen)
                    seconds, cpu_seconds = time.perf_counter() - started, clock.note() - before
                    own = figures[name]
                    own.texts.add(miolo.extract_snapshot(snapshot).text)
                    if number:
                        own.seconds.append(seconds)
                        own.cpu_seconds.append(cpu_seconds)
                        own.requests.append(len(server.__dict__["requests"]))
    return figures


def main() -> None:
    """Print a line for each kind, and the shares that blocking leaves."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--proxy", action="store_true", help="Connect through a user's proxy.")
    chosen = parser.parse_args()
    figures = asyncio.run(measure(chosen.pages, with_proxy=chosen.proxy))
    for name, own in figures.items():
        print(
            f"--block {name}: {median(own.seconds):.2f} s, {median(own.cpu_seconds):.2f} s of a "
            f"core and {median(own.requests):.0f} requests a page"
        )
    without, with_it = figures["none"], figures[BLOCKED]
    same = len(without.texts | with_it.texts) == 1 and PROSE.strip() in without.texts.pop()
    shares = {
        "seconds": round(median(with_it.seconds) / median(without.seconds), 3),
        "cpu": round(median(with_it.cpu_seconds) / median(without.cpu_seconds), 3),
        "same_article": same,
    }
    print(json.dumps(shares))


if __name__ == "__main__":
    main()
