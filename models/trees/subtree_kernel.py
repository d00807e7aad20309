"""Compiled parts that several tree distances share."""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["pairs_of", "stack_rows", "subtree_sums"]


@numba.njit(cache=True, nogil=True)
def subtree_sums(values, first, children):
    """Sum of the nodes' values over each subtree."""
    sums = values.copy()
    for node in range(len(values) - 1, -1, -1):
        for k in range(first[node], first[node + 1]):
            sums[node] += sums[children[k]]
    return sums


@numba.njit(cache=True, nogil=True)
def stack_rows(first, children, holds, keep):
    """Row of a table for each node that holds one, else -1.

    Seen in reverse preorder, the children of a node are the last ones whose rows are still
    wanted, and the node takes the first of their rows; with `keep`, each has its own.
    """
    rows, top = np.full(len(holds), -1, np.int64), 0
    for node in range(len(holds) - 1, -1, -1):
        for k in range(first[node], first[node + 1]):
            if holds[children[k]] and not keep:
                top -= 1
        if holds[node]:
            rows[node] = top
            top += 1
    return rows


@numba.njit(cache=True, nogil=True)
def pairs_of(partner):
    """Pairs of nodes, int32, shape (m, 2), from the partner of each node or -1."""
    paired = np.flatnonzero(partner >= 0)
    pairs = np.empty((len(paired), 2), np.int32)
    pairs[:, 0] = paired
    pairs[:, 1] = partner[paired]
    return pairs
