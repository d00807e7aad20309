"""The visible part of each node: its box, background and fonts, and whether it flows in lines.

VIPS (Cai, Yu, Wen and Ma, MSR-TR-2003-79, section 4.1) classifies nodes as inline or line-break
nodes by lists of tags. Style sheets have made that classification obsolete; here a node is inline
if its computed ``display`` is.

There are two more departures. The box of a node is the union of its *visible* content (texts,
images, painted backgrounds), since a wrapper's own box may be as wide as the page, or without
height if all its content floats. Layers over the page (see `miolo.features.overlays`) cover other
blocks on purpose, and are not counted as part of their ancestors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from miolo.features.blocks import block_owners
from miolo.features.overlays import overlay_mask, overlay_roots
from miolo.features.readable import readable_texts
from miolo.features.words import count_chars
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_mask, subtree_sums
from numpy.typing import NDArray

__all__ = ["Look", "compute_look"]

PICTURES = (
    "img", "svg", "canvas", "video", "iframe", "object", "embed", "input", "select",
    "textarea", "meter", "progress",
)  # fmt: skip
"""Elements that are visible without containing text."""

# Column width (px), characters per line and line height (px) for pages without geometry.
COLUMN, LINE_CHARS, LINE_HEIGHT = 800.0, 80, 20.0

# Minimum share of a listing's text that is preformatted; the rest is line numbers and buttons.
LISTING_SHARE = 0.9

# Coordinates are clipped to this, CSS px; larger ones are mistakes or malice, and areas overflow.
FARTHEST = 1e7


@dataclass(frozen=True, eq=False)
class Look:
    """The visible part of each of n nodes.

    Attributes
    ----------
    seen
        bool, shape (n,): whether the subtree has visible content (VIPS's *valid* nodes).
    box
        float64, shape (n, 4): left, top, right, bottom of the visible content, CSS px; zeros
        if there is none.
    flows
        bool, shape (n,): whether a node is visible and laid out in lines: texts, images in
        text, and inline elements that contain nothing else (VIPS's *virtual text nodes*).
    backdrop
        uint32, shape (n,): the nearest painted background, ``0xRRGGBBAA``.
    picture
        bool, shape (n,): whether the node is an image or a form control.
    size, weight
        float64, shape (n,): mean font size (px) and weight over the subtree's characters.
    even
        bool, shape (n,): whether all texts of the subtree have one font size and weight.
    layers
        Roots of layers over the page, in document order.
    rules
        float64, shape (r, 4): boxes of horizontal rules, as in `box`.
    """

    seen: NDArray[np.bool_]
    box: NDArray[np.float64]
    flows: NDArray[np.bool_]
    backdrop: NDArray[np.uint32]
    picture: NDArray[np.bool_]
    size: NDArray[np.float64]
    weight: NDArray[np.float64]
    even: NDArray[np.bool_]
    layers: tuple[int, ...]
    rules: NDArray[np.float64]


def compute_look(snapshot: Snapshot) -> Look:
    """The visible part of each node.

    Without geometry the texts are stacked in one column, with heights according to their lengths.
    """
    texts = readable_texts(snapshot)
    chars = np.zeros(len(snapshot), np.int64)
    for node in np.flatnonzero(texts).tolist():
        chars[node] = count_chars(snapshot.text[node])
    texts &= chars > 0
    boxes = _corners(snapshot, chars) if snapshot.page.has_geometry else _stack(snapshot, chars)
    picture = _pictures(snapshot, boxes)
    things = texts | picture
    apart = overlay_mask(snapshot)
    seen = _layer_sums(things, apart, snapshot.end) > 0
    inline = (block_owners(snapshot) != np.arange(len(snapshot))) | things & snapshot.is_text
    breaks_flow = _layer_sums(seen & ~inline, apart, snapshot.end)
    backdrop, paints = _backdrops(snapshot)
    rules = snapshot.with_tag("hr") & snapshot.visible
    size, weight, even = _letters(snapshot, np.where(texts, chars, 0))
    return Look(
        seen=seen,
        box=_seen_boxes(boxes, things | (paints & seen & snapshot.visible), seen, apart, snapshot),
        flows=seen & (breaks_flow == 0),
        backdrop=backdrop,
        picture=picture,
        size=size,
        weight=weight,
        even=even,
        layers=tuple(node for node in overlay_roots(snapshot) if seen[node]),
        rules=boxes[rules],
    )


def _corners(snapshot: Snapshot, chars: NDArray[np.int64]) -> NDArray[np.float64]:
    """Boxes as left, top, right, bottom; content that scrolls inside a listing is clipped."""
    box = np.nan_to_num(snapshot.box.astype(np.float64), nan=0, posinf=FARTHEST, neginf=-FARTHEST)
    box = np.clip(box, -FARTHEST, FARTHEST)
    corners = np.column_stack([box[:, :2], box[:, :2] + np.maximum(box[:, 2:], 0)])
    in_code = snapshot.in_tag("pre")
    code = subtree_sums(np.where(in_code, chars, 0), snapshot.end)
    listing = (code > 0) & (code >= LISTING_SHARE * subtree_sums(chars, snapshot.end))
    listing[snapshot.depth < 2] = False
    # Long lines and long listings scroll; their boxes would overlap the surrounding blocks.
    parent = snapshot.parent.tolist()
    clip: dict[int, list[float]] = {}
    for node in np.flatnonzero(subtree_mask(listing, snapshot.end)).tolist():
        outer = clip.get(parent[node])
        if outer is not None:
            corners[node] = np.clip(corners[node], outer[:2] * 2, outer[2:] * 2)
        own = corners[node].tolist()
        has_area = own[2] - own[0] > 1 and own[3] - own[1] > 1
        if has_area or outer is not None:
            clip[node] = own if has_area else (outer or own)
    return corners


def _stack(snapshot: Snapshot, chars: NDArray[np.int64]) -> NDArray[np.float64]:
    height = np.ceil(chars / LINE_CHARS) * LINE_HEIGHT
    bottom = np.cumsum(height)
    zeros, full = np.zeros(len(snapshot)), np.full(len(snapshot), COLUMN)
    return np.column_stack([zeros, bottom - height, full, bottom])


def _pictures(snapshot: Snapshot, boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    there = (boxes[:, 2] - boxes[:, 0] > 1) & (boxes[:, 3] - boxes[:, 1] > 1)
    return snapshot.with_tag(*PICTURES) & snapshot.visible & there


def _layer_sums(
    values: NDArray[np.bool_], apart: NDArray[np.bool_], end: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Subtree sums in which the ancestors of a layer exclude it."""
    below, inside = (subtree_sums(values & side, end) for side in (~apart, apart))
    return np.where(apart, inside, below)


def _backdrops(snapshot: Snapshot) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Visible backgrounds, with transparent ones replaced by those behind; where they change."""
    painted = snapshot.background & 0xFF != 0
    behind: list[int] = []
    colors, own = snapshot.background.tolist(), painted.tolist()
    for node, above in enumerate(snapshot.parent.tolist()):
        behind.append(colors[node] if own[node] else behind[above] if above >= 0 else 0xFFFFFFFF)
    backdrop = np.array(behind, np.uint32)
    paints = painted & (backdrop != backdrop[np.maximum(snapshot.parent, 0)])
    return backdrop, paints


def _letters(
    snapshot: Snapshot, chars: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Mean font size and weight of each subtree, and whether each has a single value."""
    total = np.maximum(subtree_sums(chars, snapshot.end), 1)
    means, even = [], np.ones(len(snapshot), bool)
    for values in (np.rint(snapshot.font_size * 100), snapshot.font_weight * 100):
        whole = values.astype(np.int64)
        means.append(subtree_sums(chars * whole, snapshot.end) / total / 100)
        # The value is single if it does not change between consecutive texts of the subtree.
        texts = np.flatnonzero(chars)
        changes = np.zeros(len(texts) + 1, np.int64)
        changes[2:] = np.cumsum(np.diff(whole[texts]) != 0)[: max(0, len(texts) - 1)]
        first = np.searchsorted(texts, np.arange(len(snapshot)))
        last = np.searchsorted(texts, snapshot.end)
        even &= (last <= first) | (changes[last] == changes[np.minimum(first + 1, len(texts))])
    return means[0], means[1], even


def _seen_boxes(
    boxes: NDArray[np.float64],
    is_drawn: NDArray[np.bool_],
    seen: NDArray[np.bool_],
    apart: NDArray[np.bool_],
    snapshot: Snapshot,
) -> NDArray[np.float64]:
    """Union of the drawn boxes of each subtree, with layers treated separately."""
    low = np.where(is_drawn[:, None], boxes[:, :2], np.inf)
    high = np.where(is_drawn[:, None], -boxes[:, 2:], np.inf)
    corners = np.concatenate([low, high], axis=1)
    result = np.zeros_like(boxes)
    for side in (apart, ~apart):
        least = _range_minima(np.where(side[:, None], corners, np.inf), snapshot.end)
        result[side & seen] = least[side & seen]
    return np.concatenate([result[:, :2], -result[:, 2:]], axis=1)


def _range_minima(values: NDArray[np.float64], end: NDArray[np.int32]) -> NDArray[np.float64]:
    """Minimum over each subtree, column by column, by a sparse table in O(n log n)."""
    start = np.arange(len(values))
    level = np.log2(end - start).astype(np.int64)
    result = np.empty_like(values)
    table = values
    for power in range(int(level.max()) + 1):
        of = np.flatnonzero(level == power)
        result[of] = np.minimum(table[of], table[end[of] - (1 << power)])
        step = 1 << power
        if len(table) > step:
            table = np.minimum(table[:-step], table[step:])
    return result
