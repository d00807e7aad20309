"""Anchors of blocks: the same block in other captures, and nothing twice."""

from __future__ import annotations

from dataclasses import replace

import linear
import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from miolo import Anchor, Snapshot, anchor_of, find
from miolo.features.anchors import BlockAnchors, match_anchors
from miolo.features.blocks import article_blocks
from miolo.renderer.page.markup import outer_html

TAGS = st.sampled_from(["p", "h2", "li", "blockquote"])
TEXTS = st.sampled_from(["Tides", "Home", "More", "One", "Two"])
BLOCKS = st.lists(st.tuples(TAGS, TEXTS), max_size=20)

# Parts of pages: blocks alone in their elements, loose text, texts with elements in them, and
# elements whose names other elements have, too.
PARTS = st.lists(
    st.sampled_from(
        ["<div>", "</div>", "<section class=story>", "</section>", "<ul id=list>", "</ul>",
         "<p class='lead b2'>@</p>", "<p>@ and <a href=/>@</a></p>", "@<br><br>@", "<b>@</b>",
         "<li>@", "<o:p>@</o:p>", "<h1 id=main-2>@</h1>", "<pre>@\n  @</pre>", "<td>@</td>",
         "<p hidden>@</p>"]
    ),
    min_size=1,
    max_size=25,
).map("".join)  # fmt: skip


def numbered(source, word):
    """The source with a word and a number of its own in place of each sign."""
    parts = source.split("@")
    return parts[0] + "".join(f"{word} {n}{part}" for n, part in enumerate(parts[1:]))


def page_anchors(page):
    return BlockAnchors(article_blocks(page)).compute()


def block_at(page, node):
    """The block of a text node, or of the first text in an element."""
    of = article_blocks(page).of[node : page.end[node]]
    return int(of[of >= 0][0])


@given(PARTS)
def test_every_anchor_finds_its_block_in_the_same_page(source):
    page = Snapshot.from_html(numbered(source, "Tide"))
    anchors = page_anchors(page)
    for number, anchor in enumerate(anchors):
        node = find(page, anchor)
        assert node is not None
        assert block_at(page, node) == number


@given(PARTS)
def test_blocks_with_the_same_words_are_distinguished_by_their_places(source):
    page = Snapshot.from_html(source.replace("@", "Tide"))
    found = [block_at(page, find(page, anchor)) for anchor in page_anchors(page)]
    assert found == list(range(len(found)))


@given(PARTS, PARTS, PARTS, st.sampled_from(["{}", "<main class=new>{}</main>"]))
def test_a_block_is_found_by_its_words_among_new_siblings(source, before, after, around):
    earlier = Snapshot.from_html(f"<div>{numbered(source, 'Tide')}</div>")
    middle = around.format(f"<div>{numbered(source, 'Tide')}</div>")
    added = [numbered(more, word) for more, word in ((before, "Ad"), (after, "Notice"))]
    later = Snapshot.from_html(f"{added[0]}</div></section></ul></p>{middle}{added[1]}")
    texts = article_blocks(later).texts
    for anchor in page_anchors(earlier):
        if texts.count(anchor.text) == 1:
            node = find(later, anchor)
            assert node is not None
            assert texts[block_at(later, node)] == anchor.text


@given(PARTS)
def test_paths_and_selectors_match_one_element_in_other_engines(source):
    page = Snapshot.from_html(numbered(source, "Tide"))
    markup = outer_html(page, 0)
    tree = html.document_fromstring(markup)
    for anchor in page_anchors(page):
        words = "".join(anchor.text.split())
        for found in (tree.xpath(anchor.xpath), tree.cssselect(anchor.css)):
            (element,) = found
            assert words in "".join(element.text_content().split())


def test_a_selector_is_the_shortest_name_that_no_other_element_has():
    page = Snapshot.from_html(
        "<main><h1 class='headline top'>Tides</h1><div class=story id=body-7><p>One</p><p>Two</p>"
        "</div><div class=story id=notes><p>Three</p></div><nav class='a b c d e f g-h'>Four</nav>"
    )
    selectors = {anchor.text: anchor.css for anchor in page_anchors(page)}
    assert selectors == {
        "Tides": "h1",
        "One": "main > div:nth-of-type(1) > p:nth-of-type(1)",
        "Two": "main > div:nth-of-type(1) > p:nth-of-type(2)",
        "Three": "#notes > p",
        "Four": ".a",
    }


def test_blocks_of_one_element_have_offsets():
    page = Snapshot.from_html("<div>A tide<br><br>b c<p>d</p>e</div>")
    assert [(anchor.text, anchor.offset) for anchor in page_anchors(page)] == [
        ("A tide", 0), ("b c", 5), ("d", 0), ("e", 8)
    ]  # fmt: skip


def test_of_blocks_with_the_same_words_the_one_at_the_same_place_is_found():
    page = Snapshot.from_html("<ul><li>More</li><li>More</li></ul><div>More<br><br>More</div>")
    anchors = page_anchors(page)
    found = [find(page, anchor) for anchor in anchors]
    assert [block_at(page, node) for node in found] == [0, 1, 2, 3]


def test_of_more_blocks_with_the_same_words_than_are_compared_the_one_at_the_same_place_is_found():
    page = Snapshot.from_html("<ul>" + "<li><div><b>More</b></div></li>" * 100)
    found = [find(page, anchor) for anchor in page_anchors(page)[::9]]
    assert [block_at(page, node) for node in found] == list(range(100))[::9]


def test_a_changed_text_that_shares_its_element_is_found():
    source = "<div>Low water is at {} today.<br><br>Boats leave from the old pier.</div>"
    page, other = (Snapshot.from_html(source.format(hour)) for hour in (7, 8))
    for number, anchor in enumerate(page_anchors(page)):
        assert block_at(other, find(other, anchor)) == number


def test_a_long_text_is_found_by_its_beginning():
    text = "The tide rises and falls. " * 100
    page = Snapshot.from_html(f"<main><p>{text}</p></main>")
    anchor = page_anchors(page)[0]
    assert len(anchor.text) == 500
    other = Snapshot.from_html(f"<p>Advertisement</p><main><div><p>{text}, every day</p></div>")
    (_, node) = other.with_tag("p").nonzero()[0].tolist()
    assert find(other, anchor) == node
    assert find(other, replace(anchor, text=text)) == node


def test_an_anchor_without_words_or_paths_finds_nothing():
    page = Snapshot.from_html("<p>Tides</p>")
    assert find(page, Anchor("", "", 0, "")) is None
    with pytest.raises(ValueError, match="neither a CSS selector nor an XPath"):
        find(page, Anchor("", "p[", 0, "Boats"))


def test_an_element_within_a_block_is_found():
    page = Snapshot.from_html("<p>Fare: <b class=fare>3 crowns</b> a day</p>")
    other = Snapshot.from_html("<p>New</p><p>Fare: <b class=fare>3 crowns</b> a day</p>")
    anchor = anchor_of(page, int(page.with_tag("b").nonzero()[0][0]))
    assert anchor.text == "3 crowns"
    assert find(other, anchor) == other.with_tag("b").nonzero()[0][0]


@pytest.mark.parametrize(
    "row",
    [
        "<p class=a>Tide {0}</p>",
        "Tide {0}<br><br>",
        "<div class='c{0} d'>Tide",
        "<div><i>Tide {0}</i></div><o:p>More</o:p>",
        "<li id=n class='a-b c-d e'>Tide</li>",
    ],
)
def test_time_of_anchors_is_subquadratic(row):
    def work(count):
        page = article_blocks(Snapshot.from_html("".join(map(row.format, range(count)))))
        return lambda: BlockAnchors(page).compute()

    small, large = (linear.cost(work(size)).seconds for size in (5000, 20_000))
    assert large < 0.2 or linear.exponent(small, large, 4) < 1.5


def test_anchors_are_in_json_and_in_the_extraction_that_is_read_from_it():
    page = Snapshot.from_html("<main><h1>Tides</h1><p>The tide rises at seven today.</p></main>")
    extraction = miolo.extract_snapshot(page)
    values = extraction.to_dict()
    for block in values["blocks"]:
        anchor = Anchor(**block["anchor"], text=block["text"])
        assert find(page, anchor) == block["node"]
    again = miolo.Extraction.from_dict(values).blocks
    assert [block.anchor for block in again] == [block.anchor for block in extraction.blocks]


@given(BLOCKS)
def test_every_block_is_matched_in_an_equal_page(blocks):
    anchors = anchors_of(blocks)
    assert match_anchors(anchors, anchors) == list(range(len(blocks)))


@given(BLOCKS, BLOCKS)
def test_no_two_blocks_have_the_same_match(earlier, later):
    matches = match_anchors(anchors_of(earlier), anchors_of(later))
    assert len(matches) == len(earlier)
    found = [place for place in matches if place >= 0]
    assert len(set(found)) == len(found)
    assert all(place < len(later) for place in found)


@given(BLOCKS, st.sampled_from(["h2", "li"]), BLOCKS)
def test_a_text_that_no_other_block_has_is_matched_wherever_it_is(blocks, tag, around):
    earlier = [*blocks, (tag, "Only here")]
    later = [*around, (tag, "Only here"), *blocks]
    assert match_anchors(anchors_of(earlier), anchors_of(later))[-1] == len(around)


def anchors_of(blocks):
    source = "".join(f"<{tag}>{text}</{tag}>" for tag, text in blocks)
    return page_anchors(Snapshot.from_html(source))


def test_an_element_with_a_changed_text_is_found_by_its_selector_or_its_place():
    source = "<main><h1>Tides</h1><p{}>The tide rises at {} today.</p><p>Boats leave.</p></main>"
    page = Snapshot.from_html(source.format(" class=lead", 7))
    anchor = anchor_of(page, int(page.with_tag("p").nonzero()[0][0]))
    assert (anchor.css, anchor.text) == (".lead", "The tide rises at 7 today.")
    for changed in (source.format(" class=lead", 8), source.format("", 9)):
        other = Snapshot.from_html(changed)
        assert find(other, anchor) == other.with_tag("p").nonzero()[0][0]
    assert find(Snapshot.from_html("<main><p>Nobody knows.</p></main>"), anchor) is None
    moved = Snapshot.from_html(f"<p class=lead>Advertisement</p>{source.format('', 8)}")
    assert find(moved, anchor) == moved.with_tag("p").nonzero()[0][1]
