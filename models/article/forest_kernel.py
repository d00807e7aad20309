"""Sums over boosted trees, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["sum_trees", "sum_trees_with_reasons"]


@njit(cache=True, nogil=True)
def sum_trees(
    rows: NDArray[np.float32],
    roots: NDArray[np.int32],
    feature: NDArray[np.int16],
    threshold: NDArray[np.float32],
    missing_left: NDArray[np.bool_],
    right: NDArray[np.int32],
    value: NDArray[np.float32],
) -> NDArray[np.float64]:
    """Sum of the leaves that each row falls to; the left child is the next node."""
    sums = np.zeros(len(rows))
    for root in roots:  # one tree after the other: it stays in the cache
        for row in range(len(rows)):
            node = root
            while feature[node] >= 0:
                x = rows[row, feature[node]]
                left = missing_left[node] if np.isnan(x) else x <= threshold[node]
                node = node + 1 if left else right[node]
            sums[row] += value[node]
    return sums


@njit(cache=True, nogil=True)
def sum_trees_with_reasons(
    rows: NDArray[np.float32],
    roots: NDArray[np.int32],
    feature: NDArray[np.int16],
    threshold: NDArray[np.float32],
    missing_left: NDArray[np.bool_],
    right: NDArray[np.int32],
    value: NDArray[np.float32],
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The same, and what each feature moved it by: at each split the change of the mean."""
    sums = np.zeros(len(rows))
    moved = np.zeros(rows.shape, np.float32)
    for root in roots:
        for row in range(len(rows)):
            node = root
            while feature[node] >= 0:
                x = rows[row, feature[node]]
                left = missing_left[node] if np.isnan(x) else x <= threshold[node]
                child = node + 1 if left else right[node]
                moved[row, feature[node]] += value[child] - value[node]
                node = child
            sums[row] += value[node]
    return sums, moved
