"""Shingles: detection of near-duplicate texts from a few hashes of each.

Source: Broder, Glassman, Manasse and Zweig, *Syntactic clustering of the Web*, WWW 1997,
as used by Bar-Yossef and Rajagopalan (WWW 2002, section 3). A text is represented by the set of
its runs of w words. Under a random order of all runs, the probability that two texts have the
same first run is the Jaccard similarity J of their sets. Runs are hashed, and a second hash
determines the order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np
from miolo.features.hashes import text_hash
from numpy.typing import NDArray

__all__ = ["band_hashes", "keep_smallest", "sketches"]

Key = TypeVar("Key", bound=Hashable)

UInt64Array = NDArray[np.uint64]


def sketches(texts: Sequence[Sequence[str]], width: int = 4, hashes: int = 8) -> UInt64Array:
    """Min-hashes of the runs of words of each text.

    Parameters
    ----------
    texts
        The words of each text, at least one.
    width
        Number of words in a run, w. A shorter text is one run.
    hashes
        Number of orders of the runs; each yields one min-hash.

    Returns
    -------
    uint64, shape (texts, hashes): two texts are equal in each column with probability J.
    """
    lengths = np.array([len(words) for words in texts], np.int64)
    if not len(lengths):
        return np.zeros((0, hashes), np.uint64)
    if not lengths.all():
        raise ValueError("a text without words has no shingles")
    once = cache(text_hash)
    tokens = np.array([once(word) for words in texts for word in words], np.uint64)
    runs, first = _run_hashes(tokens, lengths, width)
    factors, offsets = _odd_multipliers(hashes, 1), _odd_multipliers(hashes, 2)
    with np.errstate(over="ignore"):
        # One order at a time, to bound the memory for long pages.
        columns = [
            np.minimum.reduceat(runs * factor + offset, first)
            for factor, offset in zip(factors, offsets, strict=True)
        ]
    return np.stack(columns, axis=1)


def _run_hashes(
    tokens: UInt64Array, lengths: NDArray[np.int64], width: int
) -> tuple[UInt64Array, NDArray[np.int64]]:
    """Hashes of all runs, text by text, and the offsets at which the runs of each text begin."""
    stop = np.cumsum(lengths)
    start = stop - lengths
    places = np.arange(len(tokens))
    ends = np.repeat(stop, lengths)
    begins = (places + width <= ends) | (places == np.repeat(start, lengths))
    total = np.zeros(len(tokens), np.uint64)
    with np.errstate(over="ignore"):
        for ahead, factor in enumerate(_odd_multipliers(width, 3)):
            inside = places + ahead < ends
            total[inside] += tokens[places[inside] + ahead] * factor
    counts = np.maximum(lengths - width + 1, 1)
    return total[begins], np.cumsum(counts) - counts


def band_hashes(sketched: UInt64Array, rows: int) -> UInt64Array:
    """Hashes of bands of min-hashes: two texts share one if a whole band is equal.

    Parameters
    ----------
    sketched
        uint64, shape (texts, hashes), from `sketches`.
    rows
        Number of min-hashes in a band. With b bands of r rows, texts of similarity J share a
        band hash with probability ``1 - (1 - J**r)**b``.

    Returns
    -------
    uint64, shape (texts, hashes // rows); equal bands in different columns have different hashes.
    """
    texts, hashes = sketched.shape
    bands = hashes // rows
    factors = _odd_multipliers(bands * rows, 4).reshape(bands, rows)
    with np.errstate(over="ignore"):
        parts = sketched[:, : bands * rows].reshape(texts, bands, rows) * factors
        return parts.sum(axis=2, dtype=np.uint64) + _odd_multipliers(bands, 5)


def _odd_multipliers(count: int, seed: int) -> UInt64Array:
    """Fixed odd numbers, the same on every platform."""
    multipliers = [text_hash(f"{seed} {place}") | 1 for place in range(count)]
    return np.array(multipliers, np.uint64)


def keep_smallest(table: dict[Key, Any], max_entries: int, rank: Callable[[Key], int]) -> None:
    """Limit a table to the entries with the smallest hashes: a bottom-k sample.

    If this is called after every change, the entries kept and their counts do not depend on the
    order of insertion: an entry among the k smallest of all has been so since it was added.
    """
    if len(table) > max_entries:
        for key in sorted(table, key=rank)[max_entries:]:
            del table[key]
