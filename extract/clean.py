"""The body as a small clean tree: structure and links stay, everything else goes."""

from __future__ import annotations

import numpy as np
from bs4 import BeautifulSoup, Tag
from numpy.typing import NDArray

from ..features.blocks import TextBlock
from ..features.images import image_address
from ..features.links import absolute_url
from ..renderer.snapshot import Snapshot
from ..renderer.tree import subtree_sums

__all__ = ["clean_tree"]

STRUCTURE = frozenset(
    [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "blockquote",
        "pre",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "td",
        "th",
        "caption",
        "figure",
        "figcaption",
    ]
)
PHRASES = frozenset(
    [
        "a",
        "em",
        "strong",
        "b",
        "i",
        "code",
        "kbd",
        "samp",
        "var",
        "sub",
        "sup",
        "cite",
        "q",
        "del",
        "ins",
        "mark",
        "abbr",
    ]
)
EMPTY = frozenset(("br", "hr", "img"))

# Deeper structure tells a reader nothing, and a page may nest ten thousand quotes.
MAX_DEPTH = 24

KEPT_ATTRIBUTES = {"td": ("colspan", "rowspan"), "th": ("colspan", "rowspan"), "ol": ("start",)}


def clean_tree(
    snapshot: Snapshot, blocks: list[TextBlock], region: NDArray[np.bool_]
) -> BeautifulSoup:
    """Build the clean tree of the body.

    Parameters
    ----------
    snapshot
        The page.
    blocks
        Blocks of the body, in document order.
    region
        bool, shape (n,): nodes of the body; pictures and rules are taken from it.
    """
    return _Builder(snapshot, blocks, region).build()


class _Builder:
    def __init__(
        self, snapshot: Snapshot, blocks: list[TextBlock], region: NDArray[np.bool_]
    ) -> None:
        self.page = snapshot
        self.soup = BeautifulSoup("", "lxml")
        self.block_of = {node: i for i, block in enumerate(blocks) for node in block.nodes}
        taken = np.zeros(len(snapshot), bool)
        taken[list(self.block_of)] = True
        self.taken = subtree_sums(taken, snapshot.end)
        # A line break is never painted itself.
        seen = snapshot.visible | snapshot.with_tag("br")
        self.region = region & seen if snapshot.page.has_geometry else region
        # Open elements as (end of the subtree, element); the document itself never closes.
        self.open: list[tuple[int, Tag]] = [(len(snapshot), self.soup)]
        self.paragraph: tuple[int, Tag] | None = None

    def build(self) -> BeautifulSoup:
        for node in np.flatnonzero((self.taken > 0) | self._empties()).tolist():
            while node >= self.open[-1][0]:
                self._close()
            self._add(node, self.page.tag_name(node))
        return self.soup

    def _empties(self) -> NDArray[np.bool_]:
        return self.page.with_tag(*EMPTY) & self.region

    def _add(self, node: int, tag: str) -> None:
        if tag == "#text":
            self._add_text(node)
        elif tag in EMPTY:
            self._add_empty(node, tag)
        elif len(self.open) <= MAX_DEPTH and self._useful(node, tag):
            if tag in STRUCTURE:
                self.paragraph = None
            self._push(node, self._element(node, tag))

    def _useful(self, node: int, tag: str) -> bool:
        if tag in PHRASES:
            return self._inside_text(node)
        if tag == "p":
            return not any(tag.name in ("p", "pre") for _, tag in self.open[1:])
        return tag in STRUCTURE

    def _inside_text(self, node: int) -> bool:
        """Whether an inline element is one: some pages wrap whole blocks in them."""
        first = node + 1
        owners = {
            self.block_of[i] for i in range(first, int(self.page.end[node])) if i in self.block_of
        }
        return len(owners) <= 1

    def _push(self, node: int, element: Tag) -> None:
        self._target(node).append(element)
        self.open.append((int(self.page.end[node]), element))

    def _close(self) -> None:
        _, element = self.open.pop()
        if element.name in STRUCTURE:
            self.paragraph = None

    def _target(self, node: int) -> Tag:
        """Where the next piece goes: loose text gets a paragraph of its own."""
        top = self.open[-1][1]
        if top.name not in ("[document]", "blockquote", "figure") or self._is_structure(node):
            return top
        block = self._block(node)
        if self.paragraph is None or self.paragraph[0] != block:
            element = self.soup.new_tag("p")
            top.append(element)
            self.paragraph = (block, element)
        return self.paragraph[1]

    def _is_structure(self, node: int) -> bool:
        return self.page.tag_name(node) in STRUCTURE or self.page.tag_name(node) == "hr"

    def _block(self, node: int) -> int:
        """Number of the block that a text, or the first text below an element, lies in."""
        for i in range(node, int(self.page.end[node])):
            if i in self.block_of:
                return self.block_of[i]
        return self.paragraph[0] if self.paragraph else -1

    def _add_text(self, node: int) -> None:
        text = self.page.text[node]
        preformatted = any(tag.name == "pre" for _, tag in self.open)
        if not preformatted:
            text = _spaced(text)
        target = self._target(node)
        if text.strip() or target.contents:
            target.append(text)

    def _add_empty(self, node: int, tag: str) -> None:
        if tag == "br":
            if self.paragraph is not None or len(self.open) > 1:
                (
                    self.paragraph[1] if self._loose() and self.paragraph else self.open[-1][1]
                ).append(self.soup.new_tag("br"))
            return
        if tag == "hr":
            self.paragraph = None
            if self.open[-1][1].name in ("[document]", "blockquote"):
                self.open[-1][1].append(self.soup.new_tag("hr"))
            return
        element = self._element(node, tag)
        if element.get("src"):
            self._target(node).append(element)

    def _loose(self) -> bool:
        return self.open[-1][1].name in ("[document]", "blockquote", "figure")

    def _element(self, node: int, tag: str) -> Tag:
        element = self.soup.new_tag(tag)
        attributes = self.page.attributes.of(node)
        for name in KEPT_ATTRIBUTES.get(tag, ()):
            if attributes.get(name, "").isdecimal():
                element[name] = attributes[name]
        if tag == "a" and (url := self._url(node, attributes.get("href"))):
            element["href"] = url
        if tag == "img":
            element["alt"] = attributes.get("alt", "")
            if url := image_address(self.page, node):
                element["src"] = url
        return element

    def _url(self, node: int, reference: str | None) -> str | None:
        return absolute_url(self.page, node, reference) if reference else None


def _spaced(text: str) -> str:
    """White space collapsed, one space kept at each end that had some."""
    inner = " ".join(text.split())
    if not inner:
        return " " if text else ""
    return (" " if text[0].isspace() else "") + inner + (" " if text[-1].isspace() else "")
