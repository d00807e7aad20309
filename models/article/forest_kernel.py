"""Sums over boosted trees, compiled.

A tree's nodes are records, each in one line of the processor's cache: `NODE` says what is in
them. The left child is the next node.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["NODE", "sum_trees", "sum_trees_with_reasons"]

NODE = np.dtype(
    [
        ("threshold", np.float32),
        ("value", np.float32),
        ("right", np.int32),
        ("feature", np.int16),
        ("missing_left", np.bool_),
    ],
    align=True,
)


@njit(cache=True, nogil=True)
def sum_trees(
    rows: NDArray[np.float32], roots: NDArray[np.int32], nodes: Any
) -> NDArray[np.float64]:
    """Sum of the leaves that each row falls to."""
    sums = np.zeros(len(rows))
    for root in roots:  # one tree after the other: it stays in the cache
        for row in range(len(rows)):
            at = root
            node = nodes[at]
            while node.feature >= 0:
                x = rows[row, node.feature]
                left = node.missing_left if np.isnan(x) else x <= node.threshold
                at = at + 1 if left else node.right
                node = nodes[at]
            sums[row] += node.value
    return sums


@njit(cache=True, nogil=True)
def sum_trees_with_reasons(
    rows: NDArray[np.float32], roots: NDArray[np.int32], nodes: Any
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The same, and what each feature moved it by: at each split the change of the mean."""
    sums = np.zeros(len(rows))
    moved = np.zeros(rows.shape, np.float32)
    for root in roots:
        for row in range(len(rows)):
            at = root
            node = nodes[at]
            while node.feature >= 0:
                x = rows[row, node.feature]
                left = node.missing_left if np.isnan(x) else x <= node.threshold
                at = at + 1 if left else node.right
                child = nodes[at]
                moved[row, node.feature] += child.value - node.value
                node = child
            sums[row] += node.value
    return sums, moved
