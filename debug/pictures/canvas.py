"""Open, measure and draw on a screenshot, with a bound on the number of painted pixels."""

from __future__ import annotations

import io
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import cast
from urllib.parse import quote

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ...errors import MissingScreenshotError
from ...renderer.page.snapshot import Snapshot
from .kinds import Color

Area = tuple[int, int, int, int]
"""Left, top, right and bottom, px; right and bottom are exclusive."""

# Painting stops after this many times the area of the picture: a hostile page's boxes may all be
# as large as the page.
MAX_PAINTED = 8

# Distance between the lines of a hatching, and their width, px.
PITCH, LINE_WIDTH = 16, 3
LINE, VEIL = 90, 48  # opacity of a hatching's lines and of the veil under them, 0 to 255
VEIL_COLOR: Color = (128, 128, 128)

DASH, GAP = 14, 8

# Differences of an area's pixels that are not seen: Chromium rounds the colours of the edges of
# letters that have the colour of their background.
ONE_COLOR = 4

FONT_SIZE = 22
MAX_URL = 500


def open_screenshot(snapshot: Snapshot) -> Image.Image:
    """Open the page's screenshot as an RGB picture."""
    if snapshot.screenshot is None:
        raise MissingScreenshotError(
            "this snapshot has no screenshot to draw on: render the page with a screenshot",
            lacks="screenshot",
        )
    try:
        with Image.open(io.BytesIO(snapshot.screenshot), formats=["PNG"]) as picture:
            return picture.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise MissingScreenshotError(
            f"the snapshot's screenshot cannot be read ({error}): render the page again"
        ) from error


def screenshot_if_any(snapshot: Snapshot) -> Image.Image | None:
    """The page's screenshot; None without one that can be read."""
    try:
        return open_screenshot(snapshot)
    except MissingScreenshotError:
        return None


def png(picture: Image.Image) -> bytes:
    """Encode a picture as PNG."""
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


def clip(box: Iterable[float], size: tuple[int, int], around: int = 0) -> Area | None:
    """Pixels of a box extended by `around` px, within a picture; None if there are none."""
    x, y, width, height = box
    if not all(map(math.isfinite, (x, y, width, height))) or width <= 0 or height <= 0:
        return None
    left, top = max(0, math.floor(x) - around), max(0, math.floor(y) - around)
    right = min(size[0], math.ceil(x + width) + around)
    bottom = min(size[1], math.ceil(y + height) + around)
    return (left, top, right, bottom) if left < right and top < bottom else None


def pixels(area: Area) -> int:
    """Number of pixels of an area."""
    return (area[2] - area[0]) * (area[3] - area[1])


def affordable(areas: Iterable[Area], whole: int) -> Iterator[Area]:
    """Distinct areas, until they cover `MAX_PAINTED` times as many pixels as the `whole`."""
    left = MAX_PAINTED * whole
    for area in dict.fromkeys(areas):
        left -= pixels(area)
        if left < 0:
            return
        yield area


def hatch_all(page: Image.Image, areas: Iterable[tuple[Area, Color]]) -> None:
    """Grey out areas and draw slanted lines over them, each area once."""
    colors = dict(areas)
    for area in affordable(colors, page.width * page.height):
        hatch(page, area, colors[area])


def paste_all(page: Image.Image, source: Image.Image, areas: Iterable[Area]) -> None:
    """Copy areas from a picture of the same size, each area once."""
    for area in affordable(areas, page.width * page.height):
        page.paste(source.crop(area), area[:2])


def hatch(page: Image.Image, area: Area, color: Color) -> None:
    """Hatch an area in place. Lines continue across the edges of neighbouring areas."""
    left, top, right, bottom = area
    page.paste(VEIL_COLOR, area, Image.new("L", (right - left, bottom - top), VEIL))
    # Sums may overflow, since the pitch divides 256.
    down, across = (np.arange(*ends).astype(np.uint8) for ends in ((top, bottom), (left, right)))
    lines = np.add.outer(down, across) % PITCH < LINE_WIDTH
    page.paste(color, area, Image.fromarray(lines * np.uint8(LINE)))


def line_width(is_kept: bool) -> int:
    """Width of the outline of extracted content, or of other content, px."""
    return 3 if is_kept else 2


def frame(
    page: Image.Image, area: Area, color: Color, width: int, halo: Color | None = None
) -> None:
    """Draw an outline along the inside of an area, between thin lines of another colour."""
    left, top, right, bottom = area
    pen = ImageDraw.Draw(page)
    if halo is not None:
        pen.rectangle((left - 1, top - 1, right, bottom), outline=halo, width=width + 2)
    pen.rectangle((left, top, right - 1, bottom - 1), outline=color, width=width)


def dash(page: Image.Image, area: Area, color: Color, width: int) -> None:
    """Draw a dashed outline along the inside of an area."""
    pen = ImageDraw.Draw(page)
    left, top, right, bottom = area
    for x in range(left, right, DASH + GAP):
        end = min(x + DASH, right) - 1
        pen.rectangle((x, top, end, top + width - 1), fill=color)
        pen.rectangle((x, bottom - width, end, bottom - 1), fill=color)
    for y in range(top, bottom, DASH + GAP):
        end = min(y + DASH, bottom) - 1
        pen.rectangle((left, y, left + width - 1, end), fill=color)
        pen.rectangle((right - width, y, right - 1, end), fill=color)


def is_blank(page: Image.Image, area: Area) -> bool:
    """Whether all pixels of an area have practically one colour."""
    values = np.asarray(page.crop(area))
    return int(np.ptp(values, axis=(0, 1)).max()) <= ONE_COLOR


def color_around(page: Image.Image, area: Area) -> Color:
    """The most frequent colour of the pixels just outside an area; all four sides count equally."""
    left, top, right, bottom = area
    strips = [
        (left, max(0, top - 1), right, top),
        (left, bottom, right, min(page.height, bottom + 1)),
        (max(0, left - 1), top, left, bottom),
        (right, top, min(page.width, right + 1), bottom),
    ]
    shares: dict[Color, float] = {}
    for strip in strips:
        if length := pixels(strip):
            for count, color in page.crop(strip).getcolors(length) or ():
                color = cast("Color", color)
                shares[color] = shares.get(color, 0.0) + count / length
    return max(shares, key=shares.__getitem__, default=(255, 255, 255))


def printable(text: str) -> str:
    """Replace all but ASCII: the font that comes with Pillow has little else."""
    return re.sub(r"[^ -~]", "?", text)


def address(url: str) -> str:
    """An address in ASCII, of bounded length."""
    return printable(quote(url[:MAX_URL], safe="%/:?#[]@!$&'()*+,;=~ ", errors="replace"))


def fit(text: str, width: float) -> str:
    """The text, or as much of its beginning as fits the width."""
    font, text = ImageFont.load_default(FONT_SIZE), text[: 2 * MAX_URL]
    if font.getlength(text) <= width:
        return text
    fits = bisect_right(range(len(text)), width, key=lambda n: font.getlength(text[:n] + "..."))
    return text[: max(0, fits - 1)] + "..."
