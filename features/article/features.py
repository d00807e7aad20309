"""Features of the blocks of a page: one row per block, one named column per feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blocks import TextBlocks
from .characters import CharacterCounts
from .columns import Columns
from .copies import put_copies
from .declared import headline_block, put_declared_names
from .groups import Weights, put_groups, put_tags, put_tree
from .hints import HINTS, LANDMARKS, nearness
from .places import (
    put_articles,
    put_look,
    put_neighbours,
    put_page,
    put_place,
    put_runs,
)
from .surroundings import put_gaps, put_links, put_names, put_pictures
from .texts import put_texts, text_shares
from .tokens import block_words, hashed_words

__all__ = ["BlockFeatures", "block_features"]


@dataclass(frozen=True, eq=False)
class BlockFeatures:
    """Features of b blocks."""

    names: tuple[str, ...]
    """f names, ``group.feature``."""
    values: NDArray[np.float32]
    """float32, shape (b, f); NaN for unknown values."""
    headline: int
    """Index of the block most similar to the page's title, -1 for none."""
    words: NDArray[np.float64]
    """float64, shape (b,): number of words of each block."""
    groups: dict[str, NDArray[np.int64]]
    """For each kind of similarity int64, shape (b,): group number of each block."""
    tokens: NDArray[np.int32]
    """int32, shape (b, t): hashes of each block's first and last words; see `hashed_words`."""

    def column(self, name: str) -> NDArray[np.float32]:
        """One feature of all blocks: float32, shape (b,)."""
        return self.values[:, self.names.index(name)]


def block_features(page: TextBlocks) -> BlockFeatures:
    """Features of all blocks of a page."""
    columns = Columns(len(page))
    counts = CharacterCounts(page.texts)
    shares = text_shares(page)
    weights = Weights(page, counts.words, shares["linked"])
    put_texts(columns, page, counts, shares)
    put_tags(columns, page)
    near = nearness(page.snapshot, page.owner)
    columns.put("hint", **dict(zip(HINTS, near.T, strict=False)))
    columns.put("within", **dict(zip(LANDMARKS, near.T[len(HINTS) :], strict=True)))
    put_tree(columns, page, weights)
    groups = put_groups(columns, page, weights)
    put_look(columns, page, weights)
    headline, like = headline_block(page, counts.words, columns["tag.heading"])
    put_place(columns, page, weights, headline)
    put_articles(columns, page, weights, headline)
    put_runs(columns, page, weights)
    columns.put("declared", title=like)
    words = block_words(page.texts)
    put_copies(columns, page, words)
    put_declared_names(columns, page, weights.words)
    put_pictures(columns, page, words)
    put_links(columns, page)
    put_gaps(columns, page)
    put_names(columns, page, words)
    put_page(columns, page, weights)
    put_neighbours(columns, weights)
    return BlockFeatures(
        names=columns.names,
        values=columns.table(),
        headline=headline,
        words=weights.words,
        groups=groups,
        tokens=hashed_words(words),
    )
