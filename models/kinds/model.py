"""`KindModel`: the kind of a page, by logistic regression over features of the page.

The model is linear, so that each feature's part in a decision is a single product, which the
warning names. Boosted trees on the same features had no higher macro F1 in folds. Prediction needs
only NumPy; scikit-learn is for training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError, PageWarning
from ...features.blocks import TextBlocks
from ...features.page_kind import PAGE_KIND_FEATURES, page_kind_features
from ...renderer.page.snapshot import Snapshot
from ..logistic import MultinomialModel, fit_logistic

ARTICLE = "article"
FORUM = "forum"
LISTING = "listing"

# Maximum number of features given as evidence.
MAX_REASONS = 3

KIND_NAMES = {
    "article": "an article",
    "collection": "a shop's product list",
    "documentation": "a documentation page",
    "forum": "a forum thread",
    LISTING: "a list of pages or a front page",
    "product": "a product page",
    "service": "a page about a service",
}
"""Kinds of pages, and their names in sentences."""


@dataclass(frozen=True)
class Evidence:
    """A feature's part in a decision."""

    feature: str
    """Name of the feature; see `PAGE_KIND_FEATURES`."""
    deviation: float
    """Its value in standard deviations from the mean of the training pages."""
    part: float
    """Its contribution to the difference between the log-odds of two kinds."""

    def __str__(self) -> str:
        return f"{self.feature} {'high' if self.deviation > 0 else 'low'}"


@dataclass(frozen=True)
class PageKind:
    """The kind of a page."""

    kind: str
    """The most probable kind."""
    probabilities: dict[str, float]
    """Probability of each kind; they sum to 1."""
    evidence: tuple[Evidence, ...]
    """Features that contribute most to the kind rather than an article; for an article, rather than
    the next most probable kind. If an article is the most probable kind but below the threshold,
    they are the features that contribute most to the next kind."""
    is_article: bool
    """Whether the probability of an article reaches the model's threshold."""

    def as_thread(self, share: float) -> PageKind:
        """The kind of a page of which this share of the text is in the posts of a thread."""
        others = {kind: p * (1 - share) for kind, p in self.probabilities.items() if kind != FORUM}
        forum = 1 - sum(others.values())
        return PageKind(FORUM, others | {FORUM: forum}, (), is_article=False)

    @property
    def warnings(self) -> tuple[PageWarning, ...]:
        """A warning where the page is not an article; empty for an article."""
        if self.is_article:
            return ()
        others = {kind: p for kind, p in self.probabilities.items() if kind != ARTICLE}
        kind = max(others, key=others.__getitem__)
        evidence = ", ".join(map(str, self.evidence))
        sure = 1 - self.probabilities.get(ARTICLE, 0.0)
        name = KIND_NAMES.get(kind, kind)
        message = f"this looks like {name}, not like an article (p {sure:.2f})"
        return (PageWarning("not-an-article", f"{message}: {evidence}" if evidence else message),)


@dataclass(frozen=True, eq=False)
class KindModel(MultinomialModel):
    """Multinomial logistic regression of k kinds over the features of a page."""

    kinds: tuple[str, ...] = ()
    """Names of the kinds."""
    threshold: float = 0.5
    """Probability of an article below which a page is reported as not being one."""

    features = PAGE_KIND_FEATURES
    format, version = "miolo-page-kinds", 1
    what = "page kind model"

    def __repr__(self) -> str:
        return f"<KindModel of {', '.join(self.kinds)}>"

    def judge(self, snapshot: Snapshot, blocks: TextBlocks | None = None) -> PageKind:
        """Classify a page; `blocks` are its text blocks, if already computed."""
        return self.judge_row(page_kind_features(snapshot, blocks))

    def judge_row(self, row: NDArray[np.floating]) -> PageKind:
        """Classify from features, float, shape (f,), with at most `MAX_REASONS` as evidence."""
        values = self.standardise(row[None])
        p = self.probabilities(row[None])[0]
        order = np.argsort(-p, kind="stable")
        best = int(order[0])
        article = self.kinds.index(ARTICLE)
        is_article = bool(p[article] >= self.threshold)
        if not is_article and best == article:
            best = int(order[1])
        against = int(order[1]) if best == article else article
        parts = (self.weights[best] - self.weights[against]) * values[0]
        first = np.argsort(-parts, kind="stable")[:MAX_REASONS]
        return PageKind(
            kind=self.kinds[int(order[0])],
            probabilities={kind: float(value) for kind, value in zip(self.kinds, p, strict=True)},
            evidence=tuple(
                Evidence(self.features[i], float(values[0, i]), float(parts[i]))
                for i in first.tolist()
                if parts[i] > 0
            ),
            is_article=is_article,
        )

    def to_json(self) -> dict[str, Any]:
        """The model as JSON values."""
        return {"kinds": self.kinds, "threshold": self.threshold, **super().to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the output of `to_json`."""
        kinds, threshold = tuple(map(str, data["kinds"])), float(data["threshold"])
        if ARTICLE not in kinds or len(set(kinds)) != len(kinds) or len(kinds) < 2:
            raise ArchiveError("it must have at least two distinct kinds, one of them article")
        if not 0 <= threshold <= 1:
            raise ArchiveError("its threshold is not a probability")
        model = super().from_json(data)
        if len(model.bias) != len(kinds):
            raise ArchiveError("its arrays of numbers have the wrong shapes")
        return replace(model, kinds=kinds, threshold=threshold)


@cache
def shipped_kind_model() -> KindModel:
    """The model that comes with the package."""
    return KindModel.load(Path(__file__).with_name("kinds.json"))


def kind_of(blocks: TextBlocks, model: KindModel | None = None) -> PageKind:
    """Kind of a page from its blocks, by the shipped model unless another one is given."""
    # A method may read hidden blocks too, but the kind depends only on visible ones.
    visible = blocks.select(~blocks.hidden)
    return (model or shipped_kind_model()).judge(blocks.snapshot, visible)


def train_kinds(
    rows: NDArray[np.floating],
    names: NDArray[np.str_],
    weights: NDArray[np.float64],
    *,
    threshold: float = 0.5,
    provenance: dict[str, Any] | None = None,
    strength: float = 0.02,
    balance: float = 0.5,
) -> KindModel:
    """Fit a model to the features, the kinds and the weights of m pages; needs scikit-learn.

    `strength`: Inverse of the strength of the L2 penalty. `balance`: Exponent of the kinds'
    weights: 0 leaves the weights of the pages unchanged, 1 makes every kind count the same.

    Raises `ValueError`: there are no articles, or no pages of another kind.
    """
    kinds = tuple(sorted(set(names.tolist())))
    if ARTICLE not in kinds or len(kinds) < 2:
        raise ValueError("training requires articles and pages of at least one other kind")
    code = np.searchsorted(kinds, names)
    mass = np.bincount(code, weights)
    balanced = weights * (mass.mean() / mass[code]) ** balance
    model = fit_logistic(KindModel, rows, code, balanced, strength)
    return replace(model, kinds=kinds, threshold=threshold, provenance=provenance or {})
