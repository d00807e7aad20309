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


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ("<button>A?</button><div hidden><p>B.</p></div><button>C?</button>", "A? B. C?"),
        ("<a>A?</a><p style='max-height:0;overflow:hidden'>B.</p><a>C?</a>", "A? B. C?"),
        ("<b>A</b><div hidden></div><b>C</b>", "AC"),
        ("<b>A</b><span hidden>B</span><b>C</b>", "AC"),
    ],
)
def test_a_hidden_panel_stands_between_the_texts_around_it(markup, texts):
    page = miolo.Snapshot.from_html(f"<div>{markup}</div>")
    assert " ".join(article_blocks(page).texts) == texts


def test_levels_beyond_the_bound_keep_their_text():
    page = miolo.Snapshot.from_html("<div>x" * 10_000)
    assert "".join(article_blocks(page).texts).count("x") == 10_000
