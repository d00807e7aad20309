"""`TermPages`: how the terms of a site are spread over its pages, for InfoDiscoverer.

Source: Lin and Ho, KDD 2002; see `miolo.models.templates.entropy`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import BlockSet, Cut
from ...features.hashes import text_hash
from ...features.terms import terms
from ...renderer.snapshot import Snapshot
from ..page_names import page_names
from .entropy import UNIT, boundary, mean_entropy, spread_of, stems, term_entropy
from .shingles import keep_smallest

__all__ = ["BlockEntropies", "TermPages"]

# Distinct terms of a page in the sample that the boundary is found on, at most.
MAX_SAMPLED = 4000

Blocks = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class BlockEntropies:
    """The b blocks of a page and how far their terms are spread over the site.

    Attributes
    ----------
    blocks
        The blocks.
    entropy
        float64, shape (b,), in [0, 1]; 1 for a block without terms.
    terms
        int32, shape (b,): distinct terms of each.
    """

    blocks: BlockSet
    entropy: NDArray[np.float64]
    terms: NDArray[np.int32]


class TermPages:
    """How the terms of a site are spread over its pages.

    Parameters
    ----------
    cut
        How pages are cut into blocks: by default as rendered. The source, of a time of pages
        laid out in tables, has the innermost ``table``.
    stemmed
        Stem terms in languages that Snowball knows; the source has Porter's stemmer.
    max_terms
        Terms kept, at most. It is a sample by hash, the same in any order of pages, and the
        others count in no block.
    sampled
        Pages whose blocks are kept to find the boundary on, at most.
    """

    # `spreads` has for each term its occurrences N, and the sum of c log c over the pages.
    # `known` has the names of pages.

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
        self.known: set[int] = set()
        self.sample: dict[int, Blocks] = {}

    def __len__(self) -> int:
        """Pages learned from."""
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
        self.known |= names
        self.sample[min(names)] = _bounded_terms(block_terms)
        keep_smallest(self.sample, self.sampled, int)

    def judge(self, snapshot: Snapshot, *, own: bool = True) -> BlockEntropies:
        """Entropies of the blocks of a page, learned or not.

        Parameters
        ----------
        snapshot
            The page.
        own
            Count the terms of a page that is not among the learned ones as if it were:
            otherwise what it alone has in common with one of them looks as rare as that.
        """
        blocks = self.cut.blocks(snapshot)
        block_terms = self._terms(snapshot, blocks)
        new = own and not page_names(snapshot) & self.known
        entropy = self._entropies(_count(block_terms) if new else Counter(), self.size + new)
        judged = [mean_entropy(list(map(entropy, set(block)))) for block in block_terms]
        count = [len(set(block)) for block in block_terms]
        return BlockEntropies(blocks, np.array(judged, np.float64), np.array(count, np.int32))

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
        """The entropy of a term, None for one that does not count."""
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
        """What was learned, as values that JSON knows."""
        return {
            "cut": asdict(self.cut),
            "stemmed": self.stemmed,
            "most_terms": self.max_terms,
            "sampled": self.sampled,
            "size": self.size,
            "known": [f"{name:016x}" for name in sorted(self.known)],
            "terms": {term: self.spreads[term] for term in sorted(self.spreads)},
            "sample": {f"{name:016x}": self.sample[name] for name in sorted(self.sample)},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TermPages:
        """Read what `to_json` has told.

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError
            It is something else.
        """
        cut = Cut(**{**data["cut"], "tags": tuple(map(str, data["cut"]["tags"]))})
        learned = cls(
            cut,
            stemmed=bool(data["stemmed"]),
            max_terms=int(data["most_terms"]),
            sampled=int(data["sampled"]),
        )
        learned.size = int(data["size"])
        learned.known = {int(name, 16) for name in data["known"]}
        for term, (total, spread) in data["terms"].items():
            if not (total >= 1 and 0 <= spread <= spread_of(total)):
                raise ValueError("a term is spread as no term can be")
            learned.spreads[term] = int(total), int(spread)
        learned.sample = {
            int(name, 16): tuple(tuple(map(str, block)) for block in page)
            for name, page in data["sample"].items()
        }
        return learned


def _count(block_terms: Sequence[Sequence[str]]) -> Counter[str]:
    return Counter(term for block in block_terms for term in block)


def _bounded_terms(block_terms: Sequence[Sequence[str]]) -> Blocks:
    """Distinct terms of each block, as long as they come to no more than the bound."""
    kept: list[tuple[str, ...]] = []
    left = MAX_SAMPLED
    for block in block_terms:
        kept.append(tuple(sorted(set(block)))[:left])
        left -= len(kept[-1])
    return tuple(block for block in kept if block)
