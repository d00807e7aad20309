"""Roles of blocks in what the default method answers."""

from __future__ import annotations

import json
from dataclasses import replace

import miolo
import numpy as np
import pytest
from miolo.extract.evaluation.case import Case
from miolo.extract.methods import auto
from miolo.extract.train_roles import label_role_cases, train_role_cases
from miolo.models.article import model, roles
from miolo.models.article.role_labels import LEARNED, UNKNOWN

PARAGRAPH = (
    "The council met on Monday to vote on the new bridge, whose cost has doubled, said the"
    " mayor, since the first plans for it were drawn by the town {line} years ago."
)
PAGE = f"""<title>Town votes on its new bridge - The Daily Loaf</title>
<nav><ul><li><a href="/">Home</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<article><header><h1>Town votes on its new bridge</h1>
<p class="byline">By <a href="/author/ada" rel="author">Ada Bell</a></p>
<time datetime="2021-03-03">March 3, 2021</time></header>
<div class="article-body">{"".join(f"<p>{PARAGRAPH.format(line=n)}</p>" for n in range(3, 12))}
</div></article>
<aside class="related"><h3>Related</h3><a href="/a">Harbour to be closed for a year</a></aside>"""

pytestmark = pytest.mark.skipif(
    not (model.SHIPPED.exists() and roles.SHIPPED.exists()), reason="the models are not trained yet"
)


@pytest.fixture(scope="module")
def answer():
    return miolo.extract_snapshot(miolo.Snapshot.from_html(PAGE), method="auto")


def test_blocks_have_their_roles(answer):
    of = {block.text: block.role for block in answer.blocks}
    assert of["Town votes on its new bridge"] == "title"
    assert of["By Ada Bell"] == "byline"
    assert of["March 3, 2021"] == "date"
    assert of["Home"] == "navigation"
    assert of["Harbour to be closed for a year"] == "related"
    assert [role for text, role in of.items() if text.startswith("The council")] == ["body"] * 9


def test_a_byline_outside_of_the_body_is_told(monkeypatch):
    """With a body model that takes the paragraphs alone."""
    monkeypatch.setattr(auto, "without_repeats", lambda _texts, words, _body: words > 20)
    answer = miolo.extract_snapshot(miolo.Snapshot.from_html(PAGE), method="auto")
    of = {block.text: block.role for block in answer.blocks}
    assert of["By Ada Bell"] == "byline"
    assert of["March 3, 2021"] == "date"


@pytest.mark.parametrize("probability", [0.7, 0.9])
def test_a_byline_is_left_out_where_the_body_model_is_unsure(monkeypatch, probability):
    """With a body model that would take all, as surely as it says."""

    class Taker:
        kinds = None
        judges = model.shipped_article_model().judges

        def judge_by_shares(self, features, shares):
            judged = model.shipped_article_model().judge_by_shares(features, shares)
            return replace(judged, probability=np.full(len(features.words), probability))

    monkeypatch.setattr(auto, "shipped_article_model", Taker)
    answer = miolo.extract_snapshot(miolo.Snapshot.from_html(PAGE), method="auto")
    told = {block.text: block for block in answer.blocks}
    byline = told["By Ada Bell"]
    sure = probability > auto.SURELY_BODY
    assert (byline.text in answer.text) == sure
    assert byline.role == ("body" if sure else "byline")
    assert byline.reason.startswith("body: " if sure else "not body, but the byline: ")
    assert "March 3, 2021" in answer.text


def test_roles_and_text_agree(answer):
    kept = [block.text for block in answer.blocks if block.kept]
    assert answer.text == "\n\n".join(kept)
    assert {block.role for block in answer.blocks if block.kept} == {"body"}
    assert {block.role for block in answer.blocks} <= set(roles.ROLES)
    assert answer.comments == ()
    assert answer.title == "Town votes on its new bridge"


@pytest.mark.parametrize("html", ["", "<p>one", "<div>" * 10_000 + "deep"])
def test_any_page_has_an_answer(html):
    answer = miolo.extract_snapshot(miolo.Snapshot.from_html(html), method="auto")
    assert all(block.role in roles.ROLES for block in answer.blocks)


def test_cases_are_labelled_by_all_that_their_truth_tells(tmp_path):
    told, lost = [], []
    for number, author in enumerate(("Ada Bell", None)):
        source = tmp_path / f"{number}.html"
        text = "\n".join(PARAGRAPH.format(line=n) for n in range(3, 12))
        truth = {"text": text, "author": author, "comments": ""}
        source.with_suffix(".json").write_text(json.dumps(truth), "utf-8")
        saved = tmp_path / f"{number}.miolo"
        miolo.Snapshot.from_html(PAGE).save(saved)
        told.append(Case(str(number), "loaf", f"{number}.org", "", text, source, saved))
    told.append(replace(told[0], id="gone", saved=tmp_path / "gone.miolo"))
    first, second = label_role_cases(told, tell=lost.append)
    byline, comment = LEARNED.index("byline"), LEARNED.index("comment")
    assert (first.labels[:, byline] == 1).sum() == 1
    assert (second.labels[:, byline] == UNKNOWN).all()
    assert (first.labels[:, comment] == 0).all()
    assert len(lost) == 1
    assert "gone" in lost[0]
    with pytest.raises(miolo.NoPages, match="title"):
        train_role_cases(told, tell=lost.append)
