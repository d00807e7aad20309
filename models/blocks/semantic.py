"""Partly-semantic noise reduction: blocks on the same topic as the main block are content.

Source: the partly-semantic paper (Xie and Liu), sections 3.1.3, 3.2.1 and 3.2.2. Blocks are
ranges of similar link density: the page is cut where neighbours are no longer similar. The
pseudo-code of that step is malformed (`end if` and `end for` are crossed), so `density_ranges`
follows the prose. The similarity threshold, which the paper does not give, is `tau`.

Formula 3 has a weight without a block index, a logarithm that is never positive, and a root of
sums that are not squared. The paper's pruning deletes blocks *above* the threshold, although the
cosine grows with relevance. Each function documents what it does instead.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import BlockSet, shared_numbers
from ...features.blocks import block_owners, text_blocks
from ...features.counts import link_density
from ...features.links import link_mask
from ...features.words import count_chars
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import levels, nearest_marked, subtree_mask, subtree_sums, tree_arrays

# The tree of the nodes that contain a page's text, and ranges of its leaves as blocks.

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TextTree:
    """The m nodes of a page that contain text, in document order."""

    parent: NDArray[np.int32]
    """int32, shape (m,); -1 for the root."""
    end: NDArray[np.int32]
    """int32, shape (m,): one past the last descendant."""
    node: IntArray
    """int64, shape (m,): the node of the snapshot; for a leaf, its first text node."""
    is_leaf: NDArray[np.bool_]
    """bool, shape (m,)."""
    texts: NDArray[np.int32]
    """int32, shape (t,): the snapshot's text nodes of all leaves, in document order."""
    starts: NDArray[np.int32]
    """int32, shape (leaves + 1,): offsets into `texts` where each leaf starts; the last is t."""
    chars: IntArray
    link_chars: IntArray
    """int64, shape (m,): characters of the leaves, and those in links; 0 for other nodes."""


def text_tree(snapshot: Snapshot, texts: NDArray[np.bool_], *, literal: bool = False) -> TextTree:
    """Build the tree of the nodes that contain text.

    `texts`: bool, shape (n,): text nodes that count. Those of white space alone never do.
    `literal`: Whether leaves are single text nodes, as in the DOM, so that a link in a sentence is
    a leaf of link density 1 between leaves of density 0. By default they are what a reader sees as
    one paragraph, heading or cell.
    """
    if not literal:
        owners = block_owners(snapshot)
        # The parent of a block is the block that contains it. Inline elements are skipped: one
        # that contains blocks may have text around them that belongs to its own parent block.
        is_block = owners == np.arange(len(snapshot))
        blocks = text_blocks(snapshot, texts)
        return _number(snapshot, is_block, blocks.nodes, blocks.starts)
    chosen = np.flatnonzero(texts & snapshot.is_text).tolist()
    written = np.array([node for node in chosen if snapshot.text[node].strip()], np.int32)
    starts = np.arange(len(written) + 1, dtype=np.int32)
    return _number(snapshot, ~snapshot.is_text, written, starts)


def _number(
    snapshot: Snapshot,
    inner: NDArray[np.bool_],
    texts: NDArray[np.int32],
    starts: NDArray[np.int32],
) -> TextTree:
    """Renumber the leaves and their ancestors, and count the text of the leaves."""
    leaves = np.zeros(len(snapshot), bool)
    leaves[texts[starts[:-1]]] = True
    held = leaves | (inner & (subtree_sums(leaves, snapshot.end) > 0))
    node = np.flatnonzero(held)
    # The appended -1 is the root's parent.
    place = np.append(np.cumsum(held) - 1, -1)
    parent = place[nearest_marked(snapshot.parent, held & inner)[node]].astype(np.int32)
    is_leaf = snapshot.is_text[node]
    chars, link_chars = (np.zeros(len(node), np.int64) for _ in range(2))
    counts = np.array([count_chars(snapshot.text[text]) for text in texts.tolist()], np.int64)
    linked = subtree_mask(link_mask(snapshot), snapshot.end)[texts]
    chars[is_leaf] = np.add.reduceat(counts, starts[:-1])
    link_chars[is_leaf] = np.add.reduceat(counts * linked, starts[:-1])
    end, _ = tree_arrays(parent)
    return TextTree(parent, end, node, is_leaf, texts, starts, chars, link_chars)


def range_blocks(snapshot: Snapshot, tree: TextTree, ranges: IntArray) -> BlockSet:
    """Ranges of leaves as blocks. An element belongs to a block if all of its text does.

    `ranges`: int64, shape (leaves,): the range of each leaf, numbered from 0 in document order. A
    range consists of neighbouring subtrees below one node.
    """
    of_text = np.repeat(ranges, np.diff(tree.starts))
    of = shared_numbers(tree.texts, of_text, np.arange(len(snapshot)), snapshot.end)
    return BlockSet(_roots(tree, ranges), of.astype(np.int32))


def _roots(tree: TextTree, ranges: IntArray) -> NDArray[np.int32]:
    """For each range, the node that equals it, or else the parent of its subtrees."""
    leaves = np.flatnonzero(tree.is_leaf)
    whole = shared_numbers(leaves, ranges, np.arange(len(tree.node)), tree.end)
    inside = np.flatnonzero(whole >= 0)
    _, first = np.unique(whole[inside], return_index=True)
    outermost = inside[first]
    last = leaves[np.searchsorted(ranges, np.arange(len(outermost)), side="right") - 1]
    alone = (last < tree.end[outermost]) & ~tree.is_leaf[outermost]
    root = np.where(alone, outermost, tree.parent[outermost])
    return tree.node[root].astype(np.int32)


# Upper bound on how far rounding lowers the cosine of equal vectors below 1.
ROUNDING = 1e-9

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SemanticOptions:
    """Parameters of partly-semantic noise reduction; the paper gives no values.

    The defaults were chosen on one half of the sites; see `docs/semantic.md`.
    """

    tau: float = 0.8
    """Minimum similarity of the link densities of nodes that form one block."""
    smoothing: float = 1.0
    """Added to both densities before they are compared. With 1, a paragraph without links is
    similar to one with a quarter of its text linked, and a list of links to neither."""
    threshold: float = 0.03
    """The paper's lambda, as a cosine in [0, 1]: minimum similarity to the main block."""
    dictionary: bool = True
    """Segment Chinese and Japanese by dictionary if the extra `cjk` is installed."""
    literal: bool = False
    """Follow the paper as printed, as far as it can be computed: weights by formula 3's logarithm,
    text nodes as leaves, no smoothing of densities, and words in links counted fully. Otherwise,
    when the main block is chosen, a block's words are weighted by the share of its text outside
    links: a tag cloud has more words than a short article."""

    def __post_init__(self) -> None:
        if min(self.tau, self.smoothing) < 0 or not 0 <= self.threshold <= 1:
            raise ValueError(
                "tau and smoothing must not be negative, and threshold must be between 0 and 1"
            )


@dataclass(frozen=True, eq=False)
class Pruning:
    """Verdicts on the b blocks of a page."""

    main: int
    """The main block: the first of those with the most feature words."""
    words: NDArray[np.int64]
    """int64, shape (b,): number of feature words of each block, repeated ones included."""
    similarity: NDArray[np.float64]
    """float64, shape (b,), in [0, 1]: cosine with the main block."""
    kept: NDArray[np.bool_]
    """bool, shape (b,)."""


def prune(
    blocks: Sequence[Sequence[str]],
    density: NDArray[np.float64],
    options: SemanticOptions | None = None,
) -> Pruning:
    """Find the main block and keep the blocks that are similar to it.

    The paper deletes blocks above the threshold; this function deletes those below. If the
    paper's value is read as an angle, which grows as relevance falls, the two rules agree, so
    `literal` does not change this.

    `blocks`: Feature words of each block, repeated ones included; at least one block.
    """
    options = options or SemanticOptions()
    words = np.array([len(block) for block in blocks], np.int64)
    main = int((words if options.literal else words * (1 - density)).argmax())
    weights = term_weights(blocks, literal=options.literal)
    main_terms = Counter(blocks[main])
    # Equal blocks are similar even if none of their words has any weight.
    similarity = np.array(
        [
            1.0 if Counter(block) == main_terms else _cosine(own, weights[main])
            for block, own in zip(blocks, weights, strict=True)
        ]
    )
    return Pruning(main, words, similarity, similarity >= options.threshold - ROUNDING)


def term_weights(
    blocks: Sequence[Sequence[str]], *, literal: bool = False
) -> list[dict[str, float]]:
    """Weights of the feature words of each block.

    The weight is ``tf_ij log(1 + N / n_i)``, where tf_ij is the number of occurrences in the
    block, N the number of blocks and n_i the number of blocks with the word. With `literal` it
    is ``tf_ij |log(n_i / N)|``: formula 3 with a block index, and without the sign and the norm,
    which do not affect a cosine. A word that all blocks have then has no weight.
    """
    counts = [Counter(block) for block in blocks]
    having = Counter(word for count in counts for word in count)
    log = math.log if literal else math.log1p
    worth = {word: log(len(blocks) / n) for word, n in having.items()}
    return [{word: tf * worth[word] for word, tf in count.items()} for count in counts]


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    """Cosine of two vectors; 0 if either is zero."""
    norms = math.hypot(*one.values()) * math.hypot(*other.values())
    product = sum(weight * other.get(word, 0.0) for word, weight in one.items())
    return min(1.0, product / norms) if norms else 0.0


def similar(one: FloatArray, other: FloatArray, smoothing: float = 0.0) -> FloatArray:
    """Formula 1: the smaller link density over the larger; 1 if both are 0.

    `smoothing` is added to both. Without it, a density of 0 is similar only to itself.
    """
    low, high = np.minimum(one, other) + smoothing, np.maximum(one, other) + smoothing
    return np.divide(low, high, out=np.ones_like(low), where=high > 0)


def density_ranges(tree: TextTree, tau: float = 0.8, smoothing: float = 0.0) -> IntArray:
    """Cut a page into ranges of leaves of similar link density.

    Nodes are processed from the leaves up. A node is one range if all its children are and
    every two of them are similar. Otherwise, neighbouring children that are ranges and similar
    are joined, and no ancestor is one range.

    `tau`: Minimum similarity of similar nodes.

    int64, shape (leaves,): the range of each leaf, numbered from 0 in document order.
    """
    chars, linked = subtree_sums(tree.chars, tree.end), subtree_sums(tree.link_chars, tree.end)
    density = link_density(linked, chars)
    whole = _collapse(tree.parent, density, tau, smoothing)
    outermost = np.flatnonzero(whole & ~np.append(whole, False)[tree.parent])
    before, after = outermost[:-1], outermost[1:]
    joined = (tree.parent[before] == tree.parent[after]) & (tree.end[before] == after)
    joined &= similar(density[before], density[after], smoothing) >= tau
    number = np.cumsum(np.append(True, ~joined)) - 1
    leaves = np.flatnonzero(tree.is_leaf)
    return number[np.searchsorted(outermost, leaves, side="right") - 1]


def range_densities(tree: TextTree, ranges: IntArray) -> FloatArray:
    """Link density of each range, float64, shape (ranges,)."""
    first = np.flatnonzero(np.diff(ranges, prepend=-1))
    chars, linked = tree.chars[tree.is_leaf], tree.link_chars[tree.is_leaf]
    return link_density(np.add.reduceat(linked, first), np.add.reduceat(chars, first))


def _collapse(
    parent: NDArray[np.int32], density: FloatArray, tau: float, smoothing: float
) -> NDArray[np.bool_]:
    """Nodes that form one range: all their children do and are similar."""
    whole = np.ones(len(parent), bool)
    # The least similar children of a node are those of the lowest and the highest density.
    low, high = np.full(len(parent), np.inf), np.full(len(parent), -np.inf)
    _, depth = tree_arrays(parent)
    for level in levels(depth):
        inner = level[np.isfinite(low[level])]
        whole[inner] &= similar(low[inner], high[inner], smoothing) >= tau
        below = level[parent[level] >= 0]
        np.minimum.at(low, parent[below], density[below])
        np.maximum.at(high, parent[below], density[below])
        whole[parent[below[~whole[below]]]] = False
    return whole
