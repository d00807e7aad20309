"""The site style tree against trees that a plain recursion merges and weights."""

from __future__ import annotations

import json
import math

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo_research.style_tree.importance import StylePages, importance
from miolo_research.style_tree.tree import merge, page_styles

bodies = st.recursive(
    st.sampled_from(["<p>one</p>", "<p>two</p>", "<img src=/x>", "<hr>", "<p></p>"]),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(
        lambda children: f"<div>{''.join(children)}</div>"
    ),
    max_leaves=5,
)
sites = st.lists(bodies, min_size=1, max_size=6)


def page(body, number=0):
    return miolo.Snapshot.from_html(
        f"<body data-page={number}>{body}", url=f"https://example.org/{number}"
    )


def pages_of(site):
    return [page(body, number) for number, body in enumerate(site)]


def learn(pages, **options):
    style_pages = StylePages("tags", **options)
    for each in pages:
        style_pages.add(each)
    return style_pages


def shape_of(styles, node=0, below=None):
    """A page as nested tuples (label, feature, children)."""
    below = styles.children() if below is None else below
    inner = tuple(shape_of(styles, child, below) for child in below[node])
    return styles.labels[node], styles.features[node], inner


def weigh(trees, g):
    """Importance of an element node from the trees that have it, and the maximum in its subtree."""
    m = len(trees)
    styles = {}
    for _, _, children in trees:
        styles.setdefault(tuple(child[0] for child in children), []).append(children)
    features = {f for _, f, _ in trees if f}
    if m == 1:
        content = 1
    elif features:
        spread = [math.log(sum(f == each for _, each, _ in trees), m) for f in features]
        content = 1 - sum(spread) / len(spread)
    else:
        content = 0
    values, below = [], []
    for labels, children in styles.items():
        each = [weigh([c[place] for c in children], g) for place in range(len(labels))]
        own = sum(value for value, _ in each) / len(each) if each else content
        values.append((len(children) / m, own))
        below += [max_size for _, max_size in each]
    inner = sum(share * own for share, own in values)
    if set(styles) == {()}:
        value = content
    else:
        node = 1 if m == 1 else -sum(p * math.log(p, m) for p, _ in values)
        value = (1 - g ** len(styles)) * node + g ** len(styles) * inner
    return value, max([value, *below])


@given(sites, st.sampled_from([0.5, 0.9]))
def test_importance_matches_plain_recursion(site, g):
    pages = [page_styles(snapshot) for snapshot in pages_of(site)]
    tree = merge(pages)
    weights = importance(tree, g)
    root = [("#page", 0, (shape_of(each),)) for each in pages]
    assert (weights.composite[0], weights.highest[0]) == pytest.approx(weigh(root, g))
    for values in (weights.presentation, weights.composite, weights.highest):
        assert ((values >= 0) & (values <= 1)).all()
    assert (weights.highest >= weights.composite).all()
    alone = tree.pages == 1
    assert weights.composite[alone] == pytest.approx(1)


@given(sites)
def test_every_page_has_its_place_in_the_tree(site):
    pages = [page_styles(snapshot) for snapshot in pages_of(site)]
    tree = merge(pages)
    hits = np.zeros(len(tree), int)
    for each in pages:
        at = tree.place(each)
        assert (at >= 0).all()
        assert [tree.labels[place] for place in at.tolist()] == list(each.labels)
        hits[at] += 1
    assert (hits[1:] == tree.pages[1:]).all()
    assert tree.pages[0] == len(pages)
    # Pages of a style are pages of each of its children.
    for style in range(len(tree.owner)):
        below = slice(tree.first[style], tree.first[style] + tree.count[style])
        assert (tree.pages[below] == tree.style_pages[style]).all()


@given(sites, st.randoms(use_true_random=False), st.integers(1, 6))
def test_the_order_of_pages_is_irrelevant_with_any_limit(site, chance, max_size):
    pages = pages_of(site)
    one = learn(pages, max_pages=max_size)
    two = learn(chance.sample(pages, len(pages)), max_pages=max_size)
    assert one.to_json() == two.to_json()
    assert len(one) == min(max_size, len(pages))
    for snapshot in pages:
        assert (one.judge(snapshot).importance == two.judge(snapshot).importance).all()


def test_elements_that_are_the_same_everywhere_are_noise():
    pages = pages_of([f"<nav>menu</nav><p>story {n}</p><img src=/logo>" for n in range(4)])
    judged = learn(pages).judge(pages[0])
    value = {pages[0].tag_name(n): float(judged.highest[n]) for n in range(len(pages[0]))}
    assert value["nav"] == value["img"] == 0
    assert judged.importance[pages[0].text.index("story 0")] == 1
    same = [page("<div><p>one</p></div>", n) for n in range(3)]
    style_pages = learn(same)
    assert not style_pages.judge(same[0]).highest.any()


def test_elements_that_no_learned_page_has_are_important():
    style_pages = learn(pages_of(["<p>one</p>", "<p>two</p>"]))
    other = page("<div>new</div>")
    judged = style_pages.judge(other)
    assert judged.importance[other.text.index("new")] == 1
    assert judged.pages[other.text.index("new")] == 0
    assert judged.pages[0] == 2


def test_nodes_are_bounded():
    deep = "<div>" * 50 + "text"
    styles = page_styles(page(deep), max_nodes=10)
    assert len(styles) == 10
    judged = learn(pages_of([deep, deep]), max_nodes=10).judge(page(deep))
    assert not judged.importance.any()


def test_style_pages_survive_json_and_damaged_json_is_refused():
    pages = pages_of(["<p>one</p><img src=/x>", "<p>two</p>", "<p></p>"])
    style_pages = learn(pages)
    text = json.dumps(style_pages.to_json())
    again = StylePages.from_json(json.loads(text))
    assert json.dumps(again.to_json()) == text
    assert (again.judge(pages[0]).importance == style_pages.judge(pages[0]).importance).all()
    with pytest.raises(ValueError, match="labels must be one of"):
        StylePages("ids")  # pyright: ignore
    name, first = next(iter(json.loads(text)["pages"].items()))
    broken = (
        {"depth": [1]},
        {"depth": []},
        {"labels": [99] * 9},
        {"features": "0"},
        {"content": [99]},
    )
    for change in broken:
        foreign = {**json.loads(text), "pages": {name: {**first, **change}}}
        with pytest.raises((ValueError, KeyError, TypeError, IndexError)):
            StylePages.from_json(foreign)
