"""Features of an article extracted from a static page that indicate whether it is complete."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ...features.words import count_words
from ..article.decision import expected_f1

__all__ = ["ARTICLE_FEATURES", "article_features"]

WARNINGS = ("no-content", "not-an-article")
"""Warning codes that serve as features."""

ARTICLE_FEATURES = (
    "article characters", "expected F1", "share of the text", "article probability", "truncated",
    *WARNINGS,
)  # fmt: skip
"""Columns of `article_features`."""


def article_features(
    texts: Sequence[str],
    scores: NDArray[np.float64],
    kept: NDArray[np.bool_],
    *,
    article_probability: float,
    truncated: bool,
    warnings: Collection[str],
) -> NDArray[np.float64]:
    """Features of an article.

    Parameters
    ----------
    texts
        Texts of the b blocks of the page.
    scores
        float64, shape (b,): probability that a block belongs to the article.
    kept
        bool, shape (b,): blocks of the article.
    truncated
        Whether the page declares a longer article.
    warnings
        Codes of the extraction's warnings.

    Returns
    -------
    float64, shape (f,), in the order of `ARTICLE_FEATURES`.
    """
    chars = np.array([len(text) for text in texts], float)
    words = np.array([count_words(text) for text in texts], float)
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
