"""Galleries: runs of elements that each hold one picture with its caption, shown one at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot, cached_per_snapshot
from ..renderer.page.tree import subtree_mask, subtree_sums

MIN_SLIDES = 3
MAX_CAPTION = 800
"""Characters of the text of a slide; more is an article with a picture."""

MIN_SHARE = 0.6
"""Minimum share of a gallery's text, and of its elements with content, that is in its slides."""

FURNITURE = ("nav", "aside", "footer", "header")
PICTURE = lazy_re(r"\.(?:jpe?g|png|gif|webp|avif)(?:[?#]|$)|^#|^javascript:|^$", re.IGNORECASE)


@dataclass(frozen=True)
class Gallery:
    """A gallery."""

    node: int
    """Element that holds the slides."""
    slides: tuple[int, ...]
    """The slides, in document order."""
    pictures: tuple[int, ...]
    """The picture of each slide."""


@cached_per_snapshot
def find_galleries(snapshot: Snapshot) -> list[Gallery]:
    """The galleries of a page, in document order; lists of links to other pages are none."""
    end = snapshot.end
    is_picture = snapshot.with_tag("img") & ~snapshot.in_tag("noscript")
    if is_picture.sum() < MIN_SLIDES:
        return []
    is_picture &= ~snapshot.in_tag(*FURNITURE)
    count = subtree_sums(is_picture, end)
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for picture in is_picture.nonzero()[0].tolist():
        slide, parent = picture, int(snapshot.parent[picture])
        while parent >= 0 and count[parent] == 1:
            slide, parent = parent, int(snapshot.parent[parent])
        if parent >= 0 and slide != picture:
            groups.setdefault((parent, int(snapshot.tag[slide])), []).append((slide, picture))
    chars = subtree_sums(np.fromiter(map(len, snapshot.text), np.int64, len(snapshot)), end)
    galleries = [
        Gallery(parent, *zip(*pairs, strict=True))
        for (parent, _), pairs in groups.items()
        if len(pairs) >= MIN_SLIDES
    ]
    galleries = [gallery for gallery in galleries if _has_captions(gallery, chars)]
    # Most pages have none, and their links need not be read.
    if not galleries:
        return []
    away = _leads_away(snapshot, [slide for each in galleries for slide in each.slides])
    shows = [gallery for gallery in galleries if _is_gallery(snapshot, gallery.slides, away)]
    return sorted(shows, key=lambda gallery: gallery.node)


def slide_pictures(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): pictures of slides, which may not be shown yet."""
    waiting = np.zeros(len(snapshot), bool)
    for gallery in find_galleries(snapshot):
        waiting[list(gallery.pictures)] = True
    return waiting


def _leads_away(snapshot: Snapshot, slides: list[int]) -> NDArray[np.bool_]:
    """bool, shape (n,): links to other pages in some of the elements."""
    inside, away = np.zeros((2, len(snapshot)), bool)
    inside[slides] = True
    links = snapshot.with_tag("a") & subtree_mask(inside, snapshot.end)
    for node, href in snapshot.attributes.with_attribute("href"):
        away[node] = links[node] and PICTURE.search(href[:2000].strip()) is None
    return away


def _has_captions(gallery: Gallery, chars: NDArray[np.int64]) -> bool:
    """Whether the text of a gallery is short, and in its slides."""
    sizes = [int(chars[slide]) for slide in gallery.slides]
    return max(sizes) <= MAX_CAPTION and sum(sizes) >= MIN_SHARE * chars[gallery.node]


def _is_gallery(snapshot: Snapshot, slides: tuple[int, ...], away: NDArray[np.bool_]) -> bool:
    around = [slide for slide in slides if away[slide : snapshot.end[slide]].any()]
    with_heading = snapshot.with_tag("h1", "h2", "h3", "h4")
    headed = sum(bool(with_heading[slide : snapshot.end[slide]].any()) for slide in slides)
    return 2 * len(around) <= len(slides) and 2 * headed <= len(slides)
