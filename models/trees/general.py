"""The general edit distance of trees.

Source: the RTDM dissertation, chapter 2, after Tai, *The tree-to-tree correction problem*,
J. ACM 26, 1979; by the algorithm of Zhang and Shasha, *Simple fast algorithms for the
editing distance between trees and related problems*, SIAM J. Comput. 18, 1989.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .costs import PairCosts
from .subtree_classes import ClassedTree

__all__ = ["general"]


def general(
    one: ClassedTree, two: ClassedTree, costs: PairCosts, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    """Least cost of the removals, insertions and relabellings that make one tree the other.

    Parameters
    ----------
    one, two
        Trees of one collection (of one `SubtreeClasses`).
    costs
        Costs of their nodes.
    mapping
        Whether to trace back the pairs.

    Returns
    -------
    distance
        Cost of the cheapest mapping that keeps the order of siblings and of ancestors.
    cells
        Cells of the forest matrices that were filled for the distance.
    pairs
        int32, shape (m, 2): paired nodes in preorder of the first tree, or None. Of equally
        cheap mappings, that which from the last node on prefers pairing to removing and
        removing to inserting.

    Notes
    -----
    ``O(n1 n2 min(depth1, leaves1) min(depth2, leaves2))`` time, ``16 n1 n2`` bytes: two trees
    of 5000 nodes take 400 MB. Trees are taken apart along leftmost or along rightmost paths,
    whichever makes fewer cells.
    """
    # Loaded when first used: Numba takes half a second to import.
    from .general_kernel import zhang_shasha

    leftmost, rightmost = (
        (
            _order(one, place(one), costs.remove, costs.swap_one),
            _order(two, place(two), costs.insert, costs.swap_two),
        )
        for place in (_postorder, _mirror)
    )
    sides = leftmost if _work(*leftmost) <= _work(*rightmost) else rightmost
    found: Any = zhang_shasha(*sides, mapping)
    return float(found[0]), _work(*sides), found[1] if mapping else None


class _Ordered(NamedTuple):
    """A tree whose every subtree is a run of places that ends at its root.

    Attributes
    ----------
    node
        Node at each place.
    leaf
        First place of the subtree that ends at each place.
    roots
        Places of the subtrees that no larger one begins together with, rising.
    label, cost, swap
        By place.
    """

    node: NDArray[np.int64]
    leaf: NDArray[np.int64]
    roots: NDArray[np.int64]
    label: NDArray[np.int32]
    cost: NDArray[np.float64]
    swap: NDArray[np.float64]


def _order(
    tree: ClassedTree,
    place: NDArray[np.int64],
    cost: NDArray[np.float64],
    swap: NDArray[np.float64],
) -> _Ordered:
    node = np.argsort(place)
    places = np.arange(len(tree))
    leaf = places - (tree.end - places)[node] + 1
    last = np.zeros(len(tree), np.int64)
    last[leaf] = places
    roots = np.flatnonzero(last[leaf] == places)
    return _Ordered(node, leaf, roots, tree.label[node], cost[node], swap[node])


def _postorder(tree: ClassedTree) -> NDArray[np.int64]:
    nodes = np.arange(len(tree))
    ended = np.cumsum(np.bincount(tree.end, minlength=len(tree) + 1))[:-1]
    depth = nodes - ended
    return tree.end - 1 - depth


def _mirror(tree: ClassedTree) -> NDArray[np.int64]:
    """Postorder with all children turned round, which is preorder backwards."""
    return np.arange(len(tree))[::-1].copy()


def _work(one: _Ordered, two: _Ordered) -> int:
    """Cells of the matrices of all pairs of `roots`."""
    sizes = [(tree.roots - tree.leaf[tree.roots] + 1).sum() for tree in (one, two)]
    return int(sizes[0]) * int(sizes[1])
