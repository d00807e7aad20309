import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.features.readable import readable_texts
from miolo.models.blocks.semantic import (
    SemanticOptions,
    TextTree,
    density_ranges,
    prune,
    range_blocks,
    text_tree,
)
from miolo.renderer.page.tree import tree_shape
from strategies import parents

TAUS = st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0, 1.5])
SMOOTHINGS = st.sampled_from([0.0, 0.05, 1.0])


@st.composite
def text_trees(draw) -> TextTree:
    parent = np.array(draw(parents(max_size=18)), np.int32)
    end = np.array(tree_shape(parent.tolist())[0], np.int32)
    leaf = end == np.arange(len(parent)) + 1
    chars = np.array([draw(st.integers(1, 9)) if is_leaf else 0 for is_leaf in leaf])
    linked = np.array([draw(st.integers(0, int(count))) for count in chars])
    place = np.arange(len(parent))
    texts = np.flatnonzero(leaf).astype(np.int32)
    starts = np.arange(len(texts) + 1, dtype=np.int32)
    return TextTree(parent, end, place, leaf, texts, starts, chars, linked)


def by_recursion(tree: TextTree, tau: float, smoothing: float) -> list[list[int]]:
    """Ranges as lists of leaves, by the description in the paper."""

    def children(node):
        return [c for c in range(len(tree.parent)) if tree.parent[c] == node]

    def density(node):
        inside = slice(node, int(tree.end[node]))
        return tree.link_chars[inside].sum() / tree.chars[inside].sum()

    def alike(a, b):
        low, high = sorted((density(a) + smoothing, density(b) + smoothing))
        return (low / high if high else 1.0) >= tau

    def cut(node) -> tuple[bool, list[list[int]]]:
        below = children(node)
        if not below:
            return True, [[node]]
        parts = [cut(child) for child in below]
        if all(one for one, _ in parts) and all(alike(a, b) for a in below for b in below):
            return True, [[leaf for _, ranges in parts for leaf in ranges[0]]]
        blocks: list[list[int]] = []
        for place, (one, ranges) in enumerate(parts):
            if place and one and parts[place - 1][0] and alike(below[place - 1], below[place]):
                blocks[-1] = blocks[-1] + ranges[0]
            else:
                blocks += ranges
        return False, blocks

    return cut(0)[1]


def as_lists(tree: TextTree, ranges) -> list[list[int]]:
    leaves = np.flatnonzero(tree.is_leaf)
    return [leaves[ranges == number].tolist() for number in range(ranges[-1] + 1)]


@given(text_trees(), TAUS, SMOOTHINGS)
def test_ranges_match_the_description(tree, tau, smoothing):
    ranges = density_ranges(tree, tau, smoothing)
    assert as_lists(tree, ranges) == by_recursion(tree, tau, smoothing)


PAGE = """<body><ul id=menu><li><a href=/a>Home</a><li><a href=/b>News</a></ul>
  <div id=story><p>One <a href=/x>link</a> in a long paragraph of text.</p>
  <p>Another paragraph of text.</p></div>
  <p id=foot>Imprint</p></body>"""


def blocks_of(html: str, literal: bool, tau: float, smoothing: float):
    page = Snapshot.from_html(html)
    texts = readable_texts(page)
    tree = text_tree(page, texts, literal=literal)
    blocks = range_blocks(page, tree, density_ranges(tree, tau, smoothing))
    return page, blocks, blocks.texts(page, texts)


def test_a_paragraph_with_a_link_is_one_visible_leaf():
    page, blocks, texts = blocks_of(PAGE, False, 0.8, 1.0)
    story = "One link in a long paragraph of text. Another paragraph of text."
    assert texts == ["Home News", f"{story} Imprint"]
    assert [page.tag_name(root) for root in blocks.roots] == ["ul", "body"]
    ids = {name: node for node, name in page.attributes.with_attribute("id")}
    assert [blocks.of[ids[name]] for name in ("menu", "story", "foot")] == [0, 1, 1]
    assert blocks.of[0] == -1


def test_texts_as_leaves_cut_a_paragraph_at_its_links():
    _, _, texts = blocks_of(PAGE, True, 0.8, 0.0)
    assert texts[:4] == ["Home News", "One", "link", "in a long paragraph of text."]


def test_text_around_blocks_in_an_inline_element_keeps_its_place():
    html = "<body>a<span>b<div>c</div>d<div>e</div></span>f</body>"
    _, _, texts = blocks_of(html, False, 1.5, 0.0)
    assert texts == ["a b", "c", "d", "e", "f"]


def test_the_main_block_depends_on_how_words_are_counted():
    blocks, density = [list("aaaaa"), list("abc"), list("defghi")], np.array([0.0, 0.0, 0.9])
    assert prune(blocks, density).main == 0
    assert prune(blocks, density, SemanticOptions(literal=True)).main == 2


@pytest.mark.parametrize("wrong", [{"tau": -1.0}, {"smoothing": -0.1}, {"threshold": 1.1}])
def test_options_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="threshold"):
        SemanticOptions(**wrong)
