"""Training a `TemplateModel` on labelled nodes; needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ...features.hashes import Hashing
from .model import Decision, FeatureSet, TemplateModel, area_bands, band_of

__all__ = [
    "OURS",
    "REPORT",
    "SETTINGS",
    "BandedLogisticRegression",
    "SiteRows",
    "TemplateSetting",
    "train_template",
]


# The classifier of the template-detection report.


class BandedLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regressions on standardised features, one for each band of areas.

    There are two classes. The first column of the data is the area, px²: it selects the band and
    is not a feature itself.

    Parameters
    ----------
    bands
        Ascending bounds between the bands; none for one band.
    C
        Inverse strength of the L2 penalty, on standardised features.
    balanced
        Whether both classes have the same total weight.

    Attributes
    ----------
    classes_
        The two classes; the second is the positive one.
    mean_, scale_, coef_
        float64, shape (bands, features): standardisation and weights of each band.
    intercept_
        float64, shape (bands,).

    Notes
    -----
    A band whose rows are all of one class predicts that class's smoothed frequency,
    (k + 1) / (m + 2) over its m rows, since no regression can be fitted there.
    """

    def __init__(
        self, bands: tuple[float, ...] = (), C: float = 1.0, balanced: bool = False
    ) -> None:
        self.bands = bands
        self.C = C
        self.balanced = balanced

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> BandedLogisticRegression:
        """Fit one regression to the rows of each band.

        Parameters
        ----------
        X
            float, shape (m, 1 + features): areas, then features.
        y
            shape (m,): the classes.
        sample_weight
            float, shape (m,).
        """
        checked = validate_data(self, X, y, dtype=np.float64, ensure_min_features=2)
        data, labels = cast("tuple[NDArray[Any], NDArray[Any]]", checked)
        check_classification_targets(labels)
        self.classes_, positive = np.unique(labels, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError("Only binary classification is supported.")
        if len(self.classes_) < 2:
            raise ValueError("Classifier can't train when only one class is present.")
        weight = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, float)
        if weight.shape != (len(data),):
            raise ValueError("sample_weight must have the same length as X")
        if not weight.any():
            raise ValueError("every sample weight is zero")
        shape = (len(self.bands) + 1, data.shape[1] - 1)
        self.mean_, self.scale_, self.coef_ = np.zeros(shape), np.ones(shape), np.zeros(shape)
        self.intercept_ = np.zeros(shape[0])
        band = band_of(data[:, 0], self.bands)
        for number in range(shape[0]):
            rows = (band == number) & (weight > 0)
            self._fit_band(number, data[rows, 1:], positive[rows], weight[rows])
        return self

    def _fit_band(
        self,
        number: int,
        features: NDArray[np.float64],
        positive: NDArray[np.integer],
        weight: NDArray[np.float64],
    ) -> None:
        if len(np.unique(positive)) < 2:
            share = (positive.sum() + 1) / (len(positive) + 2)
            self.intercept_[number] = np.log(share / (1 - share))
            return
        scaler = StandardScaler().fit(features, sample_weight=weight)
        model = LogisticRegression(
            C=self.C, class_weight="balanced" if self.balanced else None, max_iter=2000
        ).fit(scaler.transform(features), positive, sample_weight=weight)
        self.mean_[number], self.scale_[number] = scaler.mean_, scaler.scale_
        self.coef_[number], self.intercept_[number] = model.coef_[0], model.intercept_[0]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log odds of the second class, shape (m,)."""
        check_is_fitted(self)
        data = cast("NDArray[Any]", validate_data(self, X, dtype=np.float64, reset=False))
        band = band_of(data[:, 0], self.bands)
        standard = (data[:, 1:] - self.mean_[band]) / self.scale_[band]
        return (standard * self.coef_[band]).sum(axis=1) + self.intercept_[band]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of both classes, shape (m, 2)."""
        second = 1 / (1 + np.exp(-np.clip(self.decision_function(X), -500, 500)))
        return np.column_stack([1 - second, second])

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class of each row, shape (m,)."""
        second = self.decision_function(X) >= 0
        return self.classes_[second.astype(int)]


@dataclass(frozen=True, eq=False)
class SiteRows:
    """Labelled nodes of one site."""

    site: str
    area: NDArray[np.float64]
    """float64, shape (m,): CSS px²."""
    features: NDArray[np.float64]
    """float64, shape (m, columns)."""
    template: NDArray[np.bool_]
    """bool, shape (m,): the labels."""


@dataclass(frozen=True)
class TemplateSetting:
    """How a model is trained and used.

    Attributes
    ----------
    features, c, decision, contrast
        See `TemplateModel`.
    hashing
        Hashing of the SiteLevel labels that the model is meant for.
    bands
        ``"quartiles"``: four bands from the areas of the training sites, as in the report.
        ``"one"``: a single band.
    strength
        Inverse strength of the L2 penalty.
    sites_alike
        Whether every site has the same weight regardless of its number of nodes.
    """

    features: FeatureSet
    hashing: Hashing
    bands: Literal["quartiles", "one"]
    strength: float
    sites_alike: bool
    c: float | None
    decision: Decision
    contrast: float = 0.0


REPORT = TemplateSetting("report-pixels", "structure", "quartiles", 1.0, False, 0.01, "threshold")
"""The report's setting, with the c that it recommends."""

OURS = TemplateSetting("layout", "structure", "one", 0.01, True, 0.01, "region", 0.75)
"""The recommended setting.

It was chosen on the training sites alone, each evaluated with a model trained on the others.
"""

SETTINGS = {"ours": OURS, "report": REPORT}


def train_template(
    sites: Sequence[SiteRows], setting: TemplateSetting, provenance: dict[str, Any] | None = None
) -> TemplateModel:
    """Train on the labelled nodes of some sites.

    Raises
    ------
    ValueError
        There are no labelled nodes, or all are of one class.
    """
    if not sum(len(rows.area) for rows in sites):
        raise ValueError("there are no labelled nodes to train on")
    sites = [rows for rows in sites if len(rows.area)]
    areas = [rows.area for rows in sites]
    bands = area_bands(areas) if setting.bands == "quartiles" else ()
    data = np.column_stack([np.concatenate(areas), np.concatenate([r.features for r in sites])])
    labels = np.concatenate([rows.template for rows in sites])
    classifier = BandedLogisticRegression(bands, setting.strength)
    # With the same sum for every site and a mean of 1.
    weights = [np.full(len(a), len(data) / len(areas) / len(a)) for a in areas]
    classifier.fit(data, labels, np.concatenate(weights) if setting.sites_alike else None)
    return TemplateModel(
        features=setting.features,
        bands=bands,
        mean=classifier.mean_,
        scale=classifier.scale_,
        coef=classifier.coef_,
        intercept=classifier.intercept_,
        c=setting.c,
        decision=setting.decision,
        contrast=setting.contrast,
        provenance=provenance or {},
    )
