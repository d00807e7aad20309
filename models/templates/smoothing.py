"""Isotonic smoothing of scores on a tree.

Source: Chakrabarti, Kumar and Punera, *Page-level template detection via isotonic
smoothing*, WWW 2007, and the template-detection report, which repeats it in O(n³).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...renderer.page.tree import is_preorder


def smooth(
    parent: ArrayLike,
    scores: ArrayLike,
    weights: ArrayLike | None = None,
    c: float = 0.01,
) -> NDArray[np.float64]:
    """Scores closest to the given ones such that no node exceeds any of its children.

    Minimises ``sum w |y - x| + c * penalties`` subject to ``y[parent[i]] <= y[i]``: a node
    is template only to the extent that all its parts are. The penalty is paid for every node whose
    value differs from its parent's.

    Parameters
    ----------
    parent
        int, shape (n,): parents in preorder; -1 for roots. Several trees are smoothed
        independently.
    scores
        float, shape (n,): x.
    weights
        float, shape (n,), positive: w; 1 by default.
    c
        Penalty, at least 0.

    Returns
    -------
    The optimum y that, from the roots down, keeps the parent's value where possible and otherwise
    takes the smallest value. It is exact up to rounding in sums of the weights, and each value is
    one of the given scores.

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
    parents, x, w = _check(parent, scores, weights)
    if not (np.isfinite(c) and c >= 0):
        raise ValueError(f"c must be a finite number of at least 0, not {c}")
    if not len(x):
        return x
    # Imported lazily: Numba takes half a second to import.
    from .smoothing_kernel import smooth_edges

    values = np.unique(x)
    # A compiled dense table is faster up to some 1,000 nodes, but needs memory for every score.
    return values[_nearest(values, smooth_edges(parents, x, *_scale_to_one(w, c)))]


def _check(
    parent: ArrayLike, scores: ArrayLike, weights: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    parents, x = np.asarray(parent), np.asarray(scores, np.float64)
    w = np.ones(x.shape) if weights is None else np.asarray(weights, np.float64)
    if x.ndim != 1 or parents.shape != x.shape or w.shape != x.shape:
        raise ValueError(
            "parent, scores and weights must be one-dimensional and of the same length"
        )
    if len(x) and not np.issubdtype(parents.dtype, np.integer):
        raise ValueError("parents must be integers")
    parents = parents.astype(np.int64)
    if not np.isfinite(x).all():
        raise ValueError("scores must be finite")
    if not (np.isfinite(w).all() and (w > 0).all()):
        raise ValueError("weights must be finite and positive")
    if not is_preorder(parents.tolist()):
        raise ValueError("nodes must be in preorder: each parent is the last node or above it")
    return parents, x, w


def _scale_to_one(weights: NDArray[np.float64], c: float) -> tuple[NDArray[np.float64], float]:
    """Scale weights and penalty so that the greatest weight is in [1, 2).

    The kernel's tolerance for rounding is relative to 1, so weights of 1e-12 would be lost.
    Scaling by a power of two is exact. A penalty that overflows is equivalent to an infinite one.
    """
    exponent = 1 - int(np.frexp(weights.max())[1])
    with np.errstate(over="ignore"):
        return np.ldexp(weights, exponent), float(np.ldexp(c, exponent))


def _nearest(values: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.int64]:
    """Index of the value nearest to each break point, which equals it up to rounding."""
    right = np.clip(np.searchsorted(values, y), 1, max(1, len(values) - 1))
    right = np.minimum(right, len(values) - 1)
    left = np.maximum(right - 1, 0)
    return np.where(y - values[left] <= values[right] - y, left, right)
