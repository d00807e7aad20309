"""Removed, inserted and moved nodes: those that a mapping leaves out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...features.page_tree import PageTree, is_text_label, text_of_label
from ...features.words import count_chars
from ...models.trees.subtree_classes import ClassedTree
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_sums

__all__ = ["MIN_MOVED_CHARS", "Side", "edited_pairs", "left_out_roots", "moved_pairs"]

MIN_MOVED_CHARS = 20
"""Minimum text of a moved subtree. Less occurs twice by chance: names of tags, "Read more"."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of two mapped pages.

    Attributes
    ----------
    snapshot
        The page.
    tree
        Its tree of k nodes.
    numbered
        The same tree, with subtrees numbered in a collection shared by both pages.
    partner
        int32, shape (k,): each node's partner in the other tree; -1 for none.
    """

    snapshot: Snapshot
    tree: PageTree
    numbered: ClassedTree
    partner: NDArray[np.int32]


def moved_pairs(before: Side, after: Side) -> list[tuple[int, int]]:
    """Pairs of equal subtrees that the mapping leaves out, in the order of the page before.

    The largest are paired first, and each node belongs to at most one of them. Several subtrees of
    one class are paired in document order.
    """
    places = [_by_class(side) for side in (before, after)]
    classes = sorted(places[0].keys() & places[1].keys())
    sizes = {c: int(before.numbered.end[places[0][c][0]]) - places[0][c][0] for c in classes}
    masks = [np.zeros(len(side.tree), bool) for side in (before, after)]
    moved: list[tuple[int, int]] = []
    for number in sorted(classes, key=lambda c: (-sizes[c], places[0][c][0])):
        free = [
            [node for node in of_side[number] if not mask[node]]
            for of_side, mask in zip(places, masks, strict=True)
        ]
        for x, y in zip(*free, strict=False):
            masks[0][x : x + sizes[number]] = masks[1][y : y + sizes[number]] = True
            moved.append((x, y))
    return sorted(moved)


def _by_class(side: Side) -> dict[int, list[int]]:
    """Left-out nodes with enough text below them, by the class of their subtree."""
    texts = [
        count_chars(text_of_label(label)) if is_text_label(label) else 0
        for label in side.tree.labels
    ]
    chars = subtree_sums(np.array(texts, np.int64), side.numbered.end)
    by_class: dict[int, list[int]] = defaultdict(list)
    for node in np.flatnonzero((side.partner < 0) & (chars >= MIN_MOVED_CHARS)).tolist():
        by_class[int(side.numbered.subtree_class[node])].append(node)
    return by_class


def left_out_roots(side: Side, moved: list[int]) -> list[int]:
    """Topmost nodes without a partner that did not move, in document order."""
    parent = side.tree.parent
    topmost = (side.partner < 0) & ((parent < 0) | (side.partner[parent] >= 0))
    topmost[moved] = False
    return np.flatnonzero(topmost).tolist()


def edited_pairs(
    before: Side, after: Side, removed: list[int], inserted: list[int]
) -> list[tuple[int, int]]:
    """Pairs of a removed and an inserted text with the same neighbours: texts that changed."""
    own = np.arange(len(after.tree), dtype=np.int32)
    free: dict[tuple[int, int], list[int]] = defaultdict(list)
    for node, spot in _anchored_texts(after, inserted, own)[::-1]:
        free[spot].append(node)
    spots = _anchored_texts(before, removed, before.partner)
    return [(node, free[spot].pop()) for node, spot in spots if free[spot]]


def _anchored_texts(
    side: Side, roots: list[int], positions: NDArray[np.int32]
) -> list[tuple[int, tuple[int, int]]]:
    """Texts with their parent and the last paired node before them, as nodes of the page after."""
    last = np.maximum.accumulate(np.where(side.partner >= 0, positions, -1))
    return [
        (node, (int(last[node]), int(positions[side.tree.parent[node]])))
        for node in roots
        if is_text_label(side.tree.labels[node])
    ]
