"""Sums over boosted trees, compiled: each split is asked of all rows at once.

Source: QuickScorer (Lucchese et al., SIGIR 2015). A split that sends a row to the right rules out
the leaves on its left; of the leaves that no split rules out the first is where the row falls to.
So no row waits for its last step, and nothing branches. The source goes through the splits of all
trees by column and threshold, for one row; we go tree by tree, for as many rows as the processor
takes at once.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .splits import MOST_LEAVES, Splits

__all__ = ["sum_changes", "sum_leaves"]

ALL = np.uint32((1 << MOST_LEAVES) - 1)

# A single bit times this number is told by the five highest bits of the product (a de Bruijn
# sequence).
DE_BRUIJN = 0x077CB531
PLACE = np.argsort([(DE_BRUIJN << bit & int(ALL)) >> 27 for bit in range(MOST_LEAVES)])


@njit(cache=True, nogil=True)
def _leaves(columns: NDArray[np.float32], splits: Splits) -> NDArray[np.int32]:
    """int32, shape (t, b): the leaf that each row falls to, among those of each tree."""
    rows = columns.shape[1]
    found = np.empty((len(splits.first), rows), np.int32)
    left = np.empty(rows, np.uint32)
    for tree in range(len(found)):
        left[:] = ALL
        for split in range(splits.starts[tree], splits.starts[tree + 1]):
            column, most = columns[splits.feature[split]], splits.threshold[split]
            others = splits.others[split]
            # What is missing is neither above nor below.
            if splits.missing_left[split]:
                for row in range(rows):
                    left[row] &= others if column[row] > most else ALL
            else:
                for row in range(rows):
                    left[row] &= ALL if column[row] <= most else others
        for row in range(rows):
            bits = np.int64(left[row])
            found[tree, row] = PLACE[((bits & -bits) * DE_BRUIJN & ALL) >> 27]
    return found


@njit(cache=True, nogil=True)
def sum_leaves(columns: NDArray[np.float32], splits: Splits) -> NDArray[np.float64]:
    """float64, shape (b,): sum of the leaves that each row falls to.

    Parameters
    ----------
    columns
        float32, shape (f, b).
    splits
        Of the trees; no column is asked that is not there.
    """
    sums = np.zeros(columns.shape[1])
    leaves = _leaves(columns, splits)
    for tree in range(len(leaves)):
        for row in range(len(sums)):
            sums[row] += splits.value[splits.first[tree] + leaves[tree, row]]
    return sums


@njit(cache=True, nogil=True)
def sum_changes(
    columns: NDArray[np.float32], splits: Splits
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The same, and what each column moved it by: float32, shape (f, b)."""
    sums, moved = np.zeros(columns.shape[1]), np.zeros(columns.shape, np.float32)
    leaves = _leaves(columns, splits)
    for tree in range(len(leaves)):
        fell = leaves[tree]
        for row in range(len(sums)):
            sums[row] += splits.value[splits.first[tree] + fell[row]]
        for split in range(splits.starts[tree], splits.starts[tree + 1]):
            low, middle, high = splits.low[split], splits.middle[split], splits.high[split]
            to_left, to_right = splits.change_left[split], splits.change_right[split]
            column = moved[splits.feature[split]]
            for row in range(len(sums)):
                changed = to_left if fell[row] < middle else to_right
                within = (fell[row] >= low) & (fell[row] < high)
                column[row] += changed if within else np.float32(0)
    return sums, moved
