"""Folds of pages that keep groups together, and models that have not seen the page they judge."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .case import Case
from .systems import MethodInputs

__all__ = ["folds", "out_of_fold"]


def folds(cases: Sequence[Case], k: int) -> NDArray[np.int32]:
    """Number of each page's fold.

    Parameters
    ----------
    cases
        The pages.
    k
        Folds; 0 or more than there are groups for one fold a group (leave one site out).

    Returns
    -------
    int32, shape (len(cases),), in [0, k): pages of a group are in the same fold. Groups are
    given out by size, the largest first, each to the fold with the fewest pages so far; groups
    of a size go by a hash of their names, so that neighbours in the alphabet are not together
    and another page does not shuffle all others. The result depends on nothing else.
    """
    sizes = Counter(case.group for case in cases)
    k = min(k, len(sizes)) or len(sizes)
    filled = np.zeros(max(k, 1), np.int64)
    fold_of: dict[str, int] = {}
    for group in sorted(sizes, key=lambda name: (-sizes[name], _hash(name), name)):
        fold_of[group] = int(filled.argmin())
        filled[fold_of[group]] += sizes[group]
    return np.array([fold_of[case.group] for case in cases], np.int32)


def out_of_fold(
    cases: Sequence[Case],
    number: NDArray[np.int32],
    train: Callable[[Sequence[Case]], Any],
    version: str = "",
) -> MethodInputs:
    """For each page a model trained on the pages of the other folds.

    Parameters
    ----------
    cases
        All pages.
    number
        int32, shape (len(cases),): their folds, such as `folds` makes.
    train
        Trains a model on pages; called once a fold, and only where answers are missing.
    version
        Of the training: its settings and further pages.
    """
    place = {(case.set, case.id): int(fold) for case, fold in zip(cases, number, strict=True)}
    models: dict[int, Any] = {}

    def others(fold: int) -> list[Case]:
        return [case for case, of in zip(cases, number, strict=True) if of != fold]

    def model(case: Case) -> Any:
        fold = place[case.set, case.id]
        if fold not in models:
            models[fold] = train(others(fold))
        return models[fold]

    digests = {
        fold: _hash("\n".join(f"{case.set}/{case.id}\n{case.text}" for case in others(fold)))
        for fold in set(place.values())
    }
    return MethodInputs(
        model, lambda case: f"{version} {digests[place[case.set, case.id]]}".strip()
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
