"""`FieldRankers`: how probable each value that a page offers for a field is.

One logistic regression a field, over the features of a value: which sources give it, which give
another one, and where and in which form it is written. The training data are pages whose values
are known; see ``benchmarks/fields.py``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from ..json_file import read_json
from ..logistic import LogisticModel, fit_logistic

Row = Mapping[str, float]

FORMAT = "miolo-fields"
VERSION = 1

MIN_PAGES = 15
"""Minimum number of training pages that have a feature."""

WITHOUT = 2.0
"""Weight of a page none of whose values is right, beside 1: such pages are rare among those with a
known truth."""

STRENGTH = 0.05
"""Inverse of the strength of the penalty."""


@dataclass(frozen=True, eq=False)
class FieldRanker(LogisticModel):
    """The probability that a value is that of its field. Its features are named in its file."""

    columns: tuple[str, ...] = ()
    bound: float = 0.5
    """Minimum probability of an answer."""

    def rank(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Probability of each value, from its features by name; unknown features are ignored."""
        return self.probabilities(matrix(rows, self.columns))

    def best(self, rows: Sequence[Row]) -> tuple[int, float] | None:
        """Place and probability of the most probable value; None if it does not reach the bound."""
        probabilities = self.rank(rows) if rows else np.zeros(1)
        best = int(probabilities.argmax())
        probability = float(probabilities[best])
        return (best, probability) if rows and probability >= self.bound else None

    def to_json(self) -> dict[str, Any]:
        """The ranker as JSON values."""
        return {"bound": self.bound, **self.numbers(self.columns)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the output of `to_json`."""
        columns, bound = tuple(data["features"]), float(data["bound"])
        if not 0 <= bound <= 1:
            raise ArchiveError("a bound is not a probability")
        return replace(cls.from_numbers(data), columns=columns, bound=bound)


@dataclass(frozen=True, eq=False)
class FieldRankers:
    """The rankers of all fields."""

    rankers: Mapping[str, FieldRanker]
    provenance: dict[str, Any] = field(default_factory=dict)
    """Training data, date, command and scores."""

    def save(self, path: str | Path) -> None:
        """Write the rankers as JSON."""
        fields = {name: ranker.to_json() for name, ranker in self.rankers.items()}
        data = {"format": FORMAT, "version": VERSION, "provenance": self.provenance}
        Path(path).write_text(json.dumps(data | {"fields": fields}, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read rankers.

        Raises `ArchiveError`: the file is no model of fields, has another version, or its numbers
        are invalid.
        """

        def build(data: dict[str, Any]) -> Self:
            if (data["format"], data["version"]) != (FORMAT, VERSION):
                raise ValueError(f"its format is not {FORMAT} {VERSION}")
            rankers = {name: FieldRanker.from_json(each) for name, each in data["fields"].items()}
            return cls(rankers, dict(data["provenance"]))

        return read_json(Path(path), build, "model of fields")


def matrix(rows: Sequence[Row], columns: Sequence[str]) -> NDArray[np.float64]:
    """float64, shape (m, f): the features of m values; those that a value lacks are 0."""
    place = {name: number for number, name in enumerate(columns)}
    values = np.zeros((len(rows), len(columns)))
    for number, row in enumerate(rows):
        for name, value in row.items():
            column = place.get(name)
            if column is not None:
                values[number, column] = value
    return values


Example = Sequence[tuple[Row, bool, float]]
"""The features of a page's values, whether each is to be chosen, and how right it is, in [0, 1]."""


def fit_ranker(
    pages: Sequence[Example], bound: float = 0.5, folds: Sequence[int] | None = None
) -> FieldRanker:
    """Fit a ranker to pages, and calibrate it on the pages of other folds.

    The odds of the best value of each page are scaled so that their probability is how right these
    values are on average (J. Platt, "Probabilistic outputs for support vector machines", 1999).
    `bound` is the minimum probability of an answer, and pages of one site have the same fold.
    """
    counts = Counter(name for page in pages for name in {n for row, *_ in page for n in row})
    columns = tuple(sorted(name for name, count in counts.items() if count >= MIN_PAGES))
    numbers = np.array(folds if folds is not None else np.arange(len(pages)) % 3)
    best, score = np.full(len(pages), np.nan), np.zeros(len(pages))
    for number in np.unique(numbers).tolist():
        ranker = _fitted([pages[n] for n in (numbers != number).nonzero()[0]], columns)
        for place in (numbers == number).nonzero()[0].tolist():
            odds = ranker.log_odds(matrix([row for row, *_ in pages[place]], columns))
            best[place], score[place] = odds.max(), pages[place][int(odds.argmax())][2]
    ranker = replace(_fitted(pages, columns), bound=bound)
    if score.min() == score.max():
        return ranker
    odds, is_right = np.tile(best, 2)[:, None], np.repeat([True, False], len(pages))
    platt = fit_logistic(FieldRanker, odds, is_right, np.append(score, 1 - score), 1e3)
    slope = float(platt.weights[0] / platt.scale[0])
    bias = slope * (ranker.bias - float(platt.mean[0])) + platt.bias
    return replace(ranker, weights=np.round(slope * ranker.weights, 4), bias=round(bias, 4))


def _fitted(pages: Sequence[Example], columns: tuple[str, ...]) -> FieldRanker:
    rows = matrix([row for page in pages for row, *_ in page], columns)
    right = np.array([right for page in pages for _, right, _ in page], bool)
    weights = [1.0 if any(right for _, right, _ in page) else WITHOUT for page in pages]
    weights = np.repeat(weights, [len(page) for page in pages])
    return replace(fit_logistic(FieldRanker, rows, right, weights, STRENGTH), columns=columns)


@cache
def shipped_rankers() -> FieldRankers:
    """The rankers that come with the package."""
    return FieldRankers.load(Path(__file__).with_name("fields.json"))
