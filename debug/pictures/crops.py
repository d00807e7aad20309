"""Crops of a page's screenshot: the article alone, or a single element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...errors import ElementNotFoundError
from ...features.links import image_address, link_mask
from ...features.scope import find_elements
from ...output.document.document import images_of
from ...output.extraction import Extraction
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_mask, subtree_sums
from ..block_nodes import of_snapshot, text_nodes
from .canvas import Area, affordable, clip, color_around, open_screenshot, paste_all, pixels, png
from .clipping import shown_boxes
from .picture import SURROUNDINGS

BESIDE = SURROUNDINGS | {"comment"}
"""Roles of blocks that are no part of an article unless they are kept."""

# Space around the article, px.
MARGIN = 24

MAX_COVERED = 5000

# Elements that separate the texts of an article, and belong to none of them.
RULES = ("br", "hr")


def article_screenshot(snapshot: Snapshot, extraction: Extraction) -> bytes:
    """Crop the page's screenshot to the article.

    The snapshot is of a page rendered with ``RenderOptions(screenshot=True, hide_overlays=True)``.
    The PNG shows the title, the head, the text that was kept, accompanying blocks such as captions,
    and the pictures of the article. Other content is painted over in the colour around it.

    Raises
    ------
    MissingScreenshotError
        The snapshot has no screenshot, or none that can be read.
    ElementNotFoundError
        Nothing of the article is on the screenshot.
    ValueError
        The extraction is not of this snapshot.
    """
    page = open_screenshot(snapshot)
    extraction = of_snapshot(extraction)
    text_nodes(snapshot, extraction)  # check that they belong together
    blocks = [each for each in extraction.blocks if each.kept or each.role not in BESIDE]
    images = _images(snapshot, extraction, [block.node for block in blocks])
    boxes = [(block.node, block.box) for block in blocks]
    boxes += [(node, snapshot.box[node].tolist()) for node in images]
    areas = [area for box in shown_boxes(snapshot, boxes) if (area := clip(box, page.size))]
    if not areas:
        raise ElementNotFoundError("no part of the article is visible on the screenshot")
    low, high = np.min(areas, axis=0)[:2] - MARGIN, np.max(areas, axis=0)[2:] + MARGIN
    left, top = np.maximum(low, 0).tolist()
    right, bottom = np.minimum(high, page.size).tolist()
    whole = left, top, right, bottom
    alone = page.copy()
    own = np.zeros(len(snapshot), bool)
    own[[block.node for block in blocks] + images] = True
    for area in _unrelated_areas(snapshot, own, whole, page.size):
        alone.paste(color_around(page, area), area)
    paste_all(alone, page, areas)
    return png(alone.crop(whole))


def _images(snapshot: Snapshot, extraction: Extraction, blocks: list[int]) -> list[int]:
    """Pictures that the written article contains, and those of figures among its blocks."""
    if not blocks:
        return []
    addresses = {image.url for image in images_of(extraction.body.document())}
    first, last = min(blocks), max(blocks)
    around = next(n for n in (first, *snapshot.ancestors(first)) if snapshot.end[n] > last)
    figures = snapshot.in_tag("figure")
    figures &= ~subtree_mask(link_mask(snapshot), snapshot.end)
    figures[:around] = figures[snapshot.end[around] :] = False
    nodes = np.flatnonzero(snapshot.with_tag("img") & snapshot.visible).tolist()
    return [n for n in nodes if figures[n] or image_address(snapshot, n) in addresses]


def _unrelated_areas(
    snapshot: Snapshot, own: NDArray[np.bool_], whole: Area, size: tuple[int, int]
) -> Iterator[Area]:
    """Areas of elements that hold no part of the article and reach into `whole`.

    They are the outermost ones, and those that extend beyond the elements around them, such as
    links with padding.
    """
    strange = (subtree_sums(own, snapshot.end) == 0) & ~subtree_mask(own, snapshot.end)
    low, high = snapshot.box[:, :2], snapshot.box[:, :2] + snapshot.box[:, 2:]
    parent = snapshot.parent
    sticks_out = ((low < low[parent]) | (high > high[parent])).any(axis=1)
    covered = strange & (~strange[parent] | sticks_out) & snapshot.visible & ~snapshot.is_text
    nodes = np.flatnonzero(covered & ~snapshot.with_tag(*RULES))[:MAX_COVERED]
    areas = filter(None, (clip(box, size) for box in snapshot.box[nodes].tolist()))
    touching = (
        area
        for area in areas
        if area[0] < whole[2] and whole[0] < area[2] and area[1] < whole[3] and whole[1] < area[3]
    )
    return affordable(touching, pixels(whole))


def element_screenshot(snapshot: Snapshot, selector: str) -> bytes:
    """Crop the page's screenshot to an element.

    The PNG shows the first element in document order that matches a CSS selector or an XPath and is
    visible on the screenshot. Frames and shadow roots are searched as parts of the page.

    Raises
    ------
    MissingScreenshotError
        The snapshot has no screenshot, or none that can be read.
    ElementNotFoundError
        The selector matches no element that is visible on the screenshot.
    ValueError
        The text is neither a CSS selector nor an XPath.
    """
    page = open_screenshot(snapshot)
    for node in find_elements(snapshot, selector):
        area = clip(snapshot.box[node].tolist(), page.size)
        if area is not None and snapshot.visible[node]:
            return png(page.crop(area))
    raise ElementNotFoundError(f"no element that matches {selector!r} is visible on the screenshot")
