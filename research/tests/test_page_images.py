"""Images as numbers and phrases: sizes, sites, captions, and the words of addresses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.features.links import image_address
from miolo.renderer.page.tree import tree_shape
from miolo_research.adeater.images import (
    FIELDS,
    MAX_WORDS,
    NUMBERS,
    UNKNOWN,
    page_images,
    phrases,
)

HOME = "https://news.example.org/town/story"


def images(html, url=HOME):
    return page_images(Snapshot.from_html(html, url=url))


def phrases_of(html, field):
    (own_phrases,) = images(html).phrases
    return {phrase.partition(":")[2] for phrase in own_phrases if phrase.startswith(f"{field}:")}


def test_a_linked_banner_is_encoded_as_documented():
    image_set = images(
        '<a href="http://ads.example.com/click?zone=7">'
        '<img src="/pics/sale.gif" width="468" height="60" alt="Click here"></a>'
    )
    assert NUMBERS == ("height", "width", "aspect", "link on site", "image on site")
    assert image_set.numbers.dtype == np.float32
    assert image_set.numbers.tolist() == [[60, 468, pytest.approx(7.8), 0, 1]]
    assert image_set.nodes.dtype == image_set.links.dtype == np.int64
    assert {"alt:click", "alt:click here", "link:zone 7", "image:sale gif"} <= image_set.phrases[0]
    assert {phrase.partition(":")[0] for phrase in image_set.phrases[0]} <= set(FIELDS)


@pytest.mark.parametrize(
    ("attributes", "height", "width"),
    [
        ('width="120px" height=" 90 "', 90, 120),
        ('width="100%" height="90"', 90, UNKNOWN),
        ('width="-3" height="1e3"', UNKNOWN, UNKNOWN),
        ("", UNKNOWN, UNKNOWN),
        ('width="0" height="0"', 0, 0),
    ],
)
def test_sizes_in_the_markup(attributes, height, width):
    ((h, w, aspect, *_),) = images(f'<img src="a.png" {attributes}>').numbers.tolist()
    assert (h, w) == (height, width)
    assert aspect == (pytest.approx(width / height) if min(height, width) > 0 else UNKNOWN)


@pytest.mark.parametrize(
    ("link", "on_site"),
    [
        ("/other", 1),
        ("https://shop.example.org/", 1),
        ("https://example.com/", 0),
        ("mailto:a@example.org", UNKNOWN),
        ("javascript:open()", UNKNOWN),
        ("http://[", UNKNOWN),
    ],
)
def test_a_link_is_on_the_site_by_its_registrable_domain(link, on_site):
    image_set = images(f'<a href="{link}"><img src="/a.png"></a>')
    assert image_set.numbers[0, 3:].tolist() == [on_site, 1]


def test_sites_are_unknown_on_a_page_without_an_address():
    image_set = images(
        '<a href="https://example.com/"><img src="https://a.org/b.png"></a>', "about:blank"
    )
    assert image_set.numbers[0, 3:].tolist() == [UNKNOWN, UNKNOWN]
    assert not any(phrase.startswith("page:") for phrase in image_set.phrases[0])


def test_captions_are_those_of_the_link_and_of_the_figure():
    html = (
        "<figure><a href='/x'><img src='a.png'> Buy now</a><p>Not this</p>"
        "<figcaption>A grey boat</figcaption></figure>"
    )
    assert phrases_of(html, "caption") == {
        "buy", "now", "buy now", "a", "grey", "boat", "now a", "a grey", "grey boat"
    }  # fmt: skip


def test_a_figure_without_a_caption_does_not_take_another_figures_caption():
    first = "<figure><img src='a.png'></figure>"
    (own_phrases, _) = images(
        f"{first}<figure><img src='b.png'><figcaption>B</figcaption></figure>"
    ).phrases
    assert not any(phrase.startswith("caption:") for phrase in own_phrases)


def test_addresses_lose_scheme_port_and_www_and_are_decoded():
    html = '<img src="https://www.example.com:8080/a%20b/300x250.gif?utm_medium=banner">'
    assert phrases_of(html, "image") >= {
        "example com",
        "a b",
        "300x250 gif",
        "utm",
        "medium banner",
    }
    assert not phrases_of(html, "image") & {"https", "www", "8080"}


def test_lazily_loaded_images_have_the_address_they_will_load():
    page = Snapshot.from_html('<img src="data:image/gif;base64,R0" data-src="/b.png">', url=HOME)
    (node,) = page_images(page).nodes.tolist()
    assert image_address(page, node) == "https://news.example.org/b.png"


@given(st.lists(st.text("ab Ä", min_size=1, max_size=3), max_size=6))
def test_phrases_are_words_and_neighbours(words):
    folded = [word.casefold() for word in words]
    expected = list(folded)
    for i in range(len(folded) - 1):
        expected.append(folded[i] + " " + folded[i + 1])
    assert phrases(words) == expected


@given(st.lists(st.sampled_from(["<p>", "<a href='/x'>", "<figure>", "<img src='i'>", "t"])))
def test_every_image_is_found_with_its_nearest_link_and_figure(parts):
    page = Snapshot.from_html("".join(parts), url=HOME)
    image_set = page_images(page)
    assert image_set.nodes.tolist() == [n for n in range(len(page)) if page.tag_name(n) == "img"]
    for place, node in enumerate(image_set.nodes.tolist()):
        above = page.ancestors(node)
        for tag, ancestors in (("a", image_set.links), ("figure", image_set.figures)):
            assert ancestors[place] == next((n for n in above if page.tag_name(n) == tag), -1)
    assert len(image_set.take(image_set.links >= 0)) == int((image_set.links >= 0).sum())


def test_a_rendered_image_has_the_size_it_is_painted_with(stage):
    page = stage.html(
        "<img width=40 height=30 style='width:200px;height:50px' src=''>"
        "<img width=70 height=60 style='display:none' src=''>"
    )
    assert page_images(page).numbers[:, :2].tolist() == [[50, 200], [60, 70]]


@pytest.mark.parametrize("html", ["", "<p>", "<img>", "<img alt='" + "w " * 9999 + "'>"])
def test_pages_with_little_or_much(html):
    image_set = images(html)
    assert image_set.numbers.shape == (len(image_set), len(NUMBERS))
    assert all(len(phrases) < 6 * MAX_WORDS for phrases in image_set.phrases)


def nested_links(levels: int) -> Snapshot:
    """Nested links, each with an image and a word. Only scripts can create such links."""
    page = Snapshot.from_html(
        '<a href="/x"><img src="i.png" alt="boat">word</a>' * levels, url=HOME
    )
    parent = page.parent.copy()
    (links,) = np.nonzero(page.with_tag("a"))
    parent[links[1:]] = links[:-1]
    end, depth = tree_shape(parent.tolist())
    return replace(page, parent=parent, end=np.int32(end), depth=np.int32(depth))


def test_ten_thousand_levels_of_links_and_images():
    page = nested_links(10_000)
    image_set = page_images(page)
    assert page.depth.max() > 10_000
    assert (image_set.links == page.parent[image_set.nodes]).all()
    # A link has the words of all links inside it, up to `MAX_WORDS` of them.
    assert {"caption:word", "alt:boat", "caption:word word"} <= image_set.phrases[0]
    assert "caption:word word" not in image_set.phrases[-1]
