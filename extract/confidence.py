"""The probability that an extraction has the right text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..features.words import words
from ..models.article.roles import ROLES
from ..models.confidence.confidence_model import (
    WARNINGS,
    block_figures,
    shipped_confidence_model,
)
from ..models.kinds.blocked import BLOCKED
from ..models.kinds.model import KIND_NAMES
from ..output.extraction import Extraction

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
    """float64, shape (f,): `CONFIDENCE_FEATURES` of an extraction."""
    blocks, described = extraction.blocks, _described(extraction)
    codes = {warning.code for warning in extraction.warnings}
    figures = block_figures(
        np.array([len(block.text) for block in blocks], np.int64),
        np.array([block.score for block in blocks], float),
        np.array([block.kept for block in blocks], bool),
        np.array([CODES[block.role] for block in blocks], np.int64),
    )
    row = [
        *figures,
        *(extraction.kind_probability * (kind == extraction.kind) for kind in KIND_NAMES),
        any(block.role == "title" and block.text == extraction.title for block in blocks),
        described is not None,
        described or 0.0,
        extraction.date is not None,
        bool(extraction.authors),
        bool(extraction.posts),
        bool(extraction.truncated),
        bool(extraction.paywalled),
        any(block.box[2] > 0 for block in blocks),
        *(not codes.isdisjoint(warnings) for warnings in WARNINGS.values()),
    ]
    return np.array(row, float)


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
