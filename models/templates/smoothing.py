"""Isotonic smoothing of scores on a tree.

Source: Chakrabarti, Kumar and Punera, *Page-level template detection via isotonic
smoothing*, WWW 2007, and the template-detection report, which repeats it in O(n³).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...renderer.page.tree import is_preorder


def smooth(parent: ArrayLike, scores: ArrayLike, c: float = 0.01) -> NDArray[np.float64]:
    """Scores closest to the given ones such that no node exceeds any of its children.

    Minimises ``sum |y - x| + c * penalties`` subject to ``y[parent[i]] <= y[i]``: a node
    is template only to the extent that all its parts are. The penalty is paid for every node whose
    value differs from its parent's.

    Parameters
    ----------
    parent
        int, shape (n,): parents in preorder; -1 for roots. Several trees are smoothed
        independently.
    scores
        float, shape (n,): x.
    c
        Penalty, at least 0.

    Returns
    -------
    The optimum y that, from the roots down, keeps the parent's value where possible and otherwise
    takes the smallest value. It is exact up to rounding in sums, and each value is one of the given
    scores.

    Raises
    ------
    ValueError
        The arrays differ in length or do not meet the definitions above.

    Notes
    -----
    The time is about O(n · depth · log n): each subtree's cost as a function of its root's value is
    piecewise linear with few pieces, whereas the source tabulates it for all pairs of values.

    The source may also mean a penalty for every node below all its children. Its results imply the
    one here: with c = 1 all nodes became template, which is impossible with the other.
    """
    parents, x = np.asarray(parent, np.int64), np.asarray(scores, np.float64)
    if x.ndim != 1 or parents.shape != x.shape:
        raise ValueError("parent and scores must be one-dimensional and of the same length")
    if not (np.isfinite(x).all() and np.isfinite(c) and c >= 0):
        raise ValueError("scores and c must be finite, and c at least 0")
    if not is_preorder(parents.tolist()):
        raise ValueError("nodes must be in preorder: each parent is the last node or above it")
    if not len(x):
        return x
    # Imported lazily: Numba takes half a second to import.
    from .smoothing_kernel import smooth_edges

    values, y = np.unique(x), smooth_edges(parents, x, float(c))
    # A compiled dense table is faster up to some 1,000 nodes, but needs memory for every score.
    right = np.minimum(np.searchsorted(values, y), len(values) - 1)
    left = np.maximum(right - 1, 0)
    # Each break point equals a score up to rounding.
    return values[np.where(y - values[left] <= values[right] - y, left, right)]
