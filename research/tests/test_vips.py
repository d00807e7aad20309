"""The block tree: invariants on any page, and expected blocks on simple ones."""

from __future__ import annotations

from dataclasses import replace

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.counts import count_texts
from miolo.features.overlays import overlay_mask
from miolo.features.readable import readable_texts
from miolo.renderer.page.attributes import Attributes
from miolo.renderer.page.snapshot import POSITIONS
from miolo.renderer.page.tree import tree_shape
from miolo_research.vide.appearance import Appearance, similarity
from miolo_research.vide.data_region import cluster_looks
from miolo_research.vips.columns import central_shares, in_columns
from miolo_research.vips.importance import block_worth
from miolo_research.vips.look import compute_look
from miolo_research.vips.segmentation import VIPSOptions, vips
from strategies import parents

TAGS = ("div", "div", "p", "span", "ul", "li", "a", "pre", "br", "hr", "img", "table")
TEXTS = ("tide", "The horn sounded. " * 5, " ")
ALL = VIPSOptions(pdoc=11)
WIDTH = 400


@st.composite
def pages(draw, max_size=18):
    """A page with any boxes, colours, fonts and displays, even ones that no browser produces."""
    parent = draw(parents(max_size=max_size))
    size = len(parent)

    def column(choices):
        return draw(st.lists(st.sampled_from(choices), min_size=size, max_size=size))

    inner = set(parent)
    drawn = enumerate(zip(column(TAGS), column((0, 1, 1)), strict=True))
    tags = [tag if node in inner or not text else "#text" for node, (tag, text) in drawn]
    tags[0] = "html"
    tag_names = ("#text", *sorted(set(tags) - {"#text"}))
    text = [
        own_text if tag == "#text" else ""
        for own_text, tag in zip(column(TEXTS), tags, strict=True)
    ]
    end, depth = tree_shape(parent)
    sides = (range(0, 300, 20), range(0, 600, 20), (0, 20, 60), (20, 40))
    box = np.column_stack([column(choices) for choices in sides])
    box[0] = 0, 0, WIDTH, 700
    blank = miolo.Snapshot.from_html("<html></html>")
    return replace(
        blank,
        parent=np.array(parent, np.int32),
        end=np.array(end, np.int32),
        depth=np.array(depth, np.int32),
        tag=np.array([tag_names.index(tag) for tag in tags], np.int16),
        tags=tag_names,
        text=tuple(text),
        attributes=Attributes.from_columns([0] * size, [], []),
        box=box.astype(np.float32),
        visible=np.array(column((True, True, True, False))) & (box[:, 2] > 0),
        display=np.array(column((0, 1, 2)), np.int16),
        displays=("block", "inline", "table"),
        position=np.array(column((0, 0, 0, 0, POSITIONS.index("fixed"))), np.uint8),
        clips=np.zeros((size, 2), np.bool_),
        keeps_lines=np.zeros(size, np.bool_),
        font_size=np.array(column((16, 24)), np.float32),
        font_weight=np.array(column((400, 700)), np.int16),
        color=np.zeros(size, np.uint32),
        background=np.array(column((0, 0, 0xFFFFFFFF, 0xEEEEEEFF)), np.uint32),
        paint_order=np.arange(size, dtype=np.int32),
        html_chars=np.ones(size, np.int32),
        restored=np.zeros(size, np.bool_),
        frame=np.zeros(size, np.int16),
        page=replace(blank.page, has_geometry=True, page_size=(WIDTH, 700), viewport=(WIDTH, 700)),
    )


def columns_of(tree):
    """A tree as plain values."""
    cuts = tree.separators
    arrays = (tree.parent, tree.end, tree.depth, tree.box, tree.coherence, tree.layer, tree.of)
    more = (cuts.block, cuts.box, cuts.across, cuts.weight)
    return [array.tolist() for array in (*arrays, *more)] + [tree.spans]


def inside(box, outer):
    low, high = box[:2], box[:2] + box[2:]
    return (low >= outer[:2] - 0.01).all() and (high <= outer[:2] + outer[2:] + 0.01).all()


@given(pages())
def test_every_readable_text_is_in_exactly_one_leaf(page):
    tree = vips(page, ALL)
    held = np.zeros(len(page), int)
    for leaf in tree.leaves:
        for start, stop in tree.spans[leaf]:
            held[start:stop] += 1
            assert (tree.of[start:stop] >= 0).all()
    not_empty = np.array([bool(text.strip()) for text in page.text])
    texts = np.flatnonzero(readable_texts(page) & not_empty)
    assert np.isin(tree.of[texts], tree.leaves).all()
    # A text of a layer nested in a block is also in that block's spans, but belongs to the layer.
    assert (held[texts][~overlay_mask(page)[texts]] == 1).all()


@given(pages())
def test_the_tree_is_a_tree_in_preorder(page):
    tree = vips(page, ALL)
    end, depth = tree_shape(tree.parent.tolist())
    assert (tree.end.tolist(), tree.depth.tolist()) == (end, depth)
    assert tree.parent[0] == -1
    assert len(set(tree.labels)) == len(tree)
    for block in range(len(tree)):
        children = tree.children(block)
        assert children == np.flatnonzero(tree.parent == block).tolist()
        assert len(children) != 1 or tree.layer.any()


@given(pages())
def test_a_child_lies_inside_its_parent_and_is_no_less_coherent(page):
    tree = vips(page, ALL)
    assert ((tree.coherence >= 1) & (tree.coherence <= 10)).all()
    for block in range(1, len(tree)):
        above = tree.parent[block]
        assert tree.coherence[block] >= tree.coherence[above]
        assert inside(tree.box[block], tree.box[above])


@given(pages(), st.integers(1, 10))
def test_a_higher_degree_only_refines(page, pdoc):
    coarse, fine = (vips(page, VIPSOptions(pdoc=degree)) for degree in (pdoc, pdoc + 1))
    assert set(coarse.spans) <= set(fine.spans)
    for leaf in fine.leaves:
        assert len(set(coarse.of[fine.of == leaf].tolist())) <= 1
    assert (coarse.coherence[np.setdiff1d(np.arange(len(coarse)), coarse.leaves)] < pdoc).all()


@given(pages())
def test_equal_pages_have_equal_trees(page):
    assert columns_of(vips(page, ALL)) == columns_of(vips(page, ALL))


@given(pages())
def test_separators_lie_between_the_children_of_their_block(page):
    tree = vips(page, ALL)
    cuts = tree.separators
    for block, box, across in zip(cuts.block, cuts.box, cuts.across, strict=True):
        axis = int(across)
        middle = box[axis] + box[axis + 2] / 2
        low = tree.box[tree.children(block), axis]
        high = low + tree.box[tree.children(block), axis + 2]
        slack = ALL.overlap / 2
        assert ((high <= middle + slack) | (low >= middle - slack)).all()


@given(pages())
def test_a_mirrored_page_has_the_same_blocks(page):
    box = page.box.copy()
    box[:, 0] = WIDTH - box[:, 0] - box[:, 2]
    one, other = vips(page, ALL), vips(replace(page, box=box), ALL)
    assert sorted(one.spans) == sorted(other.spans)
    assert sorted(one.separators.weight.tolist()) == sorted(other.separators.weight.tolist())


@given(pages())
def test_visible_nodes_match_a_walk_over_all_nodes(page):
    look, apart = compute_look(page), overlay_mask(page)
    for node in range(len(page)):
        below = [
            at
            for at in range(node, page.end[node])
            if apart[at] == apart[node] and _is_drawn(page, look, at)
        ]
        things = [at for at in below if _thing(page, look, at)]
        assert look.seen[node] == bool(things)
        if things and not page.with_tag("pre").any():
            corners = np.array([page.box[at] for at in below])
            corners[:, 2:] += corners[:, :2]
            expected = [*corners[:, :2].min(axis=0), *corners[:, 2:].max(axis=0)]
            assert look.box[node].tolist() == expected


def _thing(page, look, node):
    return look.picture[node] or (readable_texts(page)[node] and page.text[node].strip() != "")


def _is_drawn(page, look, node):
    behind = look.backdrop[max(page.parent[node], 0)]
    painted = page.background[node] & 0xFF and look.backdrop[node] != behind
    painted = painted and look.seen[node] and page.visible[node]
    return painted or _thing(page, look, node)


@pytest.mark.parametrize("html", ["", "<p>", "<p>one", "<hr>", "<div>" * 10_000 + "deep"])
def test_any_page_has_a_tree(html):
    tree = vips(miolo.Snapshot.from_html(html))
    assert len(tree) >= 1
    assert tree.parent[0] == -1


def test_deeply_nested_pages_are_divided_to_a_maximum_depth():
    page = miolo.Snapshot.from_html("<div><p>text</p>" * 2_000)
    tree = vips(page, VIPSOptions(pdoc=11, max_depth=30))
    assert tree.depth.max() == 30
    assert (tree.of[readable_texts(page)] >= 0).all()


def test_layers_over_the_page_are_blocks_of_their_own(stage):
    page = stage.html(f"<p>{'Text of the page. ' * 9}<p style='position:fixed;top:0'>Cookies?")
    tree = vips(page)
    (layer,) = np.flatnonzero(tree.layer)
    assert tree.depth[layer] == 1
    inside = (tree.of >= layer) & (tree.of < tree.end[layer])
    texts = [page.text[node] for node in np.flatnonzero(inside)]
    assert list(filter(None, texts)) == ["Cookies?"]


@pytest.fixture(scope="module")
def article(stage):
    return stage.render("/ledger/2024/05/14/ferry-timetable")


def test_the_columns_of_an_article_are_found(article):
    tree = vips(article)
    (columns,) = np.flatnonzero(in_columns(tree))
    main, side = tree.children(columns)
    assert tree.box[main, 2] > tree.box[side, 2]
    assert central_shares(tree)[main] > 3 * central_shares(tree)[side]
    (heading,) = np.flatnonzero(article.with_tag("h1"))
    assert main <= tree.of[heading + 1] < tree.end[main]
    aside = int(np.flatnonzero(article.with_tag("aside"))[0])
    inside = tree.of[aside : article.end[aside]]
    assert ((inside[inside >= 0] >= side) & (inside[inside >= 0] < tree.end[side])).all()


def test_the_article_is_worth_more_than_what_is_around_it(article):
    tree = vips(article)
    main = int(tree.children(int(np.flatnonzero(in_columns(tree))[0]))[0])
    texts = np.flatnonzero(readable_texts(article) & (tree.of >= 0))
    counts = count_texts(article)
    worth = block_worth(tree, tree.of[texts], counts.chars[texts], counts.link_chars[texts])
    assert main <= worth.best < tree.end[main]
    columns = int(tree.parent[main])
    assert worth.whole[columns] == max(worth.whole[child] for child in tree.children(columns))


fonts = st.frozensets(st.tuples(st.sampled_from((12.0, 16.0)), st.just(400), st.just(0)))
looks = st.builds(Appearance, st.tuples(*[st.floats(0, 1e4)] * 3), fonts, fonts)


@given(looks, looks)
def test_similarity_of_looks_is_a_symmetric_share(one, other):
    assert similarity(one, one) == pytest.approx(1)
    assert similarity(one, other) == pytest.approx(similarity(other, one))
    assert 0 <= similarity(one, other) <= 1


@given(st.lists(looks, max_size=12))
def test_each_block_is_similar_to_the_first_of_its_cluster(drawn):
    kinds = cluster_looks(drawn, 0.8)
    for look, kind in zip(drawn, kinds, strict=True):
        first = drawn[kinds.index(kind)]
        assert look == first or similarity(first, look) >= 0.8
    assert sorted(set(kinds)) == list(range(len(set(kinds))))
