"""The compiled part of `miolo.models.trees.general`."""

from __future__ import annotations

import numba
import numpy as np

from .subtree_kernel import pairs_of

__all__ = ["zhang_shasha"]


@numba.njit(cache=True, nogil=True)
def zhang_shasha(one, two, mapping):
    """Distance of two ordered trees, and the pairs behind it if `mapping`, else no pairs."""
    n1, n2 = len(one.node), len(two.node)
    trees, forests = np.empty((n1, n2)), np.empty((n1 + 1, n2 + 1))
    for x in one.roots:
        for y in two.roots:
            _compare(x, y, one, two, trees, forests)
    partner = np.full(n1, -1, np.int32)
    if mapping:
        _trace(one, two, trees, forests, partner)
    return trees[-1, -1], pairs_of(partner)


@numba.njit(cache=True)
def _compare(x, y, one, two, trees, forests):
    """Fill the forest matrix of two subtrees, and what it tells of `trees`.

    A row or column is a forest: all places from the subtree's first up to one of them.
    """
    first_x, first_y = one.leaf[x], two.leaf[y]
    rows, columns = x - first_x + 1, y - first_y + 1
    forests[0, 0] = 0.0
    for c in range(1, columns + 1):
        forests[0, c] = forests[0, c - 1] + two.cost[first_y + c - 1]
    costs, leaf_y = two.cost[first_y : y + 1], two.leaf[first_y : y + 1]
    for r in range(1, rows + 1):
        a = first_x + r - 1
        whole, remove = one.leaf[a] == first_x, one.cost[a]
        above, row, known = forests[r - 1], forests[r], trees[a, first_y : y + 1]
        before = forests[one.leaf[a] - first_x]
        row[0] = least = above[0] + remove
        for c in range(columns):
            alone = above[c + 1] + remove
            if whole and leaf_y[c] == first_y:
                paired = above[c] + _swap(a, first_y + c, one, two)
                known[c] = least = min(paired, alone, least + costs[c])
            else:
                paired = before[leaf_y[c] - first_y] + known[c]
                # Compared before the cell to the left is there, for which all wait.
                other = paired if paired < alone else alone
                least += costs[c]
                least = other if other < least else least
            row[c + 1] = least


@numba.njit(cache=True)
def _swap(a, b, one, two):
    return 0.0 if one.label[a] == two.label[b] else one.swap[a] + two.swap[b]


@numba.njit(cache=True)
def _trace(one, two, trees, forests, partner):
    """Pair nodes: each pair of subtrees that is met has its forest matrix filled again.

    The same sums are made as before, so that they are exactly equal.
    """
    waiting = np.empty((min(len(one.node), len(two.node)) + 1, 2), np.int64)
    waiting[0] = len(one.node) - 1, len(two.node) - 1
    top = 1
    while top:
        top -= 1
        a, b = waiting[top]
        first_a, first_b = one.leaf[a], two.leaf[b]
        _compare(a, b, one, two, trees, forests)
        while a >= first_a and b >= first_b:
            r, c = a - first_a + 1, b - first_b + 1
            before_a, before_b = one.leaf[a] - first_a, two.leaf[b] - first_b
            whole = before_a == 0 and before_b == 0
            if whole and forests[r, c] == forests[r - 1, c - 1] + _swap(a, b, one, two):
                partner[one.node[a]] = two.node[b]
                a, b = a - 1, b - 1
            elif not whole and forests[r, c] == forests[before_a, before_b] + trees[a, b]:
                waiting[top] = a, b
                top += 1
                a, b = one.leaf[a] - 1, two.leaf[b] - 1
            elif forests[r, c] == forests[r - 1, c] + one.cost[a]:
                a -= 1
            else:
                b -= 1
