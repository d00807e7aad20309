"""Bootstrap intervals of F1 and of differences of F1, groups of pages drawn as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["draws", "f1_of_draws", "interval"]

DRAWS = 2000
SEED = 0
LEVEL = 0.95


def draws(groups: int, count: int = DRAWS) -> NDArray[np.int64]:
    """How often each group is drawn: int64, shape (count, groups), each row with sum `groups`.

    The same for the same arguments, so that systems are compared on the same draws (a paired
    bootstrap).
    """
    if not groups:
        return np.zeros((count, 0), np.int64)
    chances = np.full(groups, 1 / groups)
    return np.random.default_rng(SEED).multinomial(groups, chances, size=count)


def f1_of_draws(
    drawn: NDArray[np.int64],
    group: NDArray[np.intp],
    precision: Sequence[float],
    recall: Sequence[float],
) -> NDArray[np.float64]:
    """F1 of the means of precision and recall, for every draw (Efron and Tibshirani 1993).

    Parameters
    ----------
    drawn
        int64, shape (draws, groups); see `draws`.
    group
        intp, shape (pages,): the group of each page. Pages of a site are alike, so pages drawn
        one by one would make the interval too narrow.
    precision, recall
        Of each page.

    Returns
    -------
    float64, shape (draws,).
    """
    groups = drawn.shape[1]

    def means(values: Sequence[float]) -> NDArray[np.float64]:
        sums = np.bincount(group, weights=np.asarray(values, float), minlength=groups)
        pages = drawn @ np.bincount(group, minlength=groups)
        return (drawn @ sums) / np.maximum(pages, 1)

    p, r = means(precision), means(recall)
    both = p + r
    return np.divide(2 * p * r, both, out=np.zeros_like(both), where=both > 0)


def interval(values: NDArray[np.float64], level: float = LEVEL) -> tuple[float, float]:
    """Percentile interval of draws."""
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
