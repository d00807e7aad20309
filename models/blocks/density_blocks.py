"""Ranges of like link density: the page is cut where neighbours are no longer alike.

Source: the partly-semantic paper (Xie and Liu), sections 3.1.3 and 3.2.1. Its pseudo-code is
malformed (`end if` and `end for` are crossed), so this follows the prose; the threshold of
the similarity, which it does not give, is `tau`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...features.counts import link_density
from ...renderer.tree import levels, subtree_sums, tree_shape
from .density_tree import TextTree

__all__ = ["density_ranges", "range_densities", "similar"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def similar(one: FloatArray, other: FloatArray, smoothing: float = 0.0) -> FloatArray:
    """Formula 1: the lesser link density over the greater; 1 where both are 0.

    `smoothing` is added to both: without it a density of 0 is like nothing but itself.
    """
    low, high = np.minimum(one, other) + smoothing, np.maximum(one, other) + smoothing
    return np.divide(low, high, out=np.ones_like(low), where=high > 0)


def density_ranges(tree: TextTree, tau: float = 0.8, smoothing: float = 0.0) -> IntArray:
    """Cut a page into ranges of leaves that are alike.

    From the leaves up: a node is one range if all its children are and every two of them
    are similar. Else neighbours among its children are joined where they are ranges and
    similar, and nothing above is one range.

    Parameters
    ----------
    tree
        The page.
    tau
        Least similarity of similar nodes.
    smoothing
        See `similar`.

    Returns
    -------
    int64, shape (leaves,): the range of each leaf, from 0 in document order.
    """
    chars, linked = subtree_sums(tree.chars, tree.end), subtree_sums(tree.link_chars, tree.end)
    density = link_density(linked, chars)
    whole = _collapse(tree.parent, density, tau, smoothing)
    outermost = np.flatnonzero(whole & ~np.append(whole, False)[tree.parent])
    before, after = outermost[:-1], outermost[1:]
    joined = (tree.parent[before] == tree.parent[after]) & (tree.end[before] == after)
    joined &= similar(density[before], density[after], smoothing) >= tau
    number = np.cumsum(np.append(True, ~joined)) - 1
    leaves = np.flatnonzero(tree.is_leaf)
    return number[np.searchsorted(outermost, leaves, side="right") - 1]


def range_densities(tree: TextTree, ranges: IntArray) -> FloatArray:
    """Link density of each range, float64, shape (ranges,)."""
    first = np.flatnonzero(np.diff(ranges, prepend=-1))
    chars, linked = tree.chars[tree.is_leaf], tree.link_chars[tree.is_leaf]
    return link_density(np.add.reduceat(linked, first), np.add.reduceat(chars, first))


def _collapse(
    parent: NDArray[np.int32], density: FloatArray, tau: float, smoothing: float
) -> NDArray[np.bool_]:
    """Nodes all of whose children are one range and alike, from the leaves up."""
    whole = np.ones(len(parent), bool)
    # Of a node's children those of the least and the greatest density are the least alike.
    low, high = np.full(len(parent), np.inf), np.full(len(parent), -np.inf)
    depth = np.array(tree_shape(parent.tolist())[1], np.int32)
    for level in levels(depth):
        inner = level[np.isfinite(low[level])]
        whole[inner] &= similar(low[inner], high[inner], smoothing) >= tau
        below = level[parent[level] >= 0]
        np.minimum.at(low, parent[below], density[below])
        np.maximum.at(high, parent[below], density[below])
        whole[parent[below[~whole[below]]]] = False
    return whole
