"""The alignment distance of trees.

Source: the RTDM dissertation, chapter 2, after Jiang, Wang and Zhang, *Alignment of trees:
an alternative to tree edit*, Theoretical Computer Science 143, 1995.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .costs import PairCosts
from .subtree_classes import ClassedTree

__all__ = ["alignment"]


def alignment(
    one: ClassedTree, two: ClassedTree, costs: PairCosts, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    """Least cost of laying one tree upon the other, after inserting blanks into both.

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
        Cost of the cheapest alignment: of making one tree the other by insertions first,
        and removals last. It need not keep to the triangle inequality.
    cells
        Cells of the forest matrices that were filled for the distance.
    pairs
        int32, shape (m, 2): paired nodes in preorder of the first tree, or None. Of equally
        cheap mappings, that which from the root down, and from the last child on, prefers
        pairing to removing and removing to inserting.

    Notes
    -----
    ``O(n1 n2 (d1 + d2)^2)`` time at degrees ``d1`` and ``d2``: little for pages whose nodes
    have some dozen children, seconds for two lists of 200 branching items that lie below
    the roots. Leaves are cheaper, for nothing is aligned below them. Two chains of 10,000
    levels take 17 s.

    Distances of all runs of siblings of the second tree are held in ``4 sum d2^2`` bytes,
    for each branching node of the first tree whose parent is yet to come; for all branching
    nodes of it with `mapping`. Those of runs of the first tree are held for one node at a
    time, and made again where the trace comes by.
    """
    # Loaded when first used: Numba takes half a second to import.
    from .alignment_kernel import align

    found: Any = align(
        _add_root(one, costs.remove, costs.swap_one),
        _add_root(two, costs.insert, costs.swap_two),
        mapping,
    )
    return float(found[0]), int(found[1]), found[2] if mapping else None


class _RootedTree(NamedTuple):
    """A tree below one more node, so that the tree itself is a forest of siblings."""

    label: NDArray[np.int64]
    end: NDArray[np.int64]
    first: NDArray[np.int64]
    children: NDArray[np.int64]
    cost: NDArray[np.float64]
    swap: NDArray[np.float64]


def _add_root(
    tree: ClassedTree, cost: NDArray[np.float64], swap: NDArray[np.float64]
) -> _RootedTree:
    # One type of numbers, so that all sums of indices are of it.
    def after(first: float, rest: NDArray) -> NDArray:
        return np.concatenate(([first], rest))

    return _RootedTree(
        label=after(-1, tree.label),
        end=after(len(tree) + 1, tree.end + 1),
        first=after(0, tree.first_child + 1),
        children=after(1, tree.children + 1),
        cost=after(0.0, cost),
        swap=after(0.0, swap),
    )
