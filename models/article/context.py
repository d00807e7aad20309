"""What the blocks around a block are, as far as a first judgement knows.

The second stage's features: probabilities of a block's neighbours, of the blocks like it, of
the page, and where the block lies to those that are surely body. Decisions so are consistent
over runs and kinds of blocks, not block by block.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SURE", "context_features", "context_names"]

SURE = 0.7
NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
WINDOWS = (3, 8, 20)
FAR = 40

FloatArray = NDArray[np.float64]


def context_features(
    probability: FloatArray, words: FloatArray, groups: dict[str, NDArray[np.int64]]
) -> NDArray[np.float32]:
    """Features of the second stage.

    Parameters
    ----------
    probability
        float64, shape (b,): first judgement of each block.
    words
        float64, shape (b,): its words.
    groups
        For each way to be alike int64, shape (b,): the number of each block's group.

    Returns
    -------
    float32, shape (b, len(context_names(groups)))
    """
    columns = {
        "own": probability,
        **_neighbours(probability),
        **_windows(probability, words),
        **_page(probability, words),
        **_sure(probability),
    }
    for name, group in groups.items():
        columns |= _group(name, probability, words, group)
    table = np.empty((len(probability), len(columns)), np.float32)
    for place, column in enumerate(columns.values()):
        table[:, place] = column
    return table


def context_names(groups: dict[str, NDArray[np.int64]]) -> tuple[str, ...]:
    """Names of the columns, which say whose probabilities they are of."""
    windows = (f"within {reach}" for reach in WINDOWS)
    neighbours = (f"neighbour {step:+d}" for step in NEIGHBOURS)
    page = ("page highest", "page mean", "page words", "page even", "page rank", "page before")
    sure = ("after first sure", "before last sure", "since sure", "until sure")
    of_groups = (f"{name} {kind}" for name in groups for kind in ("by words", "mean", "share"))
    return ("own", *neighbours, *windows, *page, *sure, *of_groups)


def _neighbours(p: FloatArray) -> dict[str, FloatArray]:
    columns = {}
    for step in NEIGHBOURS:
        moved = np.full(len(p), np.nan)
        if abs(step) < len(p):
            if step > 0:
                moved[:-step] = p[step:]
            else:
                moved[-step:] = p[:step]
        columns[f"neighbour {step:+d}"] = moved
    return columns


def _windows(p: FloatArray, words: FloatArray) -> dict[str, FloatArray]:
    place, n = np.arange(len(p)), len(p)
    all_words = np.concatenate([[0], np.cumsum(words)])
    mass = np.concatenate([[0], np.cumsum(words * p)])
    columns = {}
    for reach in WINDOWS:
        low, high = np.maximum(place - reach, 0), np.minimum(place + reach + 1, n)
        others = all_words[high] - all_words[low] - words
        columns[f"within {reach}"] = (mass[high] - mass[low] - words * p) / np.maximum(others, 1)
    return columns


def _page(p: FloatArray, words: FloatArray) -> dict[str, FloatArray | float]:
    mass = words * p
    total = max(mass.sum(), 1e-9)
    rank = np.argsort(np.argsort(-p, kind="stable"), kind="stable")
    return {
        "highest": p.max(initial=0),
        "mean": mass.sum() / max(words.sum(), 1),
        "words": np.log1p(mass.sum()),
        "even": (mass * p).sum() / total,
        "rank": rank / max(len(p), 1),
        "before": (np.cumsum(mass) - mass) / total,
    }


def _sure(p: FloatArray) -> dict[str, NDArray[np.int64]]:
    place, n, sure = np.arange(len(p)), len(p), p > SURE
    some = np.flatnonzero(sure)
    first, last = (some[0], some[-1]) if len(some) else (0, n - 1)
    before = np.maximum.accumulate(np.where(sure, place, -FAR - 1))
    before = np.concatenate([[-FAR - 1], before])[:n]
    after = np.minimum.accumulate(np.where(sure, place, n + FAR)[::-1])[::-1]
    after = np.concatenate([after, [n + FAR]])[1:]
    return {
        "first": np.clip(place - first, -FAR, FAR),
        "last": np.clip(last - place, -FAR, FAR),
        "since": np.minimum(place - before, FAR),
        "until": np.minimum(after - place, FAR),
    }


def _group(
    name: str, p: FloatArray, words: FloatArray, group: NDArray[np.int64]
) -> dict[str, FloatArray]:
    """Of the others of its group; -1 for a block alone."""
    count = np.bincount(group)[group]
    mass, all_words = np.bincount(group, words * p), np.bincount(group, words)
    total = max((words * p).sum(), 1e-9)
    others = np.maximum(all_words[group] - words, 1e-9)
    mean = (np.bincount(group, p)[group] - p) / np.maximum(count - 1, 1)
    by_words = np.clip((mass[group] - words * p) / others, 0, 1)
    return {
        f"{name} by words": np.where(count > 1, by_words, -1),
        f"{name} mean": np.where(count > 1, mean, -1),
        f"{name} share": mass[group] / total,
    }
