"""Whether the extraction of a page that no browser has rendered can be trusted.

Scripts may bring an article, or replace it. Where they do, the HTML that the server sends has no
article, or only parts that the reader is unsure of.
"""

from __future__ import annotations

from ..features.words import count_words
from ..output.extraction import Extraction

__all__ = ["expected_f1", "is_trusted"]

MIN_EXPECTED_F1 = 0.5
MIN_CHARS = 200
"""Shorter texts may be the teaser of an article that scripts bring."""

DISTRUSTED = frozenset(("no-content", "not-an-article", "blocked"))
"""Codes of warnings that make an extraction untrusted."""


def is_trusted(extraction: Extraction) -> bool:
    """Whether rendering the page would most likely give the same article.

    Parameters
    ----------
    extraction
        Of a page that was read without a browser.
    """
    codes = {warning.code for warning in extraction.warnings}
    return (
        not codes & DISTRUSTED
        and len(extraction.text) >= MIN_CHARS
        and expected_f1(extraction) >= MIN_EXPECTED_F1
    )


def expected_f1(extraction: Extraction) -> float:
    """Expected F1 of the kept words, in [0, 1], if scores are probabilities; 0 without words.

    The ratio of expectations is taken, as in Ye et al., Optimizing F-measure: a tale of two
    approaches, ICML 2012, section 3.
    """
    kept = right = expected = 0.0
    for block in extraction.blocks:
        words = count_words(block.text)
        expected += words * block.score
        if block.kept:
            kept += words
            right += words * block.score
    return 2 * right / (kept + expected) if kept + expected else 0.0
