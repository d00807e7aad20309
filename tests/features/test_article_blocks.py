"""The blocks that the article model judges contain each text once, and also hidden texts."""

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.blocks import NO_TEXT, article_blocks, text_blocks
from miolo.features.readable import readable_texts

PIECES = st.lists(
    st.sampled_from(
        ["one ", "two", " ", "<br>", "<br><br>", "<p>", "</p>", "<p hidden>", "<div>", "</div>",
         "<div style='display:none'>", "<b>", "</b>", "<b hidden>", "<a href=/x>", "</a>",
         "<noscript>two</noscript>", "<template>none</template>", "<svg><text>none</text></svg>",
         "<select><option>none</select>", "<textarea>none</textarea>", "<li>"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def inside_of_no_text(page: miolo.Snapshot, node: int) -> bool:
    return any(page.tag_name(above) in NO_TEXT for above in page.ancestors(node))


@given(PIECES)
def test_hidden_blocks_are_kept_unless_they_lie_within_a_shown_one(source):
    page = miolo.Snapshot.from_html(source)
    blocks = article_blocks(page)
    off = np.array([inside_of_no_text(page, node) for node in range(len(page))], bool)
    seen = readable_texts(page)
    shown = text_blocks(page, seen & ~off).node_lists()
    unseen = text_blocks(page, page.is_text & ~seen & ~off).node_lists()
    apart = [
        nodes
        for nodes in unseen
        if all(nodes[-1] < other[0] or other[-1] < nodes[0] for other in shown)
    ]
    marked = zip(blocks.node_lists(), blocks.hidden.tolist(), strict=True)
    assert list(marked) == sorted(
        [(nodes, False) for nodes in shown] + [(nodes, True) for nodes in apart]
    )


def test_hidden_blocks_are_marked(stage):
    page = stage.html(
        "<style>.off{display:none}.blind{visibility:hidden}</style><p>Shown to all, at length."
        "<p class=off>Not laid out.<p class=blind>Laid out only.<p>Shown to all, again."
        "<noscript>No scripts here</noscript><select><option>Choice</select>"
    )
    blocks = article_blocks(page)
    marked = dict(zip(blocks.texts, blocks.hidden.tolist(), strict=True))
    assert marked == {
        "Shown to all, at length.": False,
        "Not laid out.": True,
        "Laid out only.": True,
        "Shown to all, again.": False,
    }


def test_noscript_content_is_read_if_the_page_is_rendered_without_scripts(stage):
    source = "<p>Shown to all.<noscript><h1>Thread</h1><p>The first post.</noscript>"
    with_scripts, without = stage.html(source), stage.html(source, javascript=False)
    assert article_blocks(with_scripts).texts == ["Shown to all."]
    assert article_blocks(without).texts == ["Shown to all.", "Thread", "The first post."]
    assert not article_blocks(without).hidden.any()


@pytest.mark.parametrize("source", ["", "<p>", "<img src=x>", "<template>no</template>", " \n "])
def test_pages_without_text(source):
    blocks = article_blocks(miolo.Snapshot.from_html(source))
    assert len(blocks) == 0
    assert blocks.texts == []
    assert blocks.owner.shape == blocks.first.shape == blocks.hidden.shape == (0,)
    assert (blocks.owner.dtype, blocks.hidden.dtype) == (np.int32, np.bool_)
    assert (blocks.of == -1).all()


def test_levels_beyond_the_bound_keep_their_text():
    page = miolo.Snapshot.from_html("<div>x" * 10_000)
    assert "".join(article_blocks(page).texts).count("x") == 10_000
