"""`ConfidenceModel`: the probability that the text of a page is right.

Logistic regression over what the reader decided, the kind of the page, its metadata and warnings. A
text is right if its shingle F1 against the truth is at least `RIGHT`. The training data are pages
that the reader was not trained on; see ``benchmarks/confidence.py``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..article.decision import expected_f1
from ..article.roles import ROLES
from ..kinds.model import KIND_NAMES
from ..logistic import LogisticModel, log_odds

BODY_ROLES = (
    "paragraph", "subheading", "list-item", "quotation", "table", "code", "standfirst",
)  # fmt: skip
"""Roles whose shares of the text are features."""

LEFT_OUT_ROLES = ("boilerplate", "related", "comment")
"""Roles whose shares of the other text are features."""

WARNINGS = {
    "not an article": {"not-an-article"},
    "incomplete": {
        "unsettled", "unanswered", "deadline", "busy", "broken-off", "too-large", "too-many-nodes",
        "service-worker",
    },
    "wiped": {"wiped"},
    "from data": {"from-data"},
}  # fmt: skip
"""Codes of the warnings that serve as features, by feature. Other codes are ignored."""

PROSE = 120
"""Number of characters from which a block is most likely prose and no label."""

SURE = 0.9
"""Probability from which a decision on a block counts as sure."""

CONFIDENCE_FEATURES = (
    "text characters", "text blocks", "characters of a block", "share of the page",
    "expected F1", "expected precision", "expected recall", "unsure text", "unsure page",
    "lowest tenth", "runs", "longest gap", "prose left out",
    *(f"text: {role}" for role in BODY_ROLES),
    *(f"left out: {role}" for role in LEFT_OUT_ROLES),
    *(f"kind: {kind}" for kind in KIND_NAMES),
    "title shown", "description", "description in the text", "date", "authors",
    "posts", "truncated", "paywalled", "laid out", *WARNINGS,
)  # fmt: skip
"""Features of a text: those of `block_figures`, then the probability of the page's kind in the
place of this kind, whether a block is the title, the description and the share of its words in the
text, and whether the extraction has each of the other values and warnings."""


def block_figures(
    chars: NDArray[np.int64],
    scores: NDArray[np.float64],
    kept: NDArray[np.bool_],
    roles: NDArray[np.int64],
) -> list[float]:
    """The first of `CONFIDENCE_FEATURES`, of what a reader decided on the b blocks of a page.

    `scores`: Probability that each block belongs to the text. `roles`: Codes of the roles.
    """
    text, count = chars[kept].sum(), kept.sum()
    return [
        np.log1p(text),
        np.log1p(count),
        np.log1p(text / max(count, 1)),
        text / max(chars.sum(), 1),
        *_doubts(chars.astype(float), scores, kept),
        *_gaps(chars, kept),
        *_role_shares(chars, kept, roles),
    ]


def _doubts(
    chars: NDArray[np.float64], scores: NDArray[np.float64], kept: NDArray[np.bool_]
) -> list[float]:
    """Expected scores of the text as log-odds, and amounts of unsure text."""
    text, mass = chars[kept].sum(), chars * scores
    expected = (
        expected_f1(scores, chars, kept),
        mass[kept].sum() / max(text, 1),
        mass[kept].sum() / max(mass.sum(), 1e-9),
    )
    unsure = chars * ((scores < SURE) & (scores > 1 - SURE))
    order = np.argsort(scores[kept], kind="stable")
    grown = np.cumsum(chars[kept][order])
    tenth = float(scores[kept][order][np.searchsorted(grown, text / 10)]) if text else 0.0
    return [
        *log_odds(expected, 1e-3),
        unsure[kept].sum() / max(text, 1),
        np.log1p(unsure.sum() / max(text, 1)),
        tenth,
    ]


def _gaps(chars: NDArray[np.int64], kept: NDArray[np.bool_]) -> list[float]:
    """How the text is scattered over the page, and what is left out."""
    text, count = max(chars[kept].sum(), 1), max(kept.sum(), 1)
    runs = np.count_nonzero(kept & ~np.append(False, kept[:-1]))
    # Characters before each kept block that are not kept, of which the differences are the gaps.
    before = np.cumsum(chars * ~kept)[kept]
    gap = np.diff(before).max(initial=0)
    prose = chars[~kept & (chars >= PROSE)].sum()
    return [runs / count, np.log1p(gap / text), np.log1p(prose / text)]


def _role_shares(
    chars: NDArray[np.int64], kept: NDArray[np.bool_], roles: NDArray[np.int64]
) -> list[float]:
    inside, left_out = (np.bincount(roles[of], chars[of], len(ROLES)) for of in (kept, ~kept))
    return [
        *(inside[ROLES.index(role)] / max(inside.sum(), 1) for role in BODY_ROLES),
        *(left_out[ROLES.index(role)] / max(left_out.sum(), 1) for role in LEFT_OUT_ROLES),
    ]


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
