"""Elements that a user names: which text is left of a page, for every method and entrance."""

from dataclasses import replace

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.scope import outside, within_scope
from miolo.renderer.option_kinds import SCOPE

SENTENCE = "and the ships went on to wait for the tide to turn, said the harbour master on Monday"

HTML = f"""<title>Tides | Gazette</title><h1>Tides of the year</h1><p>By Ann Lee</p>
<div id=a class=story><p>One, {SENTENCE}.</p><aside><p>Two, {SENTENCE}.</p></aside>
<p>Three, {SENTENCE}.</p></div><div id=b><p>Four, {SENTENCE}.</p><img src=x.png></div>"""

PLAIN = miolo.RenderOptions(browser="never")

NUMBERS = ("One", "Two", "Three", "Four")


def numbers(within=(), without=(), **options) -> list[str]:
    given = replace(PLAIN, within=tuple(within), without=tuple(without))
    article = miolo.extract_html(HTML, options=given, **options)
    assert article.authors == ("Ann Lee",)
    return [number for number in NUMBERS if f"{number}, and" in article.text]


@pytest.mark.parametrize("method", ["auto", "nce", "semantic"])
def test_the_text_comes_from_the_named_elements(method):
    assert numbers(["#b"], method=method) == ["Four"]
    assert numbers(["//div[@id='b']"], method=method) == ["Four"]
    assert "Four" not in numbers(without=["#b"], method=method)


def test_selectors_and_paths_are_combined():
    assert numbers([".story"], ["aside"]) == ["One", "Three"]
    assert numbers(["//aside", "#b"], method="nce") == ["Two", "Four"]
    assert numbers(["div:not(.story), h1"]) == ["Four"]


@pytest.mark.parametrize("selector", ["#none", "//none", "count(//p)/..", "//@id"])
def test_a_selector_without_a_match_is_an_error(selector):
    with pytest.raises((miolo.ElementNotFoundError, ValueError), match=r"matches|neither"):
        numbers([selector])


@pytest.mark.parametrize("selector", ["p[", "//p[", "", "p::nothing("])
def test_what_is_neither_a_selector_nor_a_path_is_refused_before_a_page_is_read(selector):
    with pytest.raises(ValueError, match="neither a CSS selector nor an XPath"):
        SCOPE.convert([selector])
    with pytest.raises(ValueError, match="without"):
        replace(PLAIN, without=(selector,))


@given(st.lists(st.sampled_from(["<p>a", "</p>", "<div class=x>", "</div>", "text", "<img>"])))
def test_only_the_text_of_the_elements_is_left(parts):
    snapshot = miolo.Snapshot.from_html(f"<div class=x>{''.join(parts)}<i>end")
    out = outside(snapshot, [".x"], [])
    nodes = np.flatnonzero(snapshot.with_tag("div"))
    inside = np.zeros(len(snapshot), bool)
    for node in nodes.tolist():
        inside[node : snapshot.end[node]] = True
    assert out.tolist() == (~inside).tolist()
    part = within_scope(snapshot, out)
    for node in range(len(snapshot)):
        assert part.text[node] == (snapshot.text[node] if inside[node] else "")
        if inside[node]:
            assert part.tag_name(node) == snapshot.tag_name(node)
