"""Anchors of blocks: the same block in other renderings, and nothing twice."""

from __future__ import annotations

import miolo
from hypothesis import given
from hypothesis import strategies as st
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
