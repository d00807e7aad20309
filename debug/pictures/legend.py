"""The strip above an annotated picture: method, address, warnings, and what the boxes mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from .canvas import dash, frame, hatch, line_width
from .kinds import KINDS, Theme
from .lettering import FONT_SIZE, fit, printable

__all__ = ["HINTS", "LegendEntry", "Look", "draw_legend"]

Look = Literal["outlined", "hatched", "dashed"]
"""How boxes are drawn: of what was extracted, of what was left out, of layers over the article."""

HINTS: dict[Look, str] = {
    "outlined": "Outlined: extracted.",
    "hatched": "Hatched: left out.",
    "dashed": "Dashed: over the article.",
}
"""What the legend says of each look, in its order."""

MARGIN, ROW, SWATCH = 14, 36, 24
GAP = 28


@dataclass(frozen=True)
class LegendEntry:
    """A kind of boxes on the picture.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    count
        Number of its boxes.
    look
        How they are drawn.
    """

    kind: str
    count: int
    look: Look

    @property
    def text(self) -> str:
        """What is written beside the swatch."""
        return f"{KINDS[self.kind].meaning} {self.count:,}"


def draw_legend(
    width: int, head: str, notes: Sequence[str], entries: Sequence[LegendEntry], theme: Theme
) -> Image.Image:
    """Draw a strip of a width; what its first lines have no room for is cut off."""
    font = ImageFont.load_default(FONT_SIZE)
    lines = [(head, theme.ink), *((printable(note), theme.warning) for note in notes)]
    looks = {entry.look for entry in entries}
    hint = "  ".join(text for look, text in HINTS.items() if look in looks)
    places, x, y = [], MARGIN, ROW * len(lines) + 6
    texts = [entry.text for entry in entries] + ([hint] if hint else [])
    for number, text in enumerate(texts):
        swatch = SWATCH + 10 if number < len(entries) else 0
        step = swatch + math.ceil(font.getlength(text))
        if x > MARGIN and x + step > width - MARGIN:
            x, y = MARGIN, y + ROW
        places.append((x, y))
        x += step + GAP
    strip = Image.new("RGB", (width, y + ROW + 4 if texts else y), theme.paper)
    pen = ImageDraw.Draw(strip)
    for number, (line, color) in enumerate(lines):
        shown = fit(line, width - 2 * MARGIN)
        pen.text((MARGIN, 8 + ROW * number), shown, font=font, fill=color)
    for entry, (x, y) in zip(entries, places, strict=False):
        _draw_swatch(strip, entry, (x, y + 4), theme)
    for number, (text, (x, y)) in enumerate(zip(texts, places, strict=True)):
        indent = SWATCH + 10 if number < len(entries) else 0
        pen.text((x + indent, y + 2), text, font=font, fill=theme.ink)
    pen.line((0, strip.height - 1, width, strip.height - 1), fill=theme.rule)
    return strip


def _draw_swatch(
    strip: Image.Image, entry: LegendEntry, corner: tuple[int, int], theme: Theme
) -> None:
    area = (*corner, min(corner[0] + SWATCH, strip.width), corner[1] + SWATCH)
    color = theme.color_of(entry.kind)
    if entry.look == "hatched":
        hatch(strip, area, color)
    draw = dash if entry.look == "dashed" else frame
    draw(strip, area, color, line_width(entry.look == "outlined"))
