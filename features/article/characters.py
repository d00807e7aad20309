"""Counts of the kinds of characters in all blocks at once."""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from ..words import SPACELESS, UNKNOWN, count_texts_at_once, values_of

KINDS = (
    "space", "small", "capital", "digit", "ideograph", "mark", "comma", "stop", "colon", "quote",
    "bracket", "bar", "other",
)  # fmt: skip
"""Kinds of characters, in the order of the columns of `CharacterCounts.kinds`."""

_CODE = {kind: code for code, kind in enumerate(KINDS)}

_SIGNS = {
    "comma": ",;、，；،؛",
    "stop": ".!?…。！？｡؟۔।",
    "colon": ":：",
    "quote": "\"'“”„‘’‚«»‹›「」『』",
    "bracket": "()[]{}（）［］【】",
    "bar": "|•·/\\–—-_>→",
}

# Kinds by Unicode category, or by its first letter.
_BY_CATEGORY = {"Lu": "capital", "Lt": "capital", "L": "small", "M": "mark", "N": "digit"}

# Size of the basic plane; the characters beyond it are ideographs and pictographs.
_PLANE = 0x10000
_TABLE = np.full(_PLANE + 1, UNKNOWN, np.uint8)
"""Kinds of the characters of the basic plane that pages had so far; the last entry is for those
beyond it. Filling it in advance takes longer than reading a page."""
_TABLE[_PLANE] = _CODE["other"]
_IDEOGRAPH = lazy_re(f"[{SPACELESS}]")


class CharacterCounts:
    """Counts of the characters of b texts.

    `kinds`: int64, shape (b, len(KINDS)): number of characters of each kind. `words`: int64, shape
    (b,): number of words as defined in `features.words`. `first`, `last`: int64, shape (b,): kind
    of the first and of the last character; ``space`` for an empty text.
    """

    def __init__(self, texts: list[str]) -> None:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4")
        kind = values_of(codes, _TABLE, lambda character: _CODE[_kind(character)])
        kind[(codes >= 0x20000) & (codes < 0x40000)] = _CODE["ideograph"]
        owner = np.repeat(np.arange(len(texts)), lengths)
        wide = len(KINDS)
        self.kinds = np.bincount(owner * wide + kind, minlength=len(texts) * wide).reshape(-1, wide)
        self.words = count_texts_at_once(texts, wide=False)[1]
        some = lengths.nonzero()[0]
        stops = np.cumsum(lengths)[some]
        self.first = np.zeros(len(texts), np.int64)
        self.last = np.zeros(len(texts), np.int64)
        self.first[some] = kind[stops - lengths[some]]
        self.last[some] = kind[stops - 1]

    def of(self, kind: str) -> NDArray[np.int64]:
        """int64, shape (b,): number of characters of one kind."""
        return self.kinds[:, _CODE[kind]]

    def begins(self, *kinds: str) -> NDArray[np.bool_]:
        """bool, shape (b,): whether the first character is of one of these kinds."""
        return _mark(kinds)[self.first]

    def ends(self, *kinds: str) -> NDArray[np.bool_]:
        """bool, shape (b,): whether the last character is of one of these kinds."""
        return _mark(kinds)[self.last]


def _mark(kinds: tuple[str, ...]) -> NDArray[np.bool_]:
    """bool, shape (len(KINDS),): True for the given kinds."""
    return np.array([kind in kinds for kind in KINDS])


def _kind(character: str) -> str:
    for kind, signs in _SIGNS.items():
        if character in signs:
            return kind
    # The pattern takes longer to compile than a page in another script to read.
    if character >= SPACELESS[0] and _IDEOGRAPH.match(character):
        return "ideograph"
    if character.isspace():
        return "space"
    category = unicodedata.category(character)
    return _BY_CATEGORY.get(category, _BY_CATEGORY.get(category[0], "other"))
