"""`BlockTree`: the content structure of a page according to VIPS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["BlockTree", "Separators"]


@dataclass(frozen=True, eq=False)
class Separators:
    """The s separators between blocks, block by block.

    Attributes
    ----------
    block
        int32, shape (s,): the block whose children each separator divides.
    box
        float32, shape (s, 4): x, y, width, height in CSS px; width or height may be 0.
    across
        bool, shape (s,): whether a separator is horizontal.
    weight
        int16, shape (s,): weights; heavier separators are more visible.
    """

    block: NDArray[np.int32]
    box: NDArray[np.float32]
    across: NDArray[np.bool_]
    weight: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.block)


@dataclass(frozen=True, eq=False)
class BlockTree:
    """The b blocks of a page with n nodes in preorder; block 0 is the page.

    Children divided by separators are in order of position, others in document order. A page
    without visible content has only its root. Unlike those of a
    `miolo.features.block_sets.BlockSet`, blocks are nested and may consist of several subtrees.

    Attributes
    ----------
    parent
        int32, shape (b,); ``parent[0] == -1``.
    end
        int32, shape (b,): one past the last block of each subtree.
    depth
        int32, shape (b,).
    box
        float32, shape (b, 4): x, y, width, height of the visible content, CSS px.
    coherence
        int8, shape (b,): degree of coherence, 1 to 10.
    spans
        The nodes of each block: (start, stop) pairs of disjoint runs of subtrees, in document
        order.
    layer
        bool, shape (b,): whether the block is in a layer over the page.
    separators
        Separators between the blocks.
    of
        int32, shape (n,): the leaf that each node belongs to; -1 for none.
    """

    parent: NDArray[np.int32]
    end: NDArray[np.int32]
    depth: NDArray[np.int32]
    box: NDArray[np.float32]
    coherence: NDArray[np.int8]
    spans: tuple[tuple[tuple[int, int], ...], ...]
    layer: NDArray[np.bool_]
    separators: Separators
    of: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def leaves(self) -> NDArray[np.intp]:
        """int, shape (l,): blocks that are not divided, in order."""
        return np.flatnonzero(self.end == np.arange(len(self)) + 1)

    def children(self, block: int) -> list[int]:
        """Children of a block, in order."""
        children, child, stop = [], block + 1, int(self.end[block])
        while child < stop:
            children.append(child)
            child = int(self.end[child])
        return children

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Hierarchical numbers of the blocks: ``"1"`` is the page, ``"1.2"`` its second child."""
        labels, count = ["1"], [0] * len(self)
        for above in self.parent[1:].tolist():
            count[above] += 1
            labels.append(f"{labels[above]}.{count[above]}")
        return tuple(labels)

    def cut(self, pdoc: int) -> BlockTree:
        """The tree down to the blocks whose coherence is at least `pdoc`.

        Blocks of lower coherence are divided, so a higher degree refines the result of a lower
        one.
        """
        inner = self.coherence < pdoc
        kept = np.ones(len(self), bool)
        # Coherence never decreases from a block to its children, so the parent alone decides.
        kept[1:] = inner[self.parent[1:]]
        place = np.cumsum(kept) - 1
        # In preorder, a dropped block comes after the kept block that contains it.
        old = np.flatnonzero(kept)
        of = np.where(self.of >= 0, place[np.maximum(self.of, 0)], -1)
        cuts = self.separators
        stay = kept[cuts.block] & inner[cuts.block]
        return BlockTree(
            parent=np.where(self.parent[old] < 0, -1, place[self.parent[old]]).astype(np.int32),
            end=np.append(place, kept.sum() - 1)[self.end[old] - 1].astype(np.int32) + 1,
            depth=self.depth[old],
            box=self.box[old],
            coherence=self.coherence[old],
            spans=tuple(self.spans[block] for block in old.tolist()),
            layer=self.layer[old],
            separators=Separators(
                place[cuts.block[stay]].astype(np.int32),
                cuts.box[stay],
                cuts.across[stay],
                cuts.weight[stay],
            ),
            of=of.astype(np.int32),
        )
