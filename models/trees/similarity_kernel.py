"""The compiled part of `miolo.models.trees.similarity`."""

from __future__ import annotations

from ..compiled import compiled
from .top_down_kernel import Rules, compare

__all__ = ["fill_pairs"]


@compiled(nogil=True)
def fill_pairs(nodes, labels, start, first, second, floor, similarity):
    """Fill in the similarities of pairs of trees.

    `nodes` contains the concatenated trees, `labels` the sorted labels of each, and `start` the
    offset of each in both.
    """
    for k in range(len(first)):
        i, j = first[k], second[k]
        one, labels_one = nodes[start[i] : start[i + 1]], labels[start[i] : start[i + 1]]
        two, labels_two = nodes[start[j] : start[j + 1]], labels[start[j] : start[j + 1]]
        total = len(one) + len(two)
        limit = (1 - floor) * total
        if _least_distance(labels_one, labels_two) > limit:
            continue
        distance = compare(one, two, Rules(False, True, True, False, 1.0, 1.0, limit))[0]
        if distance <= limit:
            similarity[k] = 1 - distance / total


@compiled
def _least_distance(one, two):
    """Lower bound of the distance from the sizes and the sorted labels of two trees."""
    i, j, common = 0, 0, 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            i, j, common = i + 1, j + 1, common + 1
        elif one[i] < two[j]:
            i += 1
        else:
            j += 1
    # Each node of the larger tree beyond the common labels costs at least one operation.
    return max(len(one), len(two)) - common
