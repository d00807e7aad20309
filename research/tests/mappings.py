"""All mappings of small trees, and the constraints on them."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
from hypothesis import strategies as st
from miolo.models.trees.costs import TreeCosts, pair_costs
from miolo.models.trees.subtree_classes import SubtreeClasses

LABELS = "abcde"
# Costs of removing, inserting and relabelling a node, by its label.
UNIT = dict.fromkeys(LABELS, (1.0, 1.0, 1.0))
prices = st.fixed_dictionaries({label: st.tuples(*[st.floats(0, 4)] * 3) for label in LABELS})


def compare(distance, one, two, prices=UNIT, mapping=True):
    """Result of `distance` for two trees given as parents and labels."""
    subtree_classes = SubtreeClasses()
    first, second = subtree_classes.tree(*one), subtree_classes.tree(*two)
    columns = np.array([prices[label] for label in subtree_classes.labels]).T
    return distance(first, second, pair_costs(first, second, TreeCosts(*columns)), mapping)


def swap(prices, x, y):
    return 0 if x == y else (prices[x][2] + prices[y][2]) / 2


def spelt(tree):
    """A tree as a label and a tuple of trees, node by node in preorder."""
    parent, labels = tree
    below = [[] for _ in parent]
    spelt = [None] * len(parent)
    for node in range(len(parent) - 1, -1, -1):
        spelt[node] = (labels[node], tuple(reversed(below[node])))
        if node:
            below[parent[node]].append(spelt[node])
    return spelt


def total(forest, prices, column):
    """Cost of removing (column 0) or inserting (column 1) all of a forest."""
    return sum(prices[label][column] + total(below, prices, column) for label, below in forest)


def cost_of(pairs, one, two, prices=UNIT):
    """Cost of a mapping: its relabelled pairs, and the nodes that it leaves out."""
    firsts, seconds = {a for a, _ in pairs}, {b for _, b in pairs}
    return (
        sum(swap(prices, one[1][a], two[1][b]) for a, b in pairs)
        + sum(prices[x][0] for a, x in enumerate(one[1]) if a not in firsts)
        + sum(prices[y][1] for b, y in enumerate(two[1]) if b not in seconds)
    )


def cheapest(one, two, allows, prices=UNIT):
    """Cost of the cheapest of all mappings that the constraint `allows` accepts."""
    parents = one[0], two[0]
    return min(
        cost_of(pairs, one, two, prices)
        for size in range(min(map(len, parents)) + 1)
        for firsts, seconds in product(*(combinations(range(len(p)), size) for p in parents))
        if allows(pairs := list(zip(firsts, seconds, strict=True)), *parents)
    )


def line(parent, node):
    """A node and its ancestors."""
    nodes = [node]
    while parent[nodes[-1]] >= 0:
        nodes.append(parent[nodes[-1]])
    return nodes


def common(parent, a, b):
    """Lowest common ancestor, which may be one of the nodes."""
    above = line(parent, b)
    return next(node for node in line(parent, a) if node in above)


def is_below(parent, node, above):
    return node != above and above in line(parent, node)


def keeps_order(pairs, one, two):
    """Whether preorder and ancestry are preserved, and therefore the order of siblings."""
    return all(
        a < c and b < d and is_below(one, c, a) == is_below(two, d, b)
        for (a, b), (c, d) in combinations(sorted(pairs), 2)
    )


def is_constrained(pairs, one, two):
    """Whether the order is kept, and the same nodes are below common ancestors in both trees."""
    return keeps_order(pairs, one, two) and all(
        is_below(one, a[2], common(one, *a[:2])) == is_below(two, b[2], common(two, *b[:2]))
        for a, b in _triples(pairs)
    )


def is_aligned(pairs, one, two):
    """Whether a third tree can contain both: neither separates nodes that the other groups."""
    return keeps_order(pairs, one, two) and not any(
        _apart(one, *a) and _apart(two, *b[1:], b[0]) for a, b in _triples(pairs)
    )


def _apart(parent, a, b, c):
    """Whether the third node is outside a subtree that contains the first two."""
    return is_below(parent, common(parent, a, b), common(parent, a, c))


def _triples(pairs):
    return (tuple(zip(*three, strict=True)) for three in permutations(pairs, 3))
