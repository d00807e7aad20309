"""Pictures of the article alone and of single elements."""

from dataclasses import replace

import miolo
import numpy as np
import pytest
from stage import pixels

PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5
PAGE = f"""<!doctype html><title>Should the foghorn sound again this year?</title>
<body style="margin:40px 60px; background:#fff; color:#000">
<nav style="background:#00ff00"><a href=/>Home</a></nav>
<h1 id=headline>Should the foghorn sound again this year?</h1>
<div id=story style="width:700px">{f"<p>{PROSE}</p>" * 2}
<figure><img alt="" width=500 height=90 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'
 viewBox='0 0 500 90'><rect width='500' height='90' fill='rgb(0,0,255)'/></svg>">
<figcaption>The horn in its tower</figcaption></figure>
<div id=advert style="background:#ff0000; height:120px; color:#fff">Buy a horn of your own today
<form><input value=Mail></form></div>
{f"<p>{PROSE}</p>" * 2}<div id=talk>
<div>Posted by anna on Monday morning</div></div></div>
"""
ROLES = {"The horn in its tower": "caption", "Posted by anna on Monday morning": "comment"}
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


@pytest.fixture(scope="module")
def extraction(snapshot, extraction):
    def judge(block):
        kept = block.text.startswith("The harbour board")
        role = "paragraph" if kept else ROLES.get(block.text, "boilerplate")
        return replace(block, kept=kept, role="title" if block.tag == "h1" else role)

    return replace(extraction, blocks=tuple(map(judge, extraction.blocks)))


def node_of(snapshot, name):
    return next(n for n, value in snapshot.attributes.with_attribute("id") if value == name)


def share(picture, color):
    return (picture == color).all(axis=2).mean()


def test_an_article_picture_has_the_parts_and_nothing_between_them(snapshot, extraction):
    raw = pixels(snapshot.screenshot)
    alone = pixels(miolo.article_screenshot(snapshot, extraction))
    assert all(share(raw, color) > 0.01 for color in (RED, GREEN, BLUE))
    assert share(alone, RED) == share(alone, GREEN) == 0
    assert share(alone, BLUE) == pytest.approx(500 * 90 / alone[..., 0].size, rel=0.02)
    kept = [block for block in extraction.blocks if block.kept or block.role == "title"]
    left, top = (min(block.box[side] for block in kept) for side in (0, 1))
    x, y = max(0, int(left) - 24), max(0, int(top) - 24)
    assert alone.shape[1] < raw.shape[1]
    for block in kept:
        across, down, width, height = (int(value) for value in block.box)
        own = raw[down : down + height, across : across + width]
        part = alone[down - y : down - y + height, across - x : across - x + width]
        assert (part == own).all()


def test_a_page_without_an_article_is_an_error(snapshot, extraction):
    blocks = tuple(replace(b, kept=False, role="boilerplate") for b in extraction.blocks)
    with pytest.raises(miolo.ElementNotFoundError, match="no part of the article"):
        miolo.article_screenshot(snapshot, replace(extraction, blocks=blocks))


@pytest.mark.parametrize(
    ("selector", "name"), [("#story", "story"), ("div:has(> form)", "advert"), ("//h1", "headline")]
)
def test_an_element_is_cut_out(snapshot, selector, name):
    raw = pixels(snapshot.screenshot)
    cut = pixels(miolo.element_screenshot(snapshot, selector))
    x, y, width, height = snapshot.box[node_of(snapshot, name)].tolist()
    expected = raw[int(y) : int(np.ceil(y + height)), int(x) : int(np.ceil(x + width))]
    assert cut.shape == expected.shape
    assert (cut == expected).all()


def test_missing_elements_and_invalid_selectors_are_errors(snapshot):
    for selector in ("aside", "figure > h1", "head", "title"):
        with pytest.raises(miolo.ElementNotFoundError, match=selector):
            miolo.element_screenshot(snapshot, selector)
    with pytest.raises(ValueError, match="neither a CSS selector"):
        miolo.element_screenshot(snapshot, "p >> p")
