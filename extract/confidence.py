"""The probability that an extraction has the right text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..features.words import words
from ..models.article.roles import ROLES
from ..models.confidence.confidence_model import (
    BlockFigures,
    PageFigures,
    confidence_features,
    shipped_confidence_model,
)
from ..models.kinds.blocked import BLOCKED
from ..output.extraction import Extraction

__all__ = ["extraction_features", "text_confidence"]

CODES = {role: code for code, role in enumerate(ROLES)}

MAX_DESCRIPTION, MAX_START = 300, 3_000
"""Number of characters of the description that are searched for in the start of the text, and
length of this start."""


def text_confidence(extraction: Extraction) -> float:
    """Probability that the text of an extraction is right, in [0, 1].

    It is 0 without a text. The text of a blocked page is right only if the page is not blocked.
    """
    if not any(block.kept for block in extraction.blocks):
        return 0.0
    row = extraction_features(extraction)
    probability = float(shipped_confidence_model().probabilities(row[None])[0])
    if extraction.kind == BLOCKED:
        probability *= 1 - extraction.kind_probability
    return round(probability, 4)


def extraction_features(extraction: Extraction) -> NDArray[np.float64]:
    """float64, shape (f,): the features of `miolo.models.confidence.confidence_model`."""
    blocks = extraction.blocks
    figures = BlockFigures(
        chars=np.array([len(block.text) for block in blocks], np.int64),
        scores=np.array([block.score for block in blocks], float),
        kept=np.array([block.kept for block in blocks], bool),
        roles=np.array([CODES[block.role] for block in blocks], np.int64),
    )
    page = PageFigures(
        kind=extraction.kind,
        kind_probability=extraction.kind_probability,
        is_title_shown=any(b.role == "title" and b.text == extraction.title for b in blocks),
        described=_described(extraction),
        has_date=extraction.date is not None,
        has_authors=bool(extraction.authors),
        has_posts=bool(extraction.posts),
        is_truncated=bool(extraction.truncated),
        is_paywalled=bool(extraction.paywalled),
        is_laid_out=any(block.box[2] > 0 for block in blocks),
        warnings={warning.code for warning in extraction.warnings},
    )
    return confidence_features(figures, page)


def _described(extraction: Extraction) -> float | None:
    """Share of the description's distinct words in the start of the text; None without words."""
    wanted = set(words((extraction.description or "")[:MAX_DESCRIPTION].casefold()))
    if not wanted:
        return None
    start, left = [], MAX_START
    for block in extraction.blocks:
        if block.kept and left > 0:
            start.append(block.text[:left])
            left -= len(block.text)
    return len(wanted.intersection(words(" ".join(start).casefold()))) / len(wanted)
