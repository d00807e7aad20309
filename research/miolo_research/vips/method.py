"""The `vips` method: the visual block with the highest worth as an article.

VIPS itself segments a page and does not define articles. The choice of the block and the removal of
its edges are our own; see `miolo_research.vips.importance`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from miolo.errors import PageWarning
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import Reading, read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.features.blocks import text_blocks
from miolo.features.counts import link_density
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_sums
from numpy.typing import NDArray

from .block_tree import BlockTree
from .importance import ImportanceOptions, Worth, block_worth
from .segmentation import VIPSOptions
from .segmentation import vips as segment

__all__ = ["METHOD", "VIPSMethodOptions", "leaf_counts", "make_selection", "vips"]


@dataclass(frozen=True)
class VIPSMethodOptions:
    """Parameters of the method.

    Attributes
    ----------
    blocks
        Parameters of the segmentation.
    importance
        Parameters of the choice of the block.
    max_link_density
        Leaves of the chosen block with a larger share of characters in links are left out.
    """

    blocks: VIPSOptions = field(default_factory=VIPSOptions)
    importance: ImportanceOptions = field(default_factory=ImportanceOptions)
    max_link_density: float = 0.5


def vips(snapshot: Snapshot, options: VIPSMethodOptions | None = None) -> Selection:
    """Keep the readable texts of the block with the highest worth.

    Parameters
    ----------
    snapshot
        A rendered page. Without geometry, blocks follow document order, and the warning
        ``"no-geometry"`` is given.
    options
        The parameters.

    Returns
    -------
    The selection; the mark ``"article"`` is the chosen block's first node.
    """
    options = options or VIPSMethodOptions()
    reading, tree = read(snapshot), segment(snapshot, options.blocks)
    worth = _importance(reading, tree, options)
    chars, links = leaf_counts(reading, tree)
    kept, why = _choose(tree, worth, link_density(links, chars), options)
    return make_selection(reading, tree, kept, why, {"article": worth.best}, options.blocks.pdoc)


def _importance(reading: Reading, tree: BlockTree, options: VIPSMethodOptions) -> Worth:
    # White space that is laid out, for example next to an icon, is in no block.
    seen = reading.texts & (tree.of >= 0)
    texts = text_blocks(reading.snapshot, seen)
    chars, links = (
        np.bincount(texts.of[texts.nodes], counts[texts.nodes], len(texts)).astype(np.int64)
        for counts in (reading.counts.chars, reading.counts.link_chars)
    )
    leaf = tree.of[texts.first].astype(np.int64)
    return block_worth(tree, leaf, chars, links, options.importance)


def _choose(
    tree: BlockTree, worth: Worth, density: NDArray[np.float64], options: VIPSMethodOptions
) -> tuple[list[int], dict[int, str]]:
    """Leaves of the best block to keep, and a reason for each leaf.

    Leaves without worth at its ends and leaves with a high link density are not kept.
    """
    best, limit = worth.best, options.max_link_density
    name = f"block {tree.labels[best]}, which has the highest worth ({worth.whole[best]:.0f})"
    inside = tree.leaves[(tree.leaves >= best) & (tree.leaves < tree.end[best])]
    why = {int(leaf): f"outside {name}" for leaf in tree.leaves}
    worthy = np.flatnonzero(worth.own[inside] > 0)
    body = inside[worthy[0] : worthy[-1] + 1] if len(worthy) else inside
    for leaf in inside.tolist():
        why[leaf] = f"at an end of {name}: own worth {worth.own[leaf]:.0f} ≤ 0"
    kept: list[int] = []
    for leaf in body.tolist():
        if density[leaf] > limit:
            why[leaf] = f"in {name}: link density {density[leaf]:.2f} > {limit:g}"
        else:
            why[leaf] = f"in {name}"
            kept.append(leaf)
    return kept, why


def leaf_counts(reading: Reading, tree: BlockTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Characters of each block's own texts, and those in links; int64, shape (b,) each."""
    nodes = np.flatnonzero(reading.texts & (tree.of >= 0))
    counts = [reading.counts.chars[nodes], reading.counts.link_chars[nodes]]
    sums = [np.bincount(tree.of[nodes], weights=c, minlength=len(tree)) for c in counts]
    return sums[0].astype(np.int64), sums[1].astype(np.int64)


def make_selection(
    reading: Reading,
    tree: BlockTree,
    kept: list[int],
    why: dict[int, str],
    marks: dict[str, int],
    pdoc: int,
) -> Selection:
    """Build a selection from leaves of a block tree.

    Parameters
    ----------
    kept
        Leaves to keep.
    why
        A reason for each leaf.
    marks
        Blocks to mark, by name.
    pdoc
        The permitted degree of coherence, which the reasons state.
    """
    snapshot = reading.snapshot
    content = np.isin(tree.of, kept)
    # An element that is divided into blocks is kept if all of them are.
    missing = subtree_sums(reading.texts & ~content, snapshot.end)
    content |= (tree.of < 0) & (missing == 0)
    scores = np.where(content, 1 - reading.counts.density(), 0)
    reasons = Reasons(len(snapshot), "divided into blocks, or not visible")
    sentences = [_name(tree, leaf, pdoc) + why.get(leaf, "") for leaf in range(len(tree))]
    for node in np.flatnonzero(tree.of >= 0).tolist():
        reasons.give(node, sentences[tree.of[node]])
    starts = {name: tree.spans[block][0][0] for name, block in marks.items() if tree.spans[block]}
    return select(reading, content, scores, reasons, warnings=_warnings(snapshot), marks=starts)


def _name(tree: BlockTree, block: int, pdoc: int) -> str:
    degree = int(tree.coherence[block])
    sign = "≥" if degree >= pdoc else "<"
    return f"block {tree.labels[block]}, coherence {degree} {sign} {pdoc}: "


def _warnings(snapshot: Snapshot) -> tuple[PageWarning, ...]:
    if snapshot.page.has_geometry:
        return ()
    message = "the page has no layout: texts in document order replace visual blocks"
    return (PageWarning("no-geometry", message),)


METHOD = Method(
    lambda page, _, options: vips(page, options),
    "the visual block with the highest worth as an article",
    "research baselines",
    VIPSMethodOptions(),
)
