"""VIPS, vision-based page segmentation: the content structure of a page.

Source: Cai, Yu, Wen and Ma, *VIPS: a vision-based page segmentation algorithm*
(MSR-TR-2003-79), section 4; reviewed in the X-CEX thesis, 3.3.1. Each round takes a block,
finds its pieces (`miolo_research.vips.cues`) and the separators between them
(`miolo_research.vips.separators`), and merges the pieces along the weaker separators. The groups
divided by the strongest separators are the blocks of the next level, and each of them is the
sub-page of a further round.

Departures. The source merges from the weakest separator upwards within a round, which yields
several levels at once. Dividing only at the strongest separators, and repeating this in each part,
yields the same levels from the top down. A block is no more coherent than its parts, so that all
blocks below one that meets the permitted degree also meet it; the source leaves that open. The tree
is therefore built completely and then cut at the permitted degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from miolo.renderer.page.snapshot import Snapshot
from numpy.typing import NDArray

from .block_tree import BlockTree, Separators
from .cues import Divider, Piece, size_coherence
from .look import Look, compute_look
from .separators import Gaps, PoolLook, Weighing, find_gaps, weigh_gaps

__all__ = ["VIPSOptions", "vips"]

# Separator weight assigned to a pool without separators, whose pieces overlap.
ENTANGLED = 4


@dataclass(frozen=True)
class VIPSOptions:
    """Parameters of `vips`.

    Attributes
    ----------
    pdoc
        Permitted degree of coherence, 1 to 11. Blocks of lower coherence are divided; 11 divides
        everything divisible.
    overlap
        Blocks that overlap by no more than this still have a separator between them, CSS px.
    max_depth
        Blocks at this depth are not divided further, since extremely deep pages exist.
    weighing
        Weights of the cues for separators.
    """

    pdoc: int = 8
    overlap: float = 4
    max_depth: int = 100
    weighing: Weighing = field(default_factory=Weighing)


def vips(snapshot: Snapshot, options: VIPSOptions | None = None) -> BlockTree:
    """Segment a page into a tree of visual blocks.

    Parameters
    ----------
    snapshot
        A rendered page. Without geometry, its texts are treated as one column of lines, whose
        separators do not distinguish degrees; everything divisible is then divided.
    options
        The parameters.

    Returns
    -------
    The blocks down to the permitted degree of coherence. Every readable text is in exactly
    one leaf.
    """
    options = options or VIPSOptions()
    tree = _Builder(snapshot, compute_look(snapshot), options).build()
    return tree.cut(options.pdoc) if snapshot.page.has_geometry else tree


@dataclass(frozen=True, eq=False)
class _Round:
    """Result of one round: groups of pieces, and the separators between the groups."""

    groups: list[list[Piece]]
    boxes: NDArray[np.float64]
    across: bool
    weight: int


class _Builder:
    """Builds a `BlockTree` by rounds over a stack of blocks."""

    def __init__(self, snapshot: Snapshot, look: Look, options: VIPSOptions) -> None:
        self._look, self._options = look, options
        self._divider = Divider(snapshot, look)
        self._size = len(snapshot)
        self._tabular = _tabular(snapshot)
        self._pieces: list[list[Piece]] = []
        self._parent: list[int] = []
        self._depth: list[int] = []
        self._own: list[int] = []
        self._layer: list[bool] = []
        self._cuts: list[tuple[int, tuple[float, ...], bool, int]] = []

    def build(self) -> BlockTree:
        page = [self._divider.piece(0)] if self._look.seen[0] else []
        stack: list[tuple[list[Piece], int, bool]] = [(page, -1, False)]
        while stack:
            pieces, parent, layer = stack.pop()
            block = len(self._parent)
            self._parent.append(parent)
            self._depth.append(0 if parent < 0 else self._depth[parent] + 1)
            self._pieces.append(pieces)
            self._layer.append(layer)
            layers = [] if block else [self._divider.piece(node) for node in self._look.layers]
            groups = self._divide(block)
            # The page without its layers is a block beside them.
            if layers:
                self._own[0], groups = 1, [page] if page else []
                self._cuts.clear()
            below = [(group, block, layer) for group in groups]
            below += [([piece], block, True) for piece in layers]
            stack.extend(reversed(below))
        return self._tree()

    def _divide(self, block: int) -> list[list[Piece]]:
        """Groups of the next level; records the block's own coherence and its separators."""
        pieces = self._pieces[block]
        pool = pieces if len(pieces) > 1 else self._divider.divide(pieces[0]) if pieces else []
        if len(pool) < 2 or self._depth[block] >= self._options.max_depth:
            self._own.append(_whole_coherence(pieces))
            return []
        division = _strongest(pool, self._look.rules, self._options)
        self._own.append(min(max(10 - division.weight, 1), 9))
        for box in division.boxes.tolist():
            self._cuts.append((block, tuple(box), division.across, division.weight))
        return division.groups

    def _tree(self) -> BlockTree:
        parent = np.array(self._parent, np.int32)
        end = list(range(1, len(parent) + 1))
        of = np.full(self._size, -1, np.int32)
        for block in range(len(parent) - 1, 0, -1):
            end[self._parent[block]] = max(end[self._parent[block]], end[block])
        box = np.array([_union(pieces) for pieces in self._pieces], np.float64)
        if self._look.layers:
            box[0] = _enclosing(box[np.flatnonzero(parent == 0)])
        for block in range(len(parent)):
            if end[block] == block + 1:
                for piece in self._pieces[block]:
                    of[piece.start : piece.stop] = block
        return BlockTree(
            parent=parent,
            end=np.array(end, np.int32),
            depth=np.array(self._depth, np.int32),
            box=np.concatenate([box[:, :2], box[:, 2:] - box[:, :2]], axis=1).astype(np.float32),
            coherence=self._coherence(box),
            spans=tuple(_spans(pieces) for pieces in self._pieces),
            layer=np.array(self._layer, bool),
            separators=self._separators(),
            of=of,
        )

    def _coherence(self, box: NDArray[np.float64]) -> NDArray[np.int8]:
        """Degrees of coherence: at most those of a block's parts, but at least that of its size."""
        degree = list(self._own)
        area = np.maximum((box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1]), 0)
        share = (area / max(area[0], 1)).tolist()
        for block in range(len(degree) - 1, -1, -1):
            pieces = self._pieces[block]
            if len(pieces) == 1:
                table = self._tabular[pieces[0].node]
                floor = size_coherence(share[block], tabular=table, painted=pieces[0].painted)
            else:
                floor = size_coherence(share[block], tabular=False, painted=False)
            degree[block] = max(degree[block], floor)
            if block:
                above = self._parent[block]
                degree[above] = min(degree[above], degree[block])
        for block in range(1, len(degree)):
            degree[block] = max(degree[block], degree[self._parent[block]])
        return np.array(degree, np.int8)

    def _separators(self) -> Separators:
        return Separators(
            block=np.array([cut[0] for cut in self._cuts], np.int32),
            box=np.array([cut[1] for cut in self._cuts], np.float32).reshape(-1, 4),
            across=np.array([cut[2] for cut in self._cuts], bool),
            weight=np.array([cut[3] for cut in self._cuts], np.int16),
        )


def _strongest(pool: list[Piece], rules: NDArray[np.float64], options: VIPSOptions) -> _Round:
    """Divide a pool at its heaviest separators; ties go to the horizontal direction."""
    look = PoolLook(
        np.array([piece.box for piece in pool]),
        np.array([piece.backdrop for piece in pool], np.uint32),
        np.array([piece.size for piece in pool]),
        np.array([piece.weight for piece in pool]),
    )
    best: tuple[int, bool, Gaps, NDArray[np.int64]] | None = None
    for across in (True, False):
        axis = int(across)
        gaps = find_gaps(look.box[:, axis], look.box[:, axis + 2], options.overlap)
        weights = weigh_gaps(gaps, look, across, rules, options.weighing)
        if len(gaps) and (best is None or weights.max() > best[0]):
            best = int(weights.max()), across, gaps, weights
    if best is None:
        return _Round([[piece] for piece in pool], np.zeros((0, 4)), True, ENTANGLED)
    weight, across, gaps, weights = best
    strong = weights == weight
    number = np.append(0, np.cumsum(strong))[gaps.slab]
    groups: list[list[Piece]] = [[] for _ in range(int(strong.sum()) + 1)]
    for piece, group in zip(pool, number.tolist(), strict=True):
        groups[group].append(piece)
    return _Round(groups, _strips(gaps, strong, look.box, across), across, weight)


def _strips(
    gaps: Gaps, strong: NDArray[np.bool_], box: NDArray[np.float64], across: bool
) -> NDArray[np.float64]:
    """Boxes of separators: x, y, width, height."""
    low, high = box[:, :2].min(axis=0), box[:, 2:].max(axis=0)
    strips = np.tile(np.concatenate([low, high - low]), (int(strong.sum()), 1))
    axis = int(across)
    strips[:, axis] = gaps.start[strong]
    strips[:, axis + 2] = (gaps.stop - gaps.start)[strong]
    return strips


def _whole_coherence(pieces: list[Piece]) -> int:
    """R4: 10 with one font, 9 with several; 1 for blocks too deep to be divided."""
    if all(piece.whole for piece in pieces) and len(pieces) < 2:
        return 10 if all(piece.even for piece in pieces) else 9
    return 1


def _union(pieces: list[Piece]) -> NDArray[np.float64]:
    return _enclosing(np.array([piece.box for piece in pieces]).reshape(-1, 4))


def _enclosing(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(boxes):
        return np.zeros(4)
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def _spans(pieces: Sequence[Piece]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((piece.start, piece.stop) for piece in pieces))


def _tabular(snapshot: Snapshot) -> list[bool]:
    """Tables and their parts other than cells, according to the computed ``display``."""
    table = [name.startswith("table") and name != "table-cell" for name in snapshot.displays]
    return np.array([*table, False])[snapshot.display].tolist()
