"""A small drawing of a page's blocks, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["draw_boxes"]

Box = tuple[float, float, float, float]

WIDTH_PX = 200
MAX_HEIGHT_PX = 600
MAX_BOXES = 2000
KEPT, LEFT_OUT = "#0a7d6c", "#b8b8b8"


def draw_boxes(boxes: Iterable[tuple[Box, bool]]) -> str:
    """Draw boxes as SVG, with those of the text highlighted.

    Boxes are in CSS px of their page. The result is empty if nothing was laid out. A page is drawn
    to a height of at most three times its width.
    """
    shown = [each for each in boxes if each[0][2] > 0 and each[0][3] > 0][:MAX_BOXES]
    if not shown:
        return ""
    width = max(x + wide for (x, _, wide, _), _ in shown)
    height = min(max(y + high for (_, y, _, high), _ in shown), width * MAX_HEIGHT_PX / WIDTH_PX)
    drawn = "".join(
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{high:.0f}" '
        f'fill="{KEPT if kept else LEFT_OUT}" fill-opacity="0.6"/>'
        for (x, y, wide, high), kept in shown
        if y < height
    )
    scaled = height * WIDTH_PX / width
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" height="{scaled:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" style="float: right" '
        f'role="img" aria-label="Blocks of the page">{drawn}</svg>'
    )
