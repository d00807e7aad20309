"""Figures of a page: elements marked up as such, and pictures with a caption painted below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from ...values import frozen
from .nodes import LINE_TAGS, Nodes

__all__ = ["Figures", "find_figures"]

# Smaller pictures are icons, which have no captions.
MIN_PICTURE_PX = 60
# A caption lies below its picture and does not extend beyond its sides.
MAX_GAP_PX = 32
MARGIN_PX = 4
MAX_CHARS = 400
MAX_NODES = 64
# A caption differs from a paragraph in that it is set in smaller type, centred below its picture,
# or in a box as narrow as the picture while the running text is wider.
SMALL = 0.95
INDENT_PX = 12
NARROW = 0.8
# Maximum number of elements around a picture alone, such as its link.
MAX_UP = 8


@frozen
class Figures:
    """Figures and captions of a page: the first node of each, mapped to one past its last."""

    figures: dict[int, int] = field(default_factory=dict)
    captions: dict[int, int] = field(default_factory=dict)


def find_figures(nodes: Nodes) -> Figures:
    """Find the figures of a page."""
    figures = Figures()
    for tag, name, ends in (
        ("figure", "wp-caption", figures.figures),
        ("figcaption", "wp-caption-text", figures.captions),
    ):
        named = nodes.with_class(frozenset((name,)))
        ends.update((node, nodes.ends[node]) for node in {*nodes.with_tag(tag), *named})
    pictures = _outside(figures.figures, nodes.with_tag("img"))
    captioned = [(picture, span) for picture in pictures if (span := _find_caption(nodes, picture))]
    usual = _running_text(nodes) if captioned else (0.0, 0.0)
    for picture, (outer, begin, end) in captioned:
        if _is_caption(nodes, picture, begin, end, *usual):
            figures.figures[outer] = end
            figures.captions[begin] = end
    return figures


def _outside(figures: dict[int, int], pictures: list[int]) -> Iterator[int]:
    """Pictures that are not in a figure."""
    starts, until = sorted(figures, reverse=True), 0
    for picture in pictures:
        while starts and starts[-1] <= picture:
            until = max(until, figures[starts.pop()])
        if picture >= until:
            yield picture


def _running_text(nodes: Nodes) -> tuple[float, float]:
    """Font size and line width of the running text: medians over all characters."""
    texts = np.array(nodes.with_tag("#text"), np.intp)
    chars = np.array([len(nodes.texts[node]) for node in texts.tolist()])
    type_size, width = (
        _median(values[texts], chars) for values in (nodes.font_size, nodes.boxes[:, 2])
    )
    return type_size, width


def _median(values: NDArray[np.float32], weights: NDArray[np.int_]) -> float:
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])


def _find_caption(nodes: Nodes, picture: int) -> tuple[int, int, int] | None:
    """The outermost element around a picture alone, and the bounds of the block that follows."""
    outer, blocks = picture, nodes.blocks
    for _ in range(MAX_UP):
        if nodes.parents[outer] < 0 or blocks[nodes.parents[outer], 0] >= 0:
            break
        outer = nodes.parents[outer]
    around, begin = nodes.parents[outer], nodes.ends[outer]
    if around < 0 or begin >= nodes.ends[around]:
        return None
    # The block after the picture, or the block that the picture itself is in.
    block = begin if nodes.own_line[begin] else around
    end = nodes.ends[block]
    first_text = nodes.first(block, "#text")
    if blocks[block, 0] != blocks[block, 1] or first_text is None or first_text < begin:
        return None
    inside = nodes.tags[begin:end] if end - begin <= MAX_NODES else ("img",)
    if "img" in inside or not LINE_TAGS.isdisjoint(set(inside) - {"p"}):
        return None
    return outer, begin, end


def _is_caption(
    nodes: Nodes, picture: int, begin: int, end: int, type_size: float, column: float
) -> bool:
    """Whether a text is painted like the caption of a picture."""
    texts = [node for node in range(begin, end) if nodes.texts[node].strip()]
    x, y, width, height = nodes.boxes[picture].tolist()
    boxes = nodes.boxes[texts]
    if min(width, height) < MIN_PICTURE_PX or not texts or not boxes[:, 2:].all():
        return False
    left, top = boxes[:, :2].min(axis=0).tolist()
    right = float((boxes[:, 0] + boxes[:, 2]).max())
    is_below = -MARGIN_PX <= top - (y + height) <= MAX_GAP_PX
    is_within = x - MARGIN_PX <= left and right <= x + width + MARGIN_PX
    if not is_below or not is_within or sum(len(nodes.texts[node]) for node in texts) > MAX_CHARS:
        return False
    block = begin if nodes.own_line[begin] else nodes.parents[begin]
    is_small = float(nodes.font_size[texts].max()) <= SMALL * type_size
    is_centred = abs(left + right - 2 * x - width) <= 2 * MARGIN_PX and left - x >= INDENT_PX
    wide = float(nodes.boxes[block, 2])
    is_narrow = wide <= width + 2 * MARGIN_PX and width <= NARROW * column
    return is_small or is_centred or is_narrow
