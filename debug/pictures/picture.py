"""A page's screenshot with boxes of the content that was and was not kept, below a legend."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ...features.overlays import overlay_roots
from ...output.extraction import Extraction
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_mask
from ..block_nodes import of_snapshot, text_nodes
from . import canvas
from .clipping import node_boxes, text_boxes
from .kinds import DARK, KINDS, LIGHT, Color, Theme
from .labels import Label, draw_labels, margins, place_labels

HEAD = frozenset(("title", "kicker", "standfirst", "byline", "dateline"))
SURROUNDINGS = frozenset(("boilerplate", "related", "call-to-action"))

# Warnings that explain what is wrong with or missing from the picture.
NOTED = frozenset(("moved", "overlays", "screenshot"))

UNDRAWN_MARKS = frozenset(("comments",))  # the blocks show them

MIN_WIDTH = 320

Look = Literal["outlined", "hatched", "dashed"]
"""How boxes are drawn: of extracted content, of other content, and of layers over the article."""

LOOKS: dict[Look, str] = {
    "outlined": "extracted",
    "hatched": "left out",
    "dashed": "over the article",
}
"""What each look means, in the order of the legend."""

# Dimensions of the legend, px.
MARGIN, ROW, SWATCH = 14, 36, 24
GAP = 28


@dataclass(frozen=True)
class Outline:
    """One box to draw, of one of the `KINDS`, in CSS px, with the text beside it.

    A layer over the article is clear: its outline is dashed, and unlike other content that was not
    extracted it is not hatched.
    """

    kind: str
    node: int
    box: tuple[float, ...]
    label: str
    is_kept: bool = False
    score: float | None = None
    is_clear: bool = False

    @property
    def look(self) -> Look:
        """How the box is drawn."""
        return "dashed" if self.is_clear else "outlined" if self.is_kept else "hatched"


def outlines(
    snapshot: Snapshot,
    extraction: Extraction,
    page: Image.Image | None = None,
    nodes: Sequence[Sequence[int]] | None = None,
) -> list[Outline]:
    """Boxes of all blocks, then those of marked nodes and of layers over the page.

    Boxes have no area if they are not drawn: those of texts that are not painted and, with the
    page's screenshot, those of other texts in layers over the article, which are hidden from it.
    Layers that are not painted or wait beyond the top or the left of the page have no outline.
    `nodes` are the text nodes of each block, if they are known.
    """
    extraction = of_snapshot(extraction)
    if nodes is None:
        nodes = text_nodes(snapshot, extraction)
    texts = [
        Outline(
            kind_of(block.role, kept=block.kept),
            block.node,
            block.box,
            block.role,
            block.kept or block.role == "title",
            block.score if block.kept else None,
        )
        for block in extraction.blocks
    ]
    firsts = [of[0] for of in nodes]
    marks = [each for each in extraction.marks.items() if each[0] not in UNDRAWN_MARKS]
    separators = _of_elements(snapshot, "separator", marks, is_kept=True)
    return drawn_outlines(snapshot, texts, firsts, separators, page)


def drawn_outlines(
    snapshot: Snapshot,
    texts: Sequence[Outline],
    firsts: Sequence[int],
    others: Sequence[Outline] = (),
    page: Image.Image | None = None,
) -> list[Outline]:
    """Outlines of texts, whose first text nodes are given, with what is drawn of their boxes.

    They are followed by outlines of other elements and of layers.
    """
    boxes = text_boxes(
        snapshot,
        [(first, text.box) for first, text in zip(firsts, texts, strict=True)],
        [text.kind == "kept" for text in texts],
        page,
    )
    drawn = [replace(text, box=box) for text, box in zip(texts, boxes, strict=True)]
    drawn += [*others, *_layers(snapshot)]
    return drawn if page is None else _with_clear_layers(snapshot, drawn, page.size)


def _layers(snapshot: Snapshot) -> list[Outline]:
    ends = snapshot.box[:, :2] + snapshot.box[:, 2:]
    nodes = [
        node
        for node in overlay_roots(snapshot)
        if (ends[node] > 0).all() and snapshot.visible[node : snapshot.end[node]].any()
    ]
    return _of_elements(snapshot, "overlays", [("overlay", node) for node in nodes])


def _of_elements(
    snapshot: Snapshot, kind: str, named: Sequence[tuple[str, int]], *, is_kept: bool = False
) -> list[Outline]:
    boxes = node_boxes(snapshot, [node for _, node in named])
    return [
        Outline(kind, node, tuple(round(side, 1) for side in box), label, is_kept)
        for (label, node), box in zip(named, boxes, strict=True)
    ]


def _with_clear_layers(
    snapshot: Snapshot, drawn: list[Outline], size: tuple[int, int]
) -> list[Outline]:
    """Mark the layers over the article, and empty the boxes of texts in them but for kept ones."""
    clear = _layers_over_article(drawn, size)
    within = np.zeros(len(snapshot), bool)
    within[list(clear)] = True
    within = subtree_mask(within, snapshot.end)

    def look(outline: Outline) -> Outline:
        if outline.kind == "overlays":
            return replace(outline, is_clear=outline.node in clear)
        if outline.is_kept or not within[outline.node]:
            return outline
        return replace(outline, box=(*outline.box[:2], 0.0, 0.0))

    return [look(outline) for outline in drawn]


def _layers_over_article(drawn: list[Outline], size: tuple[int, int]) -> frozenset[int]:
    """Nodes of layers whose boxes touch those of the article."""
    areas = [
        (outline, area)
        for outline in drawn
        if (area := canvas.clip(outline.box, size, canvas.line_width(outline.is_kept) + 1))
    ]
    whole = size[0] * size[1]
    covered = np.zeros((size[1], size[0]), bool)
    article = (area for outline, area in areas if outline.kind in ("kept", "head", "beside"))
    for left, top, right, bottom in canvas.affordable(article, whole):
        covered[top:bottom, left:right] = True
    layers = [(outline.node, area) for outline, area in areas if outline.kind == "overlays"]
    looked_at = frozenset(canvas.affordable((area for _, area in layers), whole))
    return frozenset(
        node
        for node, area in layers
        if area in looked_at and covered[area[1] : area[3], area[0] : area[2]].any()
    )


def kind_of(role: str, *, kept: bool) -> str:
    """Key of `KINDS` for a block."""
    if kept and role != "title":
        return "kept"
    if role in SURROUNDINGS:
        return "other"
    if role in HEAD:
        return "head"
    return "comments" if role == "comment" else "beside"


def annotated_screenshot(
    snapshot: Snapshot, extraction: Extraction, *, dark: bool = False
) -> bytes:
    """Draw an extraction over the page's screenshot.

    Parameters
    ----------
    snapshot
        A page rendered with ``RenderOptions(screenshot=True, hide_overlays=True)``.
    dark
        Whether the legend and the margins are dark. The page is shown as it was rendered; see
        ``RenderOptions.color_scheme``.

    Returns
    -------
    A PNG: a strip with the legend, and below it the page between margins with labels. Extracted
    content is outlined; other content is greyed and hatched. A layer over the article has a dashed
    outline. Labels name the role of a box and, if it was kept, its score. Neighbours of one role
    share a label with their number and the lowest of their scores.

    Raises
    ------
    MissingScreenshotError
        The snapshot has no screenshot, or none that can be read.
    ValueError
        The extraction is not of this snapshot.
    """
    page = canvas.open_screenshot(snapshot)
    head = f"miolo {canvas.printable(extraction.method)}   {canvas.address(extraction.url)}"
    notes = [each.message for each in snapshot.page.warnings if each.code in NOTED]
    return draw_page(page, outlines(snapshot, extraction, page), (head, *notes), dark=dark)


def draw_page(
    page: Image.Image,
    outlines: Sequence[Outline],
    lines: Sequence[str],
    *,
    dark: bool = False,
    meanings: Mapping[str, str] | None = None,
    looks: Mapping[Look, str] = LOOKS,
) -> bytes:
    """Draw outlines over a picture of a page; see `annotated_screenshot`.

    The first of the lines is the legend's heading, and the others are warnings. `meanings` and
    `looks` replace what the legend says of kinds and of looks.
    """
    theme = DARK if dark else LIGHT
    meanings = {name: kind.meaning for name, kind in KINDS.items()} | dict(meanings or {})
    areas = [
        (outline, area)
        for outline in outlines
        # The outline lies outside the box, so that it covers no letter.
        if (area := canvas.clip(outline.box, page.size, canvas.line_width(outline.is_kept) + 1))
    ]
    labels = [Label(o.label, o.kind, o.is_kept, area, o.score) for o, area in areas]
    placed = place_labels(labels, page.size)
    left, right = margins(placed)
    width = max(left + page.width + right, MIN_WIDTH)
    counts = Counter((outline.kind, outline.look) for outline, _ in areas)
    entries: list[tuple[str, Look, int]] = [
        (k, look, counts[k, look]) for k in KINDS for look in LOOKS if counts[k, look]
    ]
    legend = _draw_legend(width, lines, entries, (meanings, looks), theme)
    whole = Image.new("RGB", (width, legend.height + page.height), theme.paper)
    whole.paste(legend, (0, 0))
    whole.paste(_draw_outlines(page, areas, theme), (left, legend.height))
    draw_labels(whole, page, (left, legend.height), placed, theme)
    return canvas.png(whole)


def _draw_outlines(
    page: Image.Image, outlines: list[tuple[Outline, canvas.Area]], theme: Theme
) -> Image.Image:
    """A copy of the page, hatched and outlined, small boxes over large ones."""
    whole = page.copy()
    by_size = sorted(outlines, key=lambda pair: canvas.pixels(pair[1]))

    def areas(*, of_layers: bool, are_kept: bool = False) -> list[tuple[canvas.Area, Color]]:
        return [
            (area, KINDS[outline.kind].color)
            for outline, _ in by_size
            if outline.is_kept == are_kept and (outline.kind == "overlays") == of_layers
            if not outline.is_clear and (area := canvas.clip(outline.box, page.size))
        ]

    canvas.hatch_all(whole, areas(of_layers=True))
    for outline, area in by_size:
        if outline.is_clear:
            canvas.dash(whole, area, KINDS[outline.kind].color, canvas.line_width(is_kept=False))
    for are_kept in (True, False):
        # Restore the texts under a layer's hatching and dashes.
        canvas.paste_all(
            whole, page, (area for area, _ in areas(of_layers=False, are_kept=are_kept))
        )
    canvas.hatch_all(whole, areas(of_layers=False))
    for outline, area in reversed(by_size):
        if not outline.is_clear:
            width = canvas.line_width(outline.is_kept)
            canvas.frame(whole, area, KINDS[outline.kind].color, width, theme.paper)
    return whole


def _draw_legend(
    width: int,
    lines: Sequence[str],
    entries: Sequence[tuple[str, Look, int]],
    words: tuple[Mapping[str, str], Mapping[Look, str]],
    theme: Theme,
) -> Image.Image:
    """Draw the legend as a strip of the given width; the first lines are cut off at its end.

    Each entry has the kind of boxes, how they are drawn, and their number; `words` are what kinds
    and looks mean.
    """
    font = ImageFont.load_default(canvas.FONT_SIZE)
    meanings, looks = words
    used = {look for _, look, _ in entries}
    hint = "  ".join(f"{look.capitalize()}: {looks[look]}." for look in looks if look in used)
    lines_of = Counter(kind for kind, _, _ in entries)
    places, x, y = [], MARGIN, ROW * len(lines) + 6
    texts = [
        f"{meanings[kind]}{f', {looks[look]}' if lines_of[kind] > 1 else ''} {count:,}"
        for kind, look, count in entries
    ]
    texts += [hint] if hint else []
    for number, text in enumerate(texts):
        swatch = SWATCH + 10 if number < len(entries) else 0
        step = swatch + math.ceil(font.getlength(text))
        if x > MARGIN and x + step > width - MARGIN:
            x, y = MARGIN, y + ROW
        places.append((x, y))
        x += step + GAP
    strip = Image.new("RGB", (width, y + ROW + 4 if texts else y), theme.paper)
    pen = ImageDraw.Draw(strip)
    for number, line in enumerate(lines):
        label = canvas.fit(canvas.printable(line), width - 2 * MARGIN)
        color = theme.warning if number else theme.ink
        pen.text((MARGIN, 8 + ROW * number), label, font=font, fill=color)
    for (kind, look, _), (x, y) in zip(entries, places, strict=False):
        area = (x, y + 4, min(x + SWATCH, width), y + 4 + SWATCH)
        color = KINDS[kind].color
        if look == "hatched":
            canvas.hatch(strip, area, color)
        draw = canvas.dash if look == "dashed" else canvas.frame
        draw(strip, area, color, canvas.line_width(look == "outlined"))
    for number, (text, (x, y)) in enumerate(zip(texts, places, strict=True)):
        indent = SWATCH + 10 if number < len(entries) else 0
        pen.text((x + indent, y + 2), text, font=font, fill=theme.ink)
    pen.line((0, strip.height - 1, width, strip.height - 1), fill=theme.rule)
    return strip
