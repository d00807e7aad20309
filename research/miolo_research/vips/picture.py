"""A page's screenshot with the tree of its visual blocks drawn over it, as SVG."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from miolo.debug.pictures.canvas import Area, clip, open_screenshot, png
from miolo.debug.pictures.kinds import Color
from miolo.debug.pictures.picture_registry import Picture
from miolo.renderer.page.snapshot import Snapshot

from .block_tree import BlockTree
from .segmentation import VIPSOptions, vips

__all__ = ["DEGREE_COLORS", "MAX_DRAWN", "PICTURE", "draw_blocks"]

# Stops of a colour scale from loose to coherent that any colour vision can read (after cividis).
STOPS: tuple[tuple[int, Color], ...] = (
    (1, (178, 24, 43)),
    (5, (214, 118, 0)),
    (8, (0, 120, 150)),
    (10, (0, 60, 160)),
)

MAX_DRAWN = 5000
"""Maximum number of blocks, and of separators, that are drawn; outer blocks are drawn first."""

STRIP = 48

# Opacity of a separator, for each point of its weight.
WEIGHT_ALPHA = 0.08

# Width to which narrower separators are widened, px, so that they can be seen.
MIN_SEPARATOR = 2

# Number of characters of a path that are shown, from its end.
MAX_PATH = 60

STYLE = """
svg { font: 16px system-ui, sans-serif; }
.paper { fill: #fcfcfa; } .ink { fill: #1c1c1c; }
.block rect { fill: none; pointer-events: all; }
.separator { fill: #cc79a7; pointer-events: none; }
.on { fill: #fff; text-anchor: middle; }
.path { visibility: hidden; pointer-events: none; }
.path text { fill: #fff; font-weight: 600; }
.block:hover .path, .block:focus .path { visibility: visible; }
.block:hover > rect, .block:focus > rect { stroke-width: 5; fill: #ffffff01; }
.block:focus { outline: none; }
@media (prefers-color-scheme: dark) { .paper { fill: #14161a; } .ink { fill: #e8e8e4; } }
"""


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


def draw_blocks(snapshot: Snapshot, tree: BlockTree) -> str:
    """Draw a block tree over the page's screenshot.

    Parameters
    ----------
    snapshot
        A page rendered with ``RenderOptions(screenshot=True)``.
    tree
        Its blocks, from `miolo_research.vips.segmentation.vips`.

    Returns
    -------
    A self-contained SVG: a strip with the scale, and below it the page. Each block has an outline
    in the colour of its coherence; outlines of outer blocks are wider and lie further out. A block
    shows its path in the tree and its degree while it is hovered or focused. Each separator is a
    band with its weight; heavier separators are more opaque. The SVG contains the text of the page
    only as pixels.

    Raises
    ------
    MissingScreenshotError
        The snapshot has no screenshot, or none that can be read.
    """
    page = open_screenshot(snapshot)
    picture = base64.b64encode(png(page)).decode()
    width, height = page.width, page.height + STRIP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 {-STRIP} {width} {height}"><style>{STYLE}</style>',
        f'<rect class="paper" y="{-STRIP}" width="{width}" height="{height}"/>',
        *_legend(tree),
        f'<image width="{page.width}" height="{page.height}" '
        f'href="data:image/png;base64,{picture}"/>',
        *_separators(tree, page.size),
        *_blocks(tree, page.size),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _css(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _rectangle(area: Area) -> str:
    left, top, right, bottom = area
    return f'x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"'


def _separators(tree: BlockTree, size: tuple[int, int]) -> Iterator[str]:
    cuts = tree.separators
    rows = zip(cuts.box, cuts.across, cuts.weight.tolist(), strict=True)
    for _, (box, across, weight) in zip(range(MAX_DRAWN), rows, strict=False):
        side = 3 if across else 2
        band = box.astype(np.float64)
        band[side - 2] -= max(0.0, MIN_SEPARATOR - band[side]) / 2
        band[side] = max(MIN_SEPARATOR, band[side])
        area = clip(band.tolist(), size)
        if area is None:
            continue
        alpha = min(0.75, WEIGHT_ALPHA * (weight + 1))
        yield f'<rect class="separator" {_rectangle(area)} fill-opacity="{alpha:.2f}"/>'
        if min(area[2] - area[0], area[3] - area[1]) >= 14:
            x, y = (area[0] + area[2]) / 2, (area[1] + area[3]) / 2 + 5
            yield f'<text class="ink" x="{x}" y="{y}" text-anchor="middle">{weight}</text>'


def _blocks(tree: BlockTree, size: tuple[int, int]) -> Iterator[str]:
    """Outer blocks first, so that inner blocks lie above them and can be hovered."""
    for block in np.argsort(tree.depth, kind="stable")[:MAX_DRAWN].tolist():
        depth, degree = int(tree.depth[block]), int(tree.coherence[block])
        # Outlines of outer blocks lie a little further out, so that nested ones do not overlap.
        area = clip(tree.box[block].tolist(), size, max(0, 6 - depth))
        if area is None:
            continue
        color, path = _css(DEGREE_COLORS[degree]), tree.labels[block][-MAX_PATH:]
        text = f"{path} ({degree})"
        wide = 10 * len(text) + 12
        x, y = max(0, min(area[0], size[0] - wide)), max(0, area[1] - 26)
        yield (
            f'<g class="block" tabindex="0" stroke="{color}" '
            f'stroke-width="{max(1, 3 - depth // 2)}"><title>{text}</title>'
            f"<rect {_rectangle(area)}/>"
            f'<g class="path" stroke="none"><rect x="{x}" y="{y}" width="{wide}" height="26" '
            f'style="fill:{color}"/><text x="{x + 6}" y="{y + 18}">{text}</text></g></g>'
        )


def _legend(tree: BlockTree) -> Iterator[str]:
    """The scale of coherence, and what a separator looks like."""
    y = -STRIP + 30
    yield f'<text class="ink" x="14" y="{y}">miolo vips, {len(tree):,} blocks; coherence</text>'
    x = 300
    for degree, color in DEGREE_COLORS.items():
        yield f'<rect x="{x}" y="{y - 18}" width="26" height="24" fill="{_css(color)}"/>'
        yield f'<text class="on" x="{x + 13}" y="{y}">{degree}</text>'
        x += 29
    swatch = f'x="{x + 18}" y="{y - 18}" width="34" height="24"'
    yield f'<rect class="separator" {swatch}/>'
    yield f'<text class="ink" x="{x + 62}" y="{y}">separator, more opaque if heavier</text>'


PICTURE = Picture(
    lambda page, options: draw_blocks(page, vips(page, options)),
    "the visual blocks of VIPS over the screenshot, as SVG",
    options=VIPSOptions(),
)
