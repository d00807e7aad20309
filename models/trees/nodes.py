"""Trees as compiled functions take them: one array of nodes, siblings side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .subtree_classes import ClassedTree

__all__ = ["NODE", "tree_nodes"]

NODE = np.dtype(
    [
        # Its number in document order, and how many nodes are below it and itself.
        *((name, np.int32) for name in ("node", "size", "label", "subtree_class")),
        # Places of its children.
        *((name, np.int32) for name in ("first", "last")),
        # Cost of the node, of its whole subtree, and its part in the cost of a new label.
        *((name, np.float64) for name in ("own", "whole", "swap")),
    ]
)
"""A node of a tree. The functions take nodes in an order in which siblings lie side by side,
and speak of them by their places in it."""


def tree_nodes(
    tree: ClassedTree, own: NDArray[np.float64], swap: NDArray[np.float64]
) -> NDArray[np.void]:
    """The nodes of a tree as the compiled functions take them.

    Parameters
    ----------
    tree
        The tree.
    own, swap
        float64, shape (n,): what removing or inserting each node costs, and its part in the
        cost of another label.
    """
    # The children of each node lie side by side, after those of the nodes before it.
    order = np.concatenate(([0], tree.children))
    total = np.concatenate(([0.0], np.cumsum(own)))
    nodes = np.zeros(len(tree), NODE)
    nodes["node"] = order
    nodes["size"] = (tree.end - np.arange(len(tree)))[order]
    nodes["label"] = tree.label[order]
    nodes["subtree_class"] = tree.subtree_class[order]
    nodes["first"] = 1 + tree.first_child[order]
    nodes["last"] = 1 + tree.first_child[order + 1]
    nodes["own"] = own[order]
    nodes["whole"] = (total[tree.end] - total[:-1])[order]
    nodes["swap"] = swap[order]
    return nodes
