"""Word vectors, which describe the blocks that contain a word and are learned without labels.

The context of a word is the features of its block and of the blocks before and after it: whether it
is linked, in which element it is, near the head or the foot, amid prose or amid links. Words of any
language have similar vectors if pages use them similarly, and rare words cannot memorise labels.

References
----------
Harris, "Distributional structure", Word 10, 1954. Deerwester et al., "Indexing by latent semantic
analysis", JASIS 41, 1990, which projects words on the principal axes of the documents that contain
them; here, features of blocks replace documents, and the means of rare words are shrunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...features.article.tokens import TABLE
from .network import look_up

WIDTH = 16
"""Length of a vector."""

SHRINKAGE = 10.0
"""Number of blocks with a word at which the mean of its contexts is halved; the mean over fewer
blocks shrinks more."""

BESIDE = np.float32(0.5)
"""Weight of the features of the blocks before and after."""

STEPS = 127
"""Largest value in the table; a vector has one byte per column."""


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Vectors of hashed words."""

    table: NDArray[np.int8]
    """int8, shape (TABLE, d): the vector of each hash; row 0, for no word, is 0."""
    scale: NDArray[np.float32]
    """float32, shape (d,): factor of each column."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of `of`."""
        return tuple(f"word.{column}" for column in range(len(self.scale)))

    def of(self, tokens: NDArray[np.int32]) -> NDArray[np.float32]:
        """float32, shape (b, d), 0 for a block without words: mean vector of each block's words."""
        return look_up(self.table, tokens) * self.scale


def learn_word_vectors(
    features: Iterable[NDArray[np.float32]],
    tokens: Sequence[NDArray[np.int32]],
    width: int = WIDTH,
) -> WordVectors:
    """Learn vectors from the blocks of some pages.

    `features`: float32, shape (b, f): standardised features of each page's blocks. `tokens`: int32,
    shape (b, t): hashed words of each page's blocks, in the same order. `width`: Maximum length of
    a vector.
    """
    words = np.unique(np.concatenate([each.ravel() for each in tokens]))
    words = words[words > 0]
    sums, count = _context_sums(features, tokens, words)
    mean = sums.sum(axis=0) / max(count.sum(), 1)
    sums -= count[:, None] * mean
    sums /= (count + SHRINKAGE)[:, None]
    weighted = sums * np.sqrt(count)[:, None]
    # The axes are orthonormal: the columns of the result are the principal components.
    _, axes = np.linalg.eigh(weighted.T @ weighted)
    vectors = sums @ axes[:, ::-1][:, :width]
    largest = np.abs(vectors).max(axis=0, initial=np.finfo(np.float32).tiny)
    scale = (largest / STEPS).astype(np.float32)
    table = np.zeros((TABLE, len(scale)), np.int8)
    table[words] = np.round(vectors / scale)
    return WordVectors(table, scale)


def _context_sums(
    features: Iterable[NDArray[np.float32]],
    tokens: Sequence[NDArray[np.int32]],
    words: NDArray[np.int32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """For each of w words, the sum of the contexts of its blocks, and the number of these blocks.

    float32, shapes (w, 3 f) and (w,).
    """
    sums: NDArray[np.float32] = np.zeros((len(words), 0), np.float32)
    count = np.zeros(len(words), np.float32)
    for own, tokens_of_page in zip(features, tokens, strict=True):
        around = np.pad(own, ((1, 1), (0, 0)))
        contexts = np.concatenate([own, BESIDE * around[:-2], BESIDE * around[2:]], axis=1)
        if not sums.shape[1]:
            sums = np.zeros((len(words), contexts.shape[1]), np.float32)
        block, place = np.nonzero(tokens_of_page)
        row = np.searchsorted(words, tokens_of_page[block, place])
        row, block = np.divmod(np.unique(row * len(own) + block), max(len(own), 1))
        distinct, starts, times = np.unique(row, return_index=True, return_counts=True)
        if len(distinct):
            sums[distinct] += np.add.reduceat(contexts[block], starts)
            count[distinct] += times
    return sums, count
