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
    source literally: on a site of fewer than ten pages nothing is content."""

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
class Verdicts:
    """Verdicts on the blocks of one page."""

    blocks: NDArray[np.int64]
    """int64, shape (k,): the blocks of the page, by their number."""
    similar: NDArray[np.int64]
    """int64, shape (k,): |S|, number of pages with a similar block."""
    identical: NDArray[np.bool_]
    """bool, shape (k,): whether another page has the identical block."""
    content: NDArray[np.bool_]
    """bool, shape (k,)."""
    limit: int
    """Blocks are content only if |S| is below this."""
    pages: int
    """Number of pages compared."""


def classify(
    pages: Sequence[Sequence[int]],
    profiles: Sequence[Profile],
    chosen: Sequence[int],
    options: RedundancyOptions | None = None,
) -> list[Verdicts]:
    """Classify the blocks of some pages of a site.

    `pages`: Blocks of each page, as indices into `profiles`. `profiles`: The distinct blocks of the
    site. `chosen`: Indices of the pages to classify.

    The thesis compares every block with every block. Here equal blocks are compared once, and
    all pairs take a few matrix products. The thesis's early exit at the first similar block of a
    page does not change the result and would save nothing here.
    """
    options = options or RedundancyOptions()
    on = np.zeros((len(profiles), len(pages)), np.int64)
    for page, blocks in enumerate(pages):
        np.add.at(on[:, page], list(blocks), 1)
    here = np.flatnonzero(on[:, list(chosen)].any(axis=1))
    counts, itself = _reach(profiles, on, here, options.likeness)
    elsewhere = _identical(profiles, on)[here]
    limit = options.limit(len(pages))
    verdicts: list[Verdicts] = []
    for page in chosen:
        times = on[here, page]
        rows = np.flatnonzero(times)
        reached = counts[rows] > 0
        alike, twice = itself[rows], times[rows] > 1
        reached[:, page] = (counts[rows, page] > alike) | (alike & twice)
        reached[:, page] &= options.own_page
        similar = reached.sum(axis=1)
        identical = elsewhere[rows] & options.identical
        content = ~identical & (similar < limit)
        verdicts.append(Verdicts(here[rows], similar, identical, content, limit, len(pages)))
    return verdicts


def _reach(
    profiles: Sequence[Profile], on: IntMatrix, rows: NDArray[np.intp], likeness: Likeness
) -> tuple[IntMatrix, NDArray[np.bool_]]:
    """Distinct similar blocks on each page, int64 (rows, p); whether blocks resemble themselves."""
    # Counts are far below 2**24, up to which float32 is exact.
    present = (on > 0).astype(np.float32)
    counts = np.zeros((len(rows), present.shape[1]), np.int64)
    itself = np.zeros(len(rows), bool)
    for first, similar in similar_pairs([profiles[row] for row in rows], profiles, likeness):
        places = np.arange(len(similar))
        counts[first + places] = similar.astype(np.float32) @ present
        itself[first + places] = similar[places, rows[first + places]]
    return counts, itself


def _identical(profiles: Sequence[Profile], on: IntMatrix) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that occur identically on two or more pages."""
    index: dict[int, int] = {}
    names = [index.setdefault(block.identity, len(index)) for block in profiles]
    pages = np.zeros((len(index), on.shape[1]), bool)
    np.logical_or.at(pages, names, on > 0)
    return pages.sum(axis=1)[names] > 1
