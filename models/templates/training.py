"""Training a `TemplateModel` on labelled nodes; needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...features.hashes import Hashing
from .bands import area_bands
from .classifier import BandedLogisticRegression
from .model import Decision, FeatureSet, TemplateModel

__all__ = ["OURS", "REPORT", "SETTINGS", "SiteRows", "TemplateSetting", "train_template"]


@dataclass(frozen=True, eq=False)
class SiteRows:
    """Labelled nodes of one site.

    Attributes
    ----------
    area
        float64, shape (m,): CSS px².
    features
        float64, shape (m, columns).
    template
        bool, shape (m,): the labels.
    """

    site: str
    area: NDArray[np.float64]
    features: NDArray[np.float64]
    template: NDArray[np.bool_]


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
    classifier.fit(data, labels, _weights(areas) if setting.sites_alike else None)
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


def _weights(areas: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Weights with the same sum for every site and a mean of 1."""
    total = sum(len(area) for area in areas)
    return np.concatenate([np.full(len(a), total / len(areas) / len(a)) for a in areas])
