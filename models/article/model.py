"""The article model: which blocks of a page are the article's body.

Two stages. Forests of boosted trees judge every block by its own features: one that was
trained on pages of all kinds knows what an article is, one that was trained on pages of the
convention asked for knows what of it belongs to the body. A second stage then judges the
block by these judgements of it, of its neighbours and of all that are like it.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from ...features.article.features import BlockFeatures
from .context import context_features
from .forest import Forest

__all__ = ["ArticleModel", "BlockScores", "shipped_article_model"]

FORMAT = "miolo-article"
VERSION = 1

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
    moved
        float32, shape (b, f): what each feature moved the first judgement's log-odds by, the
        mean over forests.
    threshold
        Probability from which on a block is body.
    """

    probability: NDArray[np.float64]
    first: NDArray[np.float64]
    moved: NDArray[np.float32]
    threshold: float

    @property
    def body(self) -> NDArray[np.bool_]:
        """bool, shape (b,): what is decided."""
        return self.probability >= self.threshold


@dataclass(frozen=True, eq=False)
class ArticleModel:
    """A trained model.

    Attributes
    ----------
    names
        Features in the order of the columns that the forests ask.
    forests
        The first stage; their log-odds are averaged.
    context
        The second stage.
    threshold
        Probability from which on a block is body.
    provenance
        How it was made, and what it reached.
    """

    names: tuple[str, ...]
    forests: tuple[Forest, ...]
    context: Forest
    threshold: float = 0.5
    provenance: dict[str, Any] = field(default_factory=dict)

    def judge(self, features: BlockFeatures) -> BlockScores:
        """Probability and decision for every block.

        Raises
        ------
        ValueError
            The features are others than those that the model was trained on.
        """
        if features.names != self.names:
            raise ValueError("the article model was trained on other features")
        explained = [forest.explained(features.values) for forest in self.forests]
        first = first_probability([odds for odds, _ in explained])
        rows = context_features(first, features.words, features.groups)
        own = np.log(first / (1 - first))
        trust = min(1.0, len(first) / WHOLE_PAGE)
        odds = trust * self.context.log_odds(rows) + (1 - trust) * own
        return BlockScores(
            probability=logistic(odds),
            first=first,
            moved=np.stack([moved for _, moved in explained]).mean(axis=0),
            threshold=self.threshold,
        )

    def save(self, path: str | Path) -> None:
        """Write a file of plain arrays, without pickle."""
        told = {
            "format": FORMAT,
            "version": VERSION,
            "names": self.names,
            "forests": len(self.forests),
            "threshold": self.threshold,
            "provenance": self.provenance,
        }
        arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(told).encode(), np.uint8)}
        for number, forest in enumerate(self.forests):
            arrays |= forest.arrays(f"first{number}")
        arrays |= self.context.arrays("context")
        with Path(path).open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> ArticleModel:
        """Read a saved model.

        Raises
        ------
        ArchiveError
            The file is no model, damaged, or of another version.
        """
        try:
            # From memory: a torn archive's file would be left open.
            with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
                arrays = dict(file.items())
            told = json.loads(arrays["about"].tobytes())
            if (told["format"], told["version"]) != (FORMAT, VERSION):
                raise ValueError(f"{told['format']} {told['version']}")
            return cls(
                names=tuple(told["names"]),
                forests=tuple(
                    Forest.from_arrays(arrays, f"first{n}") for n in range(told["forests"])
                ),
                context=Forest.from_arrays(arrays, "context"),
                threshold=float(told["threshold"]),
                provenance=told["provenance"],
            )
        except Exception as error:  # a damaged archive fails in many ways
            raise ArchiveError(f"{path} is no article model that can be read: {error}") from error


@cache
def shipped_article_model() -> ArticleModel:
    """The model that comes with the package."""
    return ArticleModel.load(SHIPPED)


def first_probability(log_odds: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """One probability of several forests: the mean of theirs."""
    mean = np.mean([logistic(each) for each in log_odds], axis=0)
    return np.clip(mean, SURELY, 1 - SURELY)


def logistic(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-odds as probability."""
    return 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))
