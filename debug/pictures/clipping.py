"""Parts of boxes that are shown: those within the boxes of all ancestors that clip them.

The boxes of texts that are not painted have no area.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...renderer.page.snapshot import POSITIONS, Snapshot
from ...renderer.page.tree import nearest_marked
from .canvas import Area, affordable, clip, is_blank

Box = tuple[float, float, float, float]
"""x, y, width and height, CSS px."""

Window = tuple[float, float, float, float]
"""Left, top, right and bottom, CSS px."""

EVERYWHERE: Window = (-math.inf, -math.inf, math.inf, math.inf)


def text_boxes(
    snapshot: Snapshot,
    texts: Sequence[tuple[int, Sequence[float]]],
    kept: Sequence[bool],
    page: Image.Image | None = None,
) -> list[Box]:
    """Painted parts of the boxes of texts, with a width or height of 0 if nothing is painted.

    If none of the kept texts is painted, the boxes of kept texts show their places in the layout.
    Each box comes with its first text node. With the page's screenshot, texts with the colour of
    their background are not painted either.
    """
    boxes = shown_boxes(snapshot, texts)
    blank = _blank_areas(page, boxes) if page else frozenset[Area]()
    painted = [
        bool(snapshot.visible[node])
        and min(box[2:]) > 0
        and not (page and clip(box, page.size) in blank)
        for (node, _), box in zip(texts, boxes, strict=True)
    ]
    is_article_hidden = not any(p and k for p, k in zip(painted, kept, strict=True))
    return [
        box if is_painted or (is_article_hidden and is_kept) else (*box[:2], 0.0, 0.0)
        for box, is_painted, is_kept in zip(boxes, painted, kept, strict=True)
    ]


def _blank_areas(page: Image.Image, boxes: Iterable[Box]) -> frozenset[Area]:
    """Areas of one colour, such as those of texts that a path clips away."""
    areas = filter(None, (clip(box, page.size) for box in boxes))
    distinct = affordable(areas, page.width * page.height)
    return frozenset(area for area in distinct if is_blank(page, area))


def node_boxes(snapshot: Snapshot, nodes: Sequence[int]) -> list[Box]:
    """Shown parts of the boxes of nodes; see `shown_boxes`."""
    return shown_boxes(snapshot, zip(nodes, snapshot.box[list(nodes)].tolist(), strict=True))


def shown_boxes(snapshot: Snapshot, boxes: Iterable[tuple[int, Sequence[float]]]) -> list[Box]:
    """Parts of boxes that are shown, with a width or height of 0 if nothing is.

    Text that scrolls or is collapsed is wider and taller than what is painted of it. Each box comes
    with the node that contains it.
    """
    clips = snapshot.clips[:, 0] | snapshot.clips[:, 1]
    container = nearest_marked(_containing_nodes(snapshot), clips)
    windows = {-1: EVERYWHERE}
    # A box that clips follows those that clip it in document order.
    for node in np.flatnonzero(clips).tolist():
        windows[node] = _window(snapshot, node, windows[int(container[node])])
    return [
        _within(box, windows[node if clips[node] else int(container[node])]) for node, box in boxes
    ]


def _containing_nodes(snapshot: Snapshot) -> NDArray[np.int32]:
    """int32, shape (n,): nearest ancestor of each node that clips it if it clips, or -1.

    A box does not clip positioned content whose containing block is around the box (CSS Overflow 3,
    section 3). Transforms also make containing blocks, but are not part of a snapshot: such boxes
    are then regarded as not clipping.
    """
    parent, position = snapshot.parent, np.where(snapshot.is_text, 0, snapshot.position)
    is_host = snapshot.is_frame_host
    positioned = nearest_marked(parent, is_host | (position > 0))
    hosts = nearest_marked(parent, is_host)
    is_fixed = position == POSITIONS.index("fixed")
    is_absolute = position == POSITIONS.index("absolute")
    return np.select([is_fixed, is_absolute], [hosts, positioned], parent).astype(np.int32)


def _window(snapshot: Snapshot, node: int, around: Window) -> Window:
    """The part of a window that a node's box leaves open."""
    x, y, width, height = snapshot.box[node].tolist()
    left, top, right, bottom = around
    clips_x, clips_y = snapshot.clips[node].tolist()
    if clips_x:
        left, right = max(left, x), min(right, x + width)
    if clips_y:
        top, bottom = max(top, y), min(bottom, y + height)
    return left, top, right, bottom


def _within(box: Sequence[float], window: Window) -> Box:
    x, y, width, height = box
    if window == EVERYWHERE:
        return x, y, width, height
    left, top, right, bottom = window
    right, bottom = min(x + width, right), min(y + height, bottom)
    x, y = max(x, left), max(y, top)
    return x, y, max(0.0, right - x), max(0.0, bottom - y)
