"""Content Extractor and X-CEX: a block that also occurs on other pages is not content.

Source: the X-CEX thesis, section 4.2.4, equations 4.3 to 4.5, after Debnath, Mitra, Pal and
Giles (2005). The inverse block document frequency (IBDF) decreases with the number of pages that
have a similar block. `docs/x-cex.md` lists what the sources leave open or get wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .likeness import CONTENT_EXTRACTOR, X_CEX, Likeness, similar_pairs
from .profiles import Profile

IntMatrix = NDArray[np.int64]


@dataclass(frozen=True)
class RedundancyOptions:
    """Which blocks are redundant. The defaults are X-CEX; each of its innovations is an option."""

    likeness: Likeness = X_CEX
    """When two blocks are similar."""
    own_page: bool = True
    """The block's own page also counts if another of its blocks is similar."""
    identical: bool = True
    """A block that occurs identically on another page is not content (IBDF = -1)."""
    share: float = 0.2
    """A block with similar blocks on this share of the pages is redundant."""
    min_size: int = 2
    """Minimum number of pages with a similar block that makes a block redundant. 0 follows the
    source literally: in a collection of fewer than ten pages nothing is content."""

    @classmethod
    def content_extractor(cls) -> RedundancyOptions:
        """Content Extractor, with the share of pages that the thesis retains."""
        return cls(CONTENT_EXTRACTOR, own_page=False, identical=False)

    def limit(self, pages: int) -> int:
        """Number of pages with a similar block that makes a block redundant, out of `pages`."""
        # Rounded first, or 35 % of 40 pages might be 13.
        printed = math.floor(round(self.share * pages, 9))
        # With a limit of 1, the printed condition IBDF > 1 / 1 holds for no block.
        return max(self.min_size, printed if printed > 1 else 0)


@dataclass(frozen=True, eq=False)
class Collection:
    """Distinct blocks of the pages of a site."""

    profiles: Sequence[Profile]
    """The blocks."""
    on: IntMatrix
    """int64, shape (b, p): how often each block occurs on each page."""

    @classmethod
    def of(cls, pages: Sequence[Sequence[int]], profiles: Sequence[Profile]) -> Collection:
        """Collection of pages given as lists of block numbers."""
        on = np.zeros((len(profiles), len(pages)), np.int64)
        for page, blocks in enumerate(pages):
            np.add.at(on[:, page], list(blocks), 1)
        return cls(profiles, on)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts on the blocks of one page."""

    blocks: NDArray[np.int64]
    """int64, shape (k,): the blocks of the page, by their number in the collection."""
    similar: NDArray[np.int64]
    """int64, shape (k,): |S|, number of pages with a similar block."""
    identical: NDArray[np.bool_]
    """bool, shape (k,): whether another page has the identical block."""
    content: NDArray[np.bool_]
    """bool, shape (k,)."""
    limit: int
    """Blocks are content only if |S| is below this."""
    pages: int
    """Number of pages in the collection."""


def classify(
    collection: Collection, pages: Sequence[int], options: RedundancyOptions | None = None
) -> list[Verdicts]:
    """Classify the blocks of some pages of a collection.

    Notes
    -----
    The thesis compares every block with every block. Here equal blocks are compared once, and
    all pairs take a few matrix products. The thesis's early exit at the first similar block of a
    page does not change the result and would save nothing here.
    """
    options = options or RedundancyOptions()
    here = np.flatnonzero(collection.on[:, list(pages)].any(axis=1))
    counts, itself = _reach(collection, here, options.likeness)
    elsewhere = _identical(collection)[here]
    times = collection.on[here]
    return [
        _verdicts(page, here, counts, itself, elsewhere, times[:, page], options) for page in pages
    ]


def _verdicts(
    page: int,
    here: NDArray[np.intp],
    counts: IntMatrix,
    itself: NDArray[np.bool_],
    elsewhere: NDArray[np.bool_],
    times: NDArray[np.int64],
    options: RedundancyOptions,
) -> Verdicts:
    rows = np.flatnonzero(times)
    pages = counts.shape[1]
    reached = counts[rows] > 0
    alike, twice = itself[rows], times[rows] > 1
    reached[:, page] = (counts[rows, page] > alike) | (alike & twice)
    reached[:, page] &= options.own_page
    similar = reached.sum(axis=1)
    limit = options.limit(pages)
    identical = elsewhere[rows] & options.identical
    return Verdicts(
        blocks=here[rows].astype(np.int64),
        similar=similar,
        identical=identical,
        content=~identical & (similar < limit),
        limit=limit,
        pages=pages,
    )


def _reach(
    collection: Collection, rows: NDArray[np.intp], likeness: Likeness
) -> tuple[IntMatrix, NDArray[np.bool_]]:
    """Distinct similar blocks on each page, int64 (rows, p); whether blocks resemble themselves."""
    # Counts are far below 2**24, up to which float32 is exact.
    present = (collection.on > 0).astype(np.float32)
    counts = np.zeros((len(rows), present.shape[1]), np.int64)
    itself = np.zeros(len(rows), bool)
    every = collection.profiles
    profiles = every if len(rows) == len(every) else [every[row] for row in rows.tolist()]
    for first, similar in similar_pairs(profiles, every, likeness):
        places = np.arange(len(similar))
        counts[first + places] = similar.astype(np.float32) @ present
        itself[first + places] = similar[places, rows[first + places]]
    return counts, itself


def _identical(collection: Collection) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that occur identically on two or more pages."""
    index: dict[int, int] = {}
    names = [index.setdefault(b.identity, len(index)) for b in collection.profiles]
    pages = np.zeros((len(index), collection.on.shape[1]), bool)
    np.logical_or.at(pages, names, collection.on > 0)
    return pages.sum(axis=1)[names] > 1
