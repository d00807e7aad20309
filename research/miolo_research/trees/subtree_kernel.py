"""Compiled functions shared by several tree distances."""

from __future__ import annotations

import numpy as np
from miolo.models.compiled import compiled

__all__ = ["pairs_of", "stack_rows", "subtree_sums"]


@compiled(nogil=True)
def subtree_sums(values, first, children):
    """Sum of the nodes' values over each subtree."""
    sums = values.copy()
    for node in range(len(values) - 1, -1, -1):
        for k in range(first[node], first[node + 1]):
            sums[node] += sums[children[k]]
    return sums


@compiled(nogil=True)
def stack_rows(first, children, holds, keep):
    """Row of a table for each node with `holds`, else -1.

    In reverse preorder, the rows of a node's children are the last ones still in use when the node
    is processed, and the node reuses the first of them. With `keep`, each node has its own row.
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


@compiled(nogil=True)
def pairs_of(partner):
    """Pairs of nodes, int32, shape (m, 2), from the partner of each node or -1."""
    paired = np.flatnonzero(partner >= 0)
    pairs = np.empty((len(paired), 2), np.int32)
    pairs[:, 0] = paired
    pairs[:, 1] = partner[paired]
    return pairs
