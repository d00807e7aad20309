"""Counts of words and characters, comparable between scripts with and without spaces.

A word is a run of Unicode letters, digits and their combining marks. Each Chinese ideograph and
each Japanese kana is a word of its own, as in the break rules of UAX #29 without a dictionary. Text
is processed in logical order, which is document order even for right-to-left scripts.

The width of a text approximates how much it conveys: 1 for a character, 2 for a wide one (East
Asian Width W or F in UAX #11: an ideograph conveys about as much as two letters), and 0 for
combining marks and format controls. Thresholds that papers chose on Latin text are applicable to
Chinese as widths. White space is collapsed before counting, with or without widths.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re

# Han with its extensions, kana, and their half-width forms.
SPACELESS = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
WIDE = lazy_re(
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff"
    "\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U0001f300-\U0001f64f\U00020000-\U0003fffd]"
)

# Kinds of characters, as bits in a table.
PLANE = 0x10000
SPACE, LETTER, ALONE, DOUBLE, STILL, UNSURE = 1, 2, 4, 8, 16, 32
UNKNOWN = 255
TABLE = np.full(PLANE + 1, UNKNOWN, np.uint8)
"""Kinds of the characters of the basic plane that pages had so far; the last entry is for those
beyond it. Filling it in advance takes longer than reading a page."""
TABLE[PLANE] = UNSURE

# Combining marks of voiced kana: words of their own, but part of the word after a letter.
VOICED = lazy_re("[\u3099\u309a]")
ALONE_WORD = lazy_re(f"[{SPACELESS}]")

# Shorter patterns for texts without marks, kana and ideographs take less than half the time.
ASCII_WORD = lazy_re("[A-Za-z0-9]+")
PLAIN_WORD = lazy_re(r"[^\W_]+")
NOT_PLAIN = lazy_re("[^\0-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20cf]")

INVISIBLE = lazy_re("[\u00ad\u200b\u2060\ufeff]+")
"""Invisible characters: soft hyphens, zero-width spaces, word joiners and byte order marks."""

# Characters that bytes of UTF-8 become if they are read as Windows-1252, and that are not beside
# each other in any language: control characters, and symbols after a letter with an accent.
MISREAD = lazy_re("[\x80-\x9f]|â€|[ÂÃ][¡-ª¬-º¼-¿]")
# Bytes of Windows-1252 that are other characters in Latin-1; the bytes left out have no meaning.
LATIN_1 = {
    ord(bytes([byte]).decode("cp1252")): byte
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}

EMPTY_LINES = lazy_re("\n{3,}")

# Number of characters processed at once, each of which takes a few bytes of memory.
BATCH = 1 << 20


def collapse(text: str) -> str:
    """Replace runs of white space with single spaces, and strip both ends."""
    return " ".join(text.split())


def collapse_lines(text: str) -> str:
    """Collapse each line, and the empty lines between two lines to one."""
    lines = [collapse(line) for line in text.split("\n")]
    return EMPTY_LINES.sub("\n\n", "\n".join(lines).strip("\n"))


def legible(text: str) -> str:
    """A text without invisible characters, and decoded once more if it was encoded twice.

    >>> legible("soft\\xadly"), legible("CafÃ©: â€œhiâ€\\x9d"), legible("AMANHÃ…")
    ('softly', 'Café: “hi”', 'AMANHÃ…')
    """
    if text.isascii():
        return text
    if MISREAD.search(text):
        # If it cannot be decoded, some of it is as it should be.
        with suppress(UnicodeError):
            text = text.translate(LATIN_1).encode("latin-1").decode()
    return INVISIBLE.sub("", text)


def words(text: str) -> list[str]:
    """Words of a text, as written."""
    if text.isascii():
        return ASCII_WORD.findall(text)
    pattern = _patterns()[0] if NOT_PLAIN.search(text) else PLAIN_WORD
    return pattern.findall(text)


def count_words(text: str) -> int:
    """Number of words."""
    return len(words(text))


def count_chars(text: str, *, wide: bool = True) -> int:
    """Characters of a text after collapsing white space.

    `wide`: Count widths (see the module docstring); otherwise, code points.
    """
    text = collapse(text)
    if text.isascii() or not wide:
        return len(text)
    return len(text) + len(WIDE.findall(text)) - len(_patterns()[1].findall(text))


def count_texts_at_once(
    texts: list[str], *, wide: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`count_chars` and `count_words` of many texts: int64, shape (len(texts),) each."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    batches = np.searchsorted(ends, np.arange(BATCH, ends[-1] if len(ends) else 0, BATCH))
    bounds = sorted({0, *batches, len(texts)})
    sums = np.zeros((2, len(texts)), np.int64)
    for first, last in pairwise(bounds):
        before = ends[first - 1] if first else 0
        sums[:, first:last] = _counts(texts[first:last], ends[first:last] - before, wide)
    return sums[0], sums[1]


def _counts(
    texts: list[str], bounds: NDArray[np.int64], wide: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts of texts; `bounds` are their ends when joined, including a space after each."""
    encoded = (" ".join(texts) + " ").encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(encoded, np.uint32)
    starts = np.concatenate([[0], bounds[:-1]])
    kinds = values_of(codes, TABLE, _kinds_of_character)

    def sums(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.add.reduceat(marked, starts, dtype=np.int64)

    visible = (kinds & SPACE) == 0
    # Consecutive runs of visible characters have one space between them.
    chars = sums(visible) + np.maximum(sums(_begins(visible)) - 1, 0)
    word_counts = sums(_begins((kinds & LETTER) > 0)) + sums((kinds & ALONE) > 0)
    if wide:
        chars += sums(visible & ((kinds & DOUBLE) > 0)) - sums((kinds & STILL) > 0)
    unsure = (kinds & UNSURE).nonzero()[0]
    for place in sorted(set(np.searchsorted(bounds, unsure, "right").tolist())):
        chars[place] = count_chars(texts[place], wide=wide)
        word_counts[place] = count_words(texts[place])
    return chars, word_counts


def _begins(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True at the beginning of each run."""
    begins = marked.copy()
    begins[1:] &= ~marked[:-1]
    return begins


def values_of(
    codes: NDArray[np.uint32], table: NDArray[np.uint8], value_of: Callable[[str], int]
) -> NDArray[np.uint8]:
    """uint8, shape (n,): value of each character; those of new characters are added to the table.

    The last entry of the table is for characters beyond it.
    """
    values = table.take(codes, mode="clip")
    if not (new := values == UNKNOWN).any():
        return values
    for code in set(codes[new].tolist()):
        table[code] = value_of(chr(code))
    return table.take(codes, mode="clip")


def _kinds_of_character(character: str) -> int:
    """Kinds by the patterns that define them."""
    kinds = SPACE * character.isspace() | DOUBLE * (WIDE.match(character) is not None)
    if not NOT_PLAIN.match(character):
        is_letter = PLAIN_WORD.match(character) is not None
        return kinds | LETTER * is_letter | STILL * (character == "\u00ad")
    word, still = _patterns()
    if ALONE_WORD.match(character):
        kinds |= ALONE
    elif word.match(character):
        kinds |= LETTER
    return (
        kinds
        | STILL * (still.match(character) is not None)
        | UNSURE * (VOICED.match(character) is not None)
    )


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a word and of a character without width."""
    # `re` has no class for marks; those of living scripts are all below U+AC00.
    marks = [c for c in map(chr, range(0x300, 0xAC00)) if unicodedata.category(c)[0] == "M"]
    still = [c for c in marks if unicodedata.category(c) == "Mn"]
    controls = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    mark = _ranges(marks)
    word = f"[{SPACELESS}]|(?:[^\\W_{SPACELESS}]|[{mark}\u200c\u200d])+"
    return re.compile(word), re.compile(f"[{_ranges(still)}{controls}]")


def _ranges(characters: list[str]) -> str:
    """The content of a character class for sorted characters."""
    parts: list[list[int]] = []
    for code in map(ord, characters):
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in parts)
