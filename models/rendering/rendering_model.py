"""`RenderingModel`: the probability that rendering a page changes its article.

Logistic regression over features of the page as sent by the server and of the article extracted
from it. The training data are pages that were extracted both with and without a browser; see
``benchmarks/browser_need.py``.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...features.scripts import SCRIPT_FEATURES
from ...features.words import count_texts_at_once
from ..article.decision import expected_f1
from ..logistic import LogisticModel

WARNINGS = ("no-content", "not-an-article")
"""Warning codes that serve as features."""

ARTICLE_FEATURES = (
    "article characters", "expected F1", "share of the text", "article probability", "truncated",
    *WARNINGS,
)  # fmt: skip
"""Columns of `article_features`."""


def article_features(
    texts: list[str],
    scores: NDArray[np.float64],
    kept: NDArray[np.bool_],
    *,
    article_probability: float,
    truncated: bool,
    warnings: Collection[str],
) -> NDArray[np.float64]:
    """float64, shape (f,), in the order of `ARTICLE_FEATURES`: features of an article.

    `truncated`: Whether the page declares a longer article.
    """
    chars = np.array([len(text) for text in texts], float)
    words = count_texts_at_once(texts)[1].astype(float)
    return np.array(
        [
            math.log1p(chars[kept].sum()),
            expected_f1(scores, words, kept),
            chars[kept].sum() / max(chars.sum(), 1),
            article_probability,
            truncated,
            *(code in warnings for code in WARNINGS),
        ],
        float,
    )


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
