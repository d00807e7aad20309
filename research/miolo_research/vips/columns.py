"""Columns of a block tree, and the share of the page's middle half that each spans."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .block_tree import BlockTree

__all__ = ["area_shares", "central_shares", "in_columns"]

# Minimum area of a block, as a share of the page's, for its vertical separators to divide columns
# of the page. There are vertical separators in small blocks too, as between an icon and its text.
COLUMN_SHARE = 0.25

# Minimum ratio of column widths. A main column is wider than a side column; the cells of a grid
# have the same width.
UNEQUAL = 1.25


def area_shares(tree: BlockTree) -> NDArray[np.float64]:
    """Area of each block as a share of the page's; float64, shape (b,), in [0, 1]."""
    area = tree.box[:, 2].astype(np.float64) * tree.box[:, 3]
    return area / max(area[0], 1)


def in_columns(tree: BlockTree) -> NDArray[np.bool_]:
    """Blocks whose children are columns of the page, of unequal widths.

    Returns
    -------
    bool, shape (b,).
    """
    split = np.zeros(len(tree), bool)
    split[tree.separators.block[~tree.separators.across]] = True
    split &= area_shares(tree) >= COLUMN_SHARE
    for block in np.flatnonzero(split).tolist():
        widths = tree.box[tree.children(block), 2]
        split[block] = widths.max() >= UNEQUAL * widths.min()
    return split


def central_shares(tree: BlockTree) -> NDArray[np.float64]:
    """Share of the page's middle half that the column of each block spans, in [0, 1].

    The column of a block is the innermost column that contains it, or the page if there is none.
    The share combines both data-region features of ViDE: being centred and being large.

    Returns
    -------
    float64, shape (b,).
    """
    left, width = tree.box[:, 0].astype(np.float64), tree.box[:, 2].astype(np.float64)
    low, high = left[0] + width[0] / 4, left[0] + 3 * width[0] / 4
    inside = np.minimum(left + width, high) - np.maximum(left, low)
    spans = np.clip(inside / max(high - low, 1), 0, 1)
    columns = in_columns(tree)
    for block, above in enumerate(tree.parent.tolist()):
        if above < 0:
            spans[block] = 1
        elif not columns[above]:
            spans[block] = spans[above]
    return spans
