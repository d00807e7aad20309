"""`RenderingModel`: the probability that rendering a page changes its article.

Logistic regression over features of the page as sent by the server and of the article extracted
from it. The training data are pages that were extracted both with and without a browser; see
``benchmarks/browser_need.py``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from ...features.scripts import SCRIPT_FEATURES
from ..json_file import read_json
from .features import ARTICLE_FEATURES

__all__ = ["FEATURES", "RenderingModel", "shipped_rendering_model"]

FORMAT, VERSION = "miolo-rendering", 1

FEATURES = SCRIPT_FEATURES + ARTICLE_FEATURES
"""Columns of the feature matrix, in order."""

MAX_DEVIATION = 4.0
"""Limit, in standard deviations from the mean, to which feature values are clipped."""


@dataclass(frozen=True, eq=False)
class RenderingModel:
    """Logistic regression over f standardised features.

    Attributes
    ----------
    mean, scale
        float64, shape (f,): subtracted from the features, and divisors of the differences.
    weights
        float64, shape (f,): log-odds per standard deviation.
    bias
        Log-odds of a page with mean features.
    provenance
        Training data, date, command and scores.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    provenance: dict[str, Any] = field(default_factory=dict)

    def probabilities(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability that rendering changes the article, for each page.

        Parameters
        ----------
        rows
            Features, shape (m, f), in the order of `FEATURES`.

        Returns
        -------
        float64, shape (m,).
        """
        odds = self.standardise(rows) @ self.weights + self.bias
        return 1 / (1 + np.exp(-odds))

    def standardise(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standardise and clip rows of features."""
        return np.clip((rows - self.mean) / self.scale, -MAX_DEVIATION, MAX_DEVIATION)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        columns = (self.mean.tolist(), self.scale.tolist(), self.weights.tolist())
        data = {
            "format": FORMAT,
            "version": VERSION,
            "bias": self.bias,
            "features": dict(zip(FEATURES, zip(*columns, strict=True), strict=True)),
            "provenance": self.provenance,
        }
        Path(path).write_text(json.dumps(data, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> RenderingModel:
        """Read a model.

        Raises
        ------
        ArchiveError
            The file is not a model, has another version, or its numbers are invalid.
        """
        return read_json(Path(path), cls._from_json, "rendering model")

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> RenderingModel:
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ArchiveError(f"not a rendering model of version {VERSION}")
        if tuple(data["features"]) != FEATURES:
            raise ArchiveError("trained on other features than this version computes")
        table = np.array(list(data["features"].values()), np.float64)
        bias = float(data["bias"])
        if table.shape != (len(FEATURES), 3):
            raise ArchiveError("its array of numbers has the wrong shape")
        if not (np.isfinite(table).all() and np.isfinite(bias) and (table[:, 1] > 0).all()):
            raise ArchiveError("a number is out of range")
        mean, scale, weights = table.T.copy()
        return cls(mean, scale, weights, bias, dict(data["provenance"]))


@cache
def shipped_rendering_model() -> RenderingModel:
    """The model that comes with the package."""
    return RenderingModel.load(Path(__file__).with_name("rendering.json"))
