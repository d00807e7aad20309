"""Predict whether rendering a page in a browser would change its article."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..features.scripts import script_features
from ..models.kinds.blocked import BLOCKED
from ..models.kinds.model import ARTICLE
from ..models.rendering.rendering_model import article_features, shipped_rendering_model
from ..output.extraction import Extraction
from ..renderer.page.snapshot import Snapshot
from .scoring import shingle_score
from .versions import FROM_DATA, NEEDS_BROWSER

INCOMPLETE = frozenset((FROM_DATA, NEEDS_BROWSER))
"""Warnings of pages whose elements have no article, or only a part of it, before scripts run."""

MAX_CHANGE = 0.1
"""Maximum probability of a different article at which a page is not rendered."""

MIN_LIKENESS = 0.9
"""Minimum shingle F1 of articles that count as equal: without geometry a block may differ."""


def is_trusted(snapshot: Snapshot, extraction: Extraction) -> bool:
    """Whether rendering the page would most likely give the same article."""
    return change_probability(snapshot, extraction) <= MAX_CHANGE


def change_probability(snapshot: Snapshot, extraction: Extraction) -> float:
    """Probability that rendering the page would give a different article from `extraction`."""
    if extraction.kind == BLOCKED:
        return 1.0  # Many servers refuse everything but browsers.
    if not INCOMPLETE.isdisjoint(warning.code for warning in extraction.warnings):
        return 1.0
    rows = rendering_features(snapshot, extraction)[None]
    return float(shipped_rendering_model().probabilities(rows)[0])


def rendering_features(snapshot: Snapshot, extraction: Extraction) -> NDArray[np.float64]:
    """float64, shape (f,): the features of `miolo.models.rendering.rendering_model.FEATURES`."""
    article = article_features(
        [block.text for block in extraction.blocks],
        np.array([block.score for block in extraction.blocks], float),
        np.array([block.kept for block in extraction.blocks], bool),
        article_probability=extraction.kind_probability if extraction.kind == ARTICLE else 0.0,
        truncated=bool(extraction.truncated),
        warnings={warning.code for warning in extraction.warnings},
    )
    return np.concatenate([script_features(snapshot), article])


def likeness(rendered: str, plain: str) -> float:
    """Shingle F1, in [0, 1], of the text without a browser against that of the rendered page."""
    return 1.0 if rendered == plain else shingle_score(rendered, plain).f1
