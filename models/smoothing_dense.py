"""Isotonic smoothing with a penalty for each node below all its children, compiled.

A table over the distinct scores ``v``, in reverse preorder. With ``S`` the least cost of a
child at or above ``v`` and ``S+`` that strictly above it,

    f(v) = w |v - x| + min(sum S(v) + min over children (f_child(v) - S(v)), c + sum S+(v)):

some child keeps the value, or all lie above it and the penalty is paid.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["smooth_minima"]


@numba.njit(cache=True)
def smooth_minima(parent, place, values, weights, c):
    """Places in `values` of the optimal values, int64, shape (n,)."""
    n, size = len(parent), len(values)
    depth = np.zeros(n, np.int64)
    for i in range(n):
        depth[i] = 0 if parent[i] < 0 else depth[parent[i]] + 1
    rows = depth.max() + 2
    # Of the children seen so far of the node that is open at each depth.
    kept, above, spare = np.zeros((rows, size)), np.zeros((rows, size)), np.zeros((rows, size))
    keeper = np.full((rows, size), -1, np.int32)
    # What was decided: the best place at or above each, and the child that keeps the value.
    best, choice = np.empty((n, size), np.int32), np.empty((n, size), np.int32)
    for i in range(n - 1, -1, -1):
        row = depth[i] + 1
        cost = weights[i] * np.abs(values - values[place[i]])
        leaf = keeper[row, 0] < 0
        for v in range(size):
            choice[i, v] = -1
            if leaf:
                continue
            stay = kept[row, v] + spare[row, v]
            leave = c + above[row, v]
            cost[v] += min(stay, leave)
            if stay <= leave:
                choice[i, v] = keeper[row, v]
        _reset(kept[row], above[row], spare[row], keeper[row])
        _report(cost, best[i], kept[depth[i]], above[depth[i]], spare[depth[i]],
                keeper[depth[i]], i)  # fmt: skip
        if parent[i] < 0:
            # Trees are apart: what a root reported concerns nobody.
            _reset(kept[0], above[0], spare[0], keeper[0])
    return _downwards(parent, best, choice, size)


@numba.njit(cache=True)
def _reset(kept, above, spare, keeper):
    kept[:] = 0.0
    above[:] = 0.0
    spare[:] = 0.0
    keeper[:] = -1


@numba.njit(cache=True)
def _report(cost, best, kept, above, spare, keeper, node):
    """Add a child's costs to what its parent is told; the smallest of equal places wins."""
    size = len(cost)
    least, at = np.inf, size - 1
    for v in range(size - 1, -1, -1):
        above[v] += least
        if cost[v] <= least:
            least, at = cost[v], v
        best[v] = at
        kept[v] += least
        extra = cost[v] - least
        if keeper[v] < 0 or extra <= spare[v]:
            spare[v], keeper[v] = extra, node


@numba.njit(cache=True)
def _downwards(parent, best, choice, size):
    y = np.empty(len(parent), np.int64)
    for i in range(len(parent)):
        p = parent[i]
        if p < 0:
            y[i] = best[i, 0]
        elif choice[p, y[p]] == i:
            y[i] = y[p]
        elif choice[p, y[p]] < 0:
            y[i] = best[i, y[p] + 1]
        else:
            y[i] = best[i, y[p]]
    return y
