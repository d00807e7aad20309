"""Labels of boxes in the margins of a picture, where they cover neither content nor each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .canvas import FONT_SIZE, Area, printable
from .kinds import KINDS, Theme

Side = Literal["left", "right"]

MAX_CHARACTERS = 26
HEIGHT, ROW = 28, 32
PADDING, LEADER = 8, 26
WHITE, BLACK = (255, 255, 255), (0, 0, 0)

# Maximum distance between the tops of two boxes of one role that share a label, px: for content
# that was left out, and for content that was kept, whose labels would otherwise not fit beside
# their boxes.
NEAR, NEAR_KEPT = 160, ROW - 1

# Length and distance of the dots as which a line continues beyond the first content in its way, px.
# A dot is drawn only if the columns around it are free.
DOT, DOT_PITCH = 4, 16

# Maximum difference of a channel within a column that counts as free, such as that of a shadow.
SHADE = 12

# Height in a tall box that its label points at, px from the top: its first line.
FIRST_LINE = 14


@dataclass(frozen=True)
class Label:
    """Label beside a box of one of the `KINDS`, filled if the box is of extracted content.

    Placing a label appends the score and the number of its boxes to its text, and sets `y`, its
    centre in px from the top of the page, and `foot`, the anchor of the last of its boxes.
    """

    text: str
    kind: str
    is_kept: bool
    area: Area
    score: float | None = None
    y: int = 0
    foot: int = 0

    @property
    def anchor(self) -> int:
        """Point of the box's side that the label points at, px from the top of the page."""
        return self.area[1] + min((self.area[3] - self.area[1]) // 2, FIRST_LINE)


def place_labels(labels: Sequence[Label], size: tuple[int, int]) -> dict[Side, list[Label]]:
    """Place labels in each margin, from top to bottom, as near to their boxes as possible.

    Neighbours of one role are joined if they are near each other and were left out, or if they were
    kept but are too near each other for separate labels. If a picture of this width and height is
    too short for all labels, those of the last kinds in `KINDS` are left out.
    """
    sides: dict[Side, list[Label]] = {"left": [], "right": []}
    for side, run in _runs(labels, size[0]):
        sides[side].append(_join(run))
    return {side: _spread(side_labels, size[1]) for side, side_labels in sides.items()}


def _runs(labels: Sequence[Label], width: int) -> Iterator[tuple[Side, list[Label]]]:
    """Groups of neighbours to join, with the margin of their label."""
    run: list[Label] = []
    side: Side = "left"
    for label in labels:
        if run and _are_alike(run[-1], label) and (label.is_kept or _side(label, width) == side):
            run.append(label)
            continue
        if run:
            yield side, run
        run, side = [label], _side(label, width)
    if run:
        yield side, run


def _side(label: Label, width: int) -> Side:
    return "left" if label.area[0] <= width - label.area[2] else "right"


def _are_alike(one: Label, other: Label) -> bool:
    if (one.text, one.kind, one.is_kept) != (other.text, other.kind, other.is_kept):
        return False
    return abs(one.area[1] - other.area[1]) <= (NEAR_KEPT if one.is_kept else NEAR)


def _join(run: list[Label]) -> Label:
    """One label for neighbours, with the lowest of their scores."""
    scores = [label.score for label in run if label.score is not None]
    score = f" {min(scores):.2f}" if scores else ""
    count = f" x{len(run):,}" if len(run) > 1 else ""
    foot = max(label.anchor for label in run) if run[0].is_kept else 0
    return replace(run[0], text=run[0].text + score + count, foot=foot)


def _spread(labels: list[Label], height: int) -> list[Label]:
    """Place labels a row apart, each as far down as its box, or higher if others follow it."""
    kinds = list(KINDS)
    first = sorted(labels, key=lambda label: kinds.index(label.kind))
    chosen = sorted(first[: height // ROW], key=lambda label: (label.anchor, label.area))
    ys, lowest = [], ROW // 2
    for place, label in enumerate(chosen):
        below = ROW * (len(chosen) - 1 - place)
        ys.append(max(lowest, min(label.anchor, height - ROW // 2 - below)))
        lowest = ys[-1] + ROW
    return [replace(label, y=y) for label, y in zip(chosen, ys, strict=True)]


def margins(placed: dict[Side, list[Label]]) -> tuple[int, int]:
    """Widths of the left and the right margin, px."""
    widths = {
        side: max((_width(label) + LEADER + PADDING for label in labels), default=0)
        for side, labels in placed.items()
    }
    return widths["left"], widths["right"]


def _text(label: Label) -> str:
    return printable(label.text)[:MAX_CHARACTERS]


def _width(label: Label) -> int:
    return math.ceil(_font().getlength(_text(label))) + 2 * PADDING


@cache
def _font() -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(FONT_SIZE)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def draw_labels(
    whole: Image.Image,
    page: Image.Image,
    at: tuple[int, int],
    placed: dict[Side, list[Label]],
    theme: Theme,
) -> None:
    """Draw labels on a picture that has room for them, with a line from each to its box.

    A label of several boxes has a bracket from the first to the last.

    Lines do not cross the content of `page`, which is the page before anything was drawn on it and
    has its top left corner `at` a point of the picture.
    """
    pen = ImageDraw.Draw(whole)
    for side, labels in placed.items():
        edge = at[0] if side == "left" else at[0] + page.width
        away = -1 if side == "left" else 1
        for label in labels:
            color = KINDS[label.kind].color
            y, anchor = at[1] + label.y, at[1] + label.anchor
            near, far = edge + away * LEADER, edge + away * 6
            pen.line([(near, y), (far, anchor), (edge, anchor)], fill=color, width=2)
            if label.foot > label.anchor:
                foot = at[1] + label.foot
                pen.line([(far, anchor), (far, foot), (edge, foot)], fill=color, width=2)
            for begin, end in _line(page, label, side):
                steps = [(edge - away * step, anchor) for step in (begin, end)]
                pen.line(steps, fill=theme.paper, width=4)
                pen.line(steps, fill=color, width=2)
            left, width = (near - _width(label) if side == "left" else near), _width(label)
            box = (left, y - HEIGHT // 2, left + width - 1, y + HEIGHT // 2 - 1)
            pen.rectangle(box, fill=color if label.is_kept else theme.paper, outline=color, width=2)
            # Of a luma of 100 of 255 and more, black letters have more contrast.
            is_dark = 3 * color[0] + 6 * color[1] + color[2] < 1000
            ink = theme.ink if not label.is_kept else WHITE if is_dark else BLACK
            pen.text((left + PADDING, y), _text(label), font=_font(), fill=ink, anchor="lm")


def _line(page: Image.Image, label: Label, side: Side) -> Iterator[tuple[int, int]]:
    """Segments of a label's line within the page: first and last px from the page's edge.

    Beyond the first content in its way, the line to the box consists of dots.
    """
    left, _, right, _ = label.area
    span = (0, left) if side == "left" else (right, page.width)
    way = (span[0], max(0, label.anchor - 2), span[1], min(page.height, label.anchor + 3))
    columns = np.asarray(page.crop(way))
    columns = columns if side == "left" else columns[:, ::-1]
    if not columns.size:
        return
    # Edges of columns and changes of the background do not block the line.
    is_free = (np.ptp(columns, axis=0) <= SHADE).all(axis=1)
    reach = len(is_free) if is_free.all() else int(is_free.argmin())
    if reach:
        yield 0, reach - 1
    for dot in range(reach + DOT_PITCH, len(is_free) - DOT, DOT_PITCH):
        if is_free[dot - DOT : dot + 2 * DOT].all():
            yield dot, dot + DOT - 1
