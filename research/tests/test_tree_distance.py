"""All distances through `tree_distance`: their hierarchy, thresholds and mappings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.trees.costs import TreeCosts
from miolo.models.trees.subtree_classes import SubtreeClasses
from miolo_research.trees.distance import DISTANCES, tree_distance
from strategies import trees

CHAIN = ("general", "alignment", "constrained", "top-down", "restricted")
kinds = pytest.mark.parametrize("kind", DISTANCES)


def compare(one, two, kind, **options):
    subtree_classes = SubtreeClasses()
    return tree_distance(subtree_classes.tree(*one), subtree_classes.tree(*two), kind, **options)


@given(one=trees(), two=trees())
def test_distances_grow_as_fewer_mappings_are_allowed(one, two):
    sizes = len(one[0]), len(two[0])
    apart = sum(abs(one[1].count(label) - two[1].count(label)) for label in "abc")
    least = max(abs(sizes[0] - sizes[1]), apart / 2)
    bounded = [least, *(compare(one, two, kind).distance for kind in CHAIN), sum(sizes) - 1]
    assert bounded == sorted(bounded)


@kinds
@given(one=trees(), two=trees(), share=st.floats(0, 1.5))
def test_distances_above_the_threshold_are_infinite(one, two, kind, share):
    whole = compare(one, two, kind, mapping=True)
    threshold = share * whole.distance
    cut = compare(one, two, kind, threshold=threshold, mapping=True)
    if whole.distance <= threshold:
        assert cut.distance == whole.distance
        assert cut.mapping is not None
    else:
        assert cut.distance == np.inf
        assert cut.mapping is None


@kinds
def test_identical_trees_are_paired_node_by_node(kind):
    tree = ([-1, 0, 1, 0], list("abca"))
    comparison = compare(tree, tree, kind, mapping=True)
    assert comparison.distance == 0
    assert comparison.mapping is not None
    assert comparison.mapping.tolist() == [[i, i] for i in range(4)]


def test_the_error_of_the_dissertation_is_not_repeated():
    # Taken literally, figure 3.3 removes a leaf at no cost.
    one, two = ([-1, 0], ["a", "b"]), ([-1], ["a"])
    assert compare(one, two, "restricted").distance == 1


def test_an_unknown_distance_is_an_error():
    with pytest.raises(ValueError, match="restricted, bottom-up, not 'loose'"):
        compare(([-1], ["a"]), ([-1], ["a"]), "loose")


def test_bottom_up_takes_no_costs():
    with pytest.raises(ValueError, match="no costs"):
        compare(([-1], ["a"]), ([-1], ["a"]), "bottom-up", costs=TreeCosts())
