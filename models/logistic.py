"""`LogisticModel`: logistic regression over named, standardised features, stored as JSON.

A model of a yes-or-no question derives from it and adds its features and the name of its format.
Prediction needs only NumPy; `fit_logistic` needs scikit-learn.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ArchiveError
from .json_file import read_json

__all__ = ["LogisticModel", "fit_logistic"]

MAX_DEVIATION = 4.0
"""Limit, in standard deviations from the mean, to which feature values are clipped."""

DIGITS = 4
"""Decimal places of the stored numbers."""


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """Logistic regression over f standardised features."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    """float64, shape (f,): subtracted from the features, and divisors of the differences."""
    weights: NDArray[np.float64]
    """float64, shape (f,): log-odds per standard deviation."""
    bias: float
    """Log-odds of a page with mean features."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Training data, date, command and scores."""

    features: ClassVar[tuple[str, ...]]
    """Columns of the feature matrix, in order."""
    format: ClassVar[str]
    version: ClassVar[int]
    what: ClassVar[str]
    """Name of the model in messages."""

    def probabilities(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64, shape (m,): probability of the positive answer for each page."""
        odds = self.standardise(rows) @ self.weights + self.bias
        return 1 / (1 + np.exp(-odds))

    def standardise(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standardise and clip rows of features."""
        return np.clip((rows - self.mean) / self.scale, -MAX_DEVIATION, MAX_DEVIATION)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        columns = (self.mean.tolist(), self.scale.tolist(), self.weights.tolist())
        data = {
            "format": self.format,
            "version": self.version,
            "bias": self.bias,
            "features": dict(zip(self.features, zip(*columns, strict=True), strict=True)),
            "provenance": self.provenance,
        }
        Path(path).write_text(json.dumps(data, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model.

        Raises
        ------
        ArchiveError
            The file is not a model, has another version, or its numbers are invalid.
        """
        return read_json(Path(path), cls._from_json, cls.what)

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Self:
        if data["format"] != cls.format or data["version"] != cls.version:
            raise ArchiveError(f"not a {cls.what} of version {cls.version}")
        if tuple(data["features"]) != cls.features:
            raise ArchiveError("trained on other features than this version computes")
        table = np.array(list(data["features"].values()), np.float64)
        bias = float(data["bias"])
        if table.shape != (len(cls.features), 3):
            raise ArchiveError("its array of numbers has the wrong shape")
        if not (np.isfinite(table).all() and np.isfinite(bias) and (table[:, 1] > 0).all()):
            raise ArchiveError("a number is out of range")
        mean, scale, weights = table.T.copy()
        return cls(mean, scale, weights, bias, dict(data["provenance"]))


Fitted = TypeVar("Fitted", bound=LogisticModel)


def fit_logistic(
    kind: type[Fitted],
    rows: NDArray[np.float64],
    answers: NDArray[np.bool_],
    weights: NDArray[np.float64],
    strength: float,
) -> Fitted:
    """Fit a model with an L2 penalty.

    `strength`: Inverse of the strength of the penalty.
    """
    from sklearn.linear_model import LogisticRegression

    spread = rows.std(axis=0)
    scale = np.where(spread > 1e-6, spread, 1)
    empty = kind(rows.mean(axis=0), scale, np.zeros(rows.shape[1]), 0.0)
    learner = LogisticRegression(C=strength, max_iter=2000)
    learner.fit(empty.standardise(rows), answers, weights)
    return replace(
        empty,
        mean=np.round(empty.mean, DIGITS),
        scale=np.maximum(np.round(empty.scale, DIGITS), 10.0**-DIGITS),
        weights=np.round(np.asarray(learner.coef_)[0], DIGITS),
        bias=round(float(np.asarray(learner.intercept_)[0]), DIGITS),
    )
