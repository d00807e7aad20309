"""Similarities of trees, and clusters of similar ones: pages of one template.

Source: the RTDM dissertation, section 4.1: hierarchical clustering at 80 % similarity. It does
not specify the linkage.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..trees.subtree_classes import ClassedTree

# Similarity of pages, as a matrix of similarities of their trees.
#
# The dissertation does not specify the measure. Here it is ``1 - nu / (n1 + n2)``, which is in
# [0, 1] and 1 only for identical trees. If all matches are exact, it is the Dice coefficient of the
# matched nodes.

IntArray = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class PackedTrees:
    """Concatenated trees of one collection."""

    nodes: NDArray[np.void]
    """Nodes at unit costs; see `miolo.models.trees.subtree_classes.NODE`."""
    labels: NDArray[np.int32]
    """Numbers of labels, sorted within each tree."""
    start: NDArray[np.int64]
    """int64, shape (m + 1,): tree ``i`` is ``start[i]:start[i + 1]`` of both."""

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
    """float64, shape (k,), in [0, 1]: similarity of pairs of trees at unit costs.

    Similarities below `floor` are returned as 0. Pairs whose sizes or labels differ by that much
    cost almost no time, and the comparison of others stops early.
    """
    from ..trees.top_down_kernel import fill_pairs

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


Linkage = Literal["average", "complete", "single"]
LINKAGES: tuple[Linkage, ...] = get_args(Linkage)
"""Similarity of two clusters: the mean, least or greatest similarity of their pairs."""

LIKENESS = {"average": np.mean, "complete": np.min, "single": np.max}

# Similarities below this multiple of the threshold count as 0.
FLOOR = 0.5

MAX_PAGES = 500

# Number of members that represent a cluster when further trees are compared with it.
STANDING = 8


def cluster_trees(
    trees: Sequence[ClassedTree], threshold: float = 0.8, linkage: Linkage = "average"
) -> IntArray:
    """Clusters of similar trees.

    At most `MAX_PAGES` trees are clustered with each other. If there are more, an evenly spaced
    sample of that size is clustered. Each of the others joins the most similar of these clusters,
    if it is similar enough, and the remainder is clustered in the same way. The time then grows
    with the number of trees times that of clusters, rather than with the square of the number of
    trees.

    `threshold`: Minimum similarity at which clusters are merged. `linkage`: See `LINKAGES`. With
    ``"complete"``, any two trees of a cluster are at least that similar.

    Returns int32, shape (m,): cluster numbers, from 0 in the order of their first trees.
    """
    labels = np.full(len(trees), -1, np.int32)
    packed_trees = PackedTrees.of(trees) if trees else None
    left = np.arange(len(trees))
    while packed_trees is not None and len(left):
        sample = left[np.unique(np.linspace(0, len(left) - 1, MAX_PAGES).astype(int))]
        matrix = similarities(packed_trees, sample, FLOOR * threshold)
        sample_labels = cluster(matrix, threshold, linkage) + labels.max() + 1
        labels[sample] = sample_labels
        rest = np.setdiff1d(left, sample)
        labels[rest] = _join(packed_trees, rest, sample, sample_labels, threshold, linkage)
        left = rest[labels[rest] < 0]
    return _renumber(labels)


def cluster(similarity: NDArray[np.float64], threshold: float, linkage: Linkage) -> IntArray:
    """Clusters of a matrix of similarities; see `cluster_trees`."""
    # Imported lazily: most importers of this module do not cluster.
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    if linkage not in LINKAGES:
        raise ValueError(f"linkage must be one of {', '.join(LINKAGES)}, not {linkage!r}")
    if len(similarity) < 2:
        return np.zeros(len(similarity), np.int32)
    tree = hierarchy.linkage(squareform(1 - similarity, checks=False), linkage)
    # The tolerance allows for rounding: a pair exactly at the threshold is similar enough.
    labels = hierarchy.fcluster(tree, 1 - threshold + 1e-9, "distance")
    return _renumber(labels)


def _join(
    trees: PackedTrees,
    rest: NDArray[np.intp],
    sample: NDArray[np.intp],
    sample_labels: IntArray,
    threshold: float,
    linkage: Linkage,
) -> IntArray:
    """The cluster that each further tree joins, or -1."""
    clusters = np.unique(sample_labels)
    likeness = np.zeros((len(clusters), len(rest)))
    for row, number in zip(likeness, clusters, strict=True):
        members = sample[sample_labels == number]
        standing = members[np.unique(np.linspace(0, len(members) - 1, STANDING).astype(int))]
        pairs = np.repeat(rest, len(standing)), np.tile(standing, len(rest))
        alike = pair_similarities(trees, *pairs, FLOOR * threshold)
        row[:] = LIKENESS[linkage](alike.reshape(len(rest), len(standing)), axis=1)
    best = likeness.argmax(0)
    fits = likeness[best, np.arange(len(rest))] >= threshold
    return np.where(fits, clusters[best], -1).astype(np.int32)


def _renumber(labels: NDArray[np.integer]) -> IntArray:
    """Renumber labels from 0 in order of first occurrence."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[place]
