"""The bottom-up distance against a quadratic search, and its properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from mappings import spelt
from miolo.models.trees.subtree_classes import SubtreeClasses
from miolo_research.trees.bottom_up import bottom_up
from strategies import trees


def compare(one, two, mapping=True):
    subtree_classes = SubtreeClasses()
    return bottom_up(subtree_classes.tree(*one), subtree_classes.tree(*two), mapping)


def search(one, two):
    """The definition: the largest subtrees first, each paired with the first equal one."""
    first, second = spelt(one), spelt(two)
    partner, partner_nodes = {}, set()
    for a in sorted(range(len(first)), key=lambda a: -size(first[a])):
        free = (b for b in range(len(second)) if b not in partner_nodes and second[b] == first[a])
        if a not in partner and (b := next(free, None)) is not None:
            below = range(size(first[a]))
            partner |= {a + k: b + k for k in below}
            partner_nodes |= {b + k for k in below}
    return sorted(partner.items())


def size(tree):
    return 1 + sum(map(size, tree[1]))


@given(one=trees(max_size=16, labels="ab"), two=trees(max_size=16, labels="ab"))
def test_the_result_matches_the_search(one, two):
    expected = search(one, two)
    distance, cells, pairs = compare(one, two)
    assert list(map(tuple, pairs.tolist())) == expected
    assert distance == pytest.approx(1 - len(expected) / max(len(one[0]), len(two[0])))
    assert (distance, cells, None) == compare(one, two, mapping=False)


@given(one=trees(labels="ab"), two=trees(labels="ab"))
def test_the_distance_is_a_symmetric_share_and_zero_for_identical_trees(one, two):
    distance, _, _ = compare(one, two)
    assert 0 <= distance <= 1
    assert (distance == 0) == (one == two)
    assert distance == compare(two, one)[0]
    assert compare(one, one)[0] == 0


@given(one=trees(max_size=25, labels="ab"), two=trees(max_size=25, labels="ab"))
def test_pairs_have_equal_labels_and_paired_children(one, two):
    def children(tree, node):
        return [child for child, parent in enumerate(tree[0]) if parent == node]

    pairs = dict(compare(one, two)[2].tolist())
    assert len(set(pairs.values())) == len(pairs)
    for a, b in pairs.items():
        assert one[1][a] == two[1][b]
        assert [pairs.get(child) for child in children(one, a)] == children(two, b)


def test_larger_subtrees_are_paired_first_wherever_they_are():
    leaf_first = [-1, 0, 0, 2], ["a", "b", "c", "b"]
    leaf_inside = [-1, 0, 1, 0], ["d", "c", "b", "e"]
    assert compare(leaf_first, leaf_inside)[2].tolist() == [[2, 1], [3, 2]]


def test_a_large_collection_does_not_change_the_distance():
    subtree_classes = SubtreeClasses()
    one, two = [-1, 0, 0], [-1, 0]
    before = bottom_up(subtree_classes.tree(one, "abc"), subtree_classes.tree(two, "ac"), False)
    subtree_classes.tree(list(range(-1, 999)), ["z"] * 1000)
    after = bottom_up(subtree_classes.tree(one, "axc"), subtree_classes.tree(two, "yc"), False)
    assert before == after == (2 / 3, 0, None)


def test_ten_thousand_levels():
    chain = list(range(-1, 9999))
    one, two = (chain, ["a"] * 10_000), (chain, ["b"] + ["a"] * 9999)
    distance, _, pairs = compare(one, two)
    assert distance == pytest.approx(1e-4)
    assert pairs.tolist() == [[node, node] for node in range(1, 10_000)]
