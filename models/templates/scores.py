"""Precision, recall and F of both classes of a template detector, page by page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassScores", "TemplateReport", "macro_scores"]


@dataclass(frozen=True)
class ClassScores:
    """Macro-averages over pages."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class TemplateReport:
    """Scores of both classes: the larger one alone flatters whoever always says it."""

    template: ClassScores
    content: ClassScores
    pages: int


def macro_scores(
    pages: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]],
) -> TemplateReport:
    """Average over pages.

    Parameters
    ----------
    pages
        For each page the true and the found template nodes, bool, shape (m,).

    Notes
    -----
    A page where a class is neither there nor found counts 1 for it, so that an empty
    answer is right where nothing was to be found.
    """
    rows = [(_scores(true, found), _scores(~true, ~found)) for true, found in pages]
    if not rows:
        raise ValueError("there is no page to score")
    template, content = np.mean(np.array(rows), axis=0).tolist()
    return TemplateReport(ClassScores(*template), ClassScores(*content), len(rows))


def _scores(true: NDArray[np.bool_], found: NDArray[np.bool_]) -> tuple[float, float, float]:
    both, returned, there = int((true & found).sum()), int(found.sum()), int(true.sum())
    if not returned and not there:
        return 1.0, 1.0, 1.0
    precision, recall = both / max(1, returned), both / max(1, there)
    return precision, recall, 2 * both / (returned + there)
