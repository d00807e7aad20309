"""The bottom-up distance of trees.

Source: the RTDM dissertation, chapter 2, after Valiente, *An efficient bottom-up distance
between trees*, SPIRE 2001.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from miolo.models.compiled import compiled
from miolo.models.trees.subtree_classes import ClassedTree
from numpy.typing import NDArray

from .subtree_kernel import pairs_of

__all__ = ["bottom_up"]


def bottom_up(
    one: ClassedTree, two: ClassedTree, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    """Share of the larger tree outside the common forest of identical subtrees.

    Returns
    -------
    distance
        ``1 - f / max(n1, n2)``, where the forest has ``f`` nodes; in [0, 1], and 0 only for
        identical trees.
    cells
        0, since there are no matrices.
    pairs
        int32, shape (m, 2): paired nodes in preorder of the first tree, or None.

    Notes
    -----
    Subtrees of the first tree, largest first, are paired with identical unpaired subtrees of the
    second, in ``O(n1 + n2)`` time.

    The dissertation pairs two nodes if *and only if* their children are paired, which would
    pair all leaves. Here paired nodes have paired children, but not conversely. The forest
    preserves neither the order of siblings nor, between its trees, that of ancestors, so
    ``n1 + n2 - 2 f`` may be less than the general distance.
    """
    partner: Any = match_subtrees(one.end, one.subtree_class, two.end, two.subtree_class)
    paired = int((partner >= 0).sum())
    larger = max(len(one), len(two))
    pairs: Any = pairs_of(partner) if mapping else None
    return (larger - paired) / larger, 0, pairs


@compiled(nogil=True)
def match_subtrees(end1, class1, end2, class2):
    """Partner of each node of the first tree, or -1; the largest subtrees are paired first."""
    following, head = _lists_of_classes(class1, class2)
    partner = np.full(len(end1), -1, np.int32)
    is_paired = np.zeros(len(end2), np.bool_)
    for node in _by_size(end1):
        if partner[node] >= 0:
            continue
        other = head[class1[node]]
        while other >= 0 and is_paired[other]:
            other = following[other]
        head[class1[node]] = other
        if other < 0:
            continue
        # Identical subtrees have the same preorder.
        for k in range(end1[node] - node):
            partner[node + k] = other + k
            is_paired[other + k] = True
    return partner


@compiled
def _lists_of_classes(class1, class2):
    """Linked lists of the second tree's nodes by class, in document order: successors and heads.

    Classes are numbered over a collection, which may be far larger than both trees, so only the
    entries of classes in the two trees are initialised.
    """
    head = np.empty(max(class1.max(), class2.max()) + 1, np.int32)
    for number in class1:
        head[number] = -1
    for number in class2:
        head[number] = -1
    following = np.empty(len(class2), np.int32)
    for node in range(len(class2) - 1, -1, -1):
        following[node] = head[class2[node]]
        head[class2[node]] = node
    return following, head


@compiled
def _by_size(end):
    """Nodes by descending subtree size, then in document order (counting sort)."""
    n = len(end)
    place = np.zeros(n + 2, np.int64)
    for node in range(n):
        place[n - (end[node] - node) + 1] += 1
    place = np.cumsum(place)
    order = np.empty(n, np.int64)
    for node in range(n):
        size = end[node] - node
        order[place[n - size]] = node
        place[n - size] += 1
    return order
