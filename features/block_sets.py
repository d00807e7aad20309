"""Block sets: disjoint regions of a page that methods classify as a whole.

Most block methods use the segmentations of this module. `block_set` splits a page by tags, as
GetBlockSet of the X-CEX thesis does (section 4.1, after Content Extractor, 2005).
`rendered_blocks` are the thesis's future work: the runs of text that a reader sees as one
paragraph, heading or cell, whatever their tags.

A `BlockSet` assigns nodes, including elements, to blocks, and stores no texts.
`miolo.features.blocks.TextBlocks` are paragraphs with their texts, and contain only text nodes.
The visual blocks of other systems may be nested and consist of several subtrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import innermost, nearest_marked
from .blocks import text_blocks
from .readable import readable_texts
from .words import collapse

Missing = Literal["keep", "drop"]
Nested = Literal["outermost", "innermost", "all"]

TAG_LISTS: dict[str, tuple[str, ...]] = {
    "x-cex": ("body", "main", "article", "div", "p"),
    "x-cex-section": ("body", "main", "article", "section", "div", "p"),
    "content-extractor": ("table", "tr", "p", "hr", "ul", "div", "span"),
}
"""The thesis's own list, its list 1 (with ``section``) and its list 2 (from Content Extractor)."""


@dataclass(frozen=True, eq=False)
class BlockSet:
    """The blocks of a page, in document order."""

    roots: NDArray[np.int32]
    """int32, shape (b,): the element that forms each block, or that lays it out."""
    of: NDArray[np.int32]
    """int32, shape (n,): the block that each node belongs to, -1 for none."""

    def __len__(self) -> int:
        return len(self.roots)

    def nodes(self) -> list[NDArray[np.intp]]:
        """Nodes of each block, in document order."""
        order = np.argsort(self.of, kind="stable")
        bounds = np.searchsorted(self.of[order], np.arange(len(self) + 1))
        return [order[bounds[b] : bounds[b + 1]] for b in range(len(self))]

    def texts(self, snapshot: Snapshot, counted: NDArray[np.bool_] | None = None) -> list[str]:
        """Text of each block, white space collapsed.

        `counted`: bool, shape (n,): text nodes to include; by default `readable_texts`.
        """
        counted = readable_texts(snapshot) if counted is None else counted
        parts: list[list[str]] = [[] for _ in range(len(self))]
        for node in (counted & (self.of >= 0)).nonzero()[0].tolist():
            parts[self.of[node]].append(snapshot.text[node])
        return [collapse(" ".join(texts)) for texts in parts]


@dataclass(frozen=True)
class Cut:
    """How a page is cut into blocks."""

    tags: tuple[str, ...] = TAG_LISTS["x-cex"]
    """Tags to split by, in order; empty for `rendered_blocks`."""
    missing: Missing = "keep"
    nested: Nested = "outermost"
    """See `block_set`."""

    def blocks(self, snapshot: Snapshot) -> BlockSet:
        """Blocks of a page."""
        if not self.tags:
            return rendered_blocks(snapshot)
        return block_set(snapshot, self.tags, missing=self.missing, nested=self.nested)


def block_set(
    snapshot: Snapshot,
    tags: tuple[str, ...] = TAG_LISTS["x-cex"],
    *,
    missing: Missing = "keep",
    nested: Nested = "outermost",
) -> BlockSet:
    """Split a page by tags, one after the other.

    `tags`: Tags in the order in which they are applied. Each block that contains elements of the
    tag is replaced by these elements; the text outside them is lost. `missing`: Treatment of a
    block that contains no element of the tag while other blocks do: ``"keep"`` (as printed in the
    thesis) or ``"drop"`` (as its results suggest). A tag that no block contains changes nothing.
    `nested`: Treatment of an element inside another one of the same tag. ``"outermost"``: it is
    part of the outer element, and a later tag may split it off. ``"innermost"``: it replaces the
    outer element. ``"all"``: both are blocks, and the outer one has what is not in the inner one.
    """
    blocks = np.zeros(len(snapshot), bool)
    blocks[0] = True
    for tag in tags:
        blocks = _split(snapshot, blocks, tag, missing, nested)
    return owned_blocks(snapshot, blocks.nonzero()[0])


def rendered_blocks(snapshot: Snapshot) -> BlockSet:
    """Blocks of text that a reader sees as separate; every readable text is in a block."""
    blocks = text_blocks(snapshot)
    return BlockSet(blocks.owner, _add_elements(snapshot, blocks.of, blocks.owner))


def _split(
    snapshot: Snapshot, blocks: NDArray[np.bool_], tag: str, missing: Missing, nested: Nested
) -> NDArray[np.bool_]:
    """Replace blocks by the elements of a tag that they contain."""
    elements = snapshot.with_tag(tag)
    holder = nearest_marked(snapshot.parent, blocks)
    elements &= holder >= 0
    split = np.zeros(len(snapshot), bool)
    split[holder[elements]] = True
    above = nearest_marked(snapshot.parent, elements)
    # Blocks are disjoint, except for nested ones with "all"; an inner one has a holder as well.
    inside = (above >= 0) & (above > holder)
    if nested == "outermost":
        elements &= ~inside
    elif nested == "innermost":
        outer = np.zeros(len(snapshot), bool)
        outer[above[elements & inside]] = True
        elements &= ~outer
    return elements if missing == "drop" and elements.any() else elements | (blocks & ~split)


def owned_blocks(snapshot: Snapshot, roots: NDArray[np.integer]) -> BlockSet:
    """Blocks with the given roots, shape (b,), ascending; a node belongs to its nearest root."""
    nearest = innermost(snapshot.parent, roots)
    of = np.where(nearest >= 0, np.searchsorted(roots, nearest), -1)
    return BlockSet(roots.astype(np.int32), of.astype(np.int32))


def _add_elements(
    snapshot: Snapshot, of: NDArray[np.int32], roots: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Assign to each block the elements, at and below its owner, that contain only its texts."""
    texts, nodes = (of >= 0).nonzero()[0], np.arange(len(snapshot))
    whole = shared_numbers(texts, of[texts], nodes, snapshot.end)
    alone = (whole >= 0) & ~snapshot.is_text & (nodes >= np.append(roots, -1)[whole])
    of[alone] = whole[alone]
    return of


def shared_numbers(
    places: NDArray[np.integer],
    numbers: NDArray[np.integer],
    start: NDArray[np.integer],
    stop: NDArray[np.integer],
) -> NDArray[np.int64]:
    """The number that all places from start to stop share; -1 if there are none or several.

    `numbers`: Number of each place, ascending as the places.
    """
    low, high = np.searchsorted(places, start), np.searchsorted(places, stop)
    shared = np.full(len(start), -1, np.int64)
    some = high > low
    # If the first and the last are equal, all are.
    one, other = numbers[low[some]], numbers[high[some] - 1]
    shared[some] = np.where(one == other, one, -1)
    return shared
