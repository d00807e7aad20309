"""`RenderingModel`: the probability that rendering a page changes its article.

Logistic regression over features of the page as sent by the server and of the article extracted
from it. The training data are pages that were extracted both with and without a browser; see
``benchmarks/browser_need.py``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ...features.scripts import SCRIPT_FEATURES
from ..logistic import LogisticModel
from .features import ARTICLE_FEATURES

__all__ = ["FEATURES", "RenderingModel", "shipped_rendering_model"]

FEATURES = SCRIPT_FEATURES + ARTICLE_FEATURES
"""Columns of the feature matrix, in order."""


class RenderingModel(LogisticModel):
    """The probability that rendering changes the article, from `FEATURES`."""

    features = FEATURES
    format, version = "miolo-rendering", 1
    what = "rendering model"


@cache
def shipped_rendering_model() -> RenderingModel:
    """The model that comes with the package."""
    return RenderingModel.load(Path(__file__).with_name("rendering.json"))
