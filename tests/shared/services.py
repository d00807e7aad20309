"""A service that a test starts: its process, its log lines and its child processes."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpx2
import psutil
from local_server import Handler, serving
from miolo.collect.page_worker import PROGRAM
from patience import patient, remaining_processes, until

WAIT_SECONDS = patient(60)


@dataclass
class Service:
    """A running `miolo serve`."""

    process: subprocess.Popen[str]
    lines: list[dict] = field(default_factory=list)
    client: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=WAIT_SECONDS))

    def read(self) -> None:
        """Collect its log lines until the output ends."""
        for line in self.process.stderr or ():
            self.lines.append(json.loads(line))

    @property
    def url(self) -> str:
        return until(lambda: self.events("listening"))[0]["address"]

    def events(self, name: str) -> list[dict]:
        return [line for line in self.lines if line["event"] == name]

    def get(self, path: str, **more) -> httpx2.Response:
        return self.client.get(self.url + path, **more)

    def post(self, path: str, **fields) -> httpx2.Response:
        return self.client.post(self.url + path, json=fields)

    def metric(self, name: str) -> float:
        """Sum of a metric over its labels."""
        lines = self.get("/metrics").text.splitlines()
        samples = (line.rpartition(" ") for line in lines)
        return sum(float(value) for key, _, value in samples if key.partition("{")[0] == name)

    def is_ready(self) -> bool:
        with suppress(httpx2.TransportError):
            return self.get("/readyz").status_code == 200
        return False

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def workers(self) -> list[psutil.Process]:
        below = psutil.Process(self.process.pid).children()
        return [each for each in below if PROGRAM in each.cmdline()]


@contextmanager
def serving_miolo(*words: str, **environment: str) -> Iterator[Service]:
    """Run a service, and yield it once it is ready; afterwards none of its processes remains."""
    command = [sys.executable, "-m", "miolo", "serve", "--port", "0", "--no-sandbox", "--log-json"]
    with subprocess.Popen(
        [*command, *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        service = Service(process)
        reader = threading.Thread(target=service.read)
        reader.start()
        try:
            until(service.is_ready)
            yield service
        finally:
            with suppress(psutil.Error):
                family = service.family()
                process.terminate()
                assert not remaining_processes(family)
            process.wait(WAIT_SECONDS)
            reader.join()
            service.client.close()


def kind(answer: httpx2.Response) -> tuple[int, str]:
    """HTTP status and error kind of an error response."""
    return answer.status_code, answer.json()["error"]["kind"]


class Aside(threading.Thread):
    """A call in a thread, with its result."""

    def __init__(self, call, *values, **named) -> None:
        super().__init__()
        self._call = lambda: call(*values, **named)
        self.outcomes: list = []
        self.start()

    def run(self) -> None:
        self.outcomes.append(self._call())

    def value(self):
        self.join(WAIT_SECONDS)
        return self.outcomes[0]


STORY = "<p>" + 6 * "A sentence that goes on for a while and tells what happened, here. "


class Pages(Handler):
    """``/held/…`` answers once it is released, ``/eats`` uses up memory, others show their path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        if self.path.startswith("/held"):
            self.server.release.wait(WAIT_SECONDS)
        body = f"<title>Page {self.path}</title><h1>Page {self.path}</h1>{3 * STORY}"
        if self.path == "/eats":
            body += (
                "<script>const all = []; for (;;) all.push(new Uint8Array(1e7).fill(7))</script>"
            )
        with suppress(ConnectionError):
            self.send(body)


@contextmanager
def held_pages() -> Iterator[tuple[str, list, threading.Event]]:
    """Origin of `Pages`, the list of requests, and the event that releases the held ones."""
    release = threading.Event()
    with serving(Pages, release=release) as (origin, requests):
        try:
            yield origin, requests, release
        finally:
            release.set()
