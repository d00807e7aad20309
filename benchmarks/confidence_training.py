"""Training of the confidence model on extractions whose scores are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from miolo.models.article.training import group_folds
from miolo.models.confidence.confidence_model import RIGHT, ConfidenceModel
from miolo.models.logistic import fit_logistic
from numpy.typing import NDArray

__all__ = [
    "JudgedPage",
    "calibration_error",
    "cross_validate",
    "share_found",
    "train_confidence",
]

STRENGTH = 0.1
"""Inverse of the strength of the L2 penalty."""

FOLDS = 10

MAX_OF_GROUP = 12
"""Number of pages above which the pages of one domain or site share their weight."""

BINS = 10


@dataclass(frozen=True, eq=False)
class JudgedPage:
    """An extraction by a reader that was not trained on its page.

    Attributes
    ----------
    set, id, group
        Set, identifier and domain or site of the page.
    row
        float64, shape (f,): features of the extraction.
    f1
        Shingle F1 of its text against the truth.
    """

    set: str
    id: str
    group: str
    kind: str
    row: NDArray[np.float64]
    f1: float

    @property
    def is_right(self) -> bool:
        """Whether the text is right."""
        return self.f1 >= RIGHT


def train_confidence(pages: Sequence[JudgedPage]) -> ConfidenceModel:
    """A model trained on these pages."""
    rows = np.array([page.row for page in pages])
    right = np.array([page.is_right for page in pages])
    sizes = Counter(page.group for page in pages)
    weights = np.array([min(1.0, MAX_OF_GROUP / sizes[page.group]) for page in pages])
    return fit_logistic(ConfidenceModel, rows, right, weights, STRENGTH)


def cross_validate(pages: Sequence[JudgedPage]) -> NDArray[np.float64]:
    """Confidence of each page by a model trained on the pages of other groups: shape (m,)."""
    fold_of = group_folds([page.group for page in pages], FOLDS)
    confidence = np.zeros(len(pages))
    for fold in range(FOLDS):
        judged = fold_of == fold
        if judged.any():
            others = [page for page, of in zip(pages, fold_of, strict=True) if of != fold]
            rows = np.array(
                [page.row for page, of in zip(pages, fold_of, strict=True) if of == fold]
            )
            confidence[judged] = train_confidence(others).probabilities(rows)
    return confidence


def calibration_error(probabilities: NDArray[np.float64], answers: NDArray[np.bool_]) -> float:
    """Expected calibration error over ten bins of equal width.

    It is the mean over all pages of the absolute difference between the mean probability and the
    share of positive answers in the page's bin.

    References
    ----------
    Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning",
    AAAI 2015.
    """
    of = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    differences = np.bincount(of, probabilities - answers, BINS)
    return float(np.abs(differences).sum() / max(len(of), 1))


def share_found(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], precision: float
) -> tuple[float, float]:
    """Share of the wrong pages that a threshold finds at some precision, and the threshold.

    Parameters
    ----------
    confidence
        float64, shape (m,): confidence of each page.
    right
        bool, shape (m,): whether its text is right.
    precision
        Minimum share of wrong pages among those below the threshold.
    """
    order = np.argsort(confidence, kind="stable")
    found = np.cumsum(~right[order])
    precise = np.flatnonzero(found >= precision * np.arange(1, len(order) + 1))
    if not len(precise) or not found[-1]:
        return 0.0, 0.0
    last = int(precise[-1])
    return float(found[last] / found[-1]), float(confidence[order][last])
