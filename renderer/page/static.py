"""Snapshots of static HTML: no browser, no scripts, no geometry.

The tree is the one that the HTML standard defines, as built by `lexbor <https://lexbor.com>`_ with
scripting disabled.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from ...patterns import lazy_re
from ..options import Limits
from .arrays import (
    NODE_ARRAYS,
    Frame,
    Page,
    PageInfo,
    SnapshotArrays,
    code_table,
    column_shape,
    page_facts,
    trim,
)
from .attributes import Attributes
from .elements import BLOCK_TAGS, DISPLAYS, UNREAD, at_block_edge, keeps_lines
from .emails import with_decoded_addresses
from .encoding import encode_html
from .html_tags import limit_markup
from .markup import FORMULAS, element_chars, texts_chars
from .style_sheets import hidden_by_styles, leaves_nothing
from .tree import innermost, selected_parents, subtree_mask, tree_arrays

HIDING = lazy_re(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
WHITE_SPACE = lazy_re(r"(?:^|;)\s*white-space(?:-collapse)?\s*:\s*([a-z-]+)", re.IGNORECASE)
# White space that browsers collapse (CSS Text 3, 4.1): not the no-break or the ideographic space.
SPACE = " \t\n\r\f"
PRESERVING = frozenset(("pre", "listing", "xmp", "plaintext", "textarea"))
# White space between the parts of a table is never shown (CSS 2, 17.2.1).
TABLE_PARTS = frozenset(("table", "thead", "tbody", "tfoot", "tr"))

# Attributes with other names would be read differently once the tree is serialised again.
NAME = lazy_re(r"[^\s\"'<>/=\x00]+")


def parse_html(
    kind: type[Page], source: str | bytes, *, url: str = "about:blank", limits: Limits | None = None
) -> Page:
    """Parse static HTML to a snapshot of the given class; see `Snapshot.from_html`."""
    html, warnings = encode_html(source)
    parser = LexborHTMLParser(limit_markup(html))
    rows = _Rows(limits.nodes if limits else sys.maxsize)
    if parser.root is not None:
        _put_in_place(parser, html)
        _flatten(parser)
        rows.read(parser.root)
    snapshot = replace(rows.snapshot(kind, url), served=html.decode("utf-8", "replace"))
    snapshot = snapshot.with_warnings(*warnings) if warnings else snapshot
    return trim(snapshot, limits, cut=rows.cut) if limits else snapshot


@dataclass
class _Rows:
    """Columns of the snapshot, filled while the document is traversed, and the texts left out.

    Reading stops at `max_nodes` rows, and `cut` tells whether it has. `counts` are the numbers of
    attributes of each row.
    """

    max_nodes: int
    cut: bool = False
    parent: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)
    script_types: dict[int, str] = field(default_factory=dict)
    unread: list[tuple[int, str]] = field(default_factory=list)

    def read(self, root: LexborNode) -> None:
        """Read the nodes of a tree in its order."""
        tags, parents, texts, counts = self.tag, self.parent, self.text, self.counts
        names, values, limit = self.names, self.values, self.max_nodes
        numbers: dict[int, int] = {}
        types = self.script_types
        for node in root.traverse(include_text=True):
            if len(tags) >= limit:
                # A prefix in document order contains the parents of all its nodes.
                self.cut = True
                break
            name, above = node.tag, node.parent
            parent = -1 if above is None else numbers.get(above.mem_id, -1)
            if name == "-text":
                text = node.text_content or ""
                if tags[parent] in UNREAD and not types.get(parent, "").startswith(FORMULAS):
                    self.unread.append((parent, text))
                elif tags[-1] == "#text" and parents[-1] == parent:
                    # A comment separates the two texts; to a reader they are one.
                    texts[-1] += text
                else:
                    parents.append(parent)
                    tags.append("#text")
                    texts.append(text)
                    counts.append(0)
            elif name is not None and name != "-comment":
                number = numbers[node.mem_id] = len(tags)
                parents.append(parent)
                tags.append(name.lower())
                texts.append("")
                # Reading the dictionaries here is faster than keeping them for later.
                attributes = node.attributes
                counts.append(len(attributes))
                names += attributes
                values += attributes.values()
                if name == "script":
                    types[number] = (attributes.get("type") or "").strip().lower()

    def snapshot(self, kind: type[Page], url: str) -> Page:
        json_ld = [text for node, text in self.unread
                   if self.script_types.get(node) == "application/ld+json"]  # fmt: skip
        tags, codes = code_table(self.tag, "#text")
        parent = np.array(self.parent, np.int32)
        # Characters of program and fallback text directly within each node.
        chars = np.zeros(len(self.tag), np.int32)
        for node, text in self.unread:
            chars[node] += texts_chars([text])[0] if self.tag[node] == "noscript" else len(text)
        lengths = texts_chars(self.text)
        space = self._layout_space(tags, codes, parent)
        np.add.at(chars, parent[space], lengths[space])
        nodes = np.delete(np.arange(len(parent)), space)
        parent, codes = selected_parents(parent, nodes), codes[nodes]
        end, depth = tree_arrays(parent)
        text = tuple([self.text[node] for node in nodes.tolist()])
        counts = np.array(self.counts, np.int32)[nodes]
        attributes = Attributes.from_columns(counts, self.names, self.values, NAME)
        is_text = codes == 0
        displays, of_tag = code_table([DISPLAYS.get(tag, "inline") for tag in tags], "none")
        # A text has the display of its parent.
        display = of_tag[codes[np.where(is_text, parent, np.arange(len(parent)))]]
        own = np.array([element_chars(tag) for tag in tags], np.int64)[codes]
        own = np.where(is_text, lengths[nodes], own + attributes.chars())
        now = datetime.now(UTC).isoformat(timespec="seconds")
        columns: dict[str, Any] = {
            name: np.zeros(column_shape(name, len(nodes)), dtype)
            for name, dtype in NODE_ARRAYS.items()
        } | {
            "parent": parent,
            "tag": codes,
            "display": display,
            "paint_order": np.full(len(nodes), -1, np.int32),
            "html_chars": chars[nodes] + own.astype(np.int32),
        }
        page = kind(
            **columns,
            end=end,
            depth=depth,
            tags=tags,
            text=text,
            attributes=attributes,
            displays=displays,
            frames=(),
            page=PageInfo(url=url, requested_url=url, time=now, has_geometry=False),
        )
        hidden = _find_hidden(page)
        if styles := [text for node, text in self.unread if self.tag[node] == "style"]:
            hidden |= hidden_by_styles(styles, page)
        page = replace(
            page,
            visible=~subtree_mask(hidden, end),
            keeps_lines=_keeping_lines(page),
            frames=(Frame(url, _base(page)),),
        )
        page = with_decoded_addresses(page)
        return replace(page, page=page_facts(page, tuple(json_ld)))

    def _layout_space(
        self, tags: tuple[str, ...], codes: NDArray[np.int16], parent: NDArray[np.int32]
    ) -> NDArray[np.intp]:
        """Whitespace texts at block edges; their characters are counted in their parents."""
        texts = (codes == 0).nonzero()[0].tolist()
        blank = np.array([node for node in texts if not self.text[node].strip(SPACE)], np.intp)
        if not PRESERVING.isdisjoint(tags):
            preserves = np.array([tag in PRESERVING for tag in tags], bool)[codes]
            is_table = np.array([tag in TABLE_PARTS for tag in tags], bool)[codes]
            shown = subtree_mask(preserves, tree_arrays(parent)[0])[blank]
            blank = blank[~shown | is_table[parent[blank]]]
        is_block = np.array([tag in BLOCK_TAGS for tag in tags], bool)[codes]
        return blank[at_block_edge(blank, parent, is_block)]


# Parts of a page that its server streams out of order, for a script to move to their places.
#
# A server that does not wait for the slow parts of a page sends an empty ``template`` in the place
# of each, with something to show in the meantime, and the part itself later in a hidden element. A
# script beside it names both in one call. What is shown in the meantime is delimited by comments,
# such as ``$?`` and ``/$``, of which the second closes what the first opens. No framework is known
# by its name.

MAX_PARTS = 200
MAX_DEPTH = 300  # levels of elements around a place that are examined

# A pattern that begins with one character is searched for much faster.
CALL = lazy_re(
    rb"\((?<=[\w$]\()\s{0,9}([\"'])([^\"'\\<>\s]{1,80})\1\s{0,9},\s{0,9}([\"'])([^\"'\\<>\s]{1,80})\3"
)


def _put_in_place(parser: LexborHTMLParser, html: bytes) -> None:
    """Move the parts that a call in a script moves, in place of what is shown in the meantime."""
    calls = [(call[2], call[4]) for call in CALL.finditer(html)] if b"<template" in html else []
    if not calls:
        return
    places = _by_id(parser.css("template[id]"))
    parts = _by_id(parser.css("[hidden][id]"))
    aside = parser.create_node("div")
    moved: set[int] = set()
    for names in calls:
        one, other = (name.decode("utf-8", "replace") for name in names)
        place = places.pop(one, None) or places.pop(other, None)
        part = parts.get(one) or parts.get(other)
        if place is None or part is None or part.mem_id in moved or len(moved) >= MAX_PARTS:
            continue
        if _is_outside(place, part):
            _move(_fallback(place), aside)
            place.insert_after(part, move=True)
            del part.attrs["hidden"]
            moved.add(part.mem_id)


def _by_id(nodes: list[LexborNode]) -> dict[str, LexborNode]:
    return {node.attributes.get("id") or "": node for node in reversed(nodes)}


def _fallback(place: LexborNode) -> list[LexborNode]:
    """What is shown in the meantime."""
    before = place.prev
    opening = (before.comment_content or "") if before and before.tag == "-comment" else ""
    sign, level, node, nodes = opening[:1], 0, place.next, []
    while sign and node is not None:
        if node.tag == "-comment":
            comment = node.comment_content or ""
            if comment.startswith("/" + sign):
                if not level:
                    return nodes
                level -= 1
            level += comment.startswith(sign)
        nodes.append(node)
        node = node.next
    return []


def _is_outside(place: LexborNode, part: LexborNode) -> bool:
    """Whether a place is not in a part; False if it is too deep to know."""
    node = place.parent
    for _ in range(MAX_DEPTH):
        if node is None or node.mem_id == part.mem_id:
            return node is None
        node = node.parent
    return False


def _flatten(parser: LexborHTMLParser) -> None:
    """Make the flat tree (DOM standard, 4.2.2): children of hosts are in the slots they name.

    Children without a slot follow the content of the shadow root, since they may be all that a page
    shows until its scripts run. Those that name a slot that is missing among others are not shown.
    """
    aside = parser.create_node("div")
    hosts: set[int] = set()
    for fragment in _shadow_roots(parser):
        template = fragment.parent
        host = template.parent if template else None
        if template is None or host is None or host.mem_id in hosts:
            continue
        hosts.add(host.mem_id)
        slots: dict[str, LexborNode] = {}
        for slot in fragment.css("slot"):
            slots.setdefault(slot.attributes.get("name") or "", slot)
        rest: list[LexborNode] = []
        unshown: list[LexborNode] = []
        assigned: dict[str, list[LexborNode]] = {name: [] for name in slots}
        for child in _children(host):
            if child.mem_id != template.mem_id and child.tag != "-comment":
                name = "" if child.tag == "-text" else child.attributes.get("slot") or ""
                assigned.get(name, unshown if name and slots else rest).append(child)
        _move(unshown, aside)
        for name, nodes in assigned.items():
            if nodes:
                _move([*_children(slots[name])], aside)
                _move(nodes, slots[name])
        if shown := [*_children(fragment), *rest]:
            _move([template], aside)
            _move(shown, host)


def _move(nodes: Iterable[LexborNode], parent: LexborNode) -> None:
    """Make nodes the last children of another one."""
    for node in nodes:
        parent.insert_child(node, move=True)


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _shadow_roots(parser: LexborHTMLParser) -> list[LexborNode]:
    """Contents of the templates that declare shadow roots."""
    roots: list[LexborNode] = []
    fragments = parser.template_fragments()
    while fragments:
        fragment = fragments.pop()
        template = fragment.parent
        if template and template.attributes.get("shadowrootmode") in ("open", "closed"):
            roots.append(fragment)
            fragments += fragment.template_fragments()
    return roots


def _find_hidden(page: SnapshotArrays) -> NDArray[np.bool_]:
    """Mask of the nodes that a browser's default style sheet or an inline style hides."""
    attributes = page.attributes
    hidden = (page.display == 0) & ~page.is_text
    # The content of a player is shown only by browsers that cannot play it.
    hidden[1:] |= page.with_tag("audio", "video")[page.parent[1:]]
    hidden[attributes.nodes_with("popover")[0]] = True
    is_dialog = page.with_tag("dialog")
    if is_dialog.any():
        is_open = np.zeros(len(page), bool)
        is_open[attributes.nodes_with("open")[0]] = True
        hidden[is_dialog] = ~is_open[is_dialog]
    hidden[attributes.nodes_with("hidden")[0]] = True
    nodes, values = attributes.nodes_with("type")
    names = [attributes.strings[value].strip().lower() for value in values.tolist()]
    hidden[nodes] |= page.with_tag("input")[nodes] & np.array(
        [name == "hidden" for name in names], bool
    )
    nodes, values = attributes.nodes_with("style")
    used, place = np.unique(values, return_inverse=True)
    styles = [attributes.strings[value] for value in used.tolist()]
    hides = [bool(HIDING.search(style)) or leaves_nothing(style.lower()) for style in styles]
    hidden[nodes] |= np.array(hides, bool)[place]
    return hidden


def _keeping_lines(page: SnapshotArrays) -> NDArray[np.bool_]:
    """Mask of the nodes whose line feeds end lines, by their tags and inline styles."""
    keeps = page.with_tag(*PRESERVING)
    declares = keeps.copy()
    for node, style in page.attributes.with_attribute("style"):
        if values := WHITE_SPACE.findall(style):
            declares[node], keeps[node] = True, keeps_lines(values[-1].lower())
    if not declares.any():
        return keeps
    around = innermost(page.parent, declares)
    # The additional entry is that of nodes without a declaration around them.
    return np.append(keeps, False)[around]


def _base(page: SnapshotArrays) -> str:
    url = page.page.url
    for node in page.with_tag("base").nonzero()[0].tolist():
        reference = page.attributes.get(node, "href")
        if reference is not None:
            try:
                return urljoin(url, reference)
            except ValueError:
                return url
    return url
