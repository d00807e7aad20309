"""InfoDiscoverer: a block whose terms are spread over the pages of its site is redundant.

Source: Lin and Ho, *Discovering informative content blocks from Web documents*, KDD 2002.
With ``w_ij`` the share of the occurrences of term i that page j of n holds, the term's
entropy is ``H_i = -sum_j w_ij log_n w_ij``, and a block's the mean of its terms'.

With ``c_ij`` occurrences and ``N_i = sum_j c_ij`` this is ``(log N_i - sum_j c_ij log c_ij /
N_i) / log n``: two numbers for each term are all that is learned, and a page can be added,
or reckoned with for once, without reading the others again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNIT", "boundary", "mean_entropy", "spread_of", "stems", "term_entropy"]

UNIT = 1 << 20
"""Sums of c log c are whole numbers, c log c being in units of 2**-20: they are the same for
pages in any order, to the last digit."""

# Languages of Snowball's stemmers, by the first part of a BCP 47 tag.
SNOWBALL = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech",
    "da": "danish", "nl": "dutch", "en": "english", "eo": "esperanto", "et": "estonian",
    "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi",
    "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nb": "norwegian", "nn": "norwegian", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


def term_entropy(total: int, spread: float, pages: int) -> float:
    """Entropy of a term over pages, in [0, 1], to the base of their number.

    Parameters
    ----------
    total
        Its occurrences on all pages, N.
    spread
        The sum of c log c over the pages, c being its occurrences on each.
    pages
        Pages, n. With fewer than two, or for a term that none has, it is 0.
    """
    if total < 1 or pages < 2:
        return 0.0
    return min(1.0, max(0.0, (math.log(total) - spread / total) / math.log(pages)))


def boundary(
    entropies: NDArray[np.float64],
    sizes: NDArray[np.int64],
    step: float = 0.1,
    growth: float = 0.0,
    start: float = 0.0,
    highest: float = 1.0,
) -> float:
    """The entropy that parts a site's informative blocks from redundant ones.

    It is raised step by step, from low to high, until no further block becomes informative.

    Parameters
    ----------
    entropies, sizes
        Of blocks, shape (b,): their entropies and how many terms they have.
    step
        By how much it is raised.
    growth
        Further blocks count as none with so small a share of the terms of all.
    start
        Not before so large a share of the terms is in informative blocks (and some is): at
        first, blocks become informative one by one.
    highest
        Where it ends without having stopped.

    Notes
    -----
    The source, as recalled, is the default of all. On real sites a few blocks of every
    entropy exist, so that it stops too early or not at all.
    """
    total = sizes.sum()
    steps = np.arange(1, round(1 / step) + 1) * step
    if not total:
        return highest
    covered = [float(sizes[entropies <= at + 1e-9].sum() / total) for at in steps]
    for at, now, then in zip(steps[:-1].tolist(), covered[:-1], covered[1:], strict=True):
        if at >= highest - 1e-9:
            break
        if now > 0 and now >= start and then - now <= growth:
            return at
    return highest


def stems(words: Sequence[str], language: str) -> list[str]:
    """Stems of case-folded words; the words themselves in a language without a stemmer."""
    stem = _stemmer(SNOWBALL.get(language.lower().replace("_", "-").partition("-")[0], ""))
    return list(words) if stem is None else [stem(word) for word in words]


@cache
def _stemmer(algorithm: str):
    if not algorithm:
        return None
    import snowballstemmer

    return cache(snowballstemmer.stemmer(algorithm).stemWord)


def spread_of(count: int) -> int:
    """c log c for c occurrences on a page, in units of `UNIT`."""
    return round(UNIT * count * math.log(count)) if count > 1 else 0


def mean_entropy(entropies: Sequence[float | None]) -> float:
    """Mean of those of a block's terms that count; 1 if none does."""
    counted = [entropy for entropy in entropies if entropy is not None]
    # Sorted, or sets would be summed in an order that is another in each process.
    return sum(sorted(counted)) / len(counted) if counted else 1.0
