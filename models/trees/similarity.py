"""Similarity of pages, as a matrix of similarities of their trees.

Source: the RTDM dissertation, section 4.1, which does not specify the measure. Here it is
``1 - nu / (n1 + n2)``, which is in [0, 1] and 1 only for identical trees. If all matches are exact,
it is the Dice coefficient of the matched nodes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .subtree_classes import ClassedTree

__all__ = ["PackedTrees", "pair_similarities", "similarities"]

IntArray = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class PackedTrees:
    """Concatenated trees of one collection.

    Attributes
    ----------
    nodes
        Nodes at unit costs; see `miolo.models.trees.subtree_classes.NODE`.
    labels
        Numbers of labels, sorted within each tree.
    start
        int64, shape (m + 1,): tree ``i`` is ``start[i]:start[i + 1]`` of both.
    """

    nodes: NDArray[np.void]
    labels: NDArray[np.int32]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, trees: Sequence[ClassedTree]) -> PackedTrees:
        """Pack m trees, at least one."""
        return cls(
            np.concatenate([tree.unit_nodes for tree in trees]),
            np.concatenate([np.sort(tree.label) for tree in trees]),
            np.cumsum([0, *map(len, trees)], dtype=np.int64),
        )


def similarities(trees: PackedTrees, chosen: IntArray, floor: float = 0.0) -> NDArray[np.float64]:
    """Pairwise similarities of k trees, float64, shape (k, k); see `pair_similarities`."""
    matrix = np.eye(len(chosen))
    first, second = np.tril_indices(len(chosen), -1)
    similarity = pair_similarities(trees, chosen[first], chosen[second], floor)
    matrix[first, second] = matrix[second, first] = similarity
    return matrix


def pair_similarities(
    trees: PackedTrees, first: IntArray, second: IntArray, floor: float = 0.0
) -> NDArray[np.float64]:
    """Similarity of pairs of trees at unit costs.

    Parameters
    ----------
    trees
        Trees of one collection.
    first, second
        int, shape (k,): the pairs, as indices of trees.
    floor
        Similarities below this are returned as 0. Pairs whose sizes or labels differ by that
        much cost almost no time, and the comparison of others stops early.

    Returns
    -------
    float64, shape (k,), in [0, 1].
    """
    from .similarity_kernel import fill_pairs

    similarity = np.zeros(len(first))
    workers = os.cpu_count() or 1

    def fill(worker: int) -> None:
        part = slice(worker, None, workers)
        own = np.zeros(len(first[part]))
        fill_pairs(trees.nodes, trees.labels, trees.start, first[part], second[part], floor, own)
        similarity[part] = own

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(fill, range(workers)))
    return similarity
