"""The `density` method: text blocks classified by a few features of their own and of neighbours.

This is the smallest fair baseline: it uses only the words and linked words of each block that a
reader sees. Source: Kohlschütter, Fankhauser and Nejdl, *Boilerplate detection using shallow text
features* (WSDM 2010), the decision trees printed as algorithms 1 and 2.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import Reading, read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.features.block_sets import BlockSet, rendered_blocks
from miolo.features.counts import link_density
from miolo.renderer.page.snapshot import Snapshot
from numpy.typing import NDArray

__all__ = ["METHOD", "Tree", "density", "density_tree", "text_density", "words_tree"]

# The paper wraps text after 80 characters to count its lines.
LINE_WIDTH = 80

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Tree = Literal["words", "density"]


def density(snapshot: Snapshot, tree: Tree = "words") -> Selection:
    """Keep the blocks that a published decision tree classifies as content.

    Parameters
    ----------
    tree
        ``"words"``: by word counts (algorithm 2). ``"density"``: by words per line (algorithm 1).
    """
    reading = read(snapshot)
    blocks = rendered_blocks(snapshot)
    words, linked, widths = _totals(reading, blocks)
    texts = np.flatnonzero(words)
    links = link_density(linked[texts], words[texts])
    measured = words[texts].astype(np.float64)
    if tree == "density":
        measured = text_density(measured, widths[texts])
    kept = (words_tree if tree == "words" else density_tree)(measured, links)
    content, scores = np.zeros(len(blocks) + 1, bool), np.zeros(len(blocks) + 1)
    content[texts], scores[texts] = kept, (kept + 1 - links) / 2
    reasons = Reasons(len(snapshot), "not in a block with words")
    nodes = blocks.nodes()
    whys = _reasons(measured, links, "words" if tree == "words" else "words per line")
    for block, why in zip(texts.tolist(), whys, strict=True):
        reasons.give(nodes[block], why)
    return select(reading, content[blocks.of], scores[blocks.of], reasons)


def _totals(reading: Reading, blocks: BlockSet) -> tuple[IntArray, IntArray, IntArray]:
    """Words, linked words and widths of the blocks; layers over the page do not count."""
    counts = reading.counts
    texts = np.flatnonzero(reading.texts & (blocks.of >= 0))
    sums = np.zeros((3, len(blocks)), np.int64)
    for total, values in zip(sums, (counts.words, counts.link_words, counts.chars), strict=True):
        np.add.at(total, blocks.of[texts], values[texts])
    return sums[0], sums[1], sums[2]


def _reasons(measured: FloatArray, links: FloatArray, unit: str) -> list[str]:
    rows = np.stack(
        [
            measured,
            _previous_values(measured),
            _next_values(measured),
            links,
            _previous_values(links),
        ],
        axis=1,
    )
    return [
        f"{own:.3g} {unit}, {before:.3g} before and {after:.3g} after; "
        f"link density {linked:.2f}, {linked_before:.2f} before"
        for own, before, after, linked, linked_before in rows.tolist()
    ]


def words_tree(words: FloatArray, links: FloatArray) -> NDArray[np.bool_]:
    """Algorithm 2: classify blocks as content by words and link densities.

    Parameters
    ----------
    words, links
        float64, shape (b,): words and link density of each block, in document order. The blocks
        before the first and after the last count as empty.

    Returns
    -------
    bool, shape (b,)
    """
    before, after = _previous_values(words), _next_values(words)
    among_text = (words > 16) | (after > 15) | (before > 4)
    among_links = (words > 40) | (after > 17)
    return (links <= 0.333333) & np.where(
        _previous_values(links) <= 0.555556, among_text, among_links
    )


def density_tree(densities: FloatArray, links: FloatArray) -> NDArray[np.bool_]:
    """Algorithm 1: the same with text densities; see `words_tree` and `text_density`."""
    before, after = _previous_values(densities), _next_values(densities)
    among_text = np.where(densities > 9, after > 0, (after > 10) | (before > 4))
    return (links <= 0.333333) & np.where(
        _previous_values(links) <= 0.555556, among_text, after > 11
    )


def text_density(words: FloatArray, widths: IntArray) -> FloatArray:
    """Words per line of text wrapped after 80 character widths, without the last of several lines.

    The paper breaks lines between words; here, all lines are full.
    """
    return words * LINE_WIDTH / np.maximum(widths, LINE_WIDTH)


def _previous_values(values: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], values])[:-1]


def _next_values(values: FloatArray) -> FloatArray:
    return np.concatenate([values, [0.0]])[1:]


METHOD = Method(
    lambda page, *_: density(page),
    "blocks classified by word counts and link densities of their own and of neighbours",
    "research baselines",
)
