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


def test_an_address_in_use_is_an_error(run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        finished = run("serve", "--port", port, "--no-sandbox")
    assert finished.returncode == 1
    assert b"cannot listen on" in finished.stderr


def test_a_model_needs_a_collection_to_label(run, tmp_path) -> None:
    (tmp_path / "reader.npz").touch()
    finished = run("serve", "--port", "0", "--no-sandbox", "--model", str(tmp_path / "reader.npz"))
    assert finished.returncode == 2
    assert b"--model needs --collection" in finished.stderr


def test_a_missing_browser_is_an_error(run) -> None:
    finished = run("serve", "--port", "0", "--no-sandbox", MIOLO_CHROMIUM="/nonexistent")
    assert finished.returncode == 3
    assert b"not a file" in finished.stderr


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
