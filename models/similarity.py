"""How alike pages are: a matrix of similarities of trees.

Source: the RTDM dissertation, section 4.1, which leaves the measure open; here it is
``1 - nu / (n1 + n2)``: in [0, 1], 1 for identical trees alone, and where all matches are
exact the Dice share of matched nodes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from .subtree_classes import ClassedTree
from .top_down import kernel_nodes

__all__ = ["pair_similarities", "similarities"]

IntArray = NDArray[np.integer]


def similarities(trees: Sequence[ClassedTree], floor: float = 0.0) -> NDArray[np.float64]:
    """Similarity of each two of m trees: float64, shape (m, m); see `pair_similarities`."""
    matrix = np.eye(len(trees))
    first, second = np.tril_indices(len(trees), -1)
    matrix[first, second] = matrix[second, first] = pair_similarities(trees, first, second, floor)
    return matrix


def pair_similarities(
    trees: Sequence[ClassedTree], first: IntArray, second: IntArray, floor: float = 0.0
) -> NDArray[np.float64]:
    """Similarity of pairs of trees at unit costs.

    Parameters
    ----------
    trees
        Trees of one collection.
    first, second
        int, shape (k,): the pairs, by the trees' places.
    floor
        What is less alike counts as 0. Pairs whose sizes or labels differ so much cost next
        to nothing, and others are given up early.

    Returns
    -------
    float64, shape (k,), in [0, 1].
    """
    from .similarity_kernel import fill_pairs

    found = np.zeros(len(first))
    if not len(first):
        return found
    start = np.concatenate(([0], np.cumsum([len(tree) for tree in trees])))
    nodes = np.concatenate([_unit_nodes(tree) for tree in trees])
    labels = np.concatenate([np.sort(tree.label) for tree in trees])
    workers = os.cpu_count() or 1

    def fill(part: slice) -> None:
        own = np.zeros(len(first[part]))
        fill_pairs(nodes, labels, start, first[part], second[part], floor, own)
        found[part] = own

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(fill, [slice(worker, None, workers) for worker in range(workers)]))
    return found


def _unit_nodes(tree: ClassedTree) -> NDArray[np.void]:
    ones = np.ones(len(tree))
    return kernel_nodes(tree, ones, ones / 2)
