"""Corrected pages to an article model of one's own, judged beside the shipped one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..errors import NoPages
from ..features.article.features import BlockFeatures
from ..models.article.model import ArticleModel, shipped_article_model
from ..models.article.samples import Sample
from ..models.article.training import TrainingOptions, group_folds
from .corrections import CorrectedPage, corrected_sample, read_corrections
from .train_article import Curriculum, feature_names, train_cases

__all__ = ["CorrectionsReport", "train_corrections"]

Tell = Callable[[str], None]

FOLDS = 3

# A reader's word is not doubted, however much it says against the other pages; these are few, and
# half as many trees tell them apart as well.
TRUSTED = TrainingOptions(trees=60, context_trees=45, doubted=1.0)


@dataclass(frozen=True, eq=False)
class CorrectionsReport:
    """A model, and how it does on pages that it has not seen.

    Attributes
    ----------
    model
        Trained on all pages.
    pages, by_hand
        Pages, and blocks that a hand has labelled.
    shipped, own
        F1 of words of the body: of the shipped model, and of models trained on pages of the
        other domains; None where there are too few of these.
    """

    model: ArticleModel
    pages: int
    by_hand: int
    shipped: float
    own: float | None


def train_corrections(
    files: Sequence[Path], provenance: dict[str, Any], tell: Tell = lambda _: None
) -> CorrectionsReport:
    """Train an article model on corrected pages.

    The shipped model's general forest, which knows what an article is, keeps its say; what is
    kept of it is learned from the corrected pages.

    Parameters
    ----------
    files
        Exported by the web page.
    provenance
        What to note beside the numbers.
    tell
        Called with a sentence as the work goes on.

    Raises
    ------
    NoPages
        There are fewer than two pages, or nothing in them to tell apart.
    ArchiveError
        A file is damaged, or another.
    """
    pages = [read_corrections(file) for file in files]
    if len(pages) < 2:
        raise NoPages("corrections of two pages or more are needed: one judges the other")
    samples = _grouped([corrected_sample(page) for page in pages])
    model = _train(samples, provenance, tell)
    return CorrectionsReport(
        model,
        len(pages),
        _by_hand(pages),
        _f1(samples, [shipped_article_model()] * len(samples)),
        _out_of_fold(samples),
    )


def _by_hand(pages: Sequence[CorrectedPage]) -> int:
    return sum(label.by_hand for page in pages for label in page.labels)


def _grouped(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Pages of one domain alone are held out one by one."""
    if len({sample.group for sample in samples}) > 1:
        return tuple(samples)
    return tuple(
        replace(sample, group=f"{sample.group} {number}") for number, sample in enumerate(samples)
    )


def _train(samples: Sequence[Sample], provenance: dict[str, Any], tell: Tell) -> ArticleModel:
    folds = min(FOLDS, len({sample.group for sample in samples}))
    general = shipped_article_model().general
    options = replace(TRUSTED, folds=folds)
    try:
        # So little is done that threads would wait for each other longer than they work.
        with threadpool_limits(1, user_api="openmp"):
            return train_cases(Curriculum(tuple(samples)), options, provenance, tell, general)
    except ValueError as error:
        raise NoPages(f"the corrected pages teach nothing: {error}") from None


def _out_of_fold(samples: Sequence[Sample]) -> float | None:
    """F1 of models that have seen no page of a page's domain."""
    groups = [sample.group for sample in samples]
    if len(set(groups)) <= FOLDS:
        return None
    fold_of = group_folds(groups, FOLDS)
    models = [
        _train([s for s, of in zip(samples, fold_of, strict=True) if of != fold], {}, _quiet)
        for fold in range(FOLDS)
    ]
    return _f1(samples, [models[fold] for fold in fold_of.tolist()])


def _quiet(_: str) -> None:
    """Models that are only judged say nothing."""


def _f1(samples: Sequence[Sample], models: Sequence[ArticleModel]) -> float:
    """Of words of the body, all pages together."""
    hit = told = true = 0.0
    for sample, model in zip(samples, models, strict=True):
        said = _said(sample, model)
        hit += float(sample.words[said & sample.body].sum())
        told += float(sample.words[said].sum())
        true += float(sample.words[sample.body].sum())
    return 2 * hit / max(told + true, 1e-9)


def _said(sample: Sample, model: ArticleModel) -> NDArray[np.bool_]:
    features = BlockFeatures(feature_names(), sample.values, -1, sample.words, sample.groups)
    # A model that has seen no page of the convention has nothing to say on it.
    if sample.convention not in model.judges:
        return np.zeros(len(sample.words), bool)
    return model.judge(features, sample.convention).body
