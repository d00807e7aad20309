"""Pages without a browser, and the decision which pages need one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.plain import expected_f1, is_trusted
from miolo.renderer.browser.engine import Engine
from newsroom import ARTICLES

STORY = "<h1>Snow on the pass</h1>" + "".join(
    f"<p>Sentence {n} of the story goes on for a while, and says something, and ends.</p>"
    for n in range(8)
)
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


def test_without_a_browser_every_source_is_read(stage, no_browser, tmp_path: Path) -> None:
    article = ARTICLES["semantic"][0]
    file = tmp_path / "story.html"
    file.write_text(STORY, "utf-8")
    for source in (stage.url(article.path), file, miolo.HTML(STORY)):
        result = miolo.extract_page_sync(miolo.PageJob(source, options("never")))
        assert result.error is None
        assert len(result.unwrap().text) > 400
    result = miolo.extract_page_sync(miolo.PageJob(stage.url(article.path), options("never")))
    assert (result.unwrap().title, result.http_status) == (article.title, 200)
    assert is_plain(result)


def test_without_a_browser_errors_keep_their_kinds(stage, no_browser, tmp_path: Path) -> None:
    gone = miolo.extract_page_sync(miolo.PageJob(stage.url("not-found"), options("never")))
    assert isinstance(gone.error, miolo.NavigationError)
    assert gone.http_status == 404
    private = miolo.RenderOptions(browser="never", egress=miolo.EgressPolicy("never"))
    refused = miolo.extract_page_sync(
        miolo.PageJob(stage.url(ARTICLES["semantic"][0].path), private)
    )
    assert isinstance(refused.error, miolo.MioloError)
    file = tmp_path / "large.html"
    file.write_bytes(b"x" * 2000)
    small = replace(options("never"), limits=miolo.Limits(response_bytes=1000))
    large = miolo.extract_page_sync(miolo.PageJob(file, small))
    assert isinstance(large.error, miolo.TooLargeError)


def test_a_page_with_its_article_in_the_html_needs_no_browser(stage, no_browser) -> None:
    url = stage.url(ARTICLES["semantic"][0].path)
    result = miolo.extract_page_sync(miolo.PageJob(url, options("auto")))
    assert result.error is None
    assert is_plain(result)
    assert len(result.extractions) == 1


def test_a_page_that_scripts_fill_is_rendered(stage) -> None:
    job = miolo.PageJob(miolo.HTML(FILLED), options("auto"), keep_snapshot=True)
    result = stage.run(miolo.extract_page(job, stage.renderer))
    assert result.unwrap().text.count("of the story") == 8
    assert result.snapshot is not None
    assert result.snapshot.page.has_geometry
    plain = miolo.extract_page_sync(replace(job, render=options("never")))
    assert "of the story" not in plain.unwrap().text


def test_options_that_need_a_browser_are_refused_without_one() -> None:
    with pytest.raises(ValueError, match="no screenshot"):
        miolo.RenderOptions(browser="auto", screenshot=True)
    with pytest.raises(ValueError, match="cannot be recorded"):
        miolo.PageJob("https://page.invalid/", options("auto"), record=True)


def extraction(kept: list[bool], scores: list[float], words: list[int]) -> miolo.Extraction:
    whole = miolo.extract_snapshot(miolo.Snapshot.from_html(STORY))
    blocks = tuple(
        replace(whole.blocks[0], text="word " * count, kept=keep, score=score)
        for keep, score, count in zip(kept, scores, words, strict=True)
    )
    return replace(whole, blocks=blocks, warnings=())


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.integers(0, 50)), max_size=8).map(list)
)
def test_expected_f1_matches_the_expectations(rows) -> None:
    estimates = expected_f1(
        extraction(*map(list, zip(*rows, strict=True))) if rows else extraction([], [], [])
    )
    right = sum(n * score for keep, score, n in rows if keep)
    kept, expected = sum(n for keep, _, n in rows if keep), sum(n * s for _, s, n in rows)
    precision, recall = right / max(kept, 1e-12), right / max(expected, 1e-12)
    f1 = 2 * precision * recall / max(precision + recall, 1e-12)
    assert estimates == pytest.approx(f1, abs=1e-6)


def test_doubtful_short_or_warned_articles_are_not_trusted() -> None:
    sure = extraction([True, False], [0.9, 0.1], [50, 50])
    assert is_trusted(sure)
    assert not is_trusted(extraction([True, True], [0.3, 0.3], [50, 50]))
    for code in ("no-content", "not-an-article", "blocked"):
        assert not is_trusted(replace(sure, warnings=(miolo.PageWarning(code, ""),)))
    teaser = miolo.extract_snapshot(miolo.Snapshot.from_html("<h1>Snow</h1><p>It fell.</p>"))
    assert not is_trusted(teaser)
