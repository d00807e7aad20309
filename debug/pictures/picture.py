"""The page's picture with what was kept, and what not, drawn over it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from PIL import Image

from ...features.overlays import overlay_roots
from ...output.extraction import Block, Extraction
from ...renderer.snapshot import Snapshot
from .canvas import (
    Area,
    clip,
    frame,
    hatch_all,
    line_width,
    open_screenshot,
    paste_all,
    pixels,
    png,
)
from .kinds import DARK, KINDS, LIGHT, Color, Theme
from .labels import Label, draw_labels, margins, place_labels
from .legend import LegendEntry, draw_legend
from .lettering import address, printable

__all__ = ["Outline", "annotated_screenshot", "outlines"]

HEAD = frozenset(("title", "kicker", "standfirst", "byline", "dateline"))
SURROUNDINGS = frozenset(("boilerplate", "related", "call-to-action"))

UNDRAWN_MARKS = frozenset(("comments",))  # the blocks show them

MIN_WIDTH = 320


@dataclass(frozen=True)
class Outline:
    """One box to draw.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    node
        What it is the box of.
    box
        x, y, width, height in CSS px.
    label
        What is written beside it.
    is_kept
        Whether it is part of what was taken out; what is not is hatched.
    score
        Of a block that was kept.
    """

    kind: str
    node: int
    box: tuple[float, ...]
    label: str
    is_kept: bool = False
    score: float | None = None


def outlines(snapshot: Snapshot, extraction: Extraction) -> list[Outline]:
    """Boxes of all blocks, then those of marked nodes and of layers over the page."""
    found = [_outline_of(block) for block in extraction.blocks]
    marked = [
        ("separator", node, name)
        for name, node in extraction.marks.items()
        if name not in UNDRAWN_MARKS
    ]
    layers = [("overlays", node, "overlay") for node in overlay_roots(snapshot)]
    for kind, node, label in [*marked, *layers]:
        box = tuple(round(float(value), 1) for value in snapshot.box[node])
        found.append(Outline(kind, node, box, label, kind == "separator"))
    return found


def _outline_of(block: Block) -> Outline:
    is_kept = block.kept or block.role == "title"
    score = block.score if block.kept else None
    return Outline(_kind_of(block), block.node, block.box, block.role, is_kept, score)


def _kind_of(block: Block) -> str:
    if block.kept and block.role != "title":
        return "kept"
    if block.role in SURROUNDINGS:
        return "other"
    if block.role in HEAD:
        return "head"
    return "comments" if block.role == "comment" else "beside"


def annotated_screenshot(
    snapshot: Snapshot, extraction: Extraction, *, dark: bool = False
) -> bytes:
    """Draw an extraction over the page's screenshot.

    Parameters
    ----------
    snapshot
        A page rendered with ``RenderOptions(screenshot=True, hide_overlays=True)``.
    extraction
        What was taken out of it.
    dark
        Whether the legend and the margins are dark. The page is as it was rendered; see
        ``RenderOptions.color_scheme``.

    Returns
    -------
    A PNG: a strip with the legend, and below it the page between margins with labels. What was
    taken out is outlined; what was left out is greyed and hatched. Labels name the role of a box
    and the score of what was kept; they stand in the margins and cover nothing. Neighbours of one
    role share a label with their number and the lowest of their scores.

    Raises
    ------
    MissingScreenshotError
        The snapshot has no screenshot, or none that can be read.
    """
    page, theme = open_screenshot(snapshot), DARK if dark else LIGHT
    drawn = [
        (outline, area)
        for outline in outlines(snapshot, extraction)
        # No letter lies under a line.
        if (area := clip(outline.box, page.size, line_width(outline.is_kept) + 1))
    ]
    labels = [Label(o.label, o.kind, o.is_kept, area, o.score) for o, area in drawn]
    placed = place_labels(labels, page.size)
    left, right = margins(placed)
    width = max(left + page.width + right, MIN_WIDTH)
    notes = [each.message for each in snapshot.page.warnings if each.code == "moved"]
    head = f"miolo {printable(extraction.method)}   {address(extraction.url)}"
    legend = draw_legend(width, head, notes, _entries(drawn), theme)
    whole = Image.new("RGB", (width, legend.height + page.height), theme.paper)
    whole.paste(legend, (0, 0))
    whole.paste(_drawn_over(page, drawn, theme), (left, legend.height))
    draw_labels(whole, page, (left, legend.height), placed, theme)
    return png(whole)


def _drawn_over(page: Image.Image, drawn: list[tuple[Outline, Area]], theme: Theme) -> Image.Image:
    """A copy of the page, hatched and outlined, small boxes over large ones."""
    whole = page.copy()
    by_size = sorted(drawn, key=lambda pair: pixels(pair[1]))

    def areas(*, of_layers: bool, are_kept: bool = False) -> list[tuple[Area, Color]]:
        return [
            (area, theme.color_of(outline.kind))
            for outline, _ in by_size
            if outline.is_kept == are_kept and (outline.kind == "overlays") == of_layers
            if (area := clip(outline.box, page.size))
        ]

    hatch_all(whole, areas(of_layers=True))
    # A layer may lie over the text, and be hidden.
    paste_all(whole, page, (area for area, _ in areas(of_layers=False, are_kept=True)))
    hatch_all(whole, areas(of_layers=False))
    for outline, area in reversed(by_size):
        frame(whole, area, theme.color_of(outline.kind), line_width(outline.is_kept))
    return whole


def _entries(drawn: list[tuple[Outline, Area]]) -> list[LegendEntry]:
    """A legend entry for each kind of boxes, those taken out and those left out apart."""
    counts = Counter((outline.kind, not outline.is_kept) for outline, _ in drawn)
    order = list(KINDS)
    found = sorted(counts.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))
    return [LegendEntry(kind, count, is_hatched) for (kind, is_hatched), count in found]
