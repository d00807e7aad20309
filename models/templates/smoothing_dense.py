"""Isotonic smoothing with a penalty for each node below all its children, compiled.

Dynamic programming over the distinct scores ``v``, in reverse preorder. If ``S(v)`` is the least
cost of a child with a value at or above ``v``, and ``S+(v)`` that with a value strictly above it,

    f(v) = w |v - x| + min(sum S(v) + min over children (f_child(v) - S(v)), c + sum S+(v)):

either some child keeps the value, or all children are above it and the penalty is paid. Costs are
stored only for open nodes, which have a processed child but are not yet processed themselves. A
decision takes one byte for each node and value.
"""

from __future__ import annotations

import numpy as np

from ..compiled import compiled

__all__ = ["smooth_minima"]

# Bits of a decision. The node's best value at or above a given value is the next one with BEST.
BEST = np.uint8(1)
# The node keeps its parent's value at no more cost than the siblings after it.
KEEPS = np.uint8(2)
# Some child keeps the node's value: the first one with KEEPS at that value.
KEPT = np.uint8(4)


@compiled
def smooth_minima(parent, place, values, weights, c):
    """Indices into `values` of the optimal values, int64, shape (n,)."""
    n, size = len(parent), len(values)
    decided = np.zeros((n, size), np.uint8)
    # For each open node: the sums of S and of S+, and the least f - S, over its processed
    # children. The open nodes lie on one path, so the lowest of them is on top of the stack.
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
        _add_to_parent(cost, decided[i], sums[top - 1])
    return _downwards(parent, decided)


@compiled
def _add_children(cost, decided, sums, c):
    for v in range(len(cost)):
        stay, leave = sums[0, v] + sums[2, v], c + sums[1, v]
        cost[v] += min(stay, leave)
        if stay <= leave:
            decided[v] |= KEPT


@compiled
def _mark_best(cost, decided):
    """Mark the values that are best at or above themselves; ties go to the smallest."""
    least = np.inf
    for v in range(len(cost) - 1, -1, -1):
        if cost[v] <= least:
            least = cost[v]
            decided[v] |= BEST


@compiled
def _add_to_parent(cost, decided, sums):
    """Add a child's costs to its parent's sums; of equal children, the first keeps the value."""
    _mark_best(cost, decided)
    least = np.inf
    for v in range(len(cost) - 1, -1, -1):
        sums[1, v] += least
        least = min(least, cost[v])
        sums[0, v] += least
        if cost[v] - least <= sums[2, v]:
            sums[2, v] = cost[v] - least
            decided[v] |= KEEPS


@compiled
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
