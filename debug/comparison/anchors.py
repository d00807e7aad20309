"""Where rows of siblings that are too long to be compared as a whole are divided."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

__all__ = ["common_places", "holder"]


def holder(sizes: NDArray[np.int32]) -> int:
    """Place of the child whose subtree holds more than half of a row's nodes; -1 for none."""
    place = int(sizes.argmax())
    return place if 2 * sizes[place] > sizes.sum() else -1


def common_places(one: NDArray[np.int32], two: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Places of values that either row has once, as many as keep their order.

    Parameters
    ----------
    one, two
        int32, shapes (n,) and (m,).
    """
    values, first, counts = np.unique(one, return_index=True, return_counts=True)
    others, second, times = np.unique(two, return_index=True, return_counts=True)
    _, i, j = np.intersect1d(values[counts == 1], others[times == 1], return_indices=True)
    places = zip(first[counts == 1][i].tolist(), second[times == 1][j].tolist(), strict=True)
    return _rising(sorted(places))


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Longest run of pairs that rise on both sides, by patience sorting."""
    lowest: list[int] = []
    tips: list[int] = []
    before = [-1] * len(pairs)
    for k, (_, value) in enumerate(pairs):
        pile = bisect_left(lowest, value)
        before[k] = tips[pile - 1] if pile else -1
        lowest[pile : pile + 1] = [value]
        tips[pile : pile + 1] = [k]
    chosen, k = [], tips[-1] if tips else -1
    while k >= 0:
        chosen.append(pairs[k])
        k = before[k]
    return chosen[::-1]
