"""Anchors of blocks: the same block in other renderings, and nothing twice."""

from __future__ import annotations

import miolo
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot, anchor_of, find
from miolo.features.anchors import block_anchors, match_anchors
from miolo.features.blocks import article_blocks

TAGS = st.sampled_from(["p", "h2", "li", "blockquote"])
TEXTS = st.sampled_from(["Tides", "Home", "More", "One", "Two"])
BLOCKS = st.lists(st.tuples(TAGS, TEXTS), max_size=20)


def anchors_of(blocks):
    source = "".join(f"<{tag}>{text}</{tag}>" for tag, text in blocks)
    page = article_blocks(miolo.Snapshot.from_html(source))
    return block_anchors(page.snapshot, page.owner.tolist(), page.texts)


@given(BLOCKS)
def test_every_block_is_found_in_an_equal_page(blocks):
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
def test_a_text_that_no_other_block_has_is_found_wherever_it_is(blocks, tag, around):
    earlier = [*blocks, (tag, "Only here")]
    later = [*around, (tag, "Only here"), *blocks]
    assert match_anchors(anchors_of(earlier), anchors_of(later))[-1] == len(around)


@given(BLOCKS, BLOCKS)
def test_elements_with_a_text_of_their_own_are_found_again(blocks, before):
    texts = [f"{text} {number}" for number, (_, text) in enumerate(blocks)]
    source = "".join(f"<{tag}>{text}</{tag}>" for (tag, _), text in zip(blocks, texts, strict=True))
    more = "".join(f"<{tag}>{text}</{tag}>" for tag, text in before)
    page = Snapshot.from_html(f"<main>{source}</main>")
    other = Snapshot.from_html(f"{more}<main>{more}{source}</main>")
    for text in texts:
        node = int(page.parent[page.text.index(text)])
        there = find(other, anchor_of(page, node))
        assert there == int(other.parent[other.text.index(text)])
        assert find(page, anchor_of(page, node)) == node


def test_an_element_with_a_changed_text_is_found_by_its_selector_or_its_place():
    source = "<main><h1>Tides</h1><p{}>The tide rises at {} today.</p><p>Boats leave.</p></main>"
    page = Snapshot.from_html(source.format(" class=lead", 7))
    anchor = anchor_of(page, int(page.with_tag("p").nonzero()[0][0]))
    assert (anchor.css, anchor.text) == ("p.lead", "The tide rises at 7 today.")
    for changed in (source.format(" class=lead", 8), source.format("", 9)):
        other = Snapshot.from_html(changed)
        assert find(other, anchor) == other.with_tag("p").nonzero()[0][0]
    assert find(Snapshot.from_html("<main><p>Nobody knows.</p></main>"), anchor) is None
    moved = Snapshot.from_html(f"<p class=lead>Advertisement</p>{source.format('', 8)}")
    assert find(moved, anchor) == moved.with_tag("p").nonzero()[0][1]
