"""Batches that skip the browser for pages whose text is the same without it."""

import asyncio
import json
from base64 import b64encode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import miolo
import pytest
from batches import batch_options, run_batch
from hypothesis import given
from hypothesis import strategies as st
from local_server import answering
from miolo.collect.batch.batch_options import BatchOptions, Kept
from miolo.collect.batch.hosts import Politeness
from miolo.collect.batch.planner import SPELL, HostMemory, VisitMode, VisitPlanner
from miolo.collect.batch.results import visit_page
from miolo.collect.batch.visits import Answer, Setup, Visit
from miolo.collect.page_worker import JobContext
from miolo.renderer.network.exchange import Exchange
from miolo.renderer.options import RenderOptions
from miolo.renderer.page.served import served_page

HTML = (("Content-Type", "text/html; charset=utf-8"),)

AUTO = RenderOptions(browser="auto")

URL = "https://a.example/2024/05/14/story"

# A script that every browser requests when it renders the page.
SEEN = "<script src='/seen{path}.js'></script>"

TYPE = "<meta property='og:type' content='article'>"


def story(path: str) -> str:
    sentences = "".join(
        f"<p>{word} of {path} is shown in a sentence, which goes on for a good while, until it "
        "has said all that a reader could want to know of it, and then ends.</p>"
        for word in ("Beginning", "Cause", "Course", "Turn", "Consequence", "Outcome", "End")
    )
    about = "<p>By Ada Writer, <time datetime=2024-05-14>14 May 2024</time></p>"
    return f"<article><h1>The story of {path}</h1>{about}{sentences}</article>"


def page(path: str, body: str) -> str:
    seen = SEEN.format(path=path)
    return f"<!doctype html><title>The story of {path}</title>{TYPE}{body}{seen}"


def page_with_script(path: str) -> str:
    """A page whose text is inserted by a script, and that cannot be read in the script."""
    packed = b64encode(story(path).encode()).decode()
    return page(path, f"<div id=a></div><script>a.innerHTML = atob('{packed}')</script>")


def paper(filled=()):
    """A server of a story for each path; a script inserts that of `filled` paths."""

    def answer(path: str) -> str:
        if path.startswith("/seen") or path == "/favicon.ico":
            return ""
        return page_with_script(path) if path in filled else page(path, story(path))

    return answering(answer)


def batch(folder: Path, urls: list[str]) -> dict[str, dict]:
    """Run a batch that visits one page of a host at a time; return its rows by path."""
    chosen = batch_options(render=AUTO, method="auto", politeness=Politeness(0, 1))
    counts = run_batch(folder, urls, chosen)
    assert counts.queued == 0
    results = map(json.loads, (folder / "results.jsonl").read_text("utf-8").splitlines())
    return {urlsplit(row["requested_url"]).path: row for row in results}


def is_read_as_served(row: dict) -> bool:
    return any(warning["code"] == "as-served" for warning in row["warnings"])


def rendered_paths(requests: list[tuple[str, float]]) -> set[str]:
    paths = (path for path, _ in requests if "seen" in path)
    return {path.removeprefix("/seen").removesuffix(".js") for path in paths}


def test_a_host_whose_pages_read_the_same_is_read_without_a_browser(tmp_path: Path) -> None:
    paths = [f"/2024/05/14/story-{n}" for n in range(SPELL + 3)]
    with paper() as (origin, requests):
        rows = batch(tmp_path, [origin + path for path in paths])
    compared = {paths[1], paths[1 + SPELL + 1]}
    assert {path for path, row in rows.items() if not is_read_as_served(row)} == compared
    assert rendered_paths(requests) == compared
    # Each page is requested once without a browser, and once more if it is rendered.
    pages = Counter(path for path, _ in requests if path in rows)
    assert pages == {path: 1 + (path in compared) for path in paths}
    for path, row in rows.items():
        assert row["title"] == f"The story of {path}"
        assert row["text"].count(f"of {path} is shown") == 7


@pytest.mark.parametrize(
    "chosen",
    [
        {"kept": Kept(screenshots=True)},
        {"kept": Kept(archive=True)},
        {"kept": Kept(har=True)},
        {"extract": None},
    ],
)
def test_files_that_need_a_browser_cannot_be_kept_without_one(chosen) -> None:
    with pytest.raises(ValueError, match="without a browser"):
        BatchOptions(render=AUTO, **chosen)


probabilities = st.floats(0, 0.5)
comparisons = st.lists(st.booleans(), max_size=40)


def memory_of(results: list[bool]) -> HostMemory:
    memory = HostMemory()
    for alike in results:
        memory = memory.with_comparison(alike)
    return memory


@given(probabilities, comparisons)
def test_comparisons_move_a_probability_towards_their_results(probability, results) -> None:
    assert HostMemory().update(probability) == pytest.approx(probability)
    memory = memory_of(results)
    updated = memory.update(probability)
    assert 0 <= updated <= 1
    assert memory.with_comparison(True).update(probability) <= max(updated, probability) + 1e-9
    assert memory.with_comparison(False).update(probability) >= min(updated, probability) - 1e-9
    assert memory_of(results + 60 * [True]).update(probability) < 0.2 * probability + 0.01
    assert memory_of(results + 60 * [False]).update(probability) > 0.8


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, True, False])), max_size=200)
)
def test_every_host_is_compared_again(steps) -> None:
    """The steps are pages to visit and comparisons that end, in any order."""
    planner = VisitPlanner()
    shown: dict[str, list[bool]] = {"a": [], "b": []}
    unseen: Counter[str] = Counter()
    for host, alike in steps:
        if alike is not None:
            planner.learn(host, alike)
            shown[host].append(alike)
            unseen[host] = 0
            continue
        mode, memory = planner.next(host)
        assert memory == memory_of(shown[host])
        if mode is VisitMode.COMPARED:
            unseen[host] = 0
            continue
        assert (mode is VisitMode.RENDERED) == (memory.different > memory.alike + 1)
        unseen[host] += 1
        assert unseen[host] <= SPELL


def answer(body: str, **changes) -> Exchange:
    fields = {"url": URL, "status": 200, "headers": HTML, "body": body.encode()}
    return Exchange(**{**fields, **changes})


def setup_for(folder: Path, render: RenderOptions = AUTO) -> Setup:
    return Setup(folder, BatchOptions(extract=miolo.ExtractOptions("nce"), render=render))


class Browser:
    """A renderer of one page, with and without a browser."""

    def __init__(self, served: Exchange | None) -> None:
        self._served = served

    async def render(self, url: str, options: RenderOptions, **_: object) -> miolo.Snapshot:
        if options.browser == "always":
            return miolo.Snapshot.from_html(story("/a"), url=url)
        if self._served is None:
            raise miolo.NavigationError("there is none", url=url)
        return served_page(url, self._served)


def run_visit(
    folder: Path,
    mode: VisitMode,
    served: Exchange | None,
    memory: HostMemory | None = None,
    render: RenderOptions = AUTO,
) -> Answer:
    async def visit() -> Answer:
        with ThreadPoolExecutor(1) as reading:
            browser = cast(miolo.Renderer, Browser(served))
            chosen = Visit(1, URL, mode, memory or HostMemory())
            return await visit_page(setup_for(folder, render), chosen, JobContext(browser, reading))

    return asyncio.run(visit())


@pytest.mark.parametrize(
    ("served", "alike"),
    [
        (answer(story("/a")), True),
        (answer(story("/a") + "<p>One more sentence.</p>"), True),
        (answer(story("/b")), False),
        (answer("<div id=a></div>"), False),
        (answer(story("/a"), status=403), False),
        (answer(story("/a"), headers=(("Content-Type", "text/plain"),)), False),
        (None, False),
    ],
)
def test_readings_are_compared(tmp_path: Path, served, alike) -> None:
    outcome = run_visit(tmp_path, VisitMode.COMPARED, served)
    assert outcome.alike is alike
    assert "of /a is shown" in json.loads(outcome.row)["text"]


def test_a_browser_is_used_where_there_is_no_article(tmp_path: Path) -> None:
    outcome = run_visit(tmp_path, VisitMode.SERVED, answer(story("/b")))
    assert outcome.alike is None
    assert "of /b is shown" in json.loads(outcome.row)["text"]
    for served in (answer("<div id=a></div>"), answer(story("/b"), status=403)):
        outcome = run_visit(tmp_path, VisitMode.SERVED, served)
        assert outcome.alike is False
        assert "of /a is shown" in json.loads(outcome.row)["text"]
    differing = HostMemory(alike=2, different=2)
    outcome = run_visit(tmp_path, VisitMode.SERVED, answer(story("/b")), differing)
    assert outcome.alike is False
    assert "of /a is shown" in json.loads(outcome.row)["text"]
    busy = run_visit(
        tmp_path, VisitMode.SERVED, answer("", status=429, headers=(*HTML, ("Retry-After", "7")))
    )
    assert isinstance(busy.error, miolo.NavigationError)
    assert (busy.error.status, busy.error.retry_after) == (429, 7.0)


def test_a_host_that_cannot_be_reached_needs_no_browser(tmp_path: Path, monkeypatch) -> None:
    def fail(url, served):
        raise miolo.NavigationError("", url=url, unreachable=True)

    monkeypatch.setitem(globals(), "served_page", fail)
    filtered, unfiltered = (
        replace(AUTO, egress=miolo.EgressPolicy(private)) for private in ("never", "always")
    )
    outcome = run_visit(tmp_path, VisitMode.SERVED, answer(""), render=filtered)
    assert isinstance(outcome.error, miolo.NavigationError)
    # The browser may use another way, such as the proxy of the system.
    assert run_visit(tmp_path, VisitMode.SERVED, answer(""), render=unfiltered).error is None
