"""The alignment distance of trees.

Source: the RTDM dissertation, chapter 2, after Jiang, Wang and Zhang, *Alignment of trees:
an alternative to tree edit*, Theoretical Computer Science 143, 1995.

The alignment of two forests depends on their last trees: one of them is omitted, or their roots are
paired, or one root is aligned with a blank, below which some last trees of the other forest are
aligned with the root's children. Therefore, if one forest is a proper run of siblings, the other
consists of complete sets of siblings. For the children of ``a`` and of ``b`` the tables are

* `across`: all children of ``a`` with each run of the children of ``b``, and
* `along`: each run of the children of ``a`` with all children of ``b``.

The run from ``k`` up to ``m``, exclusive, is at ``m (m - 1) / 2 + k``.

Functions called for each pair of nodes are inlined: passing so many arrays takes as long as filling
a small matrix.
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

__all__ = ["alignment"]

# Costs of whole subtrees and of the forests below their roots, rows in the tables or -1 for
# leaves, and the offset in a row at which the runs of each node's children begin.
Side = namedtuple("Side", "whole below row runs")
# The tables, their new values, which are stored after the old ones have been read (a node may
# reuse the row of one of its children), and matrices over the children of two nodes: costs of
# pairing them, and distances of forests, with a transposed copy.
Tables = namedtuple("Tables", "across along new_across new_along paired forests turned")


def alignment(
    one: ClassedTree, two: ClassedTree, costs: PairCosts, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    """Least cost of superimposing two trees after inserting blanks into both.

    Returns
    -------
    distance
        Cost of the cheapest alignment, which is that of transforming one tree into the other
        with all insertions first and all removals last. The triangle inequality may not hold.
    cells
        Number of cells of the forest matrices that were filled for the distance.
    pairs
        int32, shape (m, 2): paired nodes in preorder of the first tree, or None. Of equally
        cheap mappings, the one that prefers, from the root down and from the last child on,
        pairing to removing and removing to inserting.

    Notes
    -----
    ``O(n1 n2 (d1 + d2)^2)`` time for degrees ``d1`` and ``d2``: little for pages whose nodes
    have some dozen children, seconds for two lists of 200 branching items below the roots.
    Leaves are cheaper, since nothing is aligned below them. Two chains of 10,000 levels take
    17 s.

    Distances of all runs of siblings of the second tree are stored in ``4 sum d2^2`` bytes for
    each inner node of the first tree whose parent is not yet processed, or for all its inner
    nodes with `mapping`. Distances of runs of the first tree are stored for one node at a time,
    and recomputed for the trace.
    """
    comparison: Any = align(
        _add_root(one, costs.remove, costs.swap_one),
        _add_root(two, costs.insert, costs.swap_two),
        mapping,
    )
    return float(comparison[0]), int(comparison[1]), comparison[2] if mapping else None


class _RootedTree(NamedTuple):
    """A tree below an added root, so that the tree itself is a forest of siblings."""

    label: NDArray[np.int64]
    end: NDArray[np.int64]
    first: NDArray[np.int64]
    children: NDArray[np.int64]
    cost: NDArray[np.float64]
    swap: NDArray[np.float64]


def _add_root(
    tree: ClassedTree, cost: NDArray[np.float64], swap: NDArray[np.float64]
) -> _RootedTree:
    # One integer type for all index arrays, so that sums of indices have that type.
    def after(first: float, rest: NDArray) -> NDArray:
        return np.concatenate(([first], rest))

    return _RootedTree(
        label=after(-1, tree.label),
        end=after(len(tree) + 1, tree.end + 1),
        first=after(0, tree.first_child + 1),
        children=after(1, tree.children + 1),
        cost=after(0.0, cost),
        swap=after(0.0, swap),
    )


@compiled(nogil=True)
def align(one, two, mapping):
    """Distance of two trees, number of cells filled, and the pairs of the mapping if `mapping`."""
    side1, side2 = _side(one, mapping), _side(two, False)
    tables = _tables(one, two, side1, side2)
    cells = 0
    for i in range(len(one.label) - 1, -1, -1):
        if side1.row[i] >= 0:
            for j in range(len(two.label) - 1, -1, -1):
                if side2.row[j] >= 0:
                    cells += _all_runs(i, j, one, two, side1, side2, tables)
            tables.across[side1.row[i]] = tables.new_across
    # The pair of the added roots was processed last.
    distance = tables.forests[1, 1]
    partner = np.full(len(one.label), -1, np.int32)
    if mapping:
        _trace(one, two, side1, side2, tables, partner)
    return distance, cells, pairs_of(partner[1:])


@compiled
def _side(tree, keep):
    degrees = np.diff(tree.first).astype(np.int64)
    runs = np.zeros(len(degrees) + 1, np.int64)
    runs[1:] = np.cumsum(degrees * (degrees + 1) // 2)
    whole = subtree_sums(tree.cost, tree.first, tree.children)
    row = stack_rows(tree.first, tree.children, degrees > 0, keep)
    return Side(whole, whole - tree.cost, row, runs)


@compiled
def _tables(one, two, side1, side2):
    most1, most2 = np.diff(one.first).max(), np.diff(two.first).max()
    runs1 = most1 * (most1 + 1) // 2
    return Tables(
        np.empty((side1.row.max() + 1, side2.runs[-1])),
        np.empty((side2.row.max() + 1, runs1)),
        np.empty(side2.runs[-1]),
        np.empty(runs1),
        np.empty((most1, most2)),
        np.empty((most1 + 1, most2 + 1)),
        np.empty((most2 + 1, most1 + 1)),
    )


@compiled
def _all_runs(i, j, one, two, side1, side2, tables):
    """Fill `new_across` and `along` for the children of `i` and of `j`; return the cells filled.

    Below an added root, only the run that is the whole tree is ever read.
    """
    d1, d2 = one.first[i + 1] - one.first[i], two.first[j + 1] - two.first[j]
    across, along = tables.new_across[side2.runs[j] : side2.runs[j + 1]], tables.new_along
    forests = tables.forests
    cells = 0
    _pair_roots(i, j, one, two, side1, side2, tables.across, tables.paired)
    for k in range(d2 - 1 if i else 0, 0, -1):
        cells += _align_from(i, j, 0, k, one, two, side1, side2, tables)
        for m in range(k + 1, d2 + 1):
            across[m * (m - 1) // 2 + k] = forests[d1, m]
    for k in range(d1 - 1 if j else 0, -1, -1):
        cells += _align_from(i, j, k, 0, one, two, side1, side2, tables)
        for m in range(k + 1, d1 + 1):
            along[m * (m - 1) // 2 + k] = forests[m, d2]
    for m in range(1, d2 + 1):
        across[m * (m - 1) // 2] = forests[d1, m]
    tables.along[side2.row[j], : d1 * (d1 + 1) // 2] = along[: d1 * (d1 + 1) // 2]
    return cells


@compiled(inline="always")
def _pair_roots(i, j, one, two, side1, side2, across, paired):
    """Costs of pairing each child of `i` with each of `j` and aligning the forests below them."""
    for p in range(one.first[i + 1] - one.first[i]):
        a = one.children[one.first[i] + p]
        for q in range(two.first[j + 1] - two.first[j]):
            b = two.children[two.first[j] + q]
            cost = 0.0 if one.label[a] == two.label[b] else one.swap[a] + two.swap[b]
            if side1.row[a] < 0 or side2.row[b] < 0:
                cost += side1.below[a] + side2.below[b]
            else:
                d = two.first[b + 1] - two.first[b]
                cost += across[side1.row[a], side2.runs[b] + d * (d - 1) // 2]
            paired[p, q] = cost


@compiled(inline="always")
def _align_from(i, j, s, t, one, two, side1, side2, tables):
    """Fill `forests` from row `s` and column `t` on; return the number of cells filled.

    A cell is the distance of the children of `i` from the `s`-th up to its row, exclusive, to the
    children of `j` from the `t`-th up to its column, exclusive.
    """
    forests, turned = tables.forests, tables.turned
    d1, d2 = one.first[i + 1] - one.first[i], two.first[j + 1] - two.first[j]
    forests[s, t] = turned[t, s] = 0.0
    for q in range(t, d2):
        b = two.children[two.first[j] + q]
        forests[s, q + 1] = turned[q + 1, s] = forests[s, q] + side2.whole[b]
    for p in range(s, d1):
        a = one.children[one.first[i] + p]
        forests[p + 1, t] = turned[t, p + 1] = forests[p, t] + side1.whole[a]
        for q in range(t, d2):
            b = two.children[two.first[j] + q]
            removed = forests[p, q + 1] + side1.whole[a]
            inserted = forests[p + 1, q] + side2.whole[b]
            least = min(forests[p, q] + tables.paired[p, q], removed, inserted)
            # A blank aligned with a leaf has nothing below it, which equals omitting the leaf.
            row = side1.row[a]
            if row >= 0:
                at, below = side2.runs[j] + q * (q + 1) // 2, np.inf
                for k in range(t, q + 1):
                    below = min(below, forests[p, k] + tables.across[row, at + k])
                least = min(least, below + one.cost[a])
            row = side2.row[b]
            if row >= 0:
                at, below = p * (p + 1) // 2, np.inf
                for k in range(s, p + 1):
                    below = min(below, turned[q, k] + tables.along[row, at + k])
                least = min(least, below + two.cost[b])
            forests[p + 1, q + 1] = turned[q + 1, p + 1] = least
    return (d1 - s) * (d2 - t)


@compiled
def _align_below_blank(before, line, runs, row, at, start, stop):
    """Least cost of aligning a last run of siblings below a blank, and the run's start.

    The cost is that of the run up to `stop` plus that of the siblings from `start` to the run.
    """
    least, chosen = np.inf, -1
    for k in range(start, stop):
        cost = before[line, k] + runs[row, at + k]
        if cost < least:
            least, chosen = cost, k
    return least, chosen


@compiled
def _trace(one, two, side1, side2, tables, partner):
    """Pair nodes, from the added roots down.

    Each entry of the stack is two nodes and the runs of their children (start and stop) to be
    aligned. Sums are recomputed in the same way as before, so that they are exactly equal.
    """
    waiting = np.empty((len(one.label) + len(two.label), 6), np.int64)
    waiting[0] = 0, 0, 0, 1, 0, 1
    top = 1
    while top:
        top -= 1
        i, j, s, p, t, q = waiting[top]
        if side1.row[i] < 0 or side2.row[j] < 0:
            continue
        for below in range(two.end[j] - 1, j, -1):
            if side2.row[below] >= 0:
                _all_runs(i, below, one, two, side1, side2, tables)
        _pair_roots(i, j, one, two, side1, side2, tables.across, tables.paired)
        _align_from(i, j, s, t, one, two, side1, side2, tables)
        top = _trace_runs(i, j, s, p, t, q, one, two, side1, side2, tables, waiting, top, partner)


@compiled
def _trace_runs(
    i, j, s, p, t, q, one, two, side1, side2, tables, waiting, top, partner
):  # fmt: skip
    """Pair children of `i` and `j`, and push the forests below them onto the stack."""
    forests, turned = tables.forests, tables.turned
    while p > s and q > t:
        a, b = one.children[one.first[i] + p - 1], two.children[two.first[j] + q - 1]
        degree1, degree2 = one.first[a + 1] - one.first[a], two.first[b + 1] - two.first[b]
        if forests[p, q] == forests[p - 1, q - 1] + tables.paired[p - 1, q - 1]:
            # Node numbers include the added root.
            partner[a] = b - 1
            waiting[top] = a, b, 0, degree1, 0, degree2
            p, q, top = p - 1, q - 1, top + 1
            continue
        if forests[p, q] == forests[p - 1, q] + side1.whole[a]:
            p -= 1
            continue
        if side1.row[a] >= 0:
            at = side2.runs[j] + q * (q - 1) // 2
            below, k = _align_below_blank(forests, p - 1, tables.across, side1.row[a], at, t, q)
            if forests[p, q] == below + one.cost[a]:
                waiting[top] = a, j, 0, degree1, k, q
                p, q, top = p - 1, k, top + 1
                continue
        if forests[p, q] == forests[p, q - 1] + side2.whole[b]:
            q -= 1
            continue
        at = p * (p - 1) // 2
        _, k = _align_below_blank(turned, q - 1, tables.along, side2.row[b], at, s, p)
        waiting[top] = i, b, k, p, 0, degree2
        p, q, top = k, q - 1, top + 1
    return top
