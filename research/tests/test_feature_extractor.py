from __future__ import annotations

import numpy as np
import pytest
from miolo import Snapshot
from miolo.extract.pipeline import compose
from miolo_research.feature_extractor.features import FeatureOptions
from miolo_research.feature_extractor.method import feature_extractor

MENU = "".join(f"<li><a href=/{n}>Part {n}</a></li>" for n in range(12))
PARAGRAPH = "<p>The story goes on for some words, and a <a href=/s>link</a> is in it.</p>"
PAGE = f"""<div id=menu><ul>{MENU}</ul></div>
<div id=story><h2>Of one thing</h2>{PARAGRAPH * 4}<ul><li>first point</ul>
<div id=share><a href=/t>Tell others</a></div><div id=note>A note inside</div></div>
<div id=more><h2>Of another</h2>{PARAGRAPH * 3}</div><div id=foot>All rights reserved</div>"""

K = FeatureOptions(clusters=2)


def text(html: str, options: FeatureOptions | None = None) -> str:
    page = Snapshot.from_html(html)
    return compose(page, feature_extractor(page, options), "feature-extractor").text


def test_the_winner_is_the_container_with_most_text():
    article = text(PAGE)
    assert "Of one thing" in article
    assert "first point" in article
    assert article.count("The story") == 4
    for gone in ("Part", "Tell others", "rights", "another"):
        assert gone not in article


def test_blocks_inside_the_winner_are_kept_with_it():
    assert "A note inside" in text(PAGE)
    assert "A note inside" not in text(PAGE, FeatureOptions(inside=False))


def test_k_means_adds_blocks_like_the_winner():
    article = text(PAGE, K)
    assert article.count("The story") == 7
    assert "rights" not in article
    assert "Part" not in article


def test_the_winner_in_the_literal_form_is_one_block_of_plain_text():
    html = f"{PARAGRAPH * 3}<p>All rights reserved</p><p>Imprint"
    assert text(html, FeatureOptions.literal()) == "All rights reserved"
    assert "The story" in text(html)


def test_reasons_name_the_share():
    page = Snapshot.from_html(PAGE)
    selection = feature_extractor(page, K)
    reasons = {
        name: selection.reasons[selection.reason[node]]
        for node, name in page.attributes.with_attribute("id")
    }
    assert reasons["story"] == "share of words in the block: 0.84 > 0.5, the winner"
    assert reasons["menu"] == "share of words in the block: 0.00 ≤ 0.5"
    assert reasons["more"].endswith("in the winner's cluster")
    assert reasons["foot"].endswith("> 0.5, not the winner")
    assert ((selection.scores >= 0) & (selection.scores <= 1)).all()


@pytest.mark.parametrize("options", [FeatureOptions(), K, FeatureOptions.literal()], ids=str)
@pytest.mark.parametrize(
    "html", ["", "<p></p>", "<img src=x>", "<p hidden>not to see</p>", "<a href=/>a</a>"], ids=repr
)
def test_a_page_without_a_winner_gives_a_warning(html, options):
    page = Snapshot.from_html(html)
    selection = feature_extractor(page, options)
    assert not selection.kept.any()
    assert [warning.code for warning in selection.warnings] == ["no-content"]


@pytest.mark.parametrize("options", [FeatureOptions(), K], ids=["", "k"])
def test_a_page_of_ten_thousand_levels(options):
    page = Snapshot.from_html("".join(f"<div>text {n} of as many levels" for n in range(10_000)))
    assert feature_extractor(page, options).kept.any()


def test_a_page_that_is_one_text():
    page = Snapshot.from_html("just some words")
    assert np.flatnonzero(feature_extractor(page).kept & page.is_text).size == 1
