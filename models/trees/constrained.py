"""The constrained, or isolated-subtree, edit distance of trees.

Source: the RTDM dissertation, chapter 2, after Tanaka and Tanaka 1988 and Zhang,
*Algorithms for the constrained editing distance between ordered labeled trees and related
problems*, Pattern Recognition 28, 1995.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .costs import PairCosts
from .subtree_classes import ClassedTree

__all__ = ["constrained"]


def constrained(
    one: ClassedTree, two: ClassedTree, costs: PairCosts, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    """Least cost of a mapping that takes disjoint subtrees to disjoint subtrees.

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
        Cost of the cheapest such mapping.
    cells
        Cells of the matrices that were filled for the distance: about ``3 n1 n2``.
    pairs
        int32, shape (m, 2): paired nodes in preorder of the first tree, or None. Of equally
        cheap mappings, that which from the root down, and from the last child on, prefers
        pairing to removing and removing to inserting.

    Notes
    -----
    ``O(n1 n2)`` time: 4 s for two chains of 10,000 levels. A row of ``16 n2`` bytes is held
    for each node of the first tree whose parent is yet to come, which for pages is a small
    part of them; for all of them with `mapping`.

    Definition 2.8 of the dissertation only says that disjoint subtrees keep their order,
    which every mapping does. Here, of three pairs, the lowest common ancestor of the first
    two nodes is a proper ancestor of the third in both trees or in neither.
    """
    # Loaded when first used: Numba takes half a second to import.
    from .constrained_kernel import compare

    found: Any = compare(
        _Side(one.label, one.first_child, one.children, costs.remove, costs.swap_one),
        _Side(two.label, two.first_child, two.children, costs.insert, costs.swap_two),
        mapping,
    )
    return float(found[0]), int(found[1]), found[2] if mapping else None


class _Side(NamedTuple):
    label: NDArray[np.int32]
    first: NDArray[np.int32]
    children: NDArray[np.int32]
    cost: NDArray[np.float64]
    swap: NDArray[np.float64]
