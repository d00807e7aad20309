"""Separators: lines across a pool of blocks that cross none of them, and their weights.

VIPS (MSR-TR-2003-79), section 4.2. The source begins with one separator over the whole pool
and lets each block split, shrink or remove those that it meets; separators at the border are
dropped. What remains are the gaps in the union of the blocks' projections, found here by
one sweep over the sorted blocks: O(b log b) for b blocks, not O(b²). A departure: blocks that
touch have a separator of no width between them, since page parts of different colour do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Gaps", "PoolLook", "Weighing", "find_gaps", "weigh_gaps"]


@dataclass(frozen=True, eq=False)
class Gaps:
    """The g separators of one direction, in order of place.

    Attributes
    ----------
    start, stop
        float64, shape (g,): where each begins and ends, CSS px.
    slab
        int64, shape (b,): how many separators lie before each block.
    """

    start: NDArray[np.float64]
    stop: NDArray[np.float64]
    slab: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, eq=False)
class PoolLook:
    """How the b blocks of a pool look.

    Attributes
    ----------
    box
        float64, shape (b, 4): left, top, right, bottom.
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
    """What makes a separator strong; the source names the cues and no figures.

    Attributes
    ----------
    distances
        Widths in px; a separator weighs one for each that it reaches.
    rule, background, font, heading
        What is added for a horizontal rule in it, for different backgrounds or different
        letters on its sides, and for larger letters below it than above.
    alike
        What is taken off where both sides have the same letters and an edge in line: the left one,
        or where lines run the other way the right one.
    """

    distances: tuple[float, ...] = (6, 14, 26, 40, 64, 100)
    rule: int = 2
    background: int = 2
    font: int = 1
    heading: int = 1
    alike: int = 1


# Letters differ if their sizes do by this factor, or their weights by so much.
SIZE_FACTOR, WEIGHT_STEP = 1.15, 150


def find_gaps(low: NDArray[np.float64], high: NDArray[np.float64], overlap: float = 0) -> Gaps:
    """Separators between blocks that reach from `low` to `high` in one direction.

    Parameters
    ----------
    low, high
        float64, shape (b,), ``low <= high``: projections of the blocks.
    overlap
        Blocks that overlap by no more than this count as touching, CSS px: boxes of lines
        reach into each other where lines are set close.

    Returns
    -------
    The maximal stretches between blocks that lie inside of none, also those of no width.
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
        The pool that they were found in.
    across
        They are horizontal. Fonts, headings and likeness count for these alone, as in the
        source.
    rules
        float64, shape (r, 4): boxes of horizontal rules of the page.
    weighing
        What makes a separator strong.
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
    """The blocks that a separator meets on one of its sides."""

    backdrops: frozenset[float]
    size: float
    weight: float
    edges: tuple[float, float]

    @classmethod
    def of(cls, rows: list[tuple[float, ...]]) -> _Side:
        """From background, size, weight, the negative of the left edge and the right edge."""
        backdrops, size, weight, left, right = zip(*rows, strict=True)
        return cls(frozenset(backdrops), max(size), max(weight), (-max(left), max(right)))


def _nearest(slab: NDArray[np.int64], distance: NDArray[np.float64]) -> list[list[int]]:
    """Of each slab the blocks with the least distance, to a pixel."""
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
    """What the blocks on both sides of a separator add to its weight."""
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
    """bool, shape (g,): separators that a rule of the pool lies in."""
    left, right = box[:, 0].min(), box[:, 2].max()
    middle = np.sort((rules[:, 1] + rules[:, 3])[(rules[:, 0] < right) & (rules[:, 2] > left)] / 2)
    return np.searchsorted(middle, gaps.start) < np.searchsorted(middle, gaps.stop, "right")
