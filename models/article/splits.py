"""Trees in preorder, laid out for the kernel that asks their splits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_LEAVES", "Splits", "check_preorder", "splits_of"]

# Of a tree: one bit each.
MOST_LEAVES = 32

Numbers = NDArray[np.integer]


class Splits(NamedTuple):
    """The s splits and l leaves of t trees, both in preorder.

    Leaves of a tree are numbered from 0. Those below a split are ``low`` to ``middle`` on its left
    and ``middle`` to ``high`` on its right, ends excluded.

    Attributes
    ----------
    starts
        int32, shape (t + 1,): first split of each tree, and the end of the last.
    feature
        int32, shape (s,): column that is asked.
    threshold
        float32, shape (s,): to the left where the column is at most this.
    missing_left
        bool, shape (s,): where a row without this column goes.
    low, middle, high
        int32, shape (s,): leaves below.
    others
        uint32, shape (s,): the leaves but those on the left, by bits.
    change_left, change_right
        float32, shape (s,): what each way changes the mean by.
    first
        int32, shape (t,): first leaf of each tree, among all.
    value
        float32, shape (l,): a leaf's share of the sum.
    """

    starts: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    missing_left: NDArray[np.bool_]
    low: NDArray[np.int32]
    middle: NDArray[np.int32]
    high: NDArray[np.int32]
    others: NDArray[np.uint32]
    change_left: NDArray[np.float32]
    change_right: NDArray[np.float32]
    first: NDArray[np.int32]
    value: NDArray[np.float32]


def splits_of(
    roots: Numbers,
    feature: Numbers,
    threshold: NDArray[np.float32],
    missing_left: NDArray[np.bool_],
    right: Numbers,
    value: NDArray[np.float32],
) -> Splits:
    """The splits of trees that are arrays of `Forest`."""
    is_leaf = feature < 0
    inner = np.flatnonzero(~is_leaf)
    leaves = _before(is_leaf)
    of_tree = leaves[roots][np.searchsorted(roots, inner, side="right") - 1]
    # In preorder a node's leaves are those before the node that follows on its last one.
    ends = _ends(is_leaf, right)
    low, middle, high = (leaves[at] - of_tree for at in (inner, right[inner], ends[inner]))
    on_left = (1 << middle.astype(np.uint64)) - (1 << low.astype(np.uint64))
    return Splits(
        starts=_before(~is_leaf)[[*roots, len(is_leaf)]].astype(np.int32),
        feature=feature[inner].astype(np.int32),
        threshold=threshold[inner],
        missing_left=missing_left[inner],
        low=low.astype(np.int32),
        middle=middle.astype(np.int32),
        high=high.astype(np.int32),
        others=~on_left.astype(np.uint32),
        change_left=value[inner + 1] - value[inner],
        change_right=value[right[inner]] - value[inner],
        first=leaves[roots].astype(np.int32),
        value=value[is_leaf],
    )


def check_preorder(roots: Numbers, feature: Numbers, right: Numbers) -> None:
    """See to it that trees are what the kernel takes them for: it checks nothing.

    Raises
    ------
    ValueError
        They are not in preorder, one after the other, or one has too many leaves.
    """
    is_leaf, count = feature < 0, len(feature)
    inner = np.flatnonzero(~is_leaf)
    if (right[inner] <= inner + 1).any() or (right[inner] >= count).any():
        raise ValueError("a tree has no end")
    if list(roots[:1]) != [0] or (np.diff(roots, append=count) <= 0).any():
        raise ValueError("trees do not follow each other")
    if np.diff(_before(is_leaf)[[*roots, count]]).max() > MOST_LEAVES:
        raise ValueError(f"a tree has more than {MOST_LEAVES} leaves")
    ends = _ends(is_leaf, right)
    if (right[inner] != ends[inner + 1]).any() or (ends[roots] != [*roots[1:], count]).any():
        raise ValueError("a tree is not in preorder")


def _before(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64, shape (m + 1,): marked nodes before each, and all."""
    return np.concatenate([[0], np.cumsum(marked)])


def _ends(is_leaf: NDArray[np.bool_], right: Numbers) -> NDArray[np.integer]:
    """int, shape (m,): the node that follows on the last below each, by way of the right."""
    last = np.where(is_leaf, np.arange(len(is_leaf)), right)
    for _ in range(MOST_LEAVES):
        further = ~is_leaf[last]
        if not further.any():
            break
        last[further] = right[last[further]]
    return last + 1
