"""Extraction without a browser, and the decision on which pages need one."""

import threading
from dataclasses import replace
from itertools import count

import miolo
import pytest
from local_server import answering
from miolo.extract import job_run
from miolo.extract.plain import change_probability, is_trusted
from miolo.renderer.browser.engine import Engine
from newsroom import ARTICLES

SENTENCES = (
    "Snow closed the road over the pass on Monday night, and forty drivers slept in their cars.",
    "The ploughs reached the last of them at six, the road service of the canton said.",
    "Nobody was hurt, but a lorry with milk slid into the wall above the second bend.",
    "It will be lifted out as soon as the wind drops, which is expected for the evening.",
    "Trains through the old tunnel run every half hour until the road is open again.",
    "The keeper of the house at the top counted two metres of new snow, the most since 1999.",
    "He has bread for three days, the radio reported, and company for the first time in weeks.",
    "Until Thursday, drivers need chains on all roads above a thousand metres.",
)

STORY = "<h1>Snow on the pass</h1>" + "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
FILLED = f"<div id=root></div><script>root.innerHTML = {STORY!r}</script>"
LOOPBACK = miolo.EgressPolicy("named")


def options(browser: str) -> miolo.RenderOptions:
    return miolo.RenderOptions(browser=browser, egress=LOOPBACK)  # pyright: ignore


def is_plain(result: miolo.PageResult) -> bool:
    return "as-served" in {warning.code for warning in result.unwrap().warnings}


@pytest.fixture
def no_browser(monkeypatch):
    async def refuse(*values, **named):
        raise AssertionError("a browser is started")

    monkeypatch.setattr(Engine, "start", refuse)


def test_a_page_with_its_article_in_the_html_needs_no_browser(stage, no_browser) -> None:
    url = stage.url(ARTICLES["semantic"][0].path)
    result = miolo.extract_page_sync(miolo.PageJob(url, options("auto")))
    assert result.error is None
    assert is_plain(result)
    assert len(result.extractions) == 1


def test_a_page_that_scripts_fill_is_rendered(stage) -> None:
    job = miolo.PageJob(miolo.HTML(FILLED), options("auto"), keep_snapshot=True)
    result = stage.run(miolo.extract_page(job, stage.renderer))
    assert all(sentence in result.unwrap().text for sentence in SENTENCES)
    assert result.snapshot is not None
    assert result.snapshot.page.has_geometry
    plain = miolo.extract_page_sync(replace(job, render=options("never")))
    assert SENTENCES[0] not in plain.unwrap().text


@pytest.mark.parametrize("answered", [0, 1], ids=["plain", "browser"])
def test_a_slow_plain_request_continues_while_the_page_is_rendered(
    stage, monkeypatch, answered
) -> None:
    monkeypatch.setattr(job_run, "PLAIN_SHARE", 0.01)
    is_second, is_over, numbers = threading.Event(), threading.Event(), count()

    def route(path: str):
        number = next(numbers)
        if number == 1:
            is_second.set()
        (is_second if number == answered else is_over).wait()
        return STORY

    with answering(route) as (url, _):
        # A hundredth of the limit on rendering is more than the deadline.
        render = replace(options("auto"), limits=miolo.Limits(seconds=10_000))
        job = miolo.PageJob(url, render, deadline=60)
        result = stage.run(miolo.extract_page(job, stage.renderer))
        is_over.set()
    assert is_plain(result) == (answered == 0)
    assert len(result.unwrap().text) > 400


def test_options_that_need_a_browser_are_refused_without_one() -> None:
    with pytest.raises(ValueError, match="no screenshot"):
        miolo.RenderOptions(browser="auto", screenshot=True)
    with pytest.raises(ValueError, match="cannot be recorded"):
        miolo.PageJob("https://page.invalid/", options("auto"), record=True)


def read(html: str) -> tuple[miolo.Snapshot, miolo.Extraction]:
    snapshot = miolo.Snapshot.from_html(html, url="https://page.invalid/2024/05/snow-on-the-pass")
    return snapshot, miolo.extract_snapshot(snapshot)


def story(paragraphs: int) -> str:
    texts = [
        f"The snow on pass {n} lay deep that morning, the keeper of the house said on day {n}. "
        f"He counted {n} lorries on the road below, and none of them had come through."
        for n in range(paragraphs)
    ]
    return f"<article><h1>Snow on the pass</h1><p>{'</p><p>'.join(texts)}</p></article>"


SHELL = """<body><div id="root"><p>Loading…</p></div><script src="/static/js/main.js"></script>
<noscript>You need to enable JavaScript to run this app.</noscript>"""


def test_a_whole_article_is_trusted() -> None:
    assert is_trusted(*read(story(10)))
    assert is_trusted(*read(story(10) + "<script src=/seen.js></script>" * 5))


@pytest.mark.parametrize("html", ["", SHELL, SHELL + "<h1>Snow on the pass</h1>"])
def test_an_empty_page_is_not_trusted(html: str) -> None:
    assert not is_trusted(*read(html))


def test_a_blocked_page_is_rendered() -> None:
    snapshot, extraction = read(story(10))
    assert change_probability(snapshot, replace(extraction, kind="blocked")) == 1
