"""The article model: which blocks of a page are the article's body.

Two stages. Forests of boosted trees judge every block by its own features: one that was
trained on pages from all over knows what an article is, one for each convention knows what of
it belongs to the body. A second stage then judges the block by these judgements of it, of its
neighbours and of all that are like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import NoPages
from ...features.article.features import BlockFeatures
from ..kinds.model import KindModel
from .context import context_features
from .conventions import COLUMN, CONVENTIONS, LESSONS, Convention, Lesson, Shares, with_convention
from .forest import Forest
from .forest_file import read_forests, write_forests

__all__ = ["ArticleModel", "BlockScores", "Judge", "shipped_article_model", "updated"]

T = TypeVar("T")

# Log-odds of rows, and what each column moved them by.
Explained = tuple[NDArray[np.float64], NDArray[np.float32]]

KIND = ("miolo-article", 3)

# Names of the forests in a file: of a convention, and for all.
OWN, CONTEXT, GENERAL = "%s.own", "%s.context", "general"

# No first judgement is surer than this, so that all have log-odds.
SURELY = 1e-6

# Blocks that make the context of a block one to trust; of fewer it counts in part.
WHOLE_PAGE = 40

SHIPPED = Path(__file__).with_name("article.npz")


@dataclass(frozen=True, eq=False)
class BlockScores:
    """What the model says of b blocks.

    Attributes
    ----------
    probability
        float64, shape (b,), in [0, 1]: that the block belongs to the body.
    first
        float64, shape (b,): the same by the block's own features.
    names
        Of the columns that the trees ask: f features and the convention.
    moved
        float32, shape (b, f + 1): what each column moved the first judgement's log-odds by, the
        mean over forests.
    threshold
        Probability from which on a block is body.
    """

    probability: NDArray[np.float64]
    first: NDArray[np.float64]
    names: tuple[str, ...]
    moved: NDArray[np.float32]
    threshold: float

    @property
    def body(self) -> NDArray[np.bool_]:
        """bool, shape (b,): what is decided."""
        return self.probability >= self.threshold


@dataclass(frozen=True, eq=False)
class Judge:
    """What was learned of one convention.

    Attributes
    ----------
    own
        The first stage's forest.
    context
        The second stage.
    """

    own: Forest
    context: Forest


@dataclass(frozen=True, eq=False)
class ArticleModel:
    """A trained model.

    Attributes
    ----------
    names
        Features in the order of the columns that the forests ask.
    judges
        One for each convention that was learned.
    general
        A forest that knows what an article is, for the conventions that listen to it; its
        probabilities and those of the convention's own are averaged.
    threshold
        Probability from which on a block is body.
    kinds
        Tells how likely a page is an article, by which conventions are asked; None for the model
        that comes with the package.
    provenance
        How it was made, and what it reached.
    """

    names: tuple[str, ...]
    judges: dict[Convention, Judge]
    general: Forest | None = None
    threshold: float = 0.5
    kinds: KindModel | None = None
    provenance: dict[str, Any] = field(default_factory=dict)

    def judge(self, features: BlockFeatures, convention: Convention = "news") -> BlockScores:
        """Probability and decision for every block, by one convention; see `judge_by_shares`."""
        return self.judge_by_shares(features, {convention: 1.0})

    def judge_by_shares(self, features: BlockFeatures, shares: Shares) -> BlockScores:
        """Probability and decision for every block.

        Parameters
        ----------
        features
            Of the page's blocks.
        shares
            What counts as the article's text. Of several conventions those that were learned are
            asked, and the means of their log-odds are taken by their shares.

        Raises
        ------
        ValueError
            The features are others than those that the model was trained on.
        NoPages
            It has learned from no page of these conventions.
        """
        if features.names != self.names:
            raise ValueError("the article model was trained on other features")
        learned: dict[Convention, float] = {
            each: share for each, share in shares.items() if each in self.judges
        }
        if not learned:
            asked = " or ".join(map(repr, shares))
            raise NoPages(f"the article model has seen no page labelled by {asked}")
        general = self._general_says(features, learned)
        judged = [self._judged(features, each, general) for each in learned]
        parts = [share / sum(learned.values()) for share in learned.values()]
        odds, first, moved = (_mean(each, parts) for each in zip(*judged, strict=True))
        return BlockScores(
            probability=logistic(odds),
            first=first,
            names=(*self.names, COLUMN),
            moved=moved,
            threshold=self.threshold,
        )

    def _general_says(
        self, features: BlockFeatures, asked: Iterable[Convention]
    ) -> Explained | None:
        """What the general forest says, where one that is asked listens to it."""
        if self.general is None or not any(LESSONS[each].general for each in asked):
            return None
        # It was told no conventions apart: what it says holds for all.
        return self.general.explained(with_convention(features.values, "page"))

    def _judged(
        self, features: BlockFeatures, convention: Convention, general: Explained | None
    ) -> tuple[NDArray[Any], ...]:
        """By one convention: log-odds of the body, first judgement, and what moved that."""
        judge = self.judges[convention]
        rows = with_convention(features.values, convention)
        said = first_stage(LESSONS[convention], judge.own.explained(rows), general)
        first = first_probability([odds for odds, _ in said])
        around = context_features(first, features.words, features.groups)
        own = np.log(first / (1 - first))
        trust = min(1.0, len(first) / WHOLE_PAGE)
        whole = judge.context.log_odds(with_convention(around, convention))
        moved = _mean([moved for _, moved in said], [1 / len(said)] * len(said))
        return trust * whole + (1 - trust) * own, first, moved

    def save(self, path: str | Path) -> None:
        """Write a file of plain arrays, without pickle."""
        told = {
            "names": self.names,
            "threshold": self.threshold,
            "kinds": None if self.kinds is None else self.kinds.to_json(),
            "provenance": self.provenance,
        }
        forests = {} if self.general is None else {GENERAL: self.general}
        for convention, judge in self.judges.items():
            forests |= {OWN % convention: judge.own, CONTEXT % convention: judge.context}
        write_forests(path, KIND, told, forests)

    @classmethod
    def load(cls, path: str | Path) -> ArticleModel:
        """Read a saved model.

        Raises
        ------
        ArchiveError
            The file is no model, damaged, or of another version.
        """
        return read_forests(path, KIND, cls._build)

    @classmethod
    def _build(cls, told: dict[str, Any], forests: dict[str, Forest]) -> ArticleModel:
        judges: dict[Convention, Judge] = {
            convention: Judge(forests[OWN % convention], forests[CONTEXT % convention])
            for convention in CONVENTIONS
            if OWN % convention in forests
        }
        return cls(
            names=tuple(told["names"]),
            judges=judges,
            general=forests.get(GENERAL),
            threshold=float(told["threshold"]),
            kinds=KindModel.from_json(told["kinds"]) if told.get("kinds") else None,
            provenance=told["provenance"],
        )


@cache
def shipped_article_model() -> ArticleModel:
    """The model that comes with the package."""
    return ArticleModel.load(SHIPPED)


def first_stage(lesson: Lesson, own: T, general: T | None) -> tuple[T, ...]:
    """What has a say in the first stage: forests, or what they say."""
    return (own, general) if lesson.general and general is not None else (own,)


def first_probability(log_odds: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """One probability of several forests: the mean of theirs."""
    mean = np.mean([logistic(each) for each in log_odds], axis=0)
    return np.clip(mean, SURELY, 1 - SURELY)


def _mean(arrays: Sequence[NDArray[Any]], parts: Sequence[float]) -> NDArray[Any]:
    """So much of each array, in its own precision: some are large."""
    total = arrays[0] * parts[0]
    for array, part in zip(arrays[1:], parts[1:], strict=True):
        total += array * part
    return total


def updated(probability: NDArray[np.float64], log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities moved by log-odds."""
    sure = np.clip(probability, SURELY, 1 - SURELY)
    return logistic(np.log(sure / (1 - sure)) + log_odds)


def logistic(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-odds as probability."""
    return 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))
