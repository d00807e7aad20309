"""Which conventions the default asks, by how likely a page is an article."""

from __future__ import annotations

from dataclasses import replace

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.methods.shares import LEAST_SHARE, SHARES_OF
from miolo.extract.train_article import Curriculum, kinds_of_pages
from miolo.models.article.conventions import CONVENTIONS
from miolo.models.article.model import shipped_article_model
from miolo.models.article.samples import label
from miolo.models.kinds.model import shipped_kind_model

SENTENCE = "Number {n} writes that the harbour was closed for two days, and that nobody had told. "
POST = (
    "<div class='post'><a class='username' href='/u/{n}'>user{n}</a><p>{text}</p>"
    "<button>Reply</button><span>{n} likes</span></div>"
)
SAID = [SENTENCE.format(n=n) * 3 for n in range(12)]
THREAD = "".join(POST.format(n=n, text=text) for n, text in enumerate(SAID))
STORY = f"<title>T</title><article><h1>The harbour</h1>{''.join(f'<p>{s}</p>' for s in SAID)}"
AT_FORUM = "https://forum.example/t/the-harbour/12345"
AT_PAPER = "https://paper.example/2026/11/the-harbour-was-closed"


def test_ends() -> None:
    default = SHARES_OF["auto"]
    assert default.on(1.0, CONVENTIONS) == {"news": 0.6, "full": 0.4}
    assert default.on(0.0, CONVENTIONS) == {"page": 1.0}


@given(st.sampled_from(sorted(SHARES_OF)), st.floats(0, 1))
def test_somebody_is_asked_and_nobody_for_nothing(name: str, article: float) -> None:
    shares = SHARES_OF[name].on(article, CONVENTIONS)
    assert shares.keys() <= SHARES_OF[name].conventions
    assert min(shares.values()) >= LEAST_SHARE
    assert 1 - 3 * LEAST_SHARE < sum(shares.values()) <= 1 + 1e-9


@given(st.floats(0, 1))
def test_methods_of_one_convention_ask_it_of_every_page(article: float) -> None:
    assert SHARES_OF["auto-full"].on(article, CONVENTIONS) == pytest.approx({"full": 1.0})


@given(st.floats(0, 1))
def test_a_model_that_knows_one_side_reads_all_pages_by_it(article: float) -> None:
    default = SHARES_OF["auto"]
    assert default.on(article, ("full",)) == default.article
    assert default.on(article, ("page",)) == default.other


def test_a_model_of_articles_alone_reads_a_thread() -> None:
    shipped = shipped_article_model()
    of_news = replace(shipped, judges={"news": shipped.judges["news"]})
    thread = extracted(THREAD, AT_FORUM, model=of_news)
    news = extracted(THREAD, AT_FORUM, "auto-news")
    np.testing.assert_array_equal(thread.scores, news.scores)


def extracted(html: str, url: str, method: str = "auto", **told) -> miolo.Extraction:
    return miolo.extract_snapshot(miolo.Snapshot.from_html(html, url=url), method, **told)


def test_a_page_of_another_kind_is_read_by_the_convention_of_all_kinds() -> None:
    thread = extracted(THREAD, AT_FORUM)
    alone = extracted(THREAD, AT_FORUM, "auto-page")
    assert "not-an-article" in [warning.code for warning in thread.warnings]
    assert all("the page is no article by 0." in reason for reason in thread.reasons[1:])
    assert not any("no article" in reason for reason in alone.reasons)
    np.testing.assert_allclose(thread.scores, alone.scores, atol=0.1)


def test_an_article_is_read_by_the_conventions_of_articles() -> None:
    story = extracted(STORY, AT_PAPER)
    assert not any("no article" in reason for reason in story.reasons)


def test_kinds_are_told_by_the_model_that_is_given() -> None:
    """A model of articles that no page is one for."""
    shipped = shipped_kind_model()
    bias = np.where(np.array(shipped.kinds) == "article", -50.0, shipped.bias)
    doubting = replace(shipped_article_model(), kinds=replace(shipped, bias=bias))
    story = extracted(STORY, AT_PAPER, model=doubting)
    np.testing.assert_array_equal(story.scores, extracted(STORY, AT_PAPER, "auto-page").scores)
    assert "not-an-article" in [warning.code for warning in story.warnings]


def test_kinds_are_learned_where_there_are_some() -> None:
    pages = [(STORY, AT_PAPER, "article"), (THREAD, AT_FORUM, "forum")] * 3
    samples = tuple(
        label(
            miolo.Snapshot.from_html(html, url=url),
            "\n".join(SAID),
            set="made",
            group=f"g{number}",
            convention="page",
            kind=kind,
        )
        for number, (html, url, kind) in enumerate(pages)
    )
    kinds = kinds_of_pages(Curriculum(samples))
    assert kinds is not None
    assert kinds.judge(miolo.Snapshot.from_html(STORY, url=AT_PAPER)).kind == "article"
    assert kinds.judge(miolo.Snapshot.from_html(THREAD, url=AT_FORUM)).kind == "forum"
    assert kinds_of_pages(Curriculum(samples[::2])) is None
    assert kinds_of_pages(Curriculum(samples[1::2])) is None
