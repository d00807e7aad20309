"""Training a `TemplateModel` on labelled nodes; needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ...features.hashes import Hashing
from .model import Decision, FeatureSet, TemplateModel, area_bands, band_of


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
    """Train on the labelled nodes of some sites: logistic regressions, one for each band of areas.

    A band whose rows are all of one class predicts that class's smoothed frequency,
    (k + 1) / (m + 2) over its m rows, since no regression can be fitted there.

    Raises
    ------
    ValueError
        There are no labelled nodes, or all are of one class.
    """
    sites = [rows for rows in sites if len(rows.area)]
    if not sites:
        raise ValueError("there are no labelled nodes to train on")
    features, labels, area = (
        np.concatenate([getattr(rows, name) for rows in sites])
        for name in ("features", "template", "area")
    )
    if len(np.unique(labels)) < 2:
        raise ValueError("the labelled nodes are all template, or all content")
    weight = np.ones(len(area))
    if setting.sites_alike:
        # With the same sum for every site and a mean of 1.
        sizes = np.array([len(rows.area) for rows in sites])
        weight = np.repeat(len(area) / len(sites) / sizes, sizes)
    bands = area_bands(rows.area for rows in sites) if setting.bands == "quartiles" else ()
    shape = (len(bands) + 1, features.shape[1])
    mean, scale, coef, intercept = (
        np.zeros(shape),
        np.ones(shape),
        np.zeros(shape),
        np.zeros(shape[0]),
    )
    band = band_of(area, bands)
    for number in range(shape[0]):
        rows = band == number
        positive = labels[rows]
        if len(np.unique(positive)) < 2:
            share = (positive.sum() + 1) / (len(positive) + 2)
            intercept[number] = np.log(share / (1 - share))
            continue
        scaler = StandardScaler().fit(features[rows], sample_weight=weight[rows])
        model = LogisticRegression(C=setting.strength, max_iter=2000)
        model.fit(scaler.transform(features[rows]), positive, sample_weight=weight[rows])
        mean[number], scale[number] = scaler.mean_, scaler.scale_
        coef[number], intercept[number] = model.coef_[0], np.asarray(model.intercept_)[0]
    return TemplateModel(
        features=setting.features,
        bands=bands,
        mean=mean,
        scale=scale,
        coef=coef,
        intercept=intercept,
        c=setting.c,
        decision=setting.decision,
        contrast=setting.contrast,
        provenance=provenance or {},
    )
