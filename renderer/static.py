"""Snapshots of static HTML: no browser, no scripts, no geometry."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urljoin

import lxml.etree as etree
import lxml.html as html
import numpy as np
from numpy.typing import NDArray

from .arrays import Frame, PageInfo, SnapshotArrays, code_table
from .attributes import Attributes
from .displays import BLOCK_TAGS, DISPLAYS, at_block_edge
from .encoding import decode_html
from .facts import page_facts
from .html_tags import cut_attributes
from .markup import FORMULAS, UNREAD, element_chars, text_chars
from .tree import subtree_mask, tree_shape

__all__ = ["parse_html"]

Page = TypeVar("Page", bound=SnapshotArrays)

HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# All that a head may hold (4.2.1 of the HTML standard), with elements of old pages.
IN_HEAD = frozenset(
    "base basefont bgsound link meta noframes noscript script style template title".split()
)
ENDS = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
NAME = re.compile(r"[^\s\"'<>/=\x00]+")


def parse_html(kind: type[Page], source: str | bytes, *, url: str = "about:blank") -> Page:
    """Parse static HTML to a page of some class; see `Snapshot.from_html`."""
    rows = _Rows()
    root = _root(source)
    if root is not None:
        rows.read(root)
    if not rows.tag:
        rows.add(-1, "html", {}, "")
    return rows.snapshot(kind, url)


def _root(source: str | bytes) -> html.HtmlElement | None:
    text = source if isinstance(source, str) else decode_html(source)
    # lxml takes no text that declares an encoding or holds characters that XML cannot.
    data = cut_attributes(text.encode("utf-8", "replace").replace(b"\0", b""))
    root = _parse(data)
    if root is not None and root.getnext() is not None:
        # libxml2 makes a second root of what follows an early end; the standard carries on in
        # the body (13.2.6.4.22), which is what both end tags left out come to.
        root = _parse(ENDS.sub(b"", data))
    if root is not None:
        _end_head(root)
    return root


def _parse(data: bytes) -> html.HtmlElement | None:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    try:
        return html.document_fromstring(data, parser=parser) if data.strip() else None
    except etree.ParserError:
        return None  # nothing but comments


def _end_head(root: html.HtmlElement) -> None:
    """Move what begins the body from the end of the head to where it belongs.

    libxml2 is older than ``article`` or ``main``, and leaves them in a head whose end is not
    written. In the standard (13.2.6.4.4) such an element ends it.
    """
    head = root.find("head")
    inside = [] if head is None else list(head)
    strange = (isinstance(child.tag, str) and child.tag not in IN_HEAD for child in inside)
    first = next((place for place, found in enumerate(strange) if found), None)
    if head is None or first is None:
        return
    body = root.find("body")
    if body is None:
        body = root.makeelement("body")
        head.addnext(body)
    moved = inside[first:]
    moved[-1].tail = (moved[-1].tail or "") + (body.text or "")
    body.text = None
    for child in reversed(moved):
        body.insert(0, child)


@dataclass
class _Rows:
    """Columns of the snapshot while the document is walked."""

    parent: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    attributes: list[dict[str, str]] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)

    def add(self, parent: int, tag: str, attributes: dict[str, str], text: str) -> int:
        inside = sum(len(name) + len(value) for name, value in attributes.items())
        own = text_chars(text) if tag == "#text" else element_chars(tag, inside, len(attributes))
        self.parent.append(parent)
        self.tag.append(tag)
        self.text.append(text)
        self.attributes.append(attributes)
        self.chars.append(own)
        return len(self.tag) - 1

    def read(self, root: html.HtmlElement) -> None:
        """Walk the document in order, with a stack of what is open."""
        opened: list[int] = []
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if not isinstance(element.tag, str):
                continue  # processing instructions
            if event == "start":
                node = self._element(element, opened[-1] if opened else -1)
                opened.append(node)
                if element.tag in UNREAD and element.tag != "noscript":
                    self._program(node, element)
                    walker.skip_subtree()
                else:
                    self._text(node, element.text)
            else:
                opened.pop()
                if opened:
                    self._text(opened[-1], element.tail)

    def _element(self, element: html.HtmlElement, parent: int) -> int:
        attributes = {str(k): str(v) for k, v in element.attrib.items() if NAME.fullmatch(str(k))}
        return self.add(parent, element.tag.lower(), attributes, "")

    def _program(self, node: int, element: html.HtmlElement) -> None:
        """Count what a reader never sees to its element; keep JSON-LD beside the tree."""
        inner = (element.text or "") + "".join(
            etree.tostring(child, encoding="unicode", method="html") for child in element
        )
        self.chars[node] += len(inner)
        kind = self.attributes[node].get("type", "").strip().lower()
        if kind == "application/ld+json":
            self.json_ld.append(inner)
        elif kind.startswith(FORMULAS) and element.text:
            self.chars[node] -= len(inner)
            self.chars[self.add(node, "#text", {}, element.text)] = len(inner)

    def _text(self, parent: int, text: str | None) -> None:
        if not text:
            return
        if self.tag[parent] in UNREAD:
            self.chars[parent] += text_chars(text)  # a noscript's own words are fallback
            return
        last = len(self.tag) - 1
        if self.tag[last] == "#text" and self.parent[last] == parent:
            # A comment stood between; for the reader it is one text.
            self.text[last] += text
            self.chars[last] += text_chars(text)
        else:
            self.add(parent, "#text", {}, text)

    def snapshot(self, kind: type[Page], url: str) -> Page:
        nodes = self._without_layout_space()
        self._take(nodes)
        n = len(self.tag)
        end, depth = (np.asarray(a, np.int32) for a in tree_shape(self.parent))
        tags, tag = code_table(self.tag, "#text")
        displays, display = code_table(self._displays(), "none")
        attributes = Attributes.from_dicts(self.attributes)
        snapshot = kind(
            parent=np.asarray(self.parent, np.int32),
            end=end,
            depth=depth,
            tag=tag,
            tags=tags,
            text=tuple(self.text),
            attributes=attributes,
            box=np.zeros((n, 4), np.float32),
            visible=~subtree_mask(self._hidden(), end),
            display=display,
            displays=displays,
            position=np.zeros(n, np.uint8),
            font_size=np.zeros(n, np.float32),
            font_weight=np.zeros(n, np.int16),
            color=np.zeros(n, np.uint32),
            background=np.zeros(n, np.uint32),
            paint_order=np.full(n, -1, np.int32),
            html_chars=np.asarray(self.chars, np.int32),
            frame=np.zeros(n, np.int16),
            frames=(Frame(url, self._base(url)),),
            page=_facts(url),
        )
        return replace(snapshot, page=page_facts(snapshot, tuple(self.json_ld)))

    def _without_layout_space(self) -> list[int]:
        """Nodes but for white space at the edges of blocks, which nothing renders."""
        kept = []
        block = [tag in BLOCK_TAGS for tag in self.tag]
        for node, text in enumerate(self.text):
            space = self.tag[node] == "#text" and not text.strip()
            if not (space and at_block_edge(node, self.parent, block)):
                kept.append(node)
        return kept

    def _take(self, nodes: list[int]) -> None:
        dropped = set(range(len(self.tag))) - set(nodes)
        for node in dropped:
            self.chars[self.parent[node]] += self.chars[node]
        number = {node: i for i, node in enumerate(nodes)}
        self.parent = [number[self.parent[n]] if self.parent[n] >= 0 else -1 for n in nodes]
        for name in ("tag", "text", "attributes", "chars"):
            column: list[Any] = getattr(self, name)
            setattr(self, name, [column[n] for n in nodes])

    def _displays(self) -> list[str]:
        found: list[str] = []
        for tag, parent in zip(self.tag, self.parent, strict=True):
            found.append(found[parent] if tag == "#text" else DISPLAYS.get(tag, "inline"))
        return found

    def _hidden(self) -> NDArray[np.bool_]:
        hidden = np.zeros(len(self.tag), bool)
        for node, (tag, row) in enumerate(zip(self.tag, self.attributes, strict=True)):
            undisplayed = DISPLAYS.get(tag) == "none" and tag != "#text"
            hidden[node] = (
                undisplayed or "hidden" in row or bool(HIDING.search(row.get("style", "")))
            )
        return hidden

    def _base(self, url: str) -> str:
        for tag, row in zip(self.tag, self.attributes, strict=True):
            if tag == "base" and "href" in row:
                try:
                    return urljoin(url, row["href"])
                except ValueError:
                    return url
        return url


def _facts(url: str) -> PageInfo:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return PageInfo(url=url, requested_url=url, time=now, has_geometry=False)
