"""`miolo batch` against the local news site: results, failures, restarts."""

import gzip
import json
import socket
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import jsonschema
import miolo
import psutil
import pytest
from batches import RENDERED, batch_options, run_batch
from local_server import answering
from miolo.collect.batch import retries, runner
from miolo.collect.batch.batch_options import BatchOptions, Kept
from miolo.collect.batch.files import ARCHIVE, RESULTS, file_of
from miolo.collect.batch.hosts import Hosts, Politeness
from miolo.collect.batch.job_store import JobStore
from miolo.collect.batch.jobs import Address, BadLine, Job
from miolo.collect.batch.runner import batch_pool
from miolo.collect.batch.visits import Answer, Setup
from miolo.collect.page_worker import PROGRAM
from miolo.output.schema import json_schema
from miolo.renderer.archives.warc import warc_records
from miolo.renderer.network.exchange import Exchange
from newsroom import ARTICLES
from patience import patient, remaining_processes, until

STORY = (
    "<title>Story</title><h1>Story</h1>" + 9 * "<p>A sentence that goes on for a while, here.</p>"
)


def rows(folder: Path) -> list[dict]:
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    return sorted(map(json.loads, lines), key=lambda row: row["id"])


def workers_of(pid: int | None = None) -> list[psutil.Process]:
    """The batch workers of a process, without the browser that other tests use."""
    below = psutil.Process(pid).children()
    return [process for process in below if PROGRAM in process.cmdline()]


@pytest.fixture
def nothing_left():
    yield
    assert not workers_of()


GALLERY = "<title>Summer</title>" + 5 * "<img src=a.png width=200 height=200>"


@pytest.mark.usefixtures("nothing_left")
def test_a_doubtful_text_fails_with_its_row_and_files(tmp_path):
    sure = batch_options(method="auto", kept=Kept(snapshots=True), min_confidence=1.0)
    with answering({"/story": STORY}) as (origin, _):
        urls = [f"{origin}/story"]
        counts = run_batch(tmp_path, urls, sure)
        assert (counts.done, counts.kinds) == (0, {"LowConfidenceError": 1})
        (doubtful,) = rows(tmp_path)
        assert doubtful["error"]["kind"] == "LowConfidenceError"
        assert 0 < doubtful["confidence"] < 1
        assert "A sentence" in doubtful["text"]
        assert file_of(tmp_path, "snapshots", urls[0], ".miolo").is_file()
        assert run_batch(tmp_path, urls, sure).failed == 1
        # It is visited again once the minimum has changed.
        assert run_batch(tmp_path, urls, replace(sure, min_confidence=0.0)).done == 1
    collection = miolo.Collection(tmp_path)
    assert [row["error"] for row in collection.numbered_rows()] == [None]
    confidence = collection.confidence()
    assert confidence is not None
    assert confidence.texts == 1
    for row in rows(tmp_path):
        jsonschema.validate(row, json_schema())


def test_refused_pages_are_visited_again_once_their_option_has_changed(tmp_path):
    allowing = batch_options()
    refusing = replace(
        allowing, render=replace(allowing.render, egress=miolo.EgressPolicy("never"))
    )
    with answering({"/story": STORY}) as (origin, requests):
        urls = [f"{origin}/story"]
        assert run_batch(tmp_path, urls, refusing).kinds == {"EgressRefusedError": 1}
        (page,) = miolo.Collection(tmp_path).failures()
        assert run_batch(tmp_path, urls, refusing).failed == 1
        assert [page.tries] == [each.tries for each in miolo.Collection(tmp_path).failures()]
        assert not requests
        counts = run_batch(tmp_path, urls, allowing)
    assert (counts.done, counts.failed) == (1, 0)


@pytest.mark.usefixtures("nothing_left")
def test_a_page_without_a_text_fails(tmp_path):
    with answering({"/": GALLERY}) as (origin, _):
        chosen = batch_options(method="auto", render=miolo.RenderOptions("auto"))
        counts = run_batch(tmp_path, [f"{origin}/"], chosen)
    assert counts.kinds == {"EmptyPageError": 1}
    (row,) = rows(tmp_path)
    # It was read without a browser, and then with one.
    assert "as-served" not in [warning["code"] for warning in row["warnings"]]
    assert row["title"] == "Summer"
    assert "5 pictures" in row["error"]["message"]


def test_pages_become_rows_and_files(stage, tmp_path: Path, nothing_left) -> None:
    paths = [page.path for page in ARTICLES["semantic"][:2]]
    urls = [stage.url("client-rendered"), *map(stage.url, paths)]
    kept = Kept(snapshots=True, screenshots=True, har=True)
    chosen = batch_options(render=RENDERED, kept=kept)
    counts = run_batch(tmp_path, [*urls, urls[0]], chosen)
    assert (counts.done, counts.failed, counts.queued) == (3, 0, 0)
    results = rows(tmp_path)
    assert [row["requested_url"] for row in results] == urls
    for url, row in zip(urls, results, strict=True):
        saved = miolo.Snapshot.load(file_of(tmp_path, "snapshots", url, ".miolo"))
        alone = stage.run(stage.renderer.render(url))
        assert row["text"]
        assert row["text"] == miolo.extract_snapshot(alone, "nce").text
        assert row["text"] == miolo.extract_snapshot(saved, "nce").text
        assert file_of(tmp_path, "screenshots", url, ".png").read_bytes()[1:4] == b"PNG"
        with miolo.open_archive(file_of(tmp_path, "har", url, ".har")) as archive:
            assert list(archive.pages()) == [url]


def test_a_failure_is_isolated_to_its_page(stage, tmp_path: Path, nothing_left, caplog) -> None:
    caplog.set_level("INFO", "miolo.collect")
    kinds = ("not-found", "pdf", "hangs", "redirect-loop", "busy-script")
    urls = [*map(stage.url, kinds), stage.url(ARTICLES["divsoup"][0].path), "nonsense", "ftp://a/"]
    chosen = batch_options(render=miolo.RenderOptions(limits=miolo.Limits(seconds=5)))
    line = BadLine("pages.txt, line 9", "it is not UTF-8")
    counts = run_batch(tmp_path, [line, *urls], chosen)
    kinds = {"BadLineError": 1, "NavigationError": 4, "NotHTMLError": 1, "PageTimeoutError": 1}
    assert counts.kinds == kinds
    assert (counts.done, counts.queued) == (2, 0)
    assert any(f"{urls[0]}: NavigationError" in message for message in caplog.messages)
    for row in rows(tmp_path):
        jsonschema.validate(row, json_schema())
    # Another run retries only temporary failures, and may give them more time.
    longer = replace(chosen, render=miolo.RenderOptions(limits=miolo.Limits(seconds=6)))
    again = run_batch(tmp_path, [line, *urls], longer)
    assert (again.done, again.failed) == (counts.done, counts.failed)
    assert len(rows(tmp_path)) == 2


def test_a_busy_server_is_not_visited_before_the_time_it_asks_for(tmp_path: Path) -> None:
    table = {
        "/a": [(429, {"Retry-After": "1"}, "busy"), STORY],
        "/b": STORY,
    }
    with answering(table) as (origin, requests):
        counts = run_batch(
            tmp_path, [f"{origin}/a", f"{origin}/b"], batch_options(politeness=Politeness(0, 1))
        )
    assert counts.done == 2
    times = {}
    for path, moment in requests:
        times.setdefault(path, []).append(moment)
    assert len(times["/a"]) == 2
    assert times["/a"][1] - times["/a"][0] >= 1
    assert times["/b"][0] - times["/a"][0] >= 1


@pytest.fixture
def dead_origin():
    """An origin that accepts no connection; its port stays taken."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


# Without a filter, Chromium or the plain client makes the connections.
WAYS = [
    pytest.param({"browser": "always"}, id="filtered"),
    pytest.param({"browser": "always", "egress": miolo.EgressPolicy("always")}, id="unfiltered"),
    pytest.param({"egress": miolo.EgressPolicy("always")}, id="plain"),
]


def one_by_one(way: dict) -> BatchOptions:
    """Options with one visit at a time, and with other options of rendering."""
    chosen = batch_options(politeness=Politeness(0, 1))
    return replace(chosen, render=replace(chosen.render, **way))


@pytest.mark.parametrize("way", WAYS)
def test_pages_of_a_host_that_cannot_be_reached_fail_at_once(
    tmp_path: Path, monkeypatch, dead_origin: str, begun_visits: list[float], way: dict
) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.02)
    chosen = one_by_one(way)
    (tmp_path / "page.html").write_text(STORY, "utf-8")
    miolo.Snapshot.from_html(STORY).save(tmp_path / "page.miolo")
    files = [str(tmp_path / name) for name in ("page.html", "page.miolo")]
    urls = [*(f"{dead_origin}/{number}" for number in range(9)), *files]
    counts = run_batch(tmp_path / "out", urls, chosen)
    assert (counts.done, counts.failed, counts.passing) == (2, 9, 9)
    texts = [row["text"] for row in rows(tmp_path / "out")]
    assert texts[0] == texts[1] != ""
    assert len(begun_visits) == 2 + retries.NETWORK_TRIES
    *_, last = miolo.Collection(tmp_path / "out").failures()
    assert last.error is not None
    assert "cannot be reached (ERR_CONNECTION_REFUSED)" in last.error


@pytest.mark.parametrize("way", WAYS)
def test_a_host_whose_pages_lead_to_an_unreachable_one_is_still_visited(
    tmp_path: Path, monkeypatch, dead_origin: str, way: dict
) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.02)
    links = {f"/{number}": (302, {"Location": dead_origin}, "") for number in range(3)}
    with answering({**links, "/story": STORY}) as (origin, _):
        urls = [*(origin + path for path in links), f"{origin}/story"]
        counts = run_batch(tmp_path, urls, one_by_one(way))
    assert (counts.done, counts.failed) == (1, 3)
    assert {page.tries for page in miolo.Collection(tmp_path).failures()} == {3}


def test_a_connection_resets_the_count_of_failed_ones(tmp_path: Path) -> None:
    options = batch_options()
    job_store = JobStore(tmp_path, (RESULTS, ARCHIVE))
    work = runner.Runner(job_store, batch_pool(Setup(tmp_path, options)), options)
    host = "http://a.test"
    work.add(Address(f"{host}/{number}") for number in range(3))

    def visit(error: miolo.MioloError, now: float) -> str:
        job = job_store.take(host, now)
        assert isinstance(job, Job)
        work._jobs[job.id] = job
        work._hosts.begin_visit(host, now)
        work._take(job, Answer(error=error))
        return job.url[-1]

    dead = miolo.NavigationError("", cause="ERR_CONNECTION_REFUSED", unreachable=True)
    gone = miolo.NavigationError("", status=404)
    soon = time.time()
    later = soon + 3600
    assert [visit(dead, soon), visit(gone, soon)] == ["0", "1"]
    assert [visit(dead, later), visit(dead, later)] == ["0", "0"]
    assert host not in work._unreachable
    assert [visit(dead, later) for _ in range(3)] == ["2"] * 3
    assert host in work._unreachable
    job_store.close()


@pytest.fixture
def begun_visits(monkeypatch) -> list[float]:
    """Times at which visits begin; requests arrive later, because the browser delays them."""
    moments: list[float] = []
    begin_visit = Hosts.begin_visit
    monkeypatch.setattr(
        Hosts,
        "begin_visit",
        lambda self, host, now: moments.append(now) or begin_visit(self, host, now),
    )
    return moments


def test_visits_to_one_host_are_separated_by_the_delay(
    tmp_path: Path, begun_visits: list[float]
) -> None:
    table = {f"/{n}": STORY for n in range(4)}
    with answering(table) as (origin, _):
        urls = [f"{origin}{path}" for path in table]
        run_batch(tmp_path, urls, batch_options(politeness=Politeness(0.4, 4)))
    assert len(begun_visits) == len(table)
    assert all(later - first > 0.39 for first, later in pairwise(begun_visits))


def test_pages_wait_for_robots_txt_during_an_outage(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.05)
    bomb = gzip.compress(gzip.compress(b"User-agent: *\nDisallow: /\n")).decode("latin-1")
    headers = {"Content-Type": "text/plain", "Content-Encoding": "gzip, gzip"}
    unread, busy, rules = (200, headers, bomb), (503, {}, "busy"), ""
    table = {f"/{number}": STORY for number in range(6)}
    with answering({"/robots.txt": [unread, busy, rules], **table}) as (origin, requests):
        urls = [f"{origin}{path}" for path in table]
        counts = run_batch(tmp_path, urls, batch_options(robots=True))
    first, second, third = (moment for path, moment in requests if path == "/robots.txt")
    assert (second - first >= 0.05, third - second >= 0.2) == (True, True)
    assert counts.done == 6
    assert {page.tries for page in miolo.Collection(tmp_path).pages()} == {1}


def test_disallowed_pages_cost_no_delay_in_any_spelling(
    tmp_path: Path, begun_visits: list[float]
) -> None:
    robots = "User-agent: *\nDisallow: /private\nCrawl-delay: 0.2\n"
    table = {
        "/robots.txt": robots,
        "/open": STORY,
    }
    paths = [*(f"/private/{number}" for number in range(20)), "/a/../private/x", "/%70rivate/x"]
    with answering(table) as (origin, requests):
        urls = [f"{origin}{path}" for path in (*paths, "/open")]
        counts = run_batch(tmp_path, urls, batch_options(robots=True))
    assert (counts.done, counts.kinds) == (1, {"RobotsDisallowedError": len(paths)})
    assert [path for path, _ in requests] == ["/robots.txt", "/open"]
    assert len(begun_visits) == 1


def test_pages_from_an_archive_are_neither_delayed_nor_retried(
    tmp_path: Path, begun_visits: list[float]
) -> None:
    html, origin = (("Content-Type", "text/html"),), "http://a.test"
    statuses = {f"{origin}/busy": 503, f"{origin}/story": 200, f"{origin}/other": 200}
    archive = tmp_path / "pages.warc.gz"
    pages = [Exchange(url, status, html, STORY.encode()) for url, status in statuses.items()]
    archive.write_bytes(warc_records(pages))
    chosen = batch_options(replay=archive, politeness=Politeness(60, 1), robots=True)
    counts = run_batch(tmp_path / "out", [*statuses, f"{origin}/none"], chosen)
    assert (counts.done, counts.failed, counts.passing) == (2, 2, 0)
    assert len(begun_visits) == 4
    assert begun_visits[-1] - begun_visits[0] < 60


def test_a_killed_run_continues(stage, tmp_path: Path, nothing_left) -> None:
    urls = [stage.url(page.path) for pages in ARTICLES.values() for page in pages[:2]]
    (tmp_path / "list").write_text("\n".join(urls), "utf-8")
    command = [sys.executable, "-m", "miolo", "batch", str(tmp_path / "list"), "-m", "nce"]
    command += ["-o", str(tmp_path / "out"), "--delay", "0", "--per-host", "8", "--browsers", "1"]
    command += ["--allow", "127.0.0.1", "--browser", "always"]
    for rows_before in (1, 3):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            until(lambda n=rows_before: count_rows(tmp_path / "out") >= n)
            family = psutil.Process(process.pid).children(recursive=True)
            process.kill()
        assert not remaining_processes(family)
    ended = subprocess.run(command, capture_output=True, timeout=patient(60))
    assert ended.returncode == 0, ended.stderr
    run_batch(tmp_path / "undisturbed", urls, batch_options(render=RENDERED))
    assert rows(tmp_path / "out") == rows(tmp_path / "undisturbed")


def count_rows(folder: Path) -> int:
    file = folder / "results.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0
