"""Slow and obvious smoothing algorithms, for tests and benchmarks."""

from __future__ import annotations

import itertools

import numba
import numpy as np


def objective(parent, scores, smoothed, c):
    """What smoothing minimises."""
    below = parent >= 0
    differences = (smoothed[below] != smoothed[parent[below]]).sum()
    return float(np.abs(smoothed - scores).sum()) + c * int(differences)


def exhaustive(parent, scores, c):
    """Least cost over all assignments of given values."""
    values = sorted(set(scores.tolist()))
    costs = []
    for chosen in itertools.product(values, repeat=len(scores)):
        if all(p < 0 or chosen[p] <= y for p, y in zip(parent.tolist(), chosen, strict=True)):
            costs.append(objective(parent, scores, np.array(chosen), c))
    return min(costs)


def cubic(parent, scores, c):
    """The report taken literally, O(n³): for every node and value, all larger values are tried."""
    values = sorted(set(scores.tolist()))
    size, count = len(scores), len(values)
    cost = [[abs(v - scores[i]) for v in values] for i in range(size)]
    roots = 0.0
    for i in range(size - 1, -1, -1):
        if parent[i] < 0:
            roots += min(cost[i])
            continue
        for k in range(count):
            best = cost[i][k]
            for u in range(k + 1, count):
                best = min(best, c + cost[i][u])
            cost[parent[i]][k] += best
    return roots


def dense_numpy(parent, scores, c):
    """O(nK) by suffix minima, one vector operation for each node."""
    values = np.unique(scores)
    cost = np.abs(values[None, :] - scores[:, None])
    roots = 0.0
    for i in range(len(scores) - 1, -1, -1):
        if parent[i] < 0:
            roots += cost[i].min()
        else:
            suffix = np.minimum.accumulate(cost[i][::-1])[::-1]
            cost[parent[i]] += np.minimum(cost[i], c + suffix)
    return roots


@numba.njit(cache=True)
def dense_numba(parent, scores, c):
    """The algorithm of `dense_numpy`, compiled."""
    values = np.unique(scores)
    n, size = len(scores), len(values)
    cost = np.empty((n, size))
    for i in range(n):
        for k in range(size):
            cost[i, k] = abs(values[k] - scores[i])
    roots = 0.0
    for i in range(n - 1, -1, -1):
        if parent[i] < 0:
            roots += cost[i].min()
            continue
        least = np.inf
        for k in range(size - 1, -1, -1):
            least = min(least, cost[i, k])
            cost[parent[i], k] += min(cost[i, k], c + least)
    return roots
