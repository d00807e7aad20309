"""Isotonic smoothing with a penalty for each node below all its children, compiled.

A table over the distinct scores ``v``, in reverse preorder. With ``S`` the least cost of a
child at or above ``v`` and ``S+`` that strictly above it,

    f(v) = w |v - x| + min(sum S(v) + min over children (f_child(v) - S(v)), c + sum S+(v)):

some child keeps the value, or all lie above it and the penalty is paid. Costs are held for
open nodes alone, those with a processed child that are not processed themselves; a decision
takes a byte for each node and value.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["smooth_minima"]

# Bits of a decision. The node's best value at or above some value is the next with BEST.
BEST = np.uint8(1)
# The node keeps its parent's value at less cost than the siblings after it ...
KEEPS = np.uint8(2)
# ... and its own value is kept by some child: by the first that has KEEPS there.
KEPT = np.uint8(4)


@numba.njit(cache=True)
def smooth_minima(parent, place, values, weights, c):
    """Places in `values` of the optimal values, int64, shape (n,)."""
    n, size = len(parent), len(values)
    decided = np.zeros((n, size), np.uint8)
    # Sums of S and of S+ and the least f - S over the children seen, for each open node.
    # The open nodes lie on one path, so that the lowest of them is on top of a stack.
    sums, top = np.empty((4, 3, size)), 0
    is_open = np.zeros(n, np.bool_)
    for i in range(n - 1, -1, -1):
        cost = weights[i] * np.abs(values - values[place[i]])
        if is_open[i]:
            top -= 1
            _add_children(cost, decided[i], sums[top], c)
        p = parent[i]
        if p < 0:
            _mark_best(cost, decided[i])
            continue
        if not is_open[p]:
            if top == len(sums):
                sums = np.concatenate((sums, np.empty_like(sums)))
            sums[top, :2], sums[top, 2] = 0.0, np.inf
            is_open[p], top = True, top + 1
        _report(cost, decided[i], sums[top - 1])
    return _downwards(parent, decided)


@numba.njit(cache=True)
def _add_children(cost, decided, sums, c):
    for v in range(len(cost)):
        stay, leave = sums[0, v] + sums[2, v], c + sums[1, v]
        cost[v] += min(stay, leave)
        if stay <= leave:
            decided[v] |= KEPT


@numba.njit(cache=True)
def _mark_best(cost, decided):
    """The smallest of equal values wins."""
    least = np.inf
    for v in range(len(cost) - 1, -1, -1):
        if cost[v] <= least:
            least = cost[v]
            decided[v] |= BEST


@numba.njit(cache=True)
def _report(cost, decided, sums):
    """Add a child's costs to its parent's; the first of equal children keeps."""
    _mark_best(cost, decided)
    least = np.inf
    for v in range(len(cost) - 1, -1, -1):
        sums[1, v] += least
        least = min(least, cost[v])
        sums[0, v] += least
        if cost[v] - least <= sums[2, v]:
            sums[2, v] = cost[v] - least
            decided[v] |= KEEPS


@numba.njit(cache=True)
def _downwards(parent, decided):
    y = np.zeros(len(parent), np.int64)
    has_keeper = np.zeros(len(parent), np.bool_)
    for i in range(len(parent)):
        p = parent[i]
        if p >= 0:
            y[i] = y[p]
            if not decided[p, y[p]] & KEPT:
                y[i] += 1
            elif not has_keeper[p] and decided[i, y[p]] & KEEPS:
                has_keeper[p] = True
                continue
        while not decided[i, y[i]] & BEST:
            y[i] += 1
    return y
