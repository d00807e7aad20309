from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.extract.pipeline import compose
from miolo_research.density import density, density_tree, text_density, words_tree

LONG = "words of a paragraph that goes on " * 4
blocks = st.lists(
    st.tuples(st.integers(0, 50), st.sampled_from([0.0, 0.3, 0.333333, 0.4, 0.555556, 0.6, 1.0])),
    max_size=8,
)


def printed_words(before, own, after):
    """Algorithm 2 as published, for the (words, link density) of three blocks."""
    if own[1] > 0.333333:
        return False
    if before[1] <= 0.555556:
        if own[0] <= 16:
            if after[0] <= 15:
                return before[0] > 4
            return True
        return True
    if own[0] <= 40:
        return after[0] > 17
    return True


def printed_density(before, own, after):
    """Algorithm 1 as published."""
    if own[1] > 0.333333:
        return False
    if before[1] <= 0.555556:
        if own[0] <= 9:
            if after[0] <= 10:
                return before[0] > 4
            return True
        return after[0] != 0
    return after[0] > 11


@pytest.mark.parametrize(
    ("tree", "printed"), [(words_tree, printed_words), (density_tree, printed_density)]
)
@given(blocks)
def test_trees_match_the_published_ones(tree, printed, blocks):
    measured = np.array([m for m, _ in blocks], np.float64)
    links = np.array([d for _, d in blocks], np.float64)
    padded = [(0, 0.0), *blocks, (0, 0.0)]
    expected = [printed(*padded[place : place + 3]) for place in range(len(blocks))]
    assert tree(measured, links).tolist() == expected


def test_text_density_is_words_per_line():
    densities = text_density(np.array([7.0, 30.0, 40.0]), np.array([35, 80, 240]))
    assert densities.tolist() == pytest.approx([7, 30, 40 / 3])


def text(html: str, tree="words") -> str:
    page = Snapshot.from_html(html)
    return compose(page, density(page, tree), "density").text


@pytest.mark.parametrize("tree", ["words", "density"])
def test_paragraphs_stay_and_link_blocks_go(tree):
    html = f"<ul><li><a href=/>Home</a><li><a href=/b>About</a></ul><p>{LONG}<p>{LONG}<p>{LONG}"
    article = text(html + "<div><a href=/c>More</a></div><p>Imprint</p>", tree)
    assert article.count("words of a paragraph") >= 8
    for gone in ("Home", "About", "More", "Imprint"):
        assert gone not in article


def test_reasons_name_the_figures():
    page = Snapshot.from_html(f"<p><a href=/>one two</a> three four</p><p>{LONG}</p>")
    selection = density(page)
    first = int(np.flatnonzero(page.with_tag("p"))[0])
    assert selection.reasons[selection.reason[first]] == (
        "4 words, 0 before and 28 after; link density 0.50, 0.00 before"
    )
    assert selection.scores[first] == 0.25
    assert selection.scores[first + 5] == 1


@pytest.mark.parametrize("html", ["", "<p></p>", "<p>•</p>", "<p hidden>not to see</p>"], ids=repr)
def test_a_page_without_words_gives_a_warning(html):
    selection = density(Snapshot.from_html(html))
    assert not selection.kept.any()
    assert [warning.code for warning in selection.warnings] == ["no-content"]


def test_a_page_of_ten_thousand_levels():
    page = Snapshot.from_html("".join(f"<div>text {n} of as many levels" for n in range(10_000)))
    assert density(page).kept.any()
