"""`KindModel`: the kind of a page, by logistic regression over features of the page.

The model is linear, so that each feature's part in a decision is a single product, which the
warning names. Boosted trees on the same features had no higher macro F1 in folds. Prediction needs
only NumPy; scikit-learn is for training.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError, PageWarning
from ...features.blocks import TextBlocks
from ...features.page_kind import PAGE_KIND_FEATURES, page_kind_features
from ...renderer.page.snapshot import Snapshot
from ..json_file import read_json

__all__ = [
    "ARTICLE",
    "FORUM",
    "KIND_NAMES",
    "Evidence",
    "KindModel",
    "KindPages",
    "PageKind",
    "kind_of",
    "shipped_kind_model",
    "train_kinds",
]

ARTICLE = "article"
FORUM = "forum"
FORMAT, VERSION = "miolo-page-kinds", 1

# Standard deviations from the mean at which values are clipped, so that a single odd value does not
# outweigh everything else that is known about a page.
MAX_DEVIATION = 4.0

# Maximum number of features given as evidence.
MAX_REASONS = 3

KIND_NAMES = {
    "article": "an article",
    "collection": "a shop's product list",
    "documentation": "a documentation page",
    "forum": "a forum thread",
    "listing": "a list of pages or a front page",
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
class KindModel:
    """Multinomial logistic regression of k kinds over f standardised features."""

    features: tuple[str, ...]
    """Names of the features; see `PAGE_KIND_FEATURES`."""
    kinds: tuple[str, ...]
    """Names of the kinds."""
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    """float64, shape (f,): the value that is subtracted from each feature, and its divisor. A
    missing value counts as the mean, so that it favours no kind."""
    weights: NDArray[np.float64]
    """float64, shape (k, f)."""
    bias: NDArray[np.float64]
    """float64, shape (k,)."""
    threshold: float
    """Probability of an article below which a page is reported as not being one."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Where the numbers come from: pages, date, command, scores."""

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

    def standardise(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """Standardised rows of features, as the weights expect them: float64, shape (m, f)."""
        values = (rows - self.mean) / self.scale
        return np.clip(np.nan_to_num(values, nan=0.0), -MAX_DEVIATION, MAX_DEVIATION)

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """float64, shape (m, k): probability of each kind for rows of features, shape (m, f)."""
        odds = self.standardise(rows) @ self.weights.T + self.bias
        odds = np.exp(odds - odds.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        Path(path).write_text(_json(self.to_json()), "utf-8")

    def to_json(self) -> dict[str, Any]:
        """The model as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "kinds": self.kinds,
            "threshold": self.threshold,
            "bias": self.bias.tolist(),
            "features": {
                name: [mean, scale, *weights]
                for name, mean, scale, *weights in zip(
                    self.features,
                    self.mean.tolist(),
                    self.scale.tolist(),
                    *self.weights.tolist(),
                    strict=True,
                )
            },
            "provenance": self.provenance,
        }

    @classmethod
    def load(cls, path: str | Path) -> KindModel:
        """Read a model.

        Raises
        ------
        ArchiveError
            The file is not a model, is of another version, or contains inconsistent numbers.
        """
        return read_json(Path(path), cls.from_json, "page kind model")

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> KindModel:
        """Read the output of `to_json`."""
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ArchiveError(f"not a page kind model of version {VERSION}")
        if tuple(data["features"]) != PAGE_KIND_FEATURES:
            raise ArchiveError("trained on other features than this version computes")
        kinds = tuple(str(kind) for kind in data["kinds"])
        table = np.array(list(data["features"].values()), np.float64)
        bias = np.array(data["bias"], np.float64)
        if ARTICLE not in kinds or len(set(kinds)) != len(kinds) or len(kinds) < 2:
            raise ArchiveError("it must have at least two distinct kinds, one of them article")
        if table.shape != (len(PAGE_KIND_FEATURES), len(kinds) + 2) or bias.shape != (len(kinds),):
            raise ArchiveError("its arrays have inconsistent shapes")
        threshold = float(data["threshold"])
        if not (np.isfinite(table).all() and np.isfinite(bias).all() and (table[:, 1] > 0).all()):
            raise ArchiveError("a number is out of range")
        if not 0 <= threshold <= 1:
            raise ArchiveError("its threshold is not a probability")
        return cls(
            features=PAGE_KIND_FEATURES,
            kinds=kinds,
            mean=table[:, 0],
            scale=table[:, 1],
            weights=table[:, 2:].T.copy(),
            bias=bias,
            threshold=threshold,
            provenance=dict(data["provenance"]),
        )


@cache
def shipped_kind_model() -> KindModel:
    """The model that comes with the package."""
    return KindModel.load(Path(__file__).with_name("kinds.json"))


def kind_of(blocks: TextBlocks, model: KindModel | None = None) -> PageKind:
    """Kind of a page from its blocks, by the shipped model unless another one is given."""
    # A method may read hidden blocks too, but the kind depends only on visible ones.
    visible = blocks.select(~blocks.hidden)
    return (model or shipped_kind_model()).judge(blocks.snapshot, visible)


def _json(data: dict[str, Any]) -> str:
    """JSON with one feature per line, so that a change of the model can be read."""
    rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in data["features"].items())
    plain = {**data, "features": "@", "provenance": "%"}
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in plain.items())
    lines = lines.replace('"@"', f"{{\n{rows}\n }}")
    return f"{{\n{lines}\n}}\n".replace('"%"', json.dumps(data["provenance"], indent=2))


# Training on pages of known kinds, the only part that needs scikit-learn.


@dataclass(frozen=True, eq=False)
class KindPages:
    """Features of m pages; a page may occur in several variants."""

    rows: NDArray[np.float32]
    """float32, shape (m, f)."""
    kinds: NDArray[np.str_]
    """str, shape (m,): kind of each page."""
    sites: NDArray[np.str_]
    """str, shape (m,): registrable domain of each page; pages of the same domain are never on both
    sides of a split."""
    weights: NDArray[np.float64]
    """float64, shape (m,): weight of each page."""

    def take(self, chosen: NDArray[Any]) -> KindPages:
        """A selection of the pages."""
        return KindPages(
            self.rows[chosen], self.kinds[chosen], self.sites[chosen], self.weights[chosen]
        )


def train_kinds(
    pages: KindPages,
    threshold: float = 0.5,
    provenance: dict[str, Any] | None = None,
    *,
    strength: float = 0.02,
    balance: float = 0.5,
) -> KindModel:
    """Fit a model.

    Parameters
    ----------
    strength
        Inverse of the strength of the L2 penalty.
    balance
        Exponent of the kinds' weights: 0 leaves the weights of the pages unchanged, 1 makes
        every kind count the same.

    Raises
    ------
    ValueError
        There are no articles, or no pages of another kind.
    """
    from sklearn.linear_model import LogisticRegression

    kinds = tuple(sorted(set(pages.kinds.tolist())))
    if ARTICLE not in kinds or len(kinds) < 2:
        raise ValueError("training requires articles and pages of at least one other kind")
    rows = np.where(np.isnan(pages.rows).all(axis=0), 0.0, pages.rows).astype(float)
    mean = np.nanmean(rows, axis=0)
    spread = np.nanstd(rows, axis=0)
    empty = KindModel(
        features=PAGE_KIND_FEATURES,
        kinds=kinds,
        mean=mean,
        scale=np.where(spread > 1e-6, spread, 1.0),
        weights=np.zeros((len(kinds), len(mean))),
        bias=np.zeros(len(kinds)),
        threshold=threshold,
        provenance=provenance or {},
    )
    code = np.searchsorted(kinds, pages.kinds)
    mass = np.bincount(code, pages.weights)
    weights = pages.weights * (mass.mean() / mass[code]) ** balance
    learner = LogisticRegression(C=strength, max_iter=2000)
    learner.fit(empty.standardise(pages.rows), code, weights)
    return _fill(empty, np.asarray(learner.coef_), np.asarray(learner.intercept_))


def _fill(model: KindModel, weights: NDArray[Any], bias: NDArray[Any]) -> KindModel:
    """The model with the coefficients of a fitted learner, which has one row for two kinds."""
    if len(model.kinds) == 2:
        weights, bias = np.vstack([-weights, weights]) / 2, np.append(-bias, bias) / 2
    return KindModel(
        features=model.features,
        kinds=model.kinds,
        mean=_round(model.mean),
        scale=_round(model.scale),
        weights=_round(weights),
        bias=_round(bias),
        threshold=model.threshold,
        provenance=model.provenance,
    )


def _round(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.array([float(f"{value:.6g}") for value in values.ravel()]).reshape(values.shape)
