"""Labelled pages to an article model.

Every judgement that the second stage learns from is of a page whose domain the forest had not
seen, as it will be of a user's page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .context import context_features
from .conventions import CONVENTIONS, LESSONS, Convention, Lesson, with_convention
from .forest import Forest
from .model import ArticleModel, Judge, first_probability, first_stage
from .samples import Sample

__all__ = [
    "Learn",
    "TrainingOptions",
    "boosted",
    "group_folds",
    "learn_judge",
    "train_article",
    "train_general",
]

Tell = Callable[[str], None]

# Places that a column may be split at: more take longer, and find no more on unseen pages.
BINS = 63


@dataclass(frozen=True)
class TrainingOptions:
    """How the model is trained.

    Attributes
    ----------
    trees, leaves, rate, features
        Of the first stage's forests; a tree has at most 32 leaves, and `features` is the share of
        columns that a split looks at.
    context_trees, context_leaves, context_rate, context_features
        The same of the second stage.
    folds
        Of the first stage, for the judgements that the second one learns from.
    min_explained
        Pages of whose truth blocks say less are set aside.
    doubted
        Pages whose truth contradicts so much of what is surely judged, as a share of the words
        of the body, are kept from the second stage: their truth breaks off, or says another
        page's text.
    sure
        Probability from which on a judgement is sure, and 1 - p below which.
    margin
        Blocks from a block of the body on that count fully; of others only every
        `thinned`-th is taken, and counts for all.
    heavy
        Words from which on a block weighs no more; it weighs the square root of its words.
    threshold
        Probability from which on a block is body.
    seed
        Of all that is random.
    """

    trees: int = 120
    leaves: int = 31
    rate: float = 0.1
    features: float = 0.3
    context_trees: int = 90
    context_leaves: int = 15
    context_rate: float = 0.09
    context_features: float = 0.5
    folds: int = 3
    min_explained: float = 0.75
    doubted: float = 0.25
    sure: float = 0.9
    margin: int = 6
    thinned: int = 10
    heavy: int = 60
    threshold: float = 0.5
    seed: int = 0


Learn = Callable[[Lesson, tuple[Sample, ...], Forest | None, TrainingOptions], tuple[Judge, int]]
"""See `learn_judge`."""


def train_general(samples: Sequence[Sample], options: TrainingOptions) -> Forest:
    """A forest that knows what an article is; see `train_article`."""
    return _first_stage(samples, options)


def train_article(
    names: tuple[str, ...],
    pages: Sequence[Sample],
    general: Forest | None,
    options: TrainingOptions | None = None,
    conventions: Sequence[Convention] = CONVENTIONS,
    tell: Tell = lambda _: None,
    learn: Learn | None = None,
) -> ArticleModel:
    """Train on labelled pages.

    Parameters
    ----------
    names
        Names of the features.
    pages
        Labelled pages. Each convention is learned from those that `LESSONS` says.
    general
        A forest of other pages, of none of the groups that learn with it.
    options
        See `TrainingOptions`.
    conventions
        Those to learn; one that no page is labelled by is left out.
    tell
        Called with a sentence as the work goes on.
    learn
        `learn_judge`, by default, or the same with a memory: many models may share a lesson.
    """
    options, learn = options or TrainingOptions(), learn or learn_judge
    usable = [page for page in pages if page.explained >= options.min_explained]
    found = {page.convention for page in usable}
    judges: dict[Convention, Judge] = {}
    doubted: dict[str, int] = {}

    @cache
    def learned(lesson: Lesson) -> tuple[Judge, int]:
        """Conventions of one lesson are told apart by their column, and share a judge."""
        of = tuple(page for page in usable if page.convention in lesson.pages)
        return learn(lesson, of, general if lesson.general else None, options)

    for convention in conventions:
        if convention in found:
            tell(f"convention {convention}")
            judges[convention], doubted[convention] = learned(LESSONS[convention])
    return ArticleModel(names, judges, general, options.threshold, provenance={"doubted": doubted})


def learn_judge(
    lesson: Lesson,
    pages: tuple[Sample, ...],
    general: Forest | None,
    options: TrainingOptions,
) -> tuple[Judge, int]:
    """What a lesson teaches, and how many of its pages are doubted.

    Parameters
    ----------
    lesson
        Of what.
    pages
        Those that it is learned from.
    general
        The general forest, if it has a say.
    options
        How.
    """

    def judged_by(own: Forest, page: Sample) -> NDArray[np.float64]:
        rows = with_convention(page.values, page.convention)
        forests = first_stage(lesson, own, general)
        return first_probability([forest.log_odds(rows) for forest in forests])

    judged = _judged_unseen(pages, judged_by, options)
    pairs = list(zip(pages, judged, strict=True))
    trusted = [pair for pair in pairs if not _doubted(*pair, options)]
    judge = Judge(_first_stage(pages, options), _second_stage(trusted, options))
    return judge, len(pairs) - len(trusted)


def _judged_unseen(
    pages: Sequence[Sample],
    judged_by: Callable[[Forest, Sample], NDArray[np.float64]],
    options: TrainingOptions,
) -> list[NDArray[np.float64]]:
    """First judgements of each page by a forest that has not seen its group."""
    fold_of = group_folds([page.group for page in pages], options.folds)
    judged: list[NDArray[np.float64]] = [np.zeros(0)] * len(pages)
    for fold in range(options.folds):
        own = _first_stage([p for p, of in zip(pages, fold_of, strict=True) if of != fold], options)
        for number in np.flatnonzero(fold_of == fold).tolist():
            judged[number] = judged_by(own, pages[number])
    return judged


def _doubted(page: Sample, judged: NDArray[np.float64], options: TrainingOptions) -> bool:
    """Whether the truth says something else than what is sure."""
    body = page.words[page.body].sum()
    added = page.words[~page.body & (judged >= options.sure)].sum()
    lost = page.words[page.body & (judged <= 1 - options.sure)].sum()
    return bool(added > options.doubted * (body + added) or lost > options.doubted * body)


def group_folds(groups: Sequence[str], k: int) -> NDArray[np.int64]:
    """Folds of groups: the largest group first, to the fold with the fewest pages."""
    sizes = Counter(groups)
    filled = np.zeros(k, np.int64)
    fold_of: dict[str, int] = {}
    for group in sorted(sizes, key=lambda group: (-sizes[group], group)):
        fold_of[group] = int(filled.argmin())
        filled[fold_of[group]] += sizes[group]
    return np.array([fold_of[group] for group in groups], np.int64)


def _first_stage(samples: Sequence[Sample], options: TrainingOptions) -> Forest:
    rows, labels, weights = [], [], []
    for number, page in enumerate(samples):
        if page.explained < options.min_explained:
            continue
        taken, weight = _thinned(page, number, options)
        rows.append(with_convention(page.values[taken], page.convention))
        labels.append(page.body[taken])
        weights.append(weight * _weights(page.words[taken], options))
    return boosted(
        np.concatenate(rows),
        np.concatenate(labels),
        np.concatenate(weights),
        (options.trees, options.leaves, options.rate, options.features),
        options.seed,
    )


def _second_stage(
    pairs: Sequence[tuple[Sample, NDArray[np.float64]]], options: TrainingOptions
) -> Forest:
    rows = [
        with_convention(context_features(first, page.words, page.groups), page.convention)
        for page, first in pairs
    ]
    return boosted(
        np.concatenate(rows),
        np.concatenate([page.body for page, _ in pairs]),
        np.concatenate([_weights(page.words, options) for page, _ in pairs]),
        (
            options.context_trees,
            options.context_leaves,
            options.context_rate,
            options.context_features,
        ),
        options.seed,
    )


def _thinned(
    page: Sample, number: int, options: TrainingOptions
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Blocks to learn from and what they count: most of a page is far from its body."""
    place = np.arange(len(page.body))
    bodies = np.concatenate([[0], np.cumsum(page.body)])
    low, high = place - options.margin, place + options.margin + 1
    around = bodies[np.minimum(high, len(place))] > bodies[np.maximum(low, 0)]
    close = around | (page.words >= options.heavy / 4)
    far = ~close & ((place + number) % options.thinned == 0)
    weight = np.where(close, 1.0, float(options.thinned))
    taken = np.flatnonzero(close | far)
    return taken, weight[taken]


def _weights(words: NDArray[np.float64], options: TrainingOptions) -> NDArray[np.float64]:
    return np.sqrt(np.minimum(words + 1, options.heavy))


def boosted(
    rows: NDArray[np.float32],
    labels: NDArray[np.bool_],
    weights: NDArray[np.float64],
    size: tuple[int, int, float, float],
    seed: int,
) -> Forest:
    """Boosted trees for two classes.

    Parameters
    ----------
    rows
        float32, shape (b, f); a column of gaps alone is set to 0 in place.
    labels, weights
        Shape (b,).
    size
        Trees, leaves of each, learning rate, share of the columns that a split looks at.
    seed
        Of the choice of columns.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees, leaves, rate, features = size
    # What no page tells is no feature; scikit-learn takes no column of gaps alone.
    rows[:, np.isnan(rows).all(axis=0)] = 0
    settings: dict[str, Any] = {
        "max_iter": trees,
        "max_leaf_nodes": leaves,
        "learning_rate": rate,
        "max_features": features,
        "max_bins": BINS,
        "min_samples_leaf": 20,
        "l2_regularization": 1.0,
        "early_stopping": False,
        "random_state": seed,
    }
    estimator = HistGradientBoostingClassifier(**settings)
    return Forest.of(estimator.fit(rows, labels, sample_weight=weights))
