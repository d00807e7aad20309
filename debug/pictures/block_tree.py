"""The page's picture with the tree of its visual blocks drawn over it."""

from __future__ import annotations

import io
import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ...models.visual.block_tree import BlockTree
from ...renderer.snapshot import Snapshot
from .canvas import Area, is_empty, open_screenshot, tag_places
from .picture import INK, PAPER, Color

__all__ = ["DEGREE_COLORS", "SEPARATOR_COLOR", "draw_blocks"]

# Stops of a scale from loose to coherent, told apart with any colour vision (after cividis).
STOPS: tuple[tuple[int, Color], ...] = (
    (1, (178, 24, 43)),
    (5, (214, 118, 0)),
    (8, (0, 120, 150)),
    (10, (0, 60, 160)),
)
SEPARATOR_COLOR: Color = (204, 121, 167)
STRIP, MARGIN, TAG_HEIGHT = 44, 12, 15

# Opacity of a separator, for each point of its weight.
WEIGHT_ALPHA = 0.08

# A hostile page's separators may all be as large as the page: so many pictures are painted.
MAX_PAINTED = 8

# Narrow separators are drawn so wide that they can be seen, px.
MIN_SEPARATOR = 2


def _color_of(degree: int) -> Color:
    """The scale's colour at a degree of coherence."""
    for (low, one), (high, two) in pairwise(STOPS):
        if degree <= high:
            part = (max(degree, low) - low) / (high - low)
            red, green, blue = (round(a + part * (b - a)) for a, b in zip(one, two, strict=True))
            return red, green, blue
    return STOPS[-1][1]


DEGREE_COLORS: dict[int, Color] = {degree: _color_of(degree) for degree in range(1, 11)}
"""Colour of a block's outline by its degree of coherence."""


def draw_blocks(snapshot: Snapshot, tree: BlockTree) -> bytes:
    """Draw a block tree over the page's screenshot.

    Parameters
    ----------
    snapshot
        A page rendered with ``RenderOptions(screenshot=True)``.
    tree
        Its blocks, from `miolo.models.visual.vips.vips`.

    Returns
    -------
    A PNG: a strip with the scale, and below it the page. Each block has an outline in the
    colour of its coherence, the outer ones wider and further out, and a tag with its number
    and its degree; each separator is a band, the denser the heavier, with its weight.

    Raises
    ------
    MissingScreenshotError
        The snapshot has no screenshot, or none that can be read.
    """
    page = open_screenshot(snapshot)
    _paint_separators(page, tree)
    areas = [_outline(tree, block, page.size) for block in range(len(tree))]
    for block, area in enumerate(areas):
        if area is not None:
            color = DEGREE_COLORS[int(tree.coherence[block])]
            width = max(1, 3 - int(tree.depth[block]) // 2)
            box = (area[0], area[1], area[2] - 1, area[3] - 1)
            ImageDraw.Draw(page).rectangle(box, outline=color, width=width)
    _tag_blocks(page, tree, areas)
    whole = Image.new("RGB", (page.width, page.height + STRIP), PAPER)
    whole.paste(_legend(page.width, len(tree)), (0, 0))
    whole.paste(page, (0, STRIP))
    buffer = io.BytesIO()
    whole.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _area(box: NDArray[np.floating], size: tuple[int, int], around: int = 0) -> Area | None:
    """Whole pixels of a box within the picture; None without any."""
    x, y, width, height = (float(value) for value in box)
    if not all(map(math.isfinite, (x, y, width, height))) or width < 0 or height < 0:
        return None
    left, top = max(0, math.floor(x) - around), max(0, math.floor(y) - around)
    right = min(size[0], math.ceil(x + width) + around)
    bottom = min(size[1], math.ceil(y + height) + around)
    return (left, top, right, bottom) if left < right and top < bottom else None


def _outline(tree: BlockTree, block: int, size: tuple[int, int]) -> Area | None:
    """Outer blocks a little further out, so that nested outlines lie beside each other."""
    return _area(tree.box[block], size, max(0, 6 - int(tree.depth[block])))


def _paint_separators(page: Image.Image, tree: BlockTree) -> None:
    cuts = tree.separators
    left = MAX_PAINTED * page.width * page.height
    font, pen = ImageFont.load_default(11), ImageDraw.Draw(page)
    for box, across, weight in zip(cuts.box, cuts.across, cuts.weight.tolist(), strict=True):
        side = 3 if across else 2
        band = box.astype(np.float64)
        band[side - 2] -= max(0.0, MIN_SEPARATOR - band[side]) / 2
        band[side] = max(MIN_SEPARATOR, band[side])
        area = _area(band, page.size)
        if area is None:
            continue
        size = (area[2] - area[0], area[3] - area[1])
        left -= size[0] * size[1]
        if left < 0:
            return
        alpha = round(255 * min(0.75, WEIGHT_ALPHA * (weight + 1)))
        page.paste(SEPARATOR_COLOR, area, Image.new("L", size, alpha))
        if min(size) >= 12:
            middle = ((area[0] + area[2]) // 2, (area[1] + area[3]) // 2)
            pen.text(middle, str(weight), font=font, fill=INK, anchor="mm")


def _tag_blocks(page: Image.Image, tree: BlockTree, areas: list[Area | None]) -> None:
    """Number and degree, outer blocks first, where an empty place is at hand."""
    font, pen = ImageFont.load_default(11), ImageDraw.Draw(page)
    for block in np.argsort(tree.depth, kind="stable").tolist():
        area, degree = areas[block], int(tree.coherence[block])
        if area is None:
            continue
        text = f"{tree.labels[block][-24:]} ({degree})"
        size = (math.ceil(font.getlength(text)) + 6, TAG_HEIGHT)
        place = next((place for place in tag_places(area, size) if is_empty(page, place)), None)
        if place is not None:
            box = (place[0], place[1], place[2] - 1, place[3] - 1)
            pen.rectangle(box, fill=DEGREE_COLORS[degree])
            pen.text((place[0] + 3, place[1] + 1), text, font=font, fill=(255, 255, 255))


def _legend(width: int, blocks: int) -> Image.Image:
    """The scale of coherence, and what a separator looks like."""
    font = ImageFont.load_default(14)
    strip = Image.new("RGB", (width, STRIP), PAPER)
    pen = ImageDraw.Draw(strip)
    text = f"miolo vips   {blocks:,} blocks   coherence"
    pen.text((MARGIN, 13), text, font=font, fill=INK)
    x = MARGIN + math.ceil(font.getlength(text)) + 10
    for degree, color in DEGREE_COLORS.items():
        pen.rectangle((x, 12, x + 21, 29), fill=color)
        pen.text((x + 11, 21), str(degree), font=font, fill=(255, 255, 255), anchor="mm")
        x += 24
    pen.rectangle((x + 16, 12, x + 48, 29), fill=SEPARATOR_COLOR)
    pen.text((x + 56, 13), "separator, the denser the heavier", font=font, fill=INK)
    pen.line((0, STRIP - 1, width, STRIP - 1), fill=(200, 200, 196))
    return strip
