"""Top-down distances against the plain recursion, and their properties."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.trees.costs import TreeCosts
from miolo.models.trees.subtree_classes import SubtreeClasses
from miolo.models.trees.top_down import top_down_distance
from strategies import trees

KINDS = ("restricted", "top-down")
kinds = pytest.mark.parametrize("kind", KINDS)


def costs_by_label(chance):
    """Costs of removing, inserting and relabelling, by labels."""
    return [{label: chance.randint(1, 9) for label in "abc"} for _ in range(3)]


def recursion(one, two, kind, costs):
    """The definition as a recursion."""
    remove, insert, relabel = costs

    def children(tree, node):
        return [i for i, parent in enumerate(tree[0]) if parent == node]

    def whole(tree, node, price):
        below = sum(whole(tree, child, price) for child in children(tree, node))
        return price[tree[1][node]] + below

    @cache
    def pair(a, b):
        old, new = one[1][a], two[1][b]
        swap = 0 if old == new else (relabel[old] + relabel[new]) / 2
        if old != new and kind == "restricted":
            below = whole(one, a, remove) - remove[old], whole(two, b, insert) - insert[new]
            return swap + sum(below)
        return swap + rest(tuple(children(one, a)), tuple(children(two, b)))

    @cache
    def rest(first, second):
        if not first:
            return sum(whole(two, b, insert) for b in second)
        if not second:
            return sum(whole(one, a, remove) for a in first)
        return min(
            rest(first[:-1], second) + whole(one, first[-1], remove),
            rest(first, second[:-1]) + whole(two, second[-1], insert),
            rest(first[:-1], second[:-1]) + pair(first[-1], second[-1]),
        )

    return pair(0, 0)


def distance(one, two, kind, costs=None, **options):
    subtree_classes = SubtreeClasses()
    trees = subtree_classes.tree(*one), subtree_classes.tree(*two)
    options["costs"] = node_costs(subtree_classes, costs) if isinstance(costs, list) else costs
    return top_down_distance(*trees, restricted=kind == "restricted", **options)


@kinds
@given(one=trees(), two=trees(), chance=st.randoms())
def test_the_distance_matches_the_recursion_with_and_without_classes(one, two, kind, chance):
    unit = [dict.fromkeys("abcd", 1)] * 3
    for costs in (unit, costs_by_label(chance)):
        expected = recursion(one, two, kind, costs)
        for by_class in (True, False):
            own = None if costs is unit else costs
            comparison = distance(one, two, kind, own, by_class=by_class)
            assert comparison.distance == expected
            assert comparison.cells <= len(one[0]) * len(two[0])


def node_costs(subtree_classes, costs):
    """The same costs as arrays indexed by the numbers of labels."""
    return TreeCosts(
        *(np.array([cost[label] for label in subtree_classes.labels], float) for cost in costs)
    )


@kinds
@given(one=trees(max_size=15), two=trees(max_size=15), by_class=st.booleans(), chance=st.randoms())
def test_the_mapping_has_the_cost_of_the_distance(one, two, kind, by_class, chance):
    costs = costs_by_label(chance)
    comparison = distance(one, two, kind, costs, by_class=by_class, mapping=True)
    assert comparison.mapping is not None
    mapping = dict(comparison.mapping.tolist())
    assert len(mapping) == len(comparison.mapping) == len(set(mapping.values()))
    assert list(mapping) == sorted(mapping)
    assert list(mapping.values()) == sorted(mapping.values())
    for x, y in mapping.items():
        if x:
            above = one[0][x], two[0][y]
            assert mapping[above[0]] == above[1]
            assert kind == "top-down" or one[1][above[0]] == two[1][above[1]]
    remove, insert, relabel = costs
    cost = sum(remove[one[1][x]] for x in range(len(one[0])) if x not in mapping)
    cost += sum(insert[two[1][y]] for y in set(range(len(two[0]))) - set(mapping.values()))
    swaps = [(one[1][x], two[1][y]) for x, y in mapping.items() if one[1][x] != two[1][y]]
    cost += sum((relabel[old] + relabel[new]) / 2 for old, new in swaps)
    assert cost == comparison.distance


@given(trees(max_size=15, labels="ab"))
def test_classes_are_equal_exactly_where_subtrees_are(tree):
    parent, labels = tree

    def spelt(node):
        return (labels[node], tuple(spelt(i) for i, p in enumerate(parent) if p == node))

    subtree_classes = SubtreeClasses()
    classes = subtree_classes.tree(parent, labels).subtree_class.tolist()
    again = subtree_classes.tree(parent, labels).subtree_class.tolist()
    assert classes == again
    assert len(subtree_classes) == len(set(classes))
    for a in range(len(parent)):
        for b in range(a):
            assert (classes[a] == classes[b]) == (spelt(a) == spelt(b))


def test_ten_thousand_levels():
    parent = list(range(-1, 9999))
    one, two = (parent, ["a"] * 10_000), (parent, ["a"] * 9999 + ["b"])
    for kind in KINDS:
        assert distance(one, two, kind).distance == 1
