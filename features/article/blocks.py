"""The blocks that the article model judges: all texts of the page, hidden ones too.

Pages hide their article until a script has run, or behind an offer to subscribe; whether a
text is painted is one more feature of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...renderer.snapshot import Snapshot
from ...renderer.tree import subtree_mask
from ..blocks import TextBlock, text_blocks
from ..readable import readable_texts

__all__ = ["ArticleBlocks", "article_blocks"]

# What is inside of these is no text of the page, painted or not. A noscript is not among them:
# where scripts are off it is the page, as on many forums.
NO_TEXT = ("template", "select", "textarea", "script", "style", "svg", "datalist", "head")


@dataclass(frozen=True, eq=False)
class ArticleBlocks:
    """The b blocks of a page, in document order.

    Attributes
    ----------
    snapshot
        The page of n nodes.
    blocks
        The blocks.
    hidden
        bool, shape (b,): nothing of the block is to be read as the page is painted.
    """

    snapshot: Snapshot
    blocks: tuple[TextBlock, ...]
    hidden: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.blocks)

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """int64, shape (b,): the element that each block is laid out by."""
        return np.array([block.owner for block in self.blocks], np.int64)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """int64, shape (b,): each block's first text node."""
        return np.array([block.nodes[0] for block in self.blocks], np.int64)

    @cached_property
    def texts(self) -> list[str]:
        """Text of each block."""
        return [block.text for block in self.blocks]

    @cached_property
    def of(self) -> NDArray[np.int64]:
        """int64, shape (n,): the block of each text node, -1 for none."""
        of = np.full(len(self.snapshot), -1, np.int64)
        for number, block in enumerate(self.blocks):
            of[list(block.nodes)] = number
        return of

    @cached_property
    def article(self) -> NDArray[np.int64]:
        """int64, shape (b,): the outermost ``article`` element around each block, -1 for none."""
        return _outermost(self.snapshot, self.snapshot.with_tag("article"))[self.owner]


def article_blocks(snapshot: Snapshot) -> ArticleBlocks:
    """Blocks of a page, hidden ones too."""
    seen = readable_texts(snapshot)
    off = subtree_mask(snapshot.with_tag(*NO_TEXT), snapshot.end)
    shown = text_blocks(snapshot, seen & ~off)
    unseen = text_blocks(snapshot, snapshot.is_text & ~seen & ~off)
    marked = [(block, False) for block in shown] + [(block, True) for block in unseen]
    marked.sort(key=lambda pair: pair[0].nodes[0])
    kept = _drop_screen_reader_blocks(marked)
    hidden = np.array([hidden for _, hidden in kept], bool)
    return ArticleBlocks(snapshot, tuple(block for block, _ in kept), hidden)


def _drop_screen_reader_blocks(
    marked: list[tuple[TextBlock, bool]],
) -> list[tuple[TextBlock, bool]]:
    """Blocks without the hidden ones among the texts of another: words for screen readers."""
    kept: list[tuple[TextBlock, bool]] = []
    for block, hidden in marked:
        if kept and block.nodes[0] < kept[-1][0].nodes[-1]:
            if hidden:
                continue
            if kept[-1][1]:
                kept.pop()
        kept.append((block, hidden))
    return kept


def _outermost(snapshot: Snapshot, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64, shape (n,): the outermost marked element that holds each node, -1 for none."""
    of = np.full(len(snapshot), -1, np.int64)
    covered = 0
    for node in np.flatnonzero(marked).tolist():
        if node >= covered:
            covered = int(snapshot.end[node])
            of[node:covered] = node
    return of
