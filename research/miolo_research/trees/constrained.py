"""The constrained, or isolated-subtree, edit distance of trees.

Source: the RTDM dissertation, chapter 2, after Tanaka and Tanaka 1988 and Zhang,
*Algorithms for the constrained editing distance between ordered labeled trees and related
problems*, Pattern Recognition 28, 1995.

For each pair of nodes, the distance of their subtrees and that of the forests below them are
computed. Either the roots are paired, or one subtree is mapped into a child of the other's root and
everything but that child is removed or inserted. Likewise, either the trees of the two forests are
aligned in order, or one forest is mapped into the forest below one tree of the other.

Functions called for each pair of nodes are inlined: passing so many arrays takes as long as their
work.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
from miolo.models.compiled import compiled
from miolo.models.trees.costs import PairCosts
from miolo.models.trees.subtree_classes import ClassedTree
from numpy.typing import NDArray

from .subtree_kernel import pairs_of, stack_rows, subtree_sums

__all__ = ["constrained_distance"]

# Costs of whole subtrees, and of the forests below their roots.
Sums = namedtuple("Sums", "whole below")
# Rows of the first tree's nodes in the tables, and the tables: distances of subtrees, distances of
# forests, and the edit distances of two sequences of trees.
Tables = namedtuple("Tables", "row trees forests ordered")


def constrained_distance(
    one: ClassedTree, two: ClassedTree, costs: PairCosts, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    """Least cost of a mapping that maps disjoint subtrees to disjoint subtrees.

    Returns
    -------
    distance
        Cost of the cheapest such mapping.
    cells
        Number of cells of the matrices that were filled for the distance: about ``3 n1 n2``.
    pairs
        int32, shape (m, 2): paired nodes in preorder of the first tree, or None. Of equally
        cheap mappings, the one that prefers, from the root down and from the last child on,
        pairing to removing and removing to inserting.

    Notes
    -----
    ``O(n1 n2)`` time: 4 s for two chains of 10,000 levels. A row of ``16 n2`` bytes is stored
    for each node of the first tree whose parent is not yet processed, which is a small share of
    a page's nodes, or for all its nodes with `mapping`.

    Definition 2.8 of the dissertation only requires that disjoint subtrees keep their order,
    which every mapping does. Here, for any three pairs, the lowest common ancestor of the first
    two nodes is a proper ancestor of the third in both trees or in neither.
    """
    comparison: Any = compare(
        _Side(one.label, one.first_child, one.children, costs.remove, costs.swap_one),
        _Side(two.label, two.first_child, two.children, costs.insert, costs.swap_two),
        mapping,
    )
    return float(comparison[0]), int(comparison[1]), comparison[2] if mapping else None


class _Side(NamedTuple):
    label: NDArray[np.int32]
    first: NDArray[np.int32]
    children: NDArray[np.int32]
    cost: NDArray[np.float64]
    swap: NDArray[np.float64]


@compiled(nogil=True)
def compare(one, two, mapping):
    """Distance of two trees, number of cells filled, and the pairs of the mapping if `mapping`."""
    n1, n2 = len(one.label), len(two.label)
    sums1, sums2 = _subtree_costs(one), _subtree_costs(two)
    row = stack_rows(one.first, one.children, np.ones(n1, np.bool_), mapping)
    shape = (row.max() + 1, n2)
    ordered = np.empty((np.diff(one.first).max() + 1, np.diff(two.first).max() + 1))
    tables = Tables(row, np.empty(shape), np.empty(shape), ordered)
    # A node may reuse the row of one of its children, which still has to be read.
    trees, forests = np.empty(n2), np.empty(n2)
    for a in range(n1 - 1, -1, -1):
        for b in range(n2 - 1, -1, -1):
            _order(a, b, one, two, sums1, sums2, tables)
            removal, _ = _replace_by_child_above(a, b, one, row, tables.forests, sums1.below)
            insertion, _ = _replace_by_child_beside(b, two, forests, sums2.below)
            in_order = ordered[one.first[a + 1] - one.first[a], two.first[b + 1] - two.first[b]]
            forests[b] = min(in_order, sums1.below[a] + removal, sums2.below[b] + insertion)
            removal, _ = _replace_by_child_above(a, b, one, row, tables.trees, sums1.whole)
            insertion, _ = _replace_by_child_beside(b, two, trees, sums2.whole)
            paired = forests[b] + _change(a, b, one, two)[0]
            trees[b] = min(paired, sums1.whole[a] + removal, sums2.whole[b] + insertion)
        tables.trees[row[a]] = trees
        tables.forests[row[a]] = forests
    partner = np.full(n1, -1, np.int32)
    if mapping:
        _trace(one, two, sums1, sums2, tables, partner)
    cells = 2 * n1 * n2 + (n1 - 1) * (n2 - 1)
    return trees[0], cells, pairs_of(partner)


@compiled
def _subtree_costs(tree):
    whole = subtree_sums(tree.cost, tree.first, tree.children)
    return Sums(whole, whole - tree.cost)


@compiled(inline="always")
def _change(a, b, one, two):
    """Cost of changing one root into the other, and whether the two are paired.

    With unusual costs it may be cheaper to remove one root and insert the other. The forests below
    them may still be mapped to each other.
    """
    if one.label[a] == two.label[b]:
        return 0.0, True
    relabel, apart = one.swap[a] + two.swap[b], one.cost[a] + two.cost[b]
    return min(relabel, apart), relabel <= apart


@compiled(inline="always")
def _replace_by_child_above(a, b, one, row, table, sums):
    """Least change of the cost if a child of `a` takes its place, and that child."""
    least, chosen = np.inf, -1
    for k in range(one.first[a], one.first[a + 1]):
        child = one.children[k]
        cost = table[row[child], b] - sums[child]
        if cost < least:
            least, chosen = cost, child
    return least, chosen


@compiled(inline="always")
def _replace_by_child_beside(b, two, values, sums):
    """Least change of the cost if a child of `b` takes its place, and that child."""
    least, chosen = np.inf, -1
    for k in range(two.first[b], two.first[b + 1]):
        child = two.children[k]
        cost = values[child] - sums[child]
        if cost < least:
            least, chosen = cost, child
    return least, chosen


@compiled(inline="always")
def _order(a, b, one, two, sums1, sums2, tables):
    """String edit distances of prefixes of the children of `a` and `b`, with trees as letters."""
    ordered = tables.ordered
    rows, columns = one.first[a + 1] - one.first[a], two.first[b + 1] - two.first[b]
    ordered[0, 0] = 0.0
    for c in range(columns):
        ordered[0, c + 1] = ordered[0, c] + sums2.whole[two.children[two.first[b] + c]]
    for r in range(rows):
        x = one.children[one.first[a] + r]
        removal, distances = sums1.whole[x], tables.trees[tables.row[x]]
        ordered[r + 1, 0] = least = ordered[r, 0] + removal
        for c in range(columns):
            y = two.children[two.first[b] + c]
            least = min(ordered[r, c + 1] + removal, least + sums2.whole[y])
            least = min(least, ordered[r, c] + distances[y])
            ordered[r + 1, c + 1] = least


@compiled
def _trace(one, two, sums1, sums2, tables, partner):
    """Pair nodes, from the roots down; a first node ``~a`` denotes the forests below a pair."""
    waiting = np.empty((min(len(one.label), len(two.label)) + 1, 2), np.int64)
    waiting[0] = 0, 0
    top = 1
    while top:
        top -= 1
        a, b = waiting[top]
        is_forest, is_paired = a < 0, False
        if is_forest:
            a = ~a
            table, part1, part2 = tables.forests, sums1.below, sums2.below
            _order(a, b, one, two, sums1, sums2, tables)
            rows, columns = one.first[a + 1] - one.first[a], two.first[b + 1] - two.first[b]
            level = tables.ordered[rows, columns]
        else:
            table, part1, part2 = tables.trees, sums1.whole, sums2.whole
            change, is_paired = _change(a, b, one, two)
            level = tables.forests[tables.row[a], b] + change
        removal, x = _replace_by_child_above(a, b, one, tables.row, table, part1)
        insertion, y = _replace_by_child_beside(b, two, table[tables.row[a]], part2)
        removal, insertion = part1[a] + removal, part2[b] + insertion
        if level <= min(removal, insertion):
            if is_forest:
                top = _trace_order(a, b, one, two, sums1, tables, waiting, top)
            else:
                if is_paired:
                    partner[a] = b
                waiting[top] = ~a, b
                top += 1
            continue
        if removal <= insertion:
            a = x
        else:
            b = y
        waiting[top] = ~a if is_forest else a, b
        top += 1


@compiled
def _trace_order(a, b, one, two, sums1, tables, waiting, top):
    """Push the pairs of trees that the last cell of `ordered` consists of onto the stack."""
    ordered = tables.ordered
    r, c = one.first[a + 1] - one.first[a], two.first[b + 1] - two.first[b]
    while r > 0 and c > 0:
        x, y = one.children[one.first[a] + r - 1], two.children[two.first[b] + c - 1]
        if ordered[r, c] == ordered[r - 1, c - 1] + tables.trees[tables.row[x], y]:
            waiting[top] = x, y
            r, c, top = r - 1, c - 1, top + 1
        elif ordered[r, c] == ordered[r - 1, c] + sums1.whole[x]:
            r -= 1
        else:
            c -= 1
    return top
