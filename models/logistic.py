"""`LogisticModel`: logistic regression over named, standardised features, stored as JSON.

A model of a yes-or-no question, or of one with several answers, derives from it and adds its
features and the name of its format. Prediction needs only NumPy; `fit_logistic` needs scikit-learn.
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

MAX_DEVIATION = 4.0
"""Limit, in standard deviations from the mean, to which features are clipped, so that a single
odd value does not outweigh everything else."""


LEAST_ODDS = 1e-6
"""Distance from 0 and 1 at which probabilities are clipped before their log-odds are taken."""


def log_odds(probability: Any, least: float = LEAST_ODDS) -> NDArray[np.float64]:
    """Log-odds of probabilities, which are clipped; see `LEAST_ODDS`."""
    sure = np.clip(probability, least, 1 - least)
    return np.log(sure / (1 - sure))


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """Logistic regression over f standardised features."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    """float64, shape (f,): subtracted from the features, and divisors of the differences. A missing
    value (NaN) counts as the mean."""
    weights: NDArray[np.float64]
    """float64, shape (f,), or (k, f) for k answers: log-odds per standard deviation."""
    bias: Any
    """Log-odds of a page with mean features: a number, or float64, shape (k,)."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Training data, date, command and scores."""

    features: ClassVar[tuple[str, ...]] = ()
    """Columns of the feature matrix, in order; empty if they are those in the file."""
    format: ClassVar[str]
    version: ClassVar[int]
    what: ClassVar[str]
    """Name of the model in messages."""
    answers: ClassVar[int] = 1
    """Number of answers: 1 for a yes-or-no question, 0 for any number."""

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """float64, shape (m,): probability of the positive answer for each page."""
        return 1 / (1 + np.exp(-self.log_odds(rows)))

    def log_odds(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """float64, shape (m,) or (m, k): log-odds of rows of features, shape (m, f)."""
        return self.standardise(rows) @ self.weights.T + self.bias

    def standardise(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """Standardise and clip rows of features."""
        values = ((rows - self.mean) / self.scale).clip(-MAX_DEVIATION, MAX_DEVIATION)
        # `nan_to_num` takes several times as long for the few values of a page.
        return np.where(np.isnan(values), 0.0, values)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        Path(path).write_text(json.dumps(self.to_json(), indent=1) + "\n", "utf-8")

    def to_json(self) -> dict[str, Any]:
        """The model as JSON values."""
        about = {"format": self.format, "version": self.version}
        return about | self.numbers() | {"provenance": self.provenance}

    def numbers(self, names: tuple[str, ...] = ()) -> dict[str, Any]:
        """The numbers of the model as JSON values; features have other names if those are given."""
        columns = (self.mean.tolist(), self.scale.tolist(), *np.atleast_2d(self.weights).tolist())
        rows = map(list, zip(*columns, strict=True))
        table = dict(zip(names or self.features, rows, strict=True))
        return {"bias": np.asarray(self.bias).tolist(), "features": table}

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model.

        Raises `ArchiveError`: the file is not a model, has another version, or its numbers are
        invalid.
        """
        return read_json(Path(path), cls.from_json, cls.what)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the output of `to_json`."""
        if data["format"] != cls.format or data["version"] != cls.version:
            raise ArchiveError(f"not a {cls.what} of version {cls.version}")
        return replace(cls.from_numbers(data), provenance=dict(data["provenance"]))

    @classmethod
    def from_numbers(cls, data: dict[str, Any]) -> Self:
        """Read the output of `numbers`."""
        columns = tuple(data["features"])
        if columns != (cls.features or columns):
            raise ArchiveError("trained on other features than this version computes")
        table = np.array(list(data["features"].values()), np.float64)
        bias = np.array(data["bias"], np.float64)
        answers = () if cls.answers == 1 else (cls.answers or bias.size,)
        if bias.shape != answers or table.shape != (len(columns), 2 + bias.size):
            raise ArchiveError("its arrays of numbers have the wrong shapes")
        if not (np.isfinite(table).all() and np.isfinite(bias).all() and (table[:, 1] > 0).all()):
            raise ArchiveError("a number is out of range")
        mean, scale, *weights = table.T.copy()
        return cls(mean, scale, np.array(weights).reshape(*answers, -1), bias[()])


class MultinomialModel(LogisticModel):
    """Multinomial logistic regression, for questions with k answers."""

    answers = 0

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """float64, shape (m, k): probability of each answer for rows of features, shape (m, f)."""
        odds = self.log_odds(rows)
        odds = np.exp(odds - odds.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)


Fitted = TypeVar("Fitted", bound=LogisticModel)


def fit_logistic(
    kind: type[Fitted],
    rows: NDArray[np.floating],
    answers: NDArray[np.generic],
    weights: NDArray[np.float64],
    strength: float,
) -> Fitted:
    """Fit a model with an L2 penalty.

    `rows`: Features, shape (m, f); NaN for missing values. `answers`: bool, or codes of k answers,
    shape (m,). `strength`: Inverse of the strength of the penalty.
    """
    from sklearn.linear_model import LogisticRegression

    known = np.where(np.isnan(rows).all(axis=0), 0.0, rows)
    spread = np.nanstd(known, axis=0)
    scale = np.where(spread > 1e-6, spread, 1)
    empty = kind(np.nanmean(known, axis=0), scale, np.zeros(rows.shape[1]), 0.0)
    learner = LogisticRegression(C=strength, max_iter=2000)
    learner.fit(empty.standardise(rows), answers, weights)
    coefficients, bias = np.asarray(learner.coef_), np.asarray(learner.intercept_)
    if not issubclass(kind, MultinomialModel):
        coefficients, bias = coefficients[0], bias[0]
    elif len(bias) == 1:  # the learner has one row for two answers
        coefficients, bias = (
            np.vstack([-coefficients, coefficients]) / 2,
            np.append(-bias, bias) / 2,
        )
    arrays = (empty.mean, empty.scale, coefficients, bias)
    mean, scale, coefficients, bias = map(_round, arrays)
    return replace(empty, mean=mean, scale=scale, weights=coefficients, bias=bias[()])


def _round(values: Any) -> NDArray[np.float64]:
    """Six significant digits."""
    array = np.asarray(values)
    return np.array([float(f"{value:.6g}") for value in array.ravel()]).reshape(array.shape)
