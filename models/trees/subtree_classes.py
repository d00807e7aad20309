"""Trees whose identical subtrees have equal class numbers across a collection of trees.

Source: the RTDM dissertation, section 3.1 (IdenticalSubtrees). Its figure combines the classes of
children as sets, which would equate different orders and numbers of children; here they are
sequences. Hashing achieves the linear time that the dissertation claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...renderer.page.tree import child_lists, is_preorder, tree_arrays
from ..compiled import record_type


@dataclass(frozen=True, eq=False)
class ClassedTree:
    """A labelled ordered tree in preorder; int32 arrays."""

    label: NDArray[np.int32]
    """Shape (n,): number of the node's label in its collection."""
    end: NDArray[np.int32]
    """Shape (n,): one past the last descendant."""
    subtree_class: NDArray[np.int32]
    """Shape (n,): equal for two nodes of a collection if and only if their subtrees are equal."""
    first_child: NDArray[np.int32]
    """Shape (n + 1,): the children of node ``i`` are ``children[first_child[i]:first_child[i +
    1]]``."""
    children: NDArray[np.int32]
    """Shape (n - 1,): children of all nodes, in order of their parents."""

    def __len__(self) -> int:
        return len(self.label)

    @cached_property
    def unit_nodes(self) -> NDArray[np.void]:
        """Its nodes at unit costs, computed once for all comparisons."""
        ones = np.ones(len(self))
        return tree_nodes(self, ones, ones / 2)


class SubtreeClasses:
    """Numbers of labels and of subtrees, shared by all trees of a collection.

    Each tree is numbered once, regardless of how many others it is compared with.
    """

    def __init__(self) -> None:
        self._labels: dict[str, int] = {}
        self._classes: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        """Number of distinct subtrees."""
        return len(self._classes)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order of their numbers."""
        return tuple(self._labels)

    def tree(self, parent: ArrayLike, labels: Sequence[str]) -> ClassedTree:
        """Number a tree.

        `parent`: int, shape (n,): parents in preorder; -1 only for the root.

        Raises `ValueError`: there are no nodes, the lengths differ, or the parents do not form one
        tree in preorder.
        """
        parents = np.asarray(parent, np.int64).tolist()
        if not parents or len(parents) != len(labels):
            raise ValueError("a tree must have at least one node, and one label for each node")
        if parents.count(-1) != 1 or not is_preorder(parents):
            raise ValueError("parents must form a single tree in preorder")
        children = child_lists(parents)
        numbers = [self._labels.setdefault(label, len(self._labels)) for label in labels]
        classes = [0] * len(parents)
        for node in range(len(parents) - 1, -1, -1):
            content = (numbers[node], *(classes[child] for child in children[node]))
            classes[node] = self._classes.setdefault(content, len(self._classes))
        return ClassedTree(
            label=np.array(numbers, np.int32),
            end=tree_arrays(parents)[0],
            subtree_class=np.array(classes, np.int32),
            first_child=np.cumsum([0, *map(len, children)], dtype=np.int32),
            children=np.array([child for row in children for child in row], np.int32),
        )


# Trees in the format of the compiled functions: one array of nodes with consecutive siblings.

NODE = record_type(
    # Number in document order, number of nodes of the subtree, label, class.
    *((name, np.int32) for name in ("node", "count", "label", "subtree_class")),
    # Range of positions of its children.
    *((name, np.int32) for name in ("first", "last")),
    # Cost of the node, cost of its whole subtree, its part of the cost of a relabelling.
    *((name, np.float64) for name in ("own", "whole", "swap")),
)
"""A node of a tree. The functions take nodes in an order in which siblings are consecutive, and
refer to them by their positions in it."""


def tree_nodes(
    tree: ClassedTree, own: NDArray[np.float64], swap: NDArray[np.float64]
) -> NDArray[np.void]:
    """The nodes of a tree in the format of the compiled functions.

    `own`, `swap`: float64, shape (n,): cost of removing or inserting each node, and its part of the
    cost of a relabelling.
    """
    # The children of each node are consecutive and follow those of the nodes before it.
    order = np.concatenate(([0], tree.children))
    total = np.concatenate(([0.0], np.cumsum(own)))
    nodes = np.zeros(len(tree), NODE)
    nodes["node"] = order
    nodes["count"] = (tree.end - np.arange(len(tree)))[order]
    nodes["label"] = tree.label[order]
    nodes["subtree_class"] = tree.subtree_class[order]
    nodes["first"] = 1 + tree.first_child[order]
    nodes["last"] = 1 + tree.first_child[order + 1]
    nodes["own"] = own[order]
    nodes["whole"] = (total[tree.end] - total[:-1])[order]
    nodes["swap"] = swap[order]
    return nodes
