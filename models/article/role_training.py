"""Labelled pages to a role model, with what it reaches on domains that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .forest import Forest
from .model import logistic
from .role_features import candidates
from .role_labels import LEARNED, UNKNOWN, RoleSample
from .roles import RoleModel
from .training import boosted, group_folds

__all__ = ["RoleOptions", "train_roles"]

Tell = Callable[[str], None]
Judged = list[tuple[NDArray[np.bool_], NDArray[np.float64]]]


@dataclass(frozen=True)
class RoleOptions:
    """How the forests are trained.

    Attributes
    ----------
    trees, leaves, rate, features
        Of each forest; a tree has at most 32 leaves, and `features` is the share of columns that a
        split looks at.
    folds
        By domain, for the thresholds and for what is reported.
    margin
        Blocks from a block with the role on that count fully; of others only every
        `thinned`-th is taken, and counts for all.
    seed
        Of all that is random.
    """

    trees: int = 80
    leaves: int = 8
    rate: float = 0.1
    features: float = 0.3
    folds: int = 5
    margin: int = 12
    thinned: int = 15
    seed: int = 0


def train_roles(
    samples: Sequence[RoleSample],
    options: RoleOptions | None = None,
    tell: Tell = lambda _: None,
) -> RoleModel:
    """Train a forest for each learned role of which pages are labelled.

    Parameters
    ----------
    samples
        Labelled pages; those of which a role is unknown teach nothing of it.
    options
        See `RoleOptions`.
    tell
        Called with a sentence as the work goes on.

    Raises
    ------
    ValueError
        No page teaches a role.
    """
    options = options or RoleOptions()
    forests: dict[str, Forest] = {}
    thresholds: dict[str, float] = {}
    reached: dict[str, Any] = {}
    for column, role in enumerate(LEARNED):
        pages = [page for page in samples if (page.labels[:, column] != UNKNOWN).any()]
        if not any((page.labels[:, column] == 1).any() for page in pages):
            raise ValueError(f"no page to learn the role {role} from")
        tell(f"{role}: {len(pages)} pages")
        judged = _held_out(pages, column, options)
        thresholds[role], reached[role] = _threshold(judged, best=role == "title")
        reached[role]["pages"] = len(pages)
        tell(f"{role}: {reached[role]}")
        forests[role] = _forest(pages, column, options)
    provenance = {"folds": options.folds, "reached": reached}
    return RoleModel(samples[0].names, forests, thresholds, provenance)


def _held_out(pages: Sequence[RoleSample], column: int, options: RoleOptions) -> Judged:
    """For each page labels and probabilities of a forest that has not seen its domain."""
    groups = [page.group for page in pages]
    folds = group_folds(groups, min(options.folds, len(set(groups))))
    judged: Judged = []
    for fold in range(int(folds.max()) + 1):
        known = [page for page, of in zip(pages, folds, strict=True) if of != fold]
        if not any((page.labels[:, column] == 1).any() for page in known):
            continue
        forest = _forest(known, column, options)
        for page in (page for page, of in zip(pages, folds, strict=True) if of == fold):
            taken = _asked(page, column)
            probability = logistic(forest.log_odds(page.values[taken]))
            judged.append((page.labels[taken, column] == 1, probability))
    return judged


def _threshold(judged: Judged, *, best: bool) -> tuple[float, dict[str, float]]:
    """The threshold of the highest F1, and what is reached with it.

    With `best` only the most probable block of a page counts.
    """
    if best:
        judged = [
            (labels, np.where(np.arange(len(p)) == np.argmax(p), p, 0))
            for labels, p in judged
            if len(p)
        ]
    labels = np.concatenate([each for each, _ in judged] or [np.zeros(0, bool)])
    probability = np.concatenate([each for _, each in judged] or [np.zeros(0)])
    reached = {
        threshold: _measures(labels, probability >= threshold)
        for threshold in np.round(np.arange(0.1, 0.91, 0.05), 2).tolist()
    }
    chosen = max(reached, key=lambda threshold: (reached[threshold]["f1"], -abs(threshold - 0.5)))
    return chosen, reached[chosen] | {"threshold": chosen}


def _measures(labels: NDArray[np.bool_], said: NDArray[np.bool_]) -> dict[str, float]:
    both = int((labels & said).sum())
    precision, recall = both / max(1, int(said.sum())), both / max(1, int(labels.sum()))
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"precision": round(precision, 3), "recall": round(recall, 3), "f1": round(f1, 3)}


def _asked(page: RoleSample, column: int) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that may have the role, as far as that is known of them."""
    known = page.labels[:, column] != UNKNOWN
    return known & candidates(LEARNED[column], page.names, page.values, page.words)


def _forest(pages: Sequence[RoleSample], column: int, options: RoleOptions) -> Forest:
    rows, labels, weights = [], [], []
    for number, page in enumerate(pages):
        of = page.labels[:, column]
        place = np.arange(len(of))
        reach = np.ones(2 * options.margin + 1)
        around = np.convolve(of == 1, reach)[options.margin : options.margin + len(of)] > 0
        far = ~around & ((place + number) % options.thinned == 0)
        taken = np.flatnonzero(_asked(page, column) & (around | far))
        rows.append(page.values[taken])
        labels.append(of[taken] == 1)
        weights.append(np.where(around, 1.0, float(options.thinned))[taken])
    return boosted(
        np.concatenate(rows),
        np.concatenate(labels),
        np.concatenate(weights),
        (options.trees, options.leaves, options.rate, options.features),
        options.seed,
    )
