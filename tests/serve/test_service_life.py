"""`miolo serve` from its start to its end: signals, failed starts, load and attacks."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import psutil
import pytest
from patience import patient, remaining_processes, until
from services import Aside, held_pages, kind, serving_miolo

TOKEN = "a-token-of-enough-letters"
HTML = "<h1>Quiet harbour</h1>" + 5 * "<p>A sentence that goes on for a while, and on, here."
LOCAL = ("--workers", "1", "--allow", "127.0.0.1")


@pytest.fixture(scope="module")
def service():
    with serving_miolo(*LOCAL) as running:
        yield running


@pytest.fixture
def pages():
    with held_pages() as server:
        yield server


def healthy(service) -> bool:
    return service.post("/extract", html=HTML, method="nce").status_code == 200


def test_no_work_is_done_for_a_disconnected_client(service, pages) -> None:
    origin, requests, release = pages
    first = Aside(service.post, "/extract", url=f"{origin}/held/1", method="nce", wait="dom")
    until(lambda: "/held/1" in requests)
    with httpx2.Client(timeout=0.5) as hasty, pytest.raises(httpx2.ReadTimeout):
        hasty.post(f"{service.url}/extract", json={"url": f"{origin}/page/2"})
    until(lambda: service.metric("miolo_queue_length") == 0)
    release.set()
    assert first.value().status_code == 200
    assert healthy(service)
    assert "/page/2" not in requests


def test_a_client_that_disconnects_during_loading_frees_the_worker(service, pages) -> None:
    origin, requests, _ = pages
    worker = service.workers()[0].pid
    with httpx2.Client(timeout=patient(1)) as hasty, pytest.raises(httpx2.ReadTimeout):
        hasty.post(f"{service.url}/extract", json={"url": f"{origin}/held/1"})
    assert "/held/1" in requests
    assert healthy(service)
    assert service.workers()[0].pid == worker
    assert service.metric("miolo_worker_deaths_total") == 0


def test_the_death_of_a_worker_fails_only_its_own_request(service, pages) -> None:
    origin, requests, _ = pages
    lost = Aside(service.post, "/extract", url=f"{origin}/held/1")
    until(lambda: "/held/1" in requests)
    killed = service.workers()
    killed[0].kill()
    assert kind(lost.value()) == (502, "BrowserCrashedError")
    assert healthy(service)
    assert service.metric("miolo_worker_deaths_total") == 1
    assert not remaining_processes(killed)


# Every Python process below the service imports this when it starts.
BROKEN = """
import sys
if "miolo.collect.page_worker" in sys.orig_argv:
    print("a library says \\x1b[2J something", file=sys.stderr, flush=True)
    from miolo.extract import pipeline
    extract_with = pipeline.extract_with
    def break_down(page, *values, **named):
        if "broken.test" in page.page.url:
            raise ValueError(page.text)
        return extract_with(page, *values, **named)
    pipeline.extract_with = break_down
"""


def test_errors_in_a_worker_are_logged_by_the_service(tmp_path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BROKEN)
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    with serving_miolo(*LOCAL, PYTHONPATH=path) as service:
        answer = service.post("/extract", html=f"{HTML}<p>SECRET", url="https://broken.test/")
        assert kind(answer) == (500, "ExtractionError")
        assert "break_down" not in answer.text
        (error,) = until(lambda: service.events("error"))
        assert error["id"] == answer.headers["x-request-id"]
        assert "in break_down" in error["trace"]
        assert "ValueError" in error["trace"]
        assert service.events("worker")[0]["line"] == "a library says \ufffd[2J something"
        assert healthy(service)
    assert "SECRET" not in json.dumps(service.lines)


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
            (("--port", "0", "--overlap", "0"), "", 2, b"--overlap needs --collection"),
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
