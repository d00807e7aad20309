"""Top-down distances: against the plain recursion, and the properties they must have."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from miolo.models.subtree_classes import SubtreeClasses
from miolo.models.top_down import top_down_distance
from rapidfuzz.distance import Levenshtein
from strategies import parents

KINDS = ("restricted", "plain")
kinds = pytest.mark.parametrize("kind", KINDS)


@st.composite
def trees(draw, most=10, labels="abc"):
    parent = draw(parents(most=most))
    size = len(parent)
    return parent, draw(st.lists(st.sampled_from(labels), min_size=size, max_size=size))


def distance(one, two, kind, **options):
    known = SubtreeClasses()
    return top_down_distance(known.tree(*one), known.tree(*two), kind, **options)


def recursion(one, two, kind):
    """The definition, spelt out."""

    def children(tree, node):
        return [i for i, parent in enumerate(tree[0]) if parent == node]

    def size(tree, node):
        return 1 + sum(size(tree, child) for child in children(tree, node))

    @cache
    def pair(a, b):
        differ = one[1][a] != two[1][b]
        if differ and kind == "restricted":
            return size(one, a) + size(two, b) - 1
        return differ + rest(tuple(children(one, a)), tuple(children(two, b)))

    @cache
    def rest(first, second):
        if not first:
            return sum(size(two, b) for b in second)
        if not second:
            return sum(size(one, a) for a in first)
        return min(
            rest(first[:-1], second) + size(one, first[-1]),
            rest(first, second[:-1]) + size(two, second[-1]),
            rest(first[:-1], second[:-1]) + pair(first[-1], second[-1]),
        )

    return pair(0, 0)


@kinds
@settings(deadline=None, max_examples=200)
@given(one=trees(), two=trees())
def test_it_is_the_recursion_with_classes_and_without(one, two, kind):
    expected = recursion(one, two, kind)
    for by_class in (True, False):
        found = distance(one, two, kind, by_class=by_class)
        assert found.distance == expected
        assert found.cells <= len(one[0]) * len(two[0])


@kinds
@settings(deadline=None)
@given(one=trees(), two=trees(), threshold=st.integers(0, 12))
def test_a_threshold_tells_all_that_is_within_it(one, two, kind, threshold):
    whole = distance(one, two, kind).distance
    cut = distance(one, two, kind, threshold=threshold)
    assert cut.distance == (whole if whole <= threshold else np.inf)
    assert cut.cells <= distance(one, two, kind).cells


@settings(deadline=None)
@given(trees(), trees())
def test_the_restricted_costs_no_less_and_both_are_bounded(one, two):
    restricted, plain = (distance(one, two, kind).distance for kind in KINDS)
    sizes = len(one[0]), len(two[0])
    assert abs(sizes[0] - sizes[1]) <= plain <= restricted <= sum(sizes) - 1
    apart = sum(abs(one[1].count(label) - two[1].count(label)) for label in "abc")
    assert apart / 2 <= plain


@kinds
@settings(deadline=None)
@given(one=trees(), two=trees(), three=trees())
def test_it_is_a_metric(one, two, three, kind):
    assert distance(one, one, kind).distance == 0
    assert (distance(one, two, kind).distance == 0) == (one == two)
    assert distance(one, two, kind).distance == distance(two, one, kind).distance
    around = distance(one, three, kind).distance + distance(three, two, kind).distance
    assert distance(one, two, kind).distance <= around


@kinds
@settings(deadline=None)
@given(one=st.text("abc", max_size=12), two=st.text("abc", max_size=12))
def test_on_stars_it_is_the_edit_distance_of_strings(one, two, kind):
    stars = [([-1] + [0] * len(leaves), ["r", *leaves]) for leaves in (one, two)]
    assert distance(*stars, kind).distance == Levenshtein.distance(one, two)


@kinds
@settings(deadline=None)
@given(tree=trees(most=20), other=trees(most=20), chance=st.randoms())
def test_one_leaf_changes_it_by_one_at_most(tree, other, kind, chance):
    parent, labels = tree
    leaves = [i for i in range(len(parent)) if i not in parent]
    changed = labels.copy()
    changed[chance.choice(leaves)] = "d"
    before = distance(tree, other, kind).distance
    assert abs(distance((parent, changed), other, kind).distance - before) <= 1


@settings(deadline=None)
@given(trees(most=15, labels="ab"))
def test_classes_are_equal_exactly_where_subtrees_are(tree):
    parent, labels = tree

    def spelt(node):
        return (labels[node], tuple(spelt(i) for i, p in enumerate(parent) if p == node))

    known = SubtreeClasses()
    classes = known.tree(parent, labels).subtree_class.tolist()
    again = known.tree(parent, labels).subtree_class.tolist()
    assert classes == again
    assert len(known) == len(set(classes))
    for a in range(len(parent)):
        for b in range(a):
            assert (classes[a] == classes[b]) == (spelt(a) == spelt(b))


def test_ten_thousand_levels():
    parent = list(range(-1, 9999))
    one, two = (parent, ["a"] * 10_000), (parent, ["a"] * 9999 + ["b"])
    for kind in KINDS:
        assert distance(one, two, kind).distance == 1


@pytest.mark.parametrize(
    ("parent", "labels"),
    [
        ([], []),
        ([-1], []),
        ([0], ["a"]),
        ([-1, 1], "ab"),
        ([-1, 0, 0, 1], "abcd"),
        ([-1, -1], "ab"),
    ],
)
def test_what_is_no_tree_is_told(parent, labels):
    with pytest.raises(ValueError, match="tree"):
        SubtreeClasses().tree(parent, labels)


def test_another_restriction_is_told():
    with pytest.raises(ValueError, match="'restricted' or 'plain'"):
        distance(([-1], ["a"]), ([-1], ["a"]), "loose")
