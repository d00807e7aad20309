"""Kinds of boxes, and their colours, which any colour vision can distinguish."""

from __future__ import annotations

from dataclasses import dataclass

Color = tuple[int, int, int]


@dataclass(frozen=True)
class Kind:
    """Colour of a kind's outlines, which is visible on light and dark paper, and its meaning."""

    color: Color
    meaning: str


@dataclass(frozen=True)
class Theme:
    """Colours of the background, text, lines and warnings in the legend and the margins.

    Outlines have a halo of the background's colour, so that they are visible on a page of theirs.
    """

    paper: Color
    ink: Color
    rule: Color
    warning: Color


LIGHT = Theme((252, 252, 250), (28, 28, 28), (200, 200, 196), (176, 0, 32))
DARK = Theme((20, 22, 26), (232, 232, 228), (74, 78, 86), (255, 138, 128))

# The palette of Okabe and Ito (2008), with a grey.
KINDS: dict[str, Kind] = {
    "kept": Kind((0, 158, 115), "text, kept"),
    "head": Kind((0, 114, 178), "head of the article"),
    "beside": Kind((86, 180, 233), "beside the text"),
    "comments": Kind((204, 121, 167), "comments"),
    "other": Kind((120, 120, 120), "rest of the page"),
    "separator": Kind((213, 94, 0), "separator"),
    "overlays": Kind((230, 159, 0), "layer over the page"),
}
"""All kinds of boxes, in the order of the legend."""
