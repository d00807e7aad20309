"""Training a `KindModel` on pages of known kinds; the only place that needs scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.page_kind import PAGE_KIND_FEATURES
from .model import ARTICLE, KindModel

__all__ = ["KindPages", "KindSetting", "cross_validate", "train_kinds", "warning_threshold"]


@dataclass(frozen=True, eq=False)
class KindPages:
    """Features of m pages; a page may occur in several variants.

    Attributes
    ----------
    rows
        float32, shape (m, f).
    kinds
        str, shape (m,): kind of each page.
    sites
        str, shape (m,): registrable domain of each page; pages of the same domain are never on both
        sides of a split.
    weights
        float64, shape (m,): weight of each page.
    """

    rows: NDArray[np.float32]
    kinds: NDArray[np.str_]
    sites: NDArray[np.str_]
    weights: NDArray[np.float64]

    def take(self, chosen: NDArray[Any]) -> KindPages:
        """A selection of the pages."""
        return KindPages(
            self.rows[chosen], self.kinds[chosen], self.sites[chosen], self.weights[chosen]
        )


@dataclass(frozen=True)
class KindSetting:
    """How a model is fitted.

    Attributes
    ----------
    strength
        Inverse of the strength of the L2 penalty.
    balance
        Exponent of the kinds' weights: 0 leaves the weights of the pages unchanged, 1 makes every
        kind count the same.
    max_alarms
        Maximum share of articles that may be reported as something else.
    """

    strength: float = 0.02
    balance: float = 0.5
    max_alarms: float = 0.02


def train_kinds(
    pages: KindPages,
    setting: KindSetting | None = None,
    threshold: float = 0.5,
    provenance: dict[str, Any] | None = None,
) -> KindModel:
    """Fit a model.

    Raises
    ------
    ValueError
        There are no articles, or no pages of another kind.
    """
    from sklearn.linear_model import LogisticRegression

    setting = setting or KindSetting()
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
    weights = pages.weights * (mass.mean() / mass[code]) ** setting.balance
    learner = LogisticRegression(C=setting.strength, max_iter=2000)
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


def cross_validate(
    pages: KindPages, setting: KindSetting | None = None, folds: int = 10
) -> NDArray[np.float64]:
    """Probabilities for every page by a model trained on other sites: float64, shape (m, k).

    Columns are the kinds in alphabetical order. The folds contain similar shares of each kind.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    kinds = tuple(sorted(set(pages.kinds.tolist())))
    probabilities = np.zeros((len(pages.kinds), len(kinds)))
    splits = StratifiedGroupKFold(folds, shuffle=True, random_state=0)
    for train, test in splits.split(pages.rows, pages.kinds, pages.sites):
        model = train_kinds(pages.take(train), setting)
        columns = [kinds.index(kind) for kind in model.kinds]
        probabilities[test[:, None], columns] = model.probabilities(pages.rows[test])
    return probabilities


def warning_threshold(
    article: NDArray[np.float64], truth: NDArray[np.bool_], max_alarms: float
) -> float:
    """The largest threshold below which at most a given share of the articles falls.

    Parameters
    ----------
    article
        float64, shape (m,): probability of an article.
    truth
        bool, shape (m,): whether each page is an article.
    max_alarms
        Maximum share of articles that may be misclassified.
    """
    of_articles = np.sort(article[truth])
    allowed = min(int(max_alarms * len(of_articles)), len(of_articles) - 1)
    return round(float(of_articles[allowed]), 4)
