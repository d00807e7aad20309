"""The body as a small clean tree: structure and links stay, everything else goes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from bs4 import BeautifulSoup, Tag
from numpy.typing import NDArray

from ...features.blocks import TextBlock
from ...features.images import image_address
from ...features.links import join_url
from ...features.words import collapse
from ...renderer.snapshot import Snapshot
from ...renderer.tree import subtree_sums
from .markdown import to_markdown
from .sanitise import EMPTY, PHRASES, STRUCTURE, sanitise

__all__ = ["Body", "Link", "body_of"]

# Deeper structure tells a reader nothing, and a page may nest ten thousand quotes.
MAX_DEPTH = 24

KEPT = {"href": ("a",), "colspan": ("td", "th"), "rowspan": ("td", "th"), "start": ("ol",)}
"""Attributes to keep, of which tags. All but the first are numbers."""

NUMBER = re.compile("[0-9]{1,6}")

MOST = {"colspan": 100, "rowspan": 1000, "start": 999_999}
"""Where the numbers end: a cell as wide as a page says may be written a thousand times."""


@dataclass(frozen=True)
class Link:
    """A link of the body: what it says, and where it leads."""

    text: str
    url: str


@dataclass(frozen=True, eq=False)
class Body:
    """Body of a page with its structure, written out when it is first asked for.

    It holds what it takes to write it and nothing else of the page: k nodes, the texts of
    the body, its pictures and breaks, and the elements around them, in document order.

    Attributes
    ----------
    tags
        k tag names.
    texts
        k strings, those of the text nodes.
    end
        int32, shape (k,): one past the last descendant among these nodes.
    blocks
        int32, shape (k, 2): numbers of the first and of the last text block in the subtree,
        -1 where there is none.
    attributes
        Attributes to keep, by node; ``base`` is what a link's ``href`` is relative to.
    """

    tags: tuple[str, ...]
    texts: tuple[str, ...]
    end: NDArray[np.int32]
    blocks: NDArray[np.int32]
    attributes: dict[int, dict[str, str]]

    @property
    def html(self) -> str:
        """Clean HTML: headings, lists, quotes, code, tables, pictures, links."""
        return self._written[0]

    @property
    def links(self) -> tuple[Link, ...]:
        """Links, in document order."""
        return self._written[1]

    @cached_property
    def markdown(self) -> str:
        """The same as `html` in Markdown with ATX headings."""
        return to_markdown(self.tree())

    def write(self) -> None:
        """Write HTML and Markdown from one tree, where both will be asked for."""
        if "_written" not in self.__dict__ or "markdown" not in self.__dict__:
            tree = self.tree()
            self.__dict__.update(_written=_html(tree), markdown=to_markdown(tree))

    @cached_property
    def _written(self) -> tuple[str, tuple[Link, ...]]:
        return _html(self.tree())

    def tree(self) -> BeautifulSoup:
        """The clean tree, made anew: kept, it would take many times the memory of its text."""
        return _Builder(self).build()


def _html(tree: BeautifulSoup) -> tuple[str, tuple[Link, ...]]:
    anchors = tree.find_all("a", href=True)
    links = [Link(collapse(anchor.get_text()), str(anchor["href"])) for anchor in anchors]
    return sanitise(str(tree)), tuple(links)


def body_of(snapshot: Snapshot, blocks: list[TextBlock], region: NDArray[np.bool_]) -> Body:
    """What it takes to write the body of a page.

    Parameters
    ----------
    snapshot
        The page.
    blocks
        Blocks of the body, in document order.
    region
        bool, shape (n,): nodes of the body; pictures and rules are taken from it.
    """
    texts = np.array([node for block in blocks for node in block.nodes], np.intp)
    taken = np.zeros(len(snapshot), bool)
    taken[texts] = True
    # A line break is never painted itself.
    seen = snapshot.visible | snapshot.with_tag("br")
    shown = region & seen if snapshot.page.has_geometry else region
    empties = snapshot.with_tag(*EMPTY) & shown
    nodes = np.flatnonzero((subtree_sums(taken, snapshot.end) > 0) | empties)
    numbers = nodes.tolist()
    return Body(
        tags=tuple([snapshot.tags[code] for code in snapshot.tag[nodes].tolist()]),
        texts=tuple([snapshot.text[node] for node in numbers]),
        end=np.searchsorted(nodes, snapshot.end[nodes]).astype(np.int32),
        blocks=_block_bounds(snapshot, blocks, texts, nodes),
        attributes=_attributes(snapshot, nodes),
    )


def _block_bounds(
    snapshot: Snapshot, blocks: list[TextBlock], texts: NDArray[np.intp], nodes: NDArray[np.intp]
) -> NDArray[np.int32]:
    """First and last block in each node's subtree: blocks are runs of text, in order."""
    # With one more at the end, for subtrees without text after the last.
    of_text = np.repeat(np.arange(len(blocks)), [len(block.nodes) for block in blocks])
    of_text = np.append(of_text, -1)
    first, after = np.searchsorted(texts, nodes), np.searchsorted(texts, snapshot.end[nodes])
    bounds = np.stack([of_text[first], of_text[after - 1]], axis=1)
    return np.where((after > first)[:, None], bounds, -1).astype(np.int32)


def _attributes(snapshot: Snapshot, nodes: NDArray[np.intp]) -> dict[int, dict[str, str]]:
    kept: dict[int, dict[str, str]] = {}
    inside = np.zeros(len(snapshot), bool)
    inside[nodes] = True
    for name, tags in KEPT.items():
        carriers = snapshot.with_tag(*tags) & inside
        for node, value in snapshot.attributes.with_attribute(name) if carriers.any() else ():
            if carriers[node]:
                kept.setdefault(int(np.searchsorted(nodes, node)), {})[name] = value
    for place in np.flatnonzero(snapshot.with_tag("img")[nodes]).tolist():
        node = int(nodes[place])
        alt = snapshot.attributes.get(node, "alt")
        kept[place] = {"alt": alt or "", "src": image_address(snapshot, node) or ""}
    for place, attributes in kept.items():
        if "href" in attributes:
            attributes["base"] = snapshot.frames[snapshot.frame[nodes[place]]].base_url
    return kept


class _Builder:
    def __init__(self, body: Body) -> None:
        self.body = body
        self.soup = BeautifulSoup("", "lxml")
        self.end = body.end.tolist()
        self.blocks = body.blocks.tolist()
        # Open elements as (end of the subtree, element); the document itself never closes.
        self.open: list[tuple[int, Tag]] = [(len(body.tags), self.soup)]
        self.paragraph: tuple[int, Tag] | None = None

    def build(self) -> BeautifulSoup:
        for node, tag in enumerate(self.body.tags):
            while node >= self.open[-1][0]:
                self._close()
            self._add(node, tag)
        return self.soup

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
        first, last = self.blocks[node]
        return first == last

    def _push(self, node: int, element: Tag) -> None:
        self._target(node).append(element)
        self.open.append((self.end[node], element))

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
        return self.body.tags[node] in STRUCTURE or self.body.tags[node] == "hr"

    def _block(self, node: int) -> int:
        """Number of the block that a text, or the first text below an element, lies in."""
        if self.blocks[node][0] >= 0:
            return self.blocks[node][0]
        return self.paragraph[0] if self.paragraph else -1

    def _add_text(self, node: int) -> None:
        text = self.body.texts[node]
        preformatted = any(tag.name == "pre" for _, tag in self.open)
        if not preformatted:
            text = _space(text)
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
        attributes = self.body.attributes.get(node, {})
        if tag == "img":
            element["alt"] = attributes["alt"]
        if url := _address(attributes):
            element["src" if tag == "img" else "href"] = url
        for name in MOST:
            value = attributes.get(name, "")
            if NUMBER.fullmatch(value):
                element[name] = str(min(int(value), MOST[name]))
        return element


def _address(attributes: dict[str, str]) -> str | None:
    if "src" in attributes:
        return attributes["src"]
    reference = attributes.get("href")
    return join_url(attributes["base"], reference) if reference else None


def _space(text: str) -> str:
    """White space collapsed, one space kept at each end that had some."""
    inner = " ".join(text.split())
    if not inner:
        return " " if text else ""
    return (" " if text[0].isspace() else "") + inner + (" " if text[-1].isspace() else "")
