"""Features of images as in AdEater: size, link target and surrounding words.

Source: Kushmerick, *Learning to remove Internet advertisements* (Agents 1999), section 3. An image
is described by its height, width and aspect ratio, by whether it is local, and by the phrases of
its ``alt`` text, its caption and three addresses: its own, that of its link, and that of its page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import numpy as np
from miolo.features.links import absolute_url, image_address, link_mask
from miolo.features.short_texts import cached_if_short
from miolo.features.words import words
from miolo.renderer.network.origins import site_of
from miolo.renderer.page.snapshot import NOWHERE, Snapshot
from miolo.renderer.page.tree import nearest_marked
from numpy.typing import NDArray

__all__ = ["FIELDS", "NUMBERS", "UNKNOWN", "PageImages", "page_images", "phrases"]

NUMBERS = ("height", "width", "aspect", "link on site", "image on site")
"""Columns of `PageImages.numbers`, in order."""

FIELDS = ("alt", "caption", "image", "link", "page")
"""Sources of phrases; a phrase is written as ``field:phrase``."""

UNKNOWN = -1.0
"""Value of an unknown number, as for an image without a size or a link that leads nowhere."""

# Words of every address are no evidence. The limits exist because a whole page may be inside one
# anchor.
COMMON = frozenset(("http", "https", "www"))
MAX_WORDS = 40
MAX_CHARS = 600

LENGTH = re.compile(r"\s*(\d{1,5}(?:\.\d{1,4})?)\s*+(?:px\s*)?")


@dataclass(frozen=True, eq=False)
class PageImages:
    """The images of a page, in document order.

    Attributes
    ----------
    nodes
        int64, shape (k,): the ``img`` elements.
    links
        int64, shape (k,): the nearest link around each, or -1.
    figures
        int64, shape (k,): the nearest ``figure`` around each, or -1.
    numbers
        float32, shape (k, 5), columns as in `NUMBERS`: height and width in CSS px, width
        over height, and for the addresses of the link and of the image 1 on the page's site
        and 0 off it. `UNKNOWN` where there is no evidence.
    phrases
        The distinct phrases of each image's `FIELDS`.
    """

    nodes: NDArray[np.int64]
    links: NDArray[np.int64]
    figures: NDArray[np.int64]
    numbers: NDArray[np.float32]
    phrases: tuple[frozenset[str], ...]

    def __len__(self) -> int:
        return len(self.nodes)

    def take(self, chosen: NDArray[np.integer] | NDArray[np.bool_]) -> PageImages:
        """A selection of the images."""
        which = np.arange(len(self))[chosen]
        phrases = tuple(self.phrases[i] for i in which.tolist())
        return PageImages(
            self.nodes[which], self.links[which], self.figures[which], self.numbers[which], phrases
        )


def page_images(snapshot: Snapshot) -> PageImages:
    """All images of a page, in time linear in its nodes.

    Notes
    -----
    The paper has a single flag for "local", which is about the link; here the image's own address
    has a flag as well. A caption is the text inside the image's link, and that of the
    ``figcaption`` of its figure.
    """
    nodes = np.flatnonzero(snapshot.with_tag("img"))
    links = nearest_marked(snapshot.parent, link_mask(snapshot))[nodes]
    figures = nearest_marked(snapshot.parent, snapshot.with_tag("figure"))[nodes]
    captions = _Captions(snapshot)
    sizes, flags, phrase_lists = [], [], []
    for node, link, figure in zip(nodes.tolist(), links.tolist(), figures.tolist(), strict=True):
        own = image_address(snapshot, node)
        reference = snapshot.attributes.get(link, "href") if link >= 0 else None
        target = absolute_url(snapshot, link, reference) if reference else None
        sizes.append(_size(snapshot, node))
        flags.append((_on_site(snapshot, target), _on_site(snapshot, own)))
        texts = {
            "alt": words((snapshot.attributes.get(node, "alt") or "")[:MAX_CHARS])[:MAX_WORDS],
            "caption": captions.of(link) + captions.of(figure),
            "image": _address_words(own or ""),
            "link": _address_words(target or ""),
            "page": _address_words(snapshot.frames[snapshot.frame[node]].url),
        }
        phrase_lists.append(
            frozenset(f"{field}:{p}" for field in FIELDS for p in phrases(texts[field]))
        )
    return PageImages(nodes, links, figures, _numbers(sizes, flags), tuple(phrase_lists))


def phrases(tokens: Iterable[str]) -> list[str]:
    """Words and pairs of consecutive words, case folded and with duplicates.

    >>> phrases(["Click", "here", "now"])
    ['click', 'here', 'now', 'click here', 'here now']
    """
    folded = [word.casefold() for word in tokens]
    return folded + [f"{first} {second}" for first, second in pairwise(folded)]


class _Captions:
    """Words inside links and inside the captions of figures, computed once per element."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.page = snapshot
        texts = [node for node in np.flatnonzero(snapshot.is_text) if snapshot.text[node].strip()]
        self.texts = np.array(texts, np.int64)
        self.legends = np.flatnonzero(snapshot.with_tag("figcaption"))
        self.figures = snapshot.with_tag("figure")
        self.by_node: dict[int, list[str]] = {-1: []}

    def of(self, node: int) -> list[str]:
        if node not in self.by_node:
            inside = self._legend(node) if self.figures[node] else node
            self.by_node[node] = [] if inside is None else self._words(inside)
        return self.by_node[node]

    def _legend(self, figure: int) -> int | None:
        place = np.searchsorted(self.legends, figure)
        legend = int(self.legends[place]) if place < len(self.legends) else len(self.page)
        return legend if legend < self.page.end[figure] else None

    def _words(self, node: int) -> list[str]:
        """The first `MAX_WORDS` words; otherwise, nested links would be read over and over."""
        tokens: list[str] = []
        place = int(np.searchsorted(self.texts, node))
        for text in self.texts[place : place + MAX_WORDS].tolist():
            if text >= self.page.end[node] or len(tokens) >= MAX_WORDS:
                break
            tokens += words(self.page.text[text][:MAX_CHARS])
        return tokens[:MAX_WORDS]


@cached_if_short
def _address_words(url: str) -> tuple[str, ...]:
    """Words of a decoded address, without scheme and port."""
    if url == NOWHERE or site_of(url) is None:
        return ()
    parts = urlsplit(url)
    readable = unquote(f"{parts.hostname} {parts.path} {parts.query}"[:MAX_CHARS])
    return tuple(word for word in words(readable)[:MAX_WORDS] if word.lower() not in COMMON)


def _on_site(snapshot: Snapshot, url: str | None) -> float:
    """1 for an address on the page's site, 0 for one off it, `UNKNOWN` without evidence."""
    home, site = site_of(snapshot.page.url), site_of(url or "")
    if home is None or site is None or snapshot.page.url == NOWHERE:
        return UNKNOWN
    return float(home == site)


def _size(snapshot: Snapshot, node: int) -> tuple[float, float]:
    """Height and width as painted, or as given in the markup where nothing is painted."""
    width, height = snapshot.box[node, 2:].tolist()
    if snapshot.page.has_geometry and snapshot.visible[node] and min(width, height) > 1:
        return height, width
    return _declared_length(snapshot, node, "height"), _declared_length(snapshot, node, "width")


def _declared_length(snapshot: Snapshot, node: int, name: str) -> float:
    match = LENGTH.fullmatch(snapshot.attributes.get(node, name) or "")
    return float(match[1]) if match else UNKNOWN


def _numbers(
    sizes: list[tuple[float, float]], flags: list[tuple[float, float]]
) -> NDArray[np.float32]:
    size = np.array(sizes, np.float64).reshape(-1, 2)
    has_size = (size > 0).all(axis=1)
    aspect = np.full(len(size), UNKNOWN)
    np.divide(size[:, 1], size[:, 0], out=aspect, where=has_size)
    return np.column_stack([size, aspect, np.array(flags).reshape(-1, 2)]).astype(np.float32)
