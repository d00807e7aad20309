"""The page's picture with what was kept, and what not, drawn over it."""

from __future__ import annotations

import io
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from PIL import Image, ImageDraw, ImageFont

from ...extract.output.extraction import Block, Extraction
from ...features.overlays import overlay_roots
from ...renderer.snapshot import Snapshot
from .canvas import Area, is_empty, open_screenshot, tag_places

__all__ = ["KINDS", "Kind", "Outline", "annotated_screenshot", "outlines"]

Color = tuple[int, int, int]


@dataclass(frozen=True)
class Kind:
    """How boxes of one kind look, here and in the report.

    Attributes
    ----------
    color
        Red, green, blue.
    fill
        Opacity of the inside, in [0, 1].
    width
        Of the outline, px.
    """

    color: Color
    fill: float
    width: int = 2

    @property
    def hex(self) -> str:
        """The colour as CSS writes it."""
        return "#{:02x}{:02x}{:02x}".format(*self.color)


# The palette of Okabe and Ito (2008), told apart with any colour vision.
KINDS: dict[str, Kind] = {
    "kept": Kind((0, 158, 115), 0.16),
    "title": Kind((0, 114, 178), 0.20, 3),
    "separator": Kind((213, 94, 0), 0.0, 3),
    "comments": Kind((204, 121, 167), 0.20),
    "overlays": Kind((230, 159, 0), 0.18, 3),
    "head": Kind((123, 79, 201), 0.0),
    "beside": Kind((86, 180, 233), 0.0),
    "other": Kind((122, 122, 122), 0.0, 1),
}
"""All kinds of boxes, in the order of the legend; ``"other"`` is in the report alone.

``"head"`` and ``"beside"`` are blocks that are left out but belong to the article: its head, such
as a byline, and what stands beside its text, such as a caption.
"""

HEAD = frozenset(("kicker", "standfirst", "byline", "dateline"))
SURROUNDINGS = frozenset(("boilerplate", "related", "call-to-action"))

UNDRAWN_MARKS = frozenset(("comments",))  # the blocks show them

# Fills stop after painting the whole picture so many times: a hostile page's boxes may all
# be as large as the page.
MAX_PAINTED = 8
TILE = 1024
MIN_WIDTH = 320
MARGIN = 12
PAPER: Color = (252, 252, 250)
INK: Color = (28, 28, 28)
WARNING: Color = (176, 0, 32)
MAX_URL = 500


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
        What its tag says.
    """

    kind: str
    node: int
    box: tuple[float, ...]
    label: str


def outlines(snapshot: Snapshot, extraction: Extraction) -> list[Outline]:
    """Boxes of all blocks, then those of marked nodes and of layers over the page."""
    found = [
        Outline(kind, block.node, block.box, _block_label(block))
        for block in extraction.blocks
        for kind in [_kind_of(block)]
    ]
    marked = [
        ("separator", node, name)
        for name, node in extraction.marks.items()
        if name not in UNDRAWN_MARKS
    ]
    layers = [("overlays", node, "overlay") for node in overlay_roots(snapshot)]
    for kind, node, label in [*marked, *layers]:
        box = tuple(round(float(value), 1) for value in snapshot.box[node])
        found.append(Outline(kind, node, box, label))
    return found


def _kind_of(block: Block) -> str:
    if block.role == "title":
        return "title"
    if block.kept:
        return "kept"
    if block.role in SURROUNDINGS:
        return "other"
    if block.role in HEAD:
        return "head"
    return "comments" if block.role == "comment" else "beside"


def _block_label(block: Block) -> str:
    return f"{block.role} {block.score:.2f}" if block.kept else block.role


def annotated_screenshot(snapshot: Snapshot, extraction: Extraction) -> bytes:
    """Draw an extraction over the page's screenshot.

    Parameters
    ----------
    snapshot
        A page rendered with ``RenderOptions(screenshot=True)``.
    extraction
        What was taken out of it.

    Returns
    -------
    A PNG: a strip with the legend, and below it the page with a box for each kept block,
    the title, the separator, comments, layers, and blocks left out that belong to the article,
    such as bylines and captions. The strip covers nothing of the page.

    Raises
    ------
    MissingScreenshotError
        The snapshot has no screenshot, or none that can be read.
    """
    page = open_screenshot(snapshot)
    drawn = [
        (outline, area)
        for outline in outlines(snapshot, extraction)
        if outline.kind != "other" and (area := _clip(outline, page.size))
    ]
    drawn.sort(key=lambda pair: _pixels(pair[1]))
    _fill_all(page, drawn)
    for outline, area in reversed(drawn):
        _frame(page, area, KINDS[outline.kind])
    _label_all(page, drawn)
    counts = Counter(outline.kind for outline, _ in drawn)
    buffer = io.BytesIO()
    notes = [each.message for each in snapshot.page.warnings if each.code == "moved"]
    _under_legend(page, extraction, counts, notes).save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


def _clip(outline: Outline, size: tuple[int, int]) -> Area | None:
    """Whole pixels of a box with its line around it, within the picture; None without any."""
    x, y, width, height = outline.box
    if not all(map(math.isfinite, outline.box)) or width <= 0 or height <= 0:
        return None
    around = KINDS[outline.kind].width + 1  # no letter lies under a line
    left, top = max(0, math.floor(x) - around), max(0, math.floor(y) - around)
    right = min(size[0], math.ceil(x + width) + around)
    bottom = min(size[1], math.ceil(y + height) + around)
    return (left, top, right, bottom) if left < right and top < bottom else None


def _pixels(area: Area) -> int:
    return (area[2] - area[0]) * (area[3] - area[1])


def _fill_all(page: Image.Image, drawn: list[tuple[Outline, Area]]) -> None:
    left = MAX_PAINTED * page.width * page.height
    for name, area in dict.fromkeys((outline.kind, area) for outline, area in drawn):
        left -= _pixels(area)
        if left < 0:
            return
        _fill(page, area, KINDS[name])


def _fill(page: Image.Image, area: Area, kind: Kind) -> None:
    """Blend in place, tile by tile: a box may be as large as the picture."""
    if not kind.fill:
        return
    left, top, right, bottom = area
    for y in range(top, bottom, TILE):
        for x in range(left, right, TILE):
            corner = (min(x + TILE, right), min(y + TILE, bottom))
            mask = Image.new("L", (corner[0] - x, corner[1] - y), round(255 * kind.fill))
            page.paste(kind.color, (x, y, *corner), mask)


def _frame(page: Image.Image, area: Area, kind: Kind) -> None:
    """Outline along the inside of an area, with a light line to stand out on dark pages."""
    left, top, right, bottom = area[0], area[1], area[2] - 1, area[3] - 1
    pen, inset = ImageDraw.Draw(page), kind.width
    if kind.width > 2 and right - left > 2 * inset and bottom - top > 2 * inset:
        pen.rectangle((left + inset, top + inset, right - inset, bottom - inset), outline=PAPER)
    pen.rectangle((left, top, right, bottom), outline=kind.color, width=kind.width)


def _label_all(page: Image.Image, drawn: list[tuple[Outline, Area]]) -> None:
    """Tag the boxes that have an empty place at hand, so that no tag covers content."""
    font, pen = ImageFont.load_default(11), ImageDraw.Draw(page)
    for outline, area in drawn:
        text = _printable(outline.label)[:24]
        size = (math.ceil(font.getlength(text)) + 8, 15)
        place = next((p for p in tag_places(area, size) if is_empty(page, p)), None)
        if place is not None:
            color = KINDS[outline.kind].color
            pen.rectangle((place[0], place[1], place[2] - 1, place[3] - 1), fill=color)
            pen.text((place[0] + 4, place[1] + 1), text, font=font, fill=_ink_on(color))


def _ink_on(color: Color) -> Color:
    """Black or white, whichever stands out (WCAG's relative luminance, roughly)."""
    red, green, blue = ((value / 255) ** 2.2 for value in color)
    return (255, 255, 255) if 0.21 * red + 0.72 * green + 0.07 * blue < 0.18 else (0, 0, 0)


def _under_legend(
    page: Image.Image, extraction: Extraction, counts: Counter[str], notes: Sequence[str]
) -> Image.Image:
    width = max(page.width, MIN_WIDTH)
    legend = _legend(width, extraction, counts, notes)
    whole = Image.new("RGB", (width, legend.height + page.height), PAPER)
    whole.paste(legend, (0, 0))
    whole.paste(page, (0, legend.height))
    return whole


def _legend(
    width: int, extraction: Extraction, counts: Counter[str], notes: Sequence[str]
) -> Image.Image:
    """Method and address, what is wrong with the picture, and a swatch for each kind of box."""
    font, row = ImageFont.load_default(14), 24
    top = 36 + row * len(notes)
    items = [(name, f"{name} {counts[name]:,}") for name in KINDS if counts[name]]
    places, x, y = [], MARGIN, top
    for _, text in items:
        step = 22 + math.ceil(font.getlength(text)) + 20
        if x > MARGIN and x + step - 20 > width - MARGIN:
            x, y = MARGIN, y + row
        places.append((x, y))
        x += step
    strip = Image.new("RGB", (width, y + row + 8 if items else top), PAPER)
    pen = ImageDraw.Draw(strip)
    head = f"miolo {_printable(extraction.method)}   {_address(extraction.url)}"
    pen.text((MARGIN, 10), _fit(head, width - 2 * MARGIN), font=font, fill=INK)
    for number, note in enumerate(notes):
        line = _fit(_printable(note), width - 2 * MARGIN)
        pen.text((MARGIN, 34 + row * number), line, font=font, fill=WARNING)
    for (name, text), (x, y) in zip(items, places, strict=True):
        area = (x, y + 2, x + 14, y + 16)
        _fill(strip, area, KINDS[name])
        pen.rectangle((x, y + 2, x + 13, y + 15), outline=KINDS[name].color, width=2)
        pen.text((x + 22, y), text, font=font, fill=INK)
    pen.line((0, strip.height - 1, width, strip.height - 1), fill=(200, 200, 196))
    return strip


def _printable(text: str) -> str:
    """ASCII only: the font that comes with Pillow has little else."""
    return re.sub(r"[^ -~]", "?", text)


def _address(url: str) -> str:
    return _printable(quote(url[:MAX_URL], safe="%/:?#[]@!$&'()*+,;=~ ", errors="replace"))


def _fit(text: str, width: float) -> str:
    """The text, or as much of its start as there is room for."""
    font, text = ImageFont.load_default(14), text[: 2 * MAX_URL]
    if font.getlength(text) <= width:
        return text
    fits = bisect_right(range(len(text)), width, key=lambda n: font.getlength(text[:n] + "..."))
    return text[: max(0, fits - 1)] + "..."
