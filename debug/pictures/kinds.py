"""Kinds of boxes, and their colours, which any colour vision can distinguish."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

Color = tuple[int, int, int]

DARK_BELOW = 110
"""Mean of red, green and blue below which a background counts as dark."""

LEAST_CONTRAST = 1.6
"""Contrast with the background below which lines have a halo."""


@dataclass(frozen=True)
class Kind:
    """Colour of a kind's outlines, on a light and on a dark background, and text in the legend."""

    color: Color
    dark: Color
    meaning: str


@dataclass(frozen=True)
class Theme:
    """Colours of the background, text, lines and warnings in the legend and the margins."""

    paper: Color
    ink: Color
    rule: Color
    warning: Color
    is_dark: bool = False

    def color_of(self, kind: str) -> Color:
        """Colour of a kind of boxes."""
        return color_on(kind, is_dark=self.is_dark)


LIGHT = Theme((252, 252, 250), (28, 28, 28), (200, 200, 196), (176, 0, 32))
DARK = Theme((20, 22, 26), (232, 232, 228), (74, 78, 86), (255, 138, 128), is_dark=True)

# The palette of Okabe and Ito (2008), with a grey that is darker or lighter than all of it.
GREEN, BLUE, SKY, PINK = (0, 158, 115), (0, 114, 178), (86, 180, 233), (204, 121, 167)
VERMILION, ORANGE = (213, 94, 0), (230, 159, 0)

KINDS: dict[str, Kind] = {
    "kept": Kind(GREEN, GREEN, "text, kept"),
    "head": Kind(BLUE, BLUE, "head of the article"),
    "beside": Kind(SKY, SKY, "beside the text"),
    "comments": Kind(PINK, PINK, "comments"),
    "other": Kind((70, 70, 70), (215, 215, 215), "rest of the page"),
    "separator": Kind(VERMILION, VERMILION, "separator"),
    "overlays": Kind(ORANGE, ORANGE, "layer over the page"),
}
"""All kinds of boxes, in the order of the legend."""


def color_on(kind: str, *, is_dark: bool) -> Color:
    """Colour of a kind of boxes on a light or a dark background."""
    return KINDS[kind].dark if is_dark else KINDS[kind].color


def ink_on(paper: Color) -> Color:
    """Black or white, whichever has more contrast with a background."""
    return (255, 255, 255) if _luminance(paper) < 0.18 else (0, 0, 0)


@lru_cache(maxsize=4096)
def halo_on(paper: Color, color: Color) -> Color | None:
    """Colour around lines of a colour that is hardly visible on a background; else None."""
    low, high = sorted((_luminance(paper), _luminance(color)))
    # The ratio of contrast, 1 to 21 (WCAG 2.2).
    return ink_on(paper) if (high + 0.05) / (low + 0.05) < LEAST_CONTRAST else None


def _luminance(color: Color) -> float:
    """Relative luminance, roughly that of WCAG: 0 to 1."""
    red, green, blue = ((value / 255) ** 2.2 for value in color)
    return 0.21 * red + 0.72 * green + 0.07 * blue
