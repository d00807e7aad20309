"""`miolo serve` under load and under attack."""

import json
import os

import httpx2
import pytest
from patience import patient, remaining_processes, until
from services import Aside, held_pages, kind, serving_miolo

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
