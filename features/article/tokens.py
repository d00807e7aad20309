"""Hashed words of blocks: a vocabulary for any language without a dictionary."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..words import words

__all__ = ["FIRST", "LAST", "TABLE", "block_words", "hashed_words"]

TABLE = 1 << 16
"""Size of the hash table. Hashes of words are below it and above 0, which stands for no word."""

FIRST, LAST = 24, 12
"""Number of words that are hashed from the beginning and from the end of a block."""


def block_words(texts: Sequence[str]) -> list[list[str]]:
    """Words of each text, in lower case."""
    return [words(text.lower()) for text in texts]


def hashed_words(texts: Sequence[Sequence[str]]) -> NDArray[np.int32]:
    """Hashes of the first and the last words of each block.

    int32, shape (b, FIRST + LAST), 0 where a block has fewer words.
    """
    width = FIRST + LAST
    chosen = [text if len(text) <= width else [*text[:FIRST], *text[-LAST:]] for text in texts]
    lengths = np.array([len(text) for text in chosen], np.intp)
    table = np.zeros((len(texts), width), np.int32)
    words_in_order = list(chain.from_iterable(chosen))
    hashes = {word: _hash_word(word) for word in dict.fromkeys(words_in_order)}
    table[np.arange(width) < lengths[:, None]] = list(map(hashes.__getitem__, words_in_order))
    return table


def _hash_word(word: str) -> int:
    return 1 + zlib.crc32(word.encode("utf-8", "surrogatepass")) % (TABLE - 1)
