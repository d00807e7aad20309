"""`ConfidenceModel`: the probability that the text of a page is right.

Logistic regression over what the reader decided, the kind of the page, its metadata and warnings. A
text is right if its shingle F1 against the truth is at least `RIGHT`. The training data are pages
that the reader was not trained on; see ``benchmarks/confidence.py``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..logistic import LogisticModel
from .features import CONFIDENCE_FEATURES

__all__ = ["RIGHT", "ConfidenceModel", "shipped_confidence_model"]

RIGHT = 0.9
"""Minimum shingle F1 of a text that counts as right."""


class ConfidenceModel(LogisticModel):
    """The probability that a text is right, from `CONFIDENCE_FEATURES`."""

    features = CONFIDENCE_FEATURES
    format, version = "miolo-confidence", 1
    what = "confidence model"


@cache
def shipped_confidence_model() -> ConfidenceModel:
    """The model that comes with the package."""
    return ConfidenceModel.load(Path(__file__).with_name("confidence.json"))
