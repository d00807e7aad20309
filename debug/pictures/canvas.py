"""The screenshot as a canvas: opened, with empty places for tags found on it."""

from __future__ import annotations

import io

from PIL import Image

from ...errors import MissingScreenshotError
from ...renderer.snapshot import Snapshot

__all__ = ["Area", "is_empty", "open_screenshot", "tag_places"]

Area = tuple[int, int, int, int]


def open_screenshot(snapshot: Snapshot) -> Image.Image:
    """The page's picture.

    Raises
    ------
    MissingScreenshotError
        The snapshot has none, or none that can be read.
    """
    if snapshot.screenshot is None:
        raise MissingScreenshotError(
            "this snapshot has no screenshot to draw on: render the page with "
            "RenderOptions(screenshot=True)"
        )
    try:
        with Image.open(io.BytesIO(snapshot.screenshot), formats=["PNG"]) as picture:
            return picture.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise MissingScreenshotError(
            f"the snapshot's screenshot cannot be read ({error}): render the page again"
        ) from error


def tag_places(area: Area, size: tuple[int, int]) -> list[Area]:
    """Where a tag may go: above, beside, then in the right corners of the box."""
    left, top, right, bottom = area
    width, height = size
    corners = [(left, top - height), (right - width, top - height), (left - width, top)]
    if right - left > width + 8 and bottom - top > height + 8:
        corners += [(right - width - 4, top + 4), (right - width - 4, bottom - height - 4)]
    return [(x, y, x + width, y + height) for x, y in corners]


def is_empty(page: Image.Image, area: Area) -> bool:
    """Whether an area lies on the picture and is of one colour."""
    left, top, right, bottom = area
    if left < 0 or top < 0 or right > page.width or bottom > page.height:
        return False
    return page.crop(area).getcolors(1) is not None
