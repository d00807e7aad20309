"""Trees as arrays in document order (preorder).

A subtree is the slice ``i:end[i]``, so a sum over it is a difference of prefix sums and
nothing ever recurses: pages nested ten thousand levels deep exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def tree_shape(parent: ArrayLike) -> tuple[list[int], list[int]]:
    """Results of `tree_arrays` as lists, for code that reads elements one by one."""
    end, depth = tree_arrays(parent)
    return end.tolist(), depth.tolist()


def tree_arrays(parent: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Last-descendant bounds and depths of a tree given by its parents in preorder, -1 for roots.

    ``end[i]`` is one past the last node of the subtree of ``i``; roots have depth 0. Both are
    int32, shape (n,).

    Notes
    -----
    Pointer jumping: after k steps each node knows its ancestor of 2^k levels up, and the last of
    its descendants of 2^k levels down.
    """
    above = np.array(parent, np.int64)
    count = len(above)
    nodes = np.arange(count)
    last = nodes.copy()
    inner = (above >= 0).nonzero()[0]
    # For repeated indices the last assignment wins: that of the last child.
    last[above[inner]] = inner
    depth = (above >= 0).astype(np.int32)
    while len(inner):
        depth[inner] += depth[above[inner]]
        above[inner] = above[above[inner]]
        inner = inner[above[inner] >= 0]
    while True:
        further = last[last]
        if np.array_equal(further, last):
            break
        last = further
    return (last + 1).astype(np.int32), depth


def is_preorder(parent: Sequence[int]) -> bool:
    """Whether parents, -1 for roots, form trees numbered in document order."""
    path: list[int] = []
    for node, above in enumerate(parent):
        while path and path[-1] != above:
            path.pop()
        if above != -1 and not path:
            return False
        path.append(node)
    return True


def child_lists(parent: Sequence[int]) -> list[list[int]]:
    """Children of each node, in order."""
    children: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent):
        if above >= 0:
            children[above].append(node)
    return children


def preorder(parent: Sequence[int]) -> list[int]:
    """Reachable nodes in document order, for parents in any order; siblings keep their order."""
    children: dict[int, list[int]] = {}
    for node, p in enumerate(parent):
        children.setdefault(p, []).append(node)
    order: list[int] = []
    stack = children.get(-1, [])[::-1]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(children.get(node, ())[::-1])
    return order


def selected_parents(parent: NDArray[np.int32], nodes: NDArray[np.integer]) -> NDArray[np.int32]:
    """Parents of the selected nodes as positions in the selection, -1 for none; int32."""
    number = np.full(len(parent) + 1, -1, np.int32)
    number[nodes] = np.arange(len(nodes))
    return number[parent[nodes]]


def subtree_sums(values: NDArray[np.generic], end: NDArray[np.int32]) -> NDArray[np.int64]:
    """Sum of ``values`` over the subtree of every node, itself included; all in document order."""
    total = np.zeros(len(values) + 1, np.int64)
    values.cumsum(out=total[1:])
    return total.take(end) - total[:-1]


def subtree_mask(roots: NDArray[np.bool_], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Nodes that lie in the subtree of any marked node, bool, shape (n,)."""
    (marked,) = roots.nonzero()
    change = -np.bincount(end[marked], minlength=len(roots) + 1)
    change[marked] += 1
    return change[:-1].cumsum() > 0


def levels(depth: NDArray[np.int32]) -> Iterator[NDArray[np.intp]]:
    """Nodes of each level, the deepest level first, for passes from the leaves up."""
    order = np.argsort(depth, kind="stable")
    starts = np.searchsorted(depth[order], np.arange(depth.max(initial=-1) + 2))
    for level in range(len(starts) - 2, -1, -1):
        yield order[starts[level] : starts[level + 1]]


def count_equals(keys: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many keys, which are not negative, equal each, and its place among them, from 1."""
    order = np.argsort(keys, kind="stable")
    starts = np.diff(keys[order], prepend=-1).nonzero()[0]
    sizes = np.diff(starts, append=len(keys))
    same, place = np.empty((2, len(keys)), np.int64)
    same[order] = np.repeat(sizes, sizes)
    place[order] = np.arange(len(keys)) - np.repeat(starts, sizes) + 1
    return same, place


def innermost(parent: NDArray[np.int32], nodes: list[int] | NDArray[Any]) -> NDArray[np.int64]:
    """The innermost of some nodes that each node is, or is in, or -1; int64, shape (n,).

    `nodes`: Their numbers, or a mask.
    """
    marked = np.zeros(len(parent), bool)
    marked[nodes] = True
    return np.where(marked, np.arange(len(parent)), nearest_marked(parent, marked))


def nearest_marked(parent: NDArray[np.int32], marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Nearest marked proper ancestor of every node, or -1; int64, shape (n,).

    Pointer jumping: each step doubles the number of levels that have been searched, so the number
    of steps is the number of binary digits of the tree's depth.
    """
    nearest = parent.astype(np.int64)
    # The extra last element is the one that index -1 refers to: there the search ends.
    ends = np.append(marked, True)
    searching = (~ends[nearest]).nonzero()[0]
    while len(searching):
        nearest[searching] = nearest[nearest[searching]]
        searching = searching[~ends[nearest[searching]]]
    return nearest
