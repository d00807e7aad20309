"""Isotonic smoothing of scores on a tree.

Source: Chakrabarti, Kumar and Punera, *Page-level template detection via isotonic
smoothing*, WWW 2007, and the template-detection report, which repeats it in O(n³).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...renderer.page.tree import is_preorder

__all__ = ["Penalty", "SmoothedTree", "objective", "smooth"]

Penalty = Literal["edge", "min"]


@dataclass(frozen=True, eq=False)
class SmoothedTree:
    """A smoothed tree.

    Attributes
    ----------
    scores
        float64, shape (n,): the smoothed scores, each equal to one of the input scores.
    objective
        The minimum of the objective function, attained by `scores`.
    """

    scores: NDArray[np.float64]
    objective: float


def smooth(
    parent: ArrayLike,
    scores: ArrayLike,
    weights: ArrayLike | None = None,
    c: float = 0.01,
    penalty: Penalty = "edge",
) -> SmoothedTree:
    """Scores closest to the given ones such that no node exceeds any of its children.

    Minimises ``sum w |y - x| + c * penalties`` subject to ``y[parent[i]] <= y[i]``: a node
    is template only to the extent that all its parts are.

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
    penalty
        ``"edge"``: paid for every node whose value differs from its parent's. ``"min"``: paid
        for every node whose value is below those of all its children.

    Returns
    -------
    The optimum that, from the roots down, keeps the parent's value where possible and otherwise
    takes the smallest value. It is exact up to rounding in sums of the weights.

    Raises
    ------
    ValueError
        The arrays differ in length or do not meet the definitions above.

    Notes
    -----
    ``"edge"`` is exact in about O(n · depth · log n): each subtree's cost as a function of
    its root's value is piecewise linear with few pieces, whereas the source tabulates it for
    all pairs of values. ``"min"`` takes O(n K) time and n K bytes for K distinct scores.

    The source does not specify which of the two penalties it means. Its results imply
    ``"edge"``: with c = 1 all nodes became template, which is impossible with ``"min"``.
    """
    parents, x, w = _check(parent, scores, weights)
    if not (np.isfinite(c) and c >= 0):
        raise ValueError(f"c must be a finite number of at least 0, not {c}")
    if penalty not in get_args(Penalty):
        raise ValueError(f"penalty must be 'edge' or 'min', not {penalty!r}")
    if not len(x):
        return SmoothedTree(x, 0.0)
    # Imported lazily: Numba takes half a second to import.
    from .smoothing_kernel import smooth_edges, smooth_minima

    values, place = np.unique(x, return_inverse=True)
    if penalty == "edge":
        # A compiled dense table is faster up to some 1,000 nodes, but needs memory for every score.
        y = smooth_edges(parents, x, *_scale_to_one(w, c))
        y = values[_nearest(values, y)]
    else:
        y = values[smooth_minima(parents, place, values, w, float(c))]
    return SmoothedTree(y, objective(parents, x, y, w, c, penalty))


def objective(
    parent: NDArray[np.int64],
    scores: NDArray[np.float64],
    smoothed: NDArray[np.float64],
    weights: NDArray[np.float64],
    c: float,
    penalty: Penalty,
) -> float:
    """Value of the objective function for given smoothed scores; see `smooth`."""
    loss = float((weights * np.abs(smoothed - scores)).sum())
    below = parent >= 0
    above = smoothed[parent[below]]
    if penalty == "edge":
        return loss + c * int((smoothed[below] != above).sum())
    lowest = np.full(len(scores), np.inf)
    np.minimum.at(lowest, parent[below], smoothed[below])
    return loss + c * int((np.isfinite(lowest) & (smoothed < lowest)).sum())


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
