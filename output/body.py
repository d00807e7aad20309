"""`Body`: what it takes to write the article, and nothing else of the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ..features.blocks import TextBlocks, block_owners, text_blocks
from ..renderer.snapshot import Snapshot
from ..renderer.tree import nearest_marked, subtree_mask, subtree_sums
from .builder import build_document
from .code import CODE
from .document import Document
from .formulas import RENDERED, TYPESETTERS, WRITTEN
from .furniture import EDITING, GUTTERS
from .html import to_html
from .markdown import to_markdown
from .nodes import LINE_TAGS, Nodes
from .options import DEFAULT_OPTIONS, WriteOptions
from .pictures import LAZY, LAZY_IF_PICTURE, SETS
from .text import to_text
from .walk import Link, links_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

__all__ = ["Body", "WrittenBody", "body_of", "parse_body"]

# Elements that show something without text of their own.
EMPTY = (
    "br", "hr", "img", "amp-img", "input", "iframe", "video", "audio", "embed", "source",
    "lite-youtube",
)  # fmt: skip

KEPT = frozenset((*LAZY, *LAZY_IF_PICTURE, *SETS)).union(
    "href src alt title class id name colspan rowspan start value type checked data-lang "
    "data-language data-syntaxhighlighter-params lang align style role width height display "
    "encoding alttext data-mathml data-latex videoid mathvariant open close".split()
)
"""Attributes that define what an element is, how it is shown, or where it leads."""

FORMULA_SOURCES = ("data-mathml", "data-latex")

NAMED_PARTS = CODE | EDITING | GUTTERS | RENDERED | WRITTEN
"""Classes of spans that mean something within code."""

# Longer classes and styles are a program's, not an author's.
MAX_VALUE = 4000
LONG_VALUES = frozenset(("data-mathml", "data-latex", "href", "src", *SETS, "alt"))
MAX_LONG_VALUE = 100_000


@dataclass(frozen=True, eq=False)
class Body:
    """Body of an article with its structure, written out at its first use.

    Attributes
    ----------
    pages
        The nodes of each page that the article stands on.
    is_edited
        Whether it was parsed from HTML that is not a page, so that its blocks have no boxes.
    """

    pages: tuple[Nodes, ...]
    is_edited: bool = False

    def document(self, options: WriteOptions = DEFAULT_OPTIONS) -> Document:
        """The tree that everything is written from, with links and pictures by `options`."""
        if options.links and options.images and not options.image_paths:
            return self._tree
        return build_document(self.pages, options)

    @cached_property
    def text(self) -> str:
        """Plain text: blocks parted by an empty line, lists with their marks."""
        return to_text(self._tree)

    @cached_property
    def html(self) -> str:
        """Clean HTML: headings, lists, quotes, code, tables, formulas, notes, pictures, links."""
        return to_html(self._tree)

    @cached_property
    def markdown(self) -> str:
        """The same as Markdown with ATX headings."""
        return to_markdown(self._tree)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Links, in document order."""
        return tuple(links_of(self._tree))

    @property
    def soup(self) -> BeautifulSoup:
        """The clean HTML as a tree of its own, for those who edit it."""
        from bs4 import BeautifulSoup

        return BeautifulSoup(self.html, "lxml")

    @cached_property
    def _tree(self) -> Document:
        return build_document(self.pages, DEFAULT_OPTIONS)

    def __getstate__(self) -> dict[str, object]:
        return {"pages": self.pages, "is_edited": self.is_edited}


def parse_body(html: str, url: str) -> Body:
    """The body whose `Body.html` this is.

    Parameters
    ----------
    html
        HTML of a body, edited or not.
    url
        Address of its page.
    """
    snapshot = Snapshot.from_html(html, url=url)
    body = body_of(snapshot, text_blocks(snapshot), np.ones(len(snapshot), bool))
    for nodes in body.pages:
        # The tables of layout are not in it any more.
        for table in nodes.with_tag("table"):
            nodes.attributes.setdefault("role", {})[table] = "table"
    return replace(body, is_edited=True)


class WrittenBody(Body):
    """A body of which what was written of it is there; other formats are written from its HTML."""

    def __init__(
        self, url: str, text: str, html: str, markdown: str, links: tuple[Link, ...]
    ) -> None:
        # The values are in place of what they are computed from.
        self.__dict__.update(
            url=url, text=text, html=html, markdown=markdown, links=links, is_edited=True
        )

    @cached_property
    def pages(self) -> tuple[Nodes, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The nodes of the HTML."""
        return parse_body(self.html, self.__dict__["url"]).pages

    def __getstate__(self) -> dict[str, object]:
        return dict(self.__dict__)


def body_of(snapshot: Snapshot, blocks: TextBlocks, region: NDArray[np.bool_]) -> Body:
    """What it takes to write the body of a page.

    Parameters
    ----------
    snapshot
        The page.
    blocks
        Blocks of the body, in document order.
    region
        bool, shape (n,): nodes of the body; pictures, formulas and rules are taken from it.
    """
    in_block = blocks.of >= 0
    has_text = subtree_sums(in_block, snapshot.end) > 0
    chosen = has_text | _without_text(snapshot, in_block, has_text, region | _between(blocks))
    chosen |= _anchors(snapshot, region)
    begins_line = _begins_line(snapshot)
    kept = (subtree_sums(chosen, snapshot.end) > 0) & ~_highlights(snapshot, begins_line)
    nodes = np.flatnonzero(kept)
    around = nearest_marked(snapshot.parent, kept)[nodes]
    return Body(
        (
            Nodes(
                url=snapshot.page.url,
                tags=tuple([snapshot.tags[code] for code in snapshot.tag[nodes].tolist()]),
                texts=tuple([snapshot.text[node] for node in nodes.tolist()]),
                end=np.searchsorted(nodes, snapshot.end[nodes]).astype(np.int32),
                # Around the first there is none.
                parent=(np.searchsorted(nodes, around, "right") - 1).astype(np.int32),
                blocks=_block_bounds(blocks, nodes),
                is_block=begins_line[nodes],
                boxes=snapshot.box[nodes],
                font_size=snapshot.font_size[nodes],
                attributes=_attributes(snapshot, nodes),
                frame=snapshot.frame[nodes],
                bases=tuple(frame.base_url for frame in snapshot.frames),
                has_typesetter=_has_typesetter(snapshot),
            ),
        )
    )


def _between(blocks: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes between two texts of one block, such as breaks of its lines."""
    block = np.append(blocks.of[blocks.nodes], -1)
    following = np.searchsorted(blocks.nodes, np.arange(len(blocks.of)))
    return (block[following] >= 0) & (block[following] == block[following - 1])


def _begins_line(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): elements that end the line before them."""
    is_owner = block_owners(snapshot) == np.arange(len(snapshot))
    # A hidden text has its lines by its tags; the source of a formula is within a line.
    is_unseen = (snapshot.display == 0) & snapshot.with_tag("input", "script", "source")
    return is_owner & ~is_unseen | snapshot.with_tag(*LINE_TAGS)


def _highlights(snapshot: Snapshot, begins_line: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (n,): spans that only colour the words of code, most nodes of many pages."""
    highlights = np.zeros(len(snapshot), bool)
    if "pre" not in snapshot.tags:
        return highlights
    highlights |= subtree_mask(snapshot.with_tag("pre"), snapshot.end) & snapshot.with_tag("span")
    highlights &= ~begins_line
    for name in ("id", "name", *FORMULA_SOURCES):
        highlights[snapshot.attributes.nodes_with(name)[0]] = False
    nodes, values = snapshot.attributes.nodes_with("class")
    strings = snapshot.attributes.strings
    named = [
        code
        for code in set(values[highlights[nodes]].tolist())
        if not NAMED_PARTS.isdisjoint(strings[code].lower().split())
    ]
    highlights[nodes[np.isin(values, named)]] = False
    return highlights


def _without_text(
    snapshot: Snapshot,
    in_block: NDArray[np.bool_],
    has_text: NDArray[np.bool_],
    region: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """bool, shape (n,): what belongs to the body though no text of a block is in it."""
    textless = snapshot.with_tag(*EMPTY) & region
    if snapshot.page.has_geometry:
        shown = snapshot.visible | (snapshot.display != 0) & _waiting(snapshot)
        # Breaks are never painted themselves, nor is the source of a formula.
        textless &= shown | snapshot.with_tag("br", "source")
    end = snapshot.end
    textless |= subtree_mask(_formulas(snapshot) & (region | has_text), end)
    if "table" in snapshot.tags:
        tables = snapshot.with_tag("table") & has_text
        cells = snapshot.with_tag("tr", "td", "th") & subtree_mask(tables, end)
        textless |= cells & (snapshot.display != 0)
    if "pre" in snapshot.tags:
        pre = snapshot.with_tag("pre") & has_text
        spaces = np.flatnonzero(subtree_mask(pre, end) & snapshot.is_text & ~in_block)
        textless[[node for node in spaces.tolist() if not snapshot.text[node].strip()]] = True
    return textless


def _anchors(snapshot: Snapshot, region: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (n,): links of a region within the page, and the targets that are in the region.

    A target may belong to a link outside the region.
    """
    anchors = np.zeros(len(snapshot), bool)
    links = [
        (node, href[1:])
        for node, href in snapshot.attributes.with_attribute("href")
        if href.startswith("#")
    ]
    anchors[[node for node, _ in links]] = True
    targets = {unquote(target) for _, target in links}
    for name in ("id", "name") if targets else ():
        nodes, values = snapshot.attributes.nodes_with(name)
        within = region[nodes]
        for node, value in zip(nodes[within].tolist(), values[within].tolist(), strict=True):
            anchors[node] |= snapshot.attributes.strings[value] in targets
    return anchors & region


def _has_typesetter(snapshot: Snapshot) -> bool:
    scripts = snapshot.with_tag("script")
    addresses = snapshot.attributes.with_attribute("src")
    return any(scripts[node] and TYPESETTERS.search(src) for node, src in addresses)


def _waiting(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): pictures that are laid out, but not loaded yet."""
    waiting = np.zeros(len(snapshot), bool)
    if "img" in snapshot.tags:
        for name in (*LAZY, *LAZY_IF_PICTURE, "data-srcset"):
            waiting[snapshot.attributes.nodes_with(name)[0]] = True
    return waiting & snapshot.with_tag("img")


def _formulas(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): elements that hold the source of a formula."""
    formulas = snapshot.with_tag("math")
    for name in FORMULA_SOURCES:
        formulas[snapshot.attributes.nodes_with(name)[0]] = True
    for node, value in snapshot.attributes.with_attribute("type"):
        formulas[node] |= value.strip().lower().startswith("math/tex")
    return formulas


def _block_bounds(blocks: TextBlocks, nodes: NDArray[np.intp]) -> NDArray[np.int32]:
    """First and last block in each node's subtree: blocks are runs of text, in order."""
    # With one more at the end, for subtrees without text after the last.
    of_text = np.append(blocks.of[blocks.nodes], -1)
    first = np.searchsorted(blocks.nodes, nodes)
    after = np.searchsorted(blocks.nodes, blocks.snapshot.end[nodes])
    bounds = np.stack([of_text[first], of_text[after - 1]], axis=1)
    return np.where((after > first)[:, None], bounds, -1).astype(np.int32)


def _attributes(snapshot: Snapshot, nodes: NDArray[np.intp]) -> dict[str, dict[int, str]]:
    """Attributes to keep, by name and by place among the nodes."""
    table, strings = snapshot.attributes, snapshot.attributes.strings
    is_kept = np.zeros(len(strings), bool)
    is_kept[[code for name, code in table.codes.items() if name in KEPT]] = True
    counts = table.start[nodes + 1] - table.start[nodes]
    rows = np.arange(counts.sum()) + np.repeat(
        table.start[nodes] - (np.cumsum(counts) - counts), counts
    )
    chosen = np.flatnonzero(is_kept[table.name[rows]]) if len(rows) else rows
    # By name, and in document order within each.
    chosen = chosen[np.argsort(table.name[rows[chosen]], kind="stable")]
    names = table.name[rows[chosen]]
    places = np.repeat(np.arange(len(nodes)), counts)[chosen].tolist()
    values = [strings[code] for code in table.value[rows[chosen]].tolist()]
    bounds = np.flatnonzero(np.diff(names, prepend=-1, append=-1)).tolist()
    kept: dict[str, dict[int, str]] = {}
    for first, last in pairwise(bounds):
        name = strings[names[first]]
        most = MAX_LONG_VALUE if name in LONG_VALUES else MAX_VALUE
        pairs = zip(places[first:last], values[first:last], strict=True)
        kept[name] = {place: value for place, value in pairs if len(value) <= most}
    return kept
