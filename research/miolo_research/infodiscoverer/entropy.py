"""InfoDiscoverer: a block whose terms are spread over the pages of its site is redundant.

Source: Lin and Ho, *Discovering informative content blocks from Web documents*, KDD 2002.
If ``w_ij`` is the share of the occurrences of term i that are on page j of n, the entropy of the
term is ``H_i = -sum_j w_ij log_n w_ij``. The entropy of a block is the mean over its terms.

With ``c_ij`` occurrences and ``N_i = sum_j c_ij`` this is ``(log N_i - sum_j c_ij log c_ij /
N_i) / log n``. Only two numbers are learned for each term, so a page can be added, or scored
without being added, without reading the others again.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from miolo.features.block_sets import BlockSet, Cut
from miolo.features.hashes import text_hash
from miolo.features.terms import terms
from miolo.models.page_names import page_names
from miolo.renderer.page.snapshot import Snapshot
from numpy.typing import NDArray

from ..shingles import keep_smallest

__all__ = [
    "UNIT",
    "BlockEntropies",
    "TermPages",
    "boundary",
    "mean_entropy",
    "spread_of",
    "stems",
    "term_entropy",
]

UNIT = 1 << 20
"""Values of c log c are rounded to whole multiples of 1 / `UNIT`, so that their sums are exactly
the same for pages in any order."""

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

# Maximum distinct terms kept of a page in the sample on which the boundary is determined.
MAX_SAMPLED = 4000

Blocks = tuple[tuple[str, ...], ...]


def term_entropy(total: int, spread: float, pages: int) -> float:
    """Entropy of a term over pages, in [0, 1], with the number of pages as the base.

    Parameters
    ----------
    total
        Number of occurrences on all pages, N.
    spread
        Sum of c log c over the pages, where c is the number of occurrences on a page.
    pages
        Number of pages, n. With fewer than two, or for a term on no page, the entropy is 0.
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
    """The entropy that separates a site's informative blocks from redundant ones.

    It is raised step by step until no further block becomes informative.

    Parameters
    ----------
    entropies, sizes
        Shape (b,): entropies of blocks and their numbers of terms.
    step
        Increment of the threshold.
    growth
        Share of all terms up to which newly informative blocks count as none.
    start
        Minimum share of terms in informative blocks (and more than 0) before the search may
        stop: at first, blocks become informative one by one.
    highest
        Value returned if the search does not stop before it.

    Notes
    -----
    The defaults are those of the source, from memory. Real sites have a few blocks of every
    entropy, so that with the defaults the search stops too early or not at all.
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
    """Stems of case-folded words; the words themselves if the language has no stemmer."""
    stem = _stemmer(SNOWBALL.get(language.lower().replace("_", "-").partition("-")[0], ""))
    return list(words) if stem is None else [stem(word) for word in words]


@cache
def _stemmer(algorithm: str):
    if not algorithm:
        return None
    import snowballstemmer

    return cache(snowballstemmer.stemmer(algorithm).stemWord)


def spread_of(count: int) -> int:
    """c log c for c occurrences on a page, rounded, in multiples of 1 / `UNIT`."""
    return round(UNIT * count * math.log(count)) if count > 1 else 0


def mean_entropy(entropies: Sequence[float | None]) -> float:
    """Mean entropy of the terms of a block, ignoring None; 1 if there are none."""
    counted = [entropy for entropy in entropies if entropy is not None]
    # Sorted, since the iteration order of sets differs between processes.
    return sum(sorted(counted)) / len(counted) if counted else 1.0


@dataclass(frozen=True, eq=False)
class BlockEntropies:
    """The b blocks of a page and the entropies of their terms over the site.

    Attributes
    ----------
    entropy
        float64, shape (b,), in [0, 1]; 1 for a block without terms.
    terms
        int32, shape (b,): number of distinct terms of each block.
    """

    blocks: BlockSet
    entropy: NDArray[np.float64]
    terms: NDArray[np.int32]


class TermPages:
    """The distribution of a site's terms over its pages.

    Parameters
    ----------
    cut
        How pages are cut into blocks; by default into blocks as rendered. The source dates from
        a time of table layouts and uses the innermost ``table`` elements.
    stemmed
        Stem terms in languages that Snowball supports; the source uses Porter's stemmer.
    max_terms
        Maximum number of terms kept. They are a sample by hash, which does not depend on the
        order of pages; other terms count in no block.
    sampled
        Maximum number of pages whose blocks are kept to determine the boundary.
    """

    # `spreads` maps each term to its occurrences N and the sum of c log c over the pages.
    # `names` contains the names of the pages.

    def __init__(
        self,
        cut: Cut | None = None,
        *,
        stemmed: bool = True,
        max_terms: int = 100_000,
        sampled: int = 16,
    ) -> None:
        self.cut = cut or Cut(tags=())
        self.stemmed = stemmed
        self.max_terms, self.sampled = max_terms, sampled
        self.size = 0
        self.spreads: dict[str, tuple[int, int]] = {}
        self.names: set[int] = set()
        self.sample: dict[int, Blocks] = {}

    def __len__(self) -> int:
        """Number of pages learned from."""
        return self.size

    def __repr__(self) -> str:
        return f"<TermPages of {len(self)} pages, {len(self.spreads)} terms>"

    def add(self, snapshot: Snapshot) -> None:
        """Learn from one more page."""
        block_terms = self._terms(snapshot, self.cut.blocks(snapshot))
        for term, count in _count(block_terms).items():
            total, spread = self.spreads.get(term, (0, 0))
            self.spreads[term] = total + count, spread + spread_of(count)
        keep_smallest(self.spreads, self.max_terms, text_hash)
        names = page_names(snapshot)
        self.size += 1
        self.names |= names
        self.sample[min(names)] = _bounded_terms(block_terms)
        keep_smallest(self.sample, self.sampled, int)

    def judge(self, snapshot: Snapshot, *, own: bool = True) -> BlockEntropies:
        """Entropies of the blocks of a page, whether it was learned from or not.

        Parameters
        ----------
        own
            Count the terms of a page that was not learned from as if it had been. Otherwise a
            term that it shares with one learned page looks like a term of a single page.
        """
        blocks = self.cut.blocks(snapshot)
        block_terms = self._terms(snapshot, blocks)
        new = own and not page_names(snapshot) & self.names
        entropy = self._entropies(_count(block_terms) if new else Counter(), self.size + new)
        entropies = [mean_entropy(list(map(entropy, set(block)))) for block in block_terms]
        count = [len(set(block)) for block in block_terms]
        return BlockEntropies(blocks, np.array(entropies, np.float64), np.array(count, np.int32))

    def boundary(
        self, step: float = 0.1, growth: float = 0.0, start: float = 0.0, highest: float = 1.0
    ) -> float:
        """The entropy above which blocks of this site are redundant; see `boundary`."""
        entropy = self._entropies(Counter(), self.size)
        blocks = [block for page in self.sample.values() for block in page if block]
        return boundary(
            np.array([mean_entropy(list(map(entropy, block))) for block in blocks], np.float64),
            np.array(list(map(len, blocks)), np.int64),
            step, growth, start, highest,
        )  # fmt: skip

    def _entropies(self, own: Counter[str], pages: int) -> Callable[[str], float | None]:
        """Function that returns the entropy of a term, or None if the term does not count."""
        full = len(self.spreads) >= self.max_terms

        @cache
        def entropy(term: str) -> float | None:
            if full and term not in self.spreads:
                return None
            total, spread = self.spreads.get(term, (0, 0))
            count = own[term]
            return term_entropy(total + count, (spread + spread_of(count)) / UNIT, pages)

        return entropy

    def _terms(self, snapshot: Snapshot, blocks: BlockSet) -> list[list[str]]:
        language = snapshot.page.language
        block_terms = [terms(text, language) for text in blocks.texts(snapshot)]
        return [stems(block, language) for block in block_terms] if self.stemmed else block_terms

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        return {
            "cut": asdict(self.cut),
            "stemmed": self.stemmed,
            "most_terms": self.max_terms,
            "sampled": self.sampled,
            "size": self.size,
            "known": [f"{name:016x}" for name in sorted(self.names)],
            "terms": {term: self.spreads[term] for term in sorted(self.spreads)},
            "sample": {f"{name:016x}": self.sample[name] for name in sorted(self.sample)},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TermPages:
        """Read the output of `to_json`.

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError
            The data are not the output of `to_json`.
        """
        cut = Cut(**{**data["cut"], "tags": tuple(map(str, data["cut"]["tags"]))})
        site = cls(
            cut,
            stemmed=bool(data["stemmed"]),
            max_terms=int(data["most_terms"]),
            sampled=int(data["sampled"]),
        )
        site.size = int(data["size"])
        if not 0 <= site.size <= sys.maxsize:
            raise ValueError("the number of pages is out of range")
        site.names = {int(name, 16) for name in data["known"]}
        for term, (total, spread) in data["terms"].items():
            if not (total >= 1 and 0 <= spread <= spread_of(total)):
                raise ValueError("the spread of a term is out of range")
            site.spreads[term] = int(total), int(spread)
        site.sample = {
            int(name, 16): tuple(tuple(map(str, block)) for block in page)
            for name, page in data["sample"].items()
        }
        return site


def _count(block_terms: Sequence[Sequence[str]]) -> Counter[str]:
    return Counter(term for block in block_terms for term in block)


def _bounded_terms(block_terms: Sequence[Sequence[str]]) -> Blocks:
    """Distinct terms of each block, up to a total of `MAX_SAMPLED`."""
    kept: list[tuple[str, ...]] = []
    left = MAX_SAMPLED
    for block in block_terms:
        kept.append(tuple(sorted(set(block)))[:left])
        left -= len(kept[-1])
    return tuple(block for block in kept if block)
