"""Separators: strips across a pool of blocks that intersect none of them, and their weights.

Source: VIPS (MSR-TR-2003-79), section 4.2. The source starts with one separator over the whole pool
and lets each block split, shrink or remove the separators that it meets; separators at the border
are dropped. The remaining ones are the gaps in the union of the blocks' projections. They are found
here by one sweep over the sorted blocks, in O(b log b) for b blocks instead of O(b²). Departure:
blocks that touch have a separator of width 0 between them, since parts of a page with different
colours often touch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Gaps", "PoolLook", "Weighing", "find_gaps", "weigh_gaps"]


@dataclass(frozen=True, eq=False)
class Gaps:
    """The g separators of one direction, in order of position.

    Attributes
    ----------
    start, stop
        float64, shape (g,): where each separator begins and ends, CSS px.
    slab
        int64, shape (b,): number of separators before each block.
    """

    start: NDArray[np.float64]
    stop: NDArray[np.float64]
    slab: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, eq=False)
class PoolLook:
    """Appearance of the b blocks of a pool.

    Attributes
    ----------
    box
        float64, shape (b, 4): left, top, right, bottom, CSS px.
    backdrop
        uint32, shape (b,): background colour.
    size, weight
        float64, shape (b,): mean font size, CSS px, and weight; zeros without text.
    """

    box: NDArray[np.float64]
    backdrop: NDArray[np.uint32]
    size: NDArray[np.float64]
    weight: NDArray[np.float64]


@dataclass(frozen=True)
class Weighing:
    """Weights of the cues for separators; the source names the cues but gives no figures.

    Attributes
    ----------
    distances
        Widths in px; a separator gains 1 for each that it reaches.
    rule, background, font, heading
        Added for a horizontal rule in the separator, for different backgrounds or different
        fonts on its two sides, and for a larger font below it than above.
    alike
        Subtracted if both sides have the same font and an aligned left or right edge (the right
        one is for text that runs from right to left).
    """

    distances: tuple[float, ...] = (6, 14, 26, 40, 64, 100)
    rule: int = 2
    background: int = 2
    font: int = 1
    heading: int = 1
    alike: int = 1


# Fonts differ if their sizes differ by more than this factor, or their weights by more than this.
SIZE_FACTOR, WEIGHT_STEP = 1.15, 150


def find_gaps(low: NDArray[np.float64], high: NDArray[np.float64], overlap: float = 0) -> Gaps:
    """Separators between blocks that extend from `low` to `high` in one direction.

    Parameters
    ----------
    low, high
        float64, shape (b,), ``low <= high``: projections of the blocks.
    overlap
        Blocks that overlap by no more than this count as touching, CSS px: the boxes of closely
        set lines overlap.

    Returns
    -------
    The maximal intervals between blocks that are inside no block, including those of width 0.
    """
    if not len(low):
        return Gaps(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    trim = np.minimum(overlap, high - low) / 2
    order = np.lexsort((high, low + trim))
    first, last = (low + trim)[order], (high - trim)[order]
    reach = np.maximum.accumulate(last)
    cuts = np.flatnonzero(first[1:] >= reach[:-1])
    slab = np.empty(len(low), np.int64)
    is_cut = np.zeros(len(low), np.int64)
    is_cut[cuts + 1] = 1
    slab[order] = np.cumsum(is_cut)
    start, stop = reach[cuts] + overlap / 2, first[cuts + 1] - overlap / 2
    middle = (start + stop) / 2
    return Gaps(np.minimum(start, middle), np.maximum(stop, middle), slab)


def weigh_gaps(
    gaps: Gaps, look: PoolLook, across: bool, rules: NDArray[np.float64], weighing: Weighing
) -> NDArray[np.int64]:
    """Weights of separators, int64, shape (g,), 0 or more.

    Parameters
    ----------
    gaps
        The separators.
    look
        The pool in which they were found.
    across
        Whether they are horizontal. Fonts, headings and likeness count only for these, as in
        the source.
    rules
        float64, shape (r, 4): boxes of horizontal rules of the page.
    weighing
        Weights of the cues.
    """
    if not len(gaps):
        return np.zeros(0, np.int64)
    width = np.maximum(gaps.stop - gaps.start, 0)
    weights = np.searchsorted(np.array(weighing.distances), width + 0.5, side="right")
    axis = int(across)
    before = _nearest(gaps.slab, -look.box[:, axis + 2])
    after = _nearest(gaps.slab, look.box[:, axis])
    left, right = look.box[:, 0], look.box[:, 2]
    columns = (look.backdrop, look.size, look.weight, -left, right)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    sides = [_Side.of([rows[block] for block in blocks]) for blocks in before[:-1] + after[1:]]
    for gap in range(len(gaps)):
        weights[gap] += _difference(sides[gap], sides[gap + len(gaps)], across, weighing)
    if across and len(rules):
        weights += weighing.rule * _rule(gaps, look.box, rules)
    return np.maximum(weights, 0)


@dataclass(frozen=True)
class _Side:
    """The blocks adjacent to a separator on one of its sides."""

    backdrops: frozenset[float]
    size: float
    weight: float
    edges: tuple[float, float]

    @classmethod
    def of(cls, rows: list[tuple[float, ...]]) -> _Side:
        """From rows of background, size, weight, negated left edge and right edge."""
        backdrops, size, weight, left, right = zip(*rows, strict=True)
        return cls(frozenset(backdrops), max(size), max(weight), (-max(left), max(right)))


def _nearest(slab: NDArray[np.int64], distance: NDArray[np.float64]) -> list[list[int]]:
    """The blocks of each slab whose distance is within one pixel of the least."""
    blocks: list[list[int]] = []
    order = np.lexsort((distance, slab))
    last, least = -1, 0.0
    rows = zip(order.tolist(), slab[order].tolist(), distance[order].tolist(), strict=True)
    for block, of, far in rows:
        if of != last:
            blocks.append([])
            last, least = of, far
        if far <= least + 1:
            blocks[-1].append(block)
    return blocks


def _difference(before: _Side, after: _Side, across: bool, weighing: Weighing) -> int:
    """Contribution of the blocks on both sides of a separator to its weight."""
    weight = 0 if before.backdrops & after.backdrops else weighing.background
    if not across or not before.size or not after.size:
        return weight
    grows = after.size > SIZE_FACTOR * before.size
    shrinks = before.size > SIZE_FACTOR * after.size
    if grows or shrinks or abs(before.weight - after.weight) > WEIGHT_STEP:
        return weight + weighing.font + weighing.heading * grows
    flush = any(abs(a - b) <= 1 for a, b in zip(before.edges, after.edges, strict=True))
    return weight - weighing.alike * flush


def _rule(gaps: Gaps, box: NDArray[np.float64], rules: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool, shape (g,): separators that contain a horizontal rule of the pool."""
    left, right = box[:, 0].min(), box[:, 2].max()
    middle = np.sort((rules[:, 1] + rules[:, 3])[(rules[:, 0] < right) & (rules[:, 2] > left)] / 2)
    return np.searchsorted(middle, gaps.start) < np.searchsorted(middle, gaps.stop, "right")
