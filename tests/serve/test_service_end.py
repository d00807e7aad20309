"""`miolo serve` from its start to its end: signals, kills, failed starts."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from patience import patient, remaining_processes, until
from services import Aside, held_pages, kind, serving_miolo

TOKEN = "a-token-of-enough-letters"
HTML = "<h1>Quiet harbour</h1>" + 5 * "<p>A sentence that goes on for a while, and on, here."
LOCAL = ("--workers", "1", "--allow", "127.0.0.1")


@pytest.fixture
def pages():
    with held_pages() as server:
        yield server


def environment(process: psutil.Process) -> dict[str, str]:
    """The environment of a process; empty if it has ended."""
    with contextlib.suppress(psutil.Error):
        return process.environ()
    return {}


def test_accepted_requests_are_answered_after_a_signal(pages) -> None:
    origin, requests, release = pages
    with serving_miolo(*LOCAL, MIOLO_TOKEN=TOKEN) as service:
        service.client.headers["Authorization"] = f"Bearer {TOKEN}"
        family = service.family()
        scratch = [Path(each.environ()["TMPDIR"]) for each in service.workers()]
        assert not [each for each in family if TOKEN in environment(each).values()]
        running = Aside(service.post, "/extract", url=f"{origin}/held/1", method="nce", wait="dom")
        until(lambda: "/held/1" in requests)
        service.process.send_signal(signal.SIGTERM)
        until(lambda: service.get("/readyz").status_code == 503)
        assert kind(service.post("/extract", html=HTML)) == (503, "Stopping")
        release.set()
        assert running.value().status_code == 200
        assert service.process.wait(patient(20)) == 0
        assert not remaining_processes(family)
        assert not [folder for folder in scratch if folder.exists()]
        assert TOKEN not in json.dumps(service.lines)


def test_accepted_requests_are_refused_after_a_second_signal(pages) -> None:
    origin, requests, _ = pages
    with serving_miolo(*LOCAL) as service:
        family = service.family()
        running = Aside(service.post, "/extract", url=f"{origin}/held/1")
        until(lambda: "/held/1" in requests)
        waiting = Aside(service.post, "/extract", html=HTML)
        until(lambda: service.metric("miolo_queue_length") == 1)
        service.process.send_signal(signal.SIGINT)
        until(lambda: service.events("stopping"))
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(patient(20)) == 1
        for each in (running, waiting):
            assert kind(each.value()) == (503, "Stopping")
        assert not remaining_processes(family)
    assert [line["status"] for line in service.events("request")[-2:]] == [503, 503]
    assert not service.events("library")


def test_a_service_that_cannot_start_says_why(run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        for words, browser, code, message in (
            (("--port", taken), "", 1, b"cannot listen on"),
            (("--port", "0", "--model", __file__), "", 2, b"--model needs --collection"),
            (("--port", "0"), "/nonexistent", 3, b"not a file"),
        ):
            settings = {"MIOLO_CHROMIUM": browser} if browser else {}
            done = run("serve", "--no-sandbox", *words, **settings)
            assert (done.returncode, message in done.stderr) == (code, True), done.stderr


def test_the_service_prints_its_link() -> None:
    command = [sys.executable, "-m", "miolo", "serve", "--port", "0", "--no-sandbox", *LOCAL]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.terminate()
        rest = process.stderr.read()
    ready = r"Miolo is running at http://127\.0\.0\.1:\d+/ \(press Ctrl-C to stop\)\n"
    assert re.fullmatch(ready, line)
    assert re.fullmatch(r"\d\d:\d\d:\d\d stopping ?\n\d\d:\d\d:\d\d stopped ?\n", rest)
    assert process.returncode == 0
