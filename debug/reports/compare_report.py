"""A report on two pages in one HTML file: side by side, with the changes of each part."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.blocks import TextBlocks, text_blocks
from ...features.words import collapse
from ...renderer.page.snapshot import Snapshot
from ..comparison.compare import (
    CHANGE_KINDS,
    SIGNS,
    Change,
    ChangeKind,
    Comparison,
    compare_snapshots,
)
from ..comparison.text_versions import difference, shorten
from ..pictures.clipping import node_boxes, shown_boxes
from .report_parts import HERE, fill, inert_json, numbers, picture, picture_size, stage_size

# A browser easily draws a few thousand boxes.
MAX_CHANGES = 3000
MAX_SAME = 3000
MAX_TEXT = 3000

# The palette of Okabe and Ito (2008), distinguishable with any colour vision.
COLORS: dict[ChangeKind, str] = {
    "text": "#e69f00",
    "removed": "#d55e00",
    "inserted": "#009e73",
    "moved": "#0072b2",
    "attributes": "#cc79a7",
}
"""Colour of each kind of change."""

ABOUT: dict[ChangeKind, str] = {
    "text": "texts that differ",
    "removed": "only on the page before the change",
    "inserted": "only on the page after the change",
    "moved": "the same content in another place",
    "attributes": "links, images, dates, alternative texts",
}


def html_report_of_pair(
    before: Snapshot, after: Snapshot, comparison: Comparison | None = None
) -> str:
    """Write a report that shows two pages side by side and what changed.

    The HTML is like that of `html_report`. Both pages scroll together, and a change that is hovered
    or focused is highlighted on both sides. By default, the snapshots are compared; a comparison
    has to be of these very snapshots.

    Raises
    ------
    ValueError
        The comparison is of other pages.
    """
    if comparison is None:
        comparison = compare_snapshots(before, after)
    elif not _are_compared(comparison, before, after):
        raise ValueError(
            "the comparison does not match the snapshots: pass the comparison of these snapshots"
        )
    values = {
        "BEFORE": picture(before, "picture-0"),
        "AFTER": picture(after, "picture-1"),
        "DATA": inert_json(_data(before, after, comparison)),
    }
    title = f"What changed: {after.page.title or after.page.url}"
    return fill(HERE / "compare.html", title, values, "compare.js")


def _are_compared(comparison: Comparison, before: Snapshot, after: Snapshot) -> bool:
    one, two = comparison.mapping[:, 0], comparison.mapping[:, 1]
    if one.max(initial=-1) >= len(before) or two.max(initial=-1) >= len(after):
        return False
    return bool((before.is_text[one] == after.is_text[two]).all()) and all(
        (change.before or 0) < len(before) and (change.after or 0) < len(after)
        for change in comparison.changes
    )


def _data(before: Snapshot, after: Snapshot, comparison: Comparison) -> dict[str, Any]:
    changes = comparison.changes[:MAX_CHANGES]
    counts = Counter(change.kind for change in comparison.changes)
    blocks = text_blocks(before), text_blocks(after)
    covers = [_cover(page, changes, side) for side, page in enumerate((before, after))]
    same = _unchanged_blocks(blocks, covers, comparison)
    unchanged = []
    for side, page in enumerate((before, after)):
        own = [pair[side] for pair in same]
        firsts, boxes = blocks[side].first[own].tolist(), blocks[side].box[own].tolist()
        shown = shown_boxes(page, zip(firsts, boxes, strict=True))
        unchanged.append([numbers(box, 1) for box in shown])
    boxes = _painted_boxes(before), _painted_boxes(after)
    return {
        "distance": comparison.distance,
        "similarity": numbers([comparison.similarity], 4)[0],
        "kinds": [
            {
                "name": kind,
                "about": ABOUT[kind],
                "color": COLORS[kind],
                "sign": SIGNS[kind],
                "count": counts[kind],
            }
            for kind in CHANGE_KINDS
        ],
        "left": len(comparison.changes) - len(changes),
        "changes": [_change(before, after, boxes, change) for change in changes],
        "same": list(zip(*unchanged, strict=True)),
        "pages": [
            _page(
                page,
                blocks[side],
                covers[side],
                {pair[side]: number for number, pair in enumerate(same, len(changes))},
            )
            for side, page in enumerate((before, after))
        ],
        "warnings": [[warning.code, warning.message] for warning in comparison.warnings],
    }


def _page(
    snapshot: Snapshot, blocks: TextBlocks, cover: NDArray[np.int32], same: dict[int, int]
) -> dict[str, Any]:
    page, stage = snapshot.page, stage_size(snapshot)
    return {
        "title": page.title,
        "url": page.url,
        "time": page.time,
        "language": page.language,
        "stage": stage,
        "picture": picture_size(snapshot),
        "texts": None if stage else _texts(snapshot, blocks, cover, same),
    }


def _texts(
    snapshot: Snapshot, blocks: TextBlocks, cover: NDArray[np.int32], same: dict[int, int]
) -> list[tuple[str, str, list[int]]]:
    """Text, tag and items of each block."""
    return [
        (
            shorten(text, MAX_TEXT),
            snapshot.tag_name(owner),
            [same[block]] if block in same else _items(blocks, block, cover),
        )
        for block, (text, owner) in enumerate(zip(blocks.texts, blocks.owner.tolist(), strict=True))
    ]


def _cover(snapshot: Snapshot, changes: tuple[Change, ...], side: int) -> NDArray[np.int32]:
    """int32, shape (n,): the innermost change that each node is part of; -1 for none."""
    cover = np.full(len(snapshot), -1, np.int32)
    spans = [
        (node, int(snapshot.end[node]), number)
        for number, change in enumerate(changes)
        if (node := (change.before, change.after)[side]) is not None
    ]
    for start, end, number in sorted(spans, key=lambda span: span[0] - span[1]):
        cover[start:end] = number
    return cover


def _items(blocks: TextBlocks, block: int, cover: NDArray[np.int32]) -> list[int]:
    changes = dict.fromkeys(cover[blocks.nodes_of(block)].tolist())
    return [number for number in changes if number >= 0]


def _unchanged_blocks(
    blocks: tuple[TextBlocks, TextBlocks], covers: list[NDArray[np.int32]], comparison: Comparison
) -> list[tuple[int, int]]:
    """Blocks that did not change, with their partners."""
    partner = dict(comparison.mapping.tolist())
    by_first = {node: block for block, node in enumerate(blocks[1].first.tolist())}
    pairs = []
    for block, first in enumerate(blocks[0].first.tolist()):
        pair = block, by_first.get(partner.get(first, -1), -1)
        if pair[1] >= 0 and not any(_items(blocks[i], pair[i], covers[i]) for i in (0, 1)):
            pairs.append(pair)
    return pairs[:MAX_SAME]


def _painted_boxes(snapshot: Snapshot) -> NDArray[np.float64]:
    """float64, shape (n, 4): painted parts of the boxes of nodes, possibly without area."""
    boxes = np.array(node_boxes(snapshot, range(len(snapshot))), np.float64).reshape(-1, 4)
    boxes[~snapshot.visible, 2:] = 0
    return boxes


def _change(
    before: Snapshot,
    after: Snapshot,
    boxes: tuple[NDArray[np.float64], NDArray[np.float64]],
    change: Change,
) -> dict[str, Any]:
    texts = [collapse(text) for text in (change.text_before, change.text_after)]
    return {
        "kind": change.kind,
        "path": change.path,
        "from": change.path_before,
        "texts": [shorten(text, MAX_TEXT) for text in texts],
        "apart": difference(*texts) if change.kind in ("text", "attributes") else None,
        "boxes": [_box(before, boxes[0], change.before), _box(after, boxes[1], change.after)],
    }


def _box(snapshot: Snapshot, boxes: NDArray[np.float64], node: int | None) -> list[float] | None:
    """Box of a node, or else of the nodes below it; None if they have no area."""
    if node is None:
        return None
    below = boxes[node : snapshot.end[node]]
    drawn = below[(below[:, 2:] > 0).all(axis=1)]
    if not len(drawn):
        return None
    if (below[0, 2:] > 0).all():
        drawn = drawn[:1]
    low, high = drawn[:, :2].min(axis=0), (drawn[:, :2] + drawn[:, 2:]).max(axis=0)
    return numbers([*low.tolist(), *(high - low).tolist()], 1)
