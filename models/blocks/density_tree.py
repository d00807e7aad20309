"""The tree of the nodes that contain a page's text, and ranges of its leaves as blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import BlockSet
from ...features.blocks import block_owners, text_blocks
from ...features.links import link_mask
from ...features.words import count_chars
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_mask, tree_arrays

__all__ = ["LeafKind", "TextTree", "range_blocks", "text_tree"]

LeafKind = Literal["blocks", "texts"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TextTree:
    """The m nodes of a page that contain text, in document order.

    Attributes
    ----------
    parent
        int32, shape (m,); -1 for the root.
    end
        int32, shape (m,): one past the last descendant.
    node
        int64, shape (m,): the node of the snapshot; for a leaf, its first text node.
    is_leaf
        bool, shape (m,).
    texts
        int32, shape (t,): the snapshot's text nodes of all leaves, in document order.
    starts
        int32, shape (leaves + 1,): offsets into `texts` where each leaf starts; the last is t.
    chars, link_chars
        int64, shape (m,): characters of the leaves, and those in links; 0 for other nodes.
    """

    parent: NDArray[np.int32]
    end: NDArray[np.int32]
    node: IntArray
    is_leaf: NDArray[np.bool_]
    texts: NDArray[np.int32]
    starts: NDArray[np.int32]
    chars: IntArray
    link_chars: IntArray


def text_tree(snapshot: Snapshot, texts: NDArray[np.bool_], kind: LeafKind = "blocks") -> TextTree:
    """Build the tree of the nodes that contain text.

    Parameters
    ----------
    texts
        bool, shape (n,): text nodes that count. Those of white space alone never do.
    kind
        What the leaves are. ``"blocks"``: what a reader sees as one paragraph, heading or
        cell, below block-level elements. ``"texts"``: single text nodes below elements, as in
        the DOM; a link in a sentence is then a leaf of link density 1 between leaves of
        density 0.
    """
    if kind == "blocks":
        owners = block_owners(snapshot)
        # The parent of a block is the block that contains it. Inline elements are skipped: one
        # that contains blocks may have text around them that belongs to its own parent block.
        above = np.where(snapshot.parent >= 0, owners[snapshot.parent], -1)
        blocks = text_blocks(snapshot, texts)
        return _number(snapshot, above.astype(np.int32), blocks.nodes, blocks.starts)
    chosen = np.flatnonzero(texts & snapshot.is_text).tolist()
    written = np.array([node for node in chosen if snapshot.text[node].strip()], np.int32)
    return _number(snapshot, snapshot.parent, written, np.arange(len(written) + 1, dtype=np.int32))


def _number(
    snapshot: Snapshot,
    above: NDArray[np.int32],
    texts: NDArray[np.int32],
    starts: NDArray[np.int32],
) -> TextTree:
    """Renumber the leaves and their ancestors, and count the text of the leaves."""
    held = _add_ancestors(above, texts[starts[:-1]].tolist())
    node = np.flatnonzero(held)
    # The appended -1 is the root's parent. The parents of all other nodes are held as well.
    place = np.append(np.cumsum(held) - 1, -1)
    parent = place[above[node]].astype(np.int32)
    is_leaf = snapshot.is_text[node]
    chars, link_chars = (np.zeros(len(node), np.int64) for _ in range(2))
    counts = np.array([count_chars(snapshot.text[text]) for text in texts.tolist()], np.int64)
    linked = subtree_mask(link_mask(snapshot), snapshot.end)[texts]
    chars[is_leaf] = np.add.reduceat(counts, starts[:-1])
    link_chars[is_leaf] = np.add.reduceat(counts * linked, starts[:-1])
    end, _ = tree_arrays(parent)
    return TextTree(parent, end, node, is_leaf, texts, starts, chars, link_chars)


def _add_ancestors(parent: NDArray[np.int32], nodes: list[int]) -> NDArray[np.bool_]:
    above = parent.tolist()
    held = np.zeros(len(parent), bool)
    for start in nodes:
        node = start
        while node >= 0 and not held[node]:
            held[node] = True
            node = above[node]
    return held


def range_blocks(snapshot: Snapshot, tree: TextTree, ranges: IntArray) -> BlockSet:
    """Ranges of leaves as blocks. An element belongs to a block if all of its text does.

    Parameters
    ----------
    ranges
        int64, shape (leaves,): the range of each leaf, numbered from 0 in document order. A
        range consists of neighbouring subtrees below one node.
    """
    of_text = np.repeat(ranges, np.diff(tree.starts))
    of = _whole_ranges(tree.texts, of_text, np.arange(len(snapshot)), snapshot.end)
    return BlockSet(_roots(tree, ranges), of.astype(np.int32))


def _whole_ranges(
    places: NDArray[np.integer],
    ranges: IntArray,
    start: NDArray[np.integer],
    stop: NDArray[np.integer],
) -> IntArray:
    """The range that all places from start to stop share; -1 if there are none or several."""
    low, high = np.searchsorted(places, start), np.searchsorted(places, stop)
    common_range = np.full(len(start), -1, np.int64)
    some = high > low
    # Ranges are in document order, so if the first and the last are equal, all are.
    one, other = ranges[low[some]], ranges[high[some] - 1]
    common_range[some] = np.where(one == other, one, -1)
    return common_range


def _roots(tree: TextTree, ranges: IntArray) -> NDArray[np.int32]:
    """For each range, the node that equals it, or else the parent of its subtrees."""
    leaves = np.flatnonzero(tree.is_leaf)
    whole = _whole_ranges(leaves, ranges, np.arange(len(tree.node)), tree.end)
    inside = np.flatnonzero(whole >= 0)
    _, first = np.unique(whole[inside], return_index=True)
    outermost = inside[first]
    last = leaves[np.searchsorted(ranges, np.arange(len(outermost)), side="right") - 1]
    alone = (last < tree.end[outermost]) & ~tree.is_leaf[outermost]
    root = np.where(alone, outermost, tree.parent[outermost])
    return tree.node[root].astype(np.int32)
