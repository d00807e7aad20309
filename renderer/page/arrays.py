"""`SnapshotArrays`: one page as a structure of arrays, without methods to create or save it.

The modules that read files and parse HTML create it; `miolo.renderer.page.snapshot` builds on it.
What they have in common, the facts of a page and the limits on its nodes, is here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from .attributes import Attributes
from .tree import selected_parents, subtree_mask, tree_arrays

if TYPE_CHECKING:
    from ..options import Limits

NOWHERE = "https://page.invalid/"
"""URL of HTML that came without one; its host name never resolves (RFC 2606)."""

# Limit of Chromium's own layout, which uses fixed-point numbers with 26 integer bits.
MAX_PX = 2.0**25

POSITIONS = ("static", "relative", "absolute", "fixed", "sticky")
"""Values of CSS ``position``, in the order of `Snapshot.position`'s codes."""

NODE_ARRAYS = {
    "parent": np.int32,
    "tag": np.int16,
    "box": np.float32,
    "visible": np.bool_,
    "display": np.int16,
    "position": np.uint8,
    "clips": np.bool_,
    "keeps_lines": np.bool_,
    "font_size": np.float32,
    "font_weight": np.int16,
    "color": np.uint32,
    "background": np.uint32,
    "paint_order": np.int32,
    "html_chars": np.int32,
    "frame": np.int16,
    "restored": np.bool_,
}
"""Types of the arrays with an entry for each node, apart from those that follow from `parent`."""

COLUMNS = {"box": 4, "clips": 2}  # number of columns of the arrays that have several


@dataclass(frozen=True)
class Frame:
    """A document of the page; the main document has index 0.

    Attributes
    ----------
    url
        The document's own URL.
    base_url
        URL against which its relative links are resolved (``<base href>``, else `url`).
    """

    url: str
    base_url: str


@dataclass(frozen=True)
class PageInfo:
    """Data about the page apart from its tree.

    Attributes
    ----------
    url, requested_url
        URL of the page after redirects, and the requested URL.
    later_url
        URL to which a script changed the address after the text had come, without another
        document; empty if none did.
    status
        HTTP status; None if the page did not come over HTTP.
    etag, last_modified
        Headers ``ETag`` and ``Last-Modified`` of the page's response; empty if it has none.
    title
        Text of the title element, whitespace collapsed.
    language
        BCP 47 tag that the page declares, or the empty string.
    viewport
        Width and height, CSS px.
    page_size
        Width and height of the whole document, CSS px; zeros without geometry.
    time
        Time of the capture, ISO 8601 in UTC.
    content_hash
        SHA-256 over tree, tags, texts and attributes, hexadecimal: equal for equal pages.
    has_geometry
        False for a page that no browser laid out.
    stages
        Seconds that the parts of rendering took: names (``"document"``, ``"settle"``,
        ``"actions"``) and seconds.
    pending
        What could still have changed the page when it was captured, one phrase for each.
    warnings
        Warnings about what is missing or unreliable.
    meta
        Pairs (name or property, content) of the meta elements, in order.
    json_ld
        Raw texts of the JSON-LD scripts, in order.
    """

    url: str
    requested_url: str = ""
    later_url: str = ""
    status: int | None = None
    etag: str = ""
    last_modified: str = ""
    title: str = ""
    language: str = ""
    viewport: tuple[int, int] = (0, 0)
    page_size: tuple[int, int] = (0, 0)
    time: str = ""
    content_hash: str = ""
    has_geometry: bool = True
    stages: tuple[tuple[str, float], ...] = ()
    pending: tuple[str, ...] = ()
    warnings: tuple[PageWarning, ...] = ()
    meta: tuple[tuple[str, str], ...] = ()
    json_ld: tuple[str, ...] = ()

    def meta_value(self, *names: str) -> str | None:
        """Content of the first nonempty meta element with one of these names, tried in order."""
        for name in names:
            for key, value in self.meta:
                if key.lower() == name and value.strip():
                    return value.strip()
        return None


@dataclass(frozen=True, eq=False)
class SnapshotArrays:
    """One page: n nodes in document order, with frames and shadow roots inserted in their hosts.

    Node 0 is the root element. Comments, doctypes, generated content and the source text of
    scripts and styles are left out, except for formulas in TeX (``script`` of type ``math/tex``).
    Whitespace texts that are not rendered are left out too, as is the fallback content of
    ``noscript``, ``iframe``, ``noembed`` and ``noframes``. E-mail addresses that Cloudflare encodes
    are decoded, as a script of the page does it.

    Attributes
    ----------
    parent
        int32, shape (n,); ``parent[0] == -1``.
    end
        int32, shape (n,): one past the last descendant; the subtree is ``i:end[i]``.
    depth
        int32, shape (n,).
    tag
        int16, shape (n,): index into `tags`.
    tags
        Lower-case tag names; ``#text`` is number 0.
    text
        n strings: a text node's own text as in the document, ``""`` for elements.
    attributes
        Attributes of all nodes.
    box
        float32, shape (n, 4): x, y, width, height in CSS px from the page's top left corner.
    visible
        bool, shape (n,): whether the node is painted. False for nodes without a box, nodes hidden
        by display, visibility, zero opacity or a clip of at most one pixel, and nodes off the page.
    display
        int16, shape (n,): index into `displays`.
    displays
        Computed values of CSS ``display``; ``"none"`` is number 0.
    position
        uint8, shape (n,): index into `POSITIONS`.
    clips
        bool, shape (n, 2): whether the node's box clips what is in it, horizontally and vertically.
        All False in files that were saved without it.
    keeps_lines
        bool, shape (n,): whether line feeds in the node's text end lines, as with CSS
        ``white-space: pre-line``. All False in files that were saved without it.
    font_size
        float32, shape (n,): CSS px.
    font_weight
        int16, shape (n,): 100 to 900.
    color, background
        uint32, shape (n,): ``0xRRGGBBAA``.
    paint_order
        int32, shape (n,): higher values are painted over lower ones; -1 for nodes without a box.
    html_chars
        int32, shape (n,): characters of the node's own markup, so that a subtree's HTML
        length is a range sum.
    frame
        int16, shape (n,): index into `frames` of the document that the node came from.
    restored
        bool, shape (n,): nodes that scripts had taken out of the document, put back for the
        capture.
    frames
        The documents of the page.
    served
        HTML of the main document as its server sent it; empty if it is not known.
    page
        Data about the page apart from its tree.
    screenshot
        PNG of the whole page at one image pixel per CSS px, if requested.
    pdf
        The page as printed, if requested; it is not part of a saved snapshot.
    """

    parent: NDArray[np.int32]
    end: NDArray[np.int32]
    depth: NDArray[np.int32]
    tag: NDArray[np.int16]
    tags: tuple[str, ...]
    text: tuple[str, ...]
    attributes: Attributes
    box: NDArray[np.float32]
    visible: NDArray[np.bool_]
    display: NDArray[np.int16]
    displays: tuple[str, ...]
    position: NDArray[np.uint8]
    clips: NDArray[np.bool_]
    keeps_lines: NDArray[np.bool_]
    font_size: NDArray[np.float32]
    font_weight: NDArray[np.int16]
    color: NDArray[np.uint32]
    background: NDArray[np.uint32]
    paint_order: NDArray[np.int32]
    html_chars: NDArray[np.int32]
    frame: NDArray[np.int16]
    restored: NDArray[np.bool_]
    frames: tuple[Frame, ...]
    page: PageInfo
    served: str = field(default="", repr=False)
    screenshot: bytes | None = field(default=None, repr=False)
    pdf: bytes | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"<Snapshot of {self.page.url!r}: {len(self)} nodes>"

    @cached_property
    def is_text(self) -> NDArray[np.bool_]:
        """bool, shape (n,): which nodes are texts."""
        return self.tag == 0

    @cached_property
    def is_frame_host(self) -> NDArray[np.bool_]:
        """bool, shape (n,): which elements contain another document of the page."""
        is_host = np.zeros(len(self), bool)
        above = self.parent[1:]
        is_host[above[self.frame[1:] != self.frame[above]]] = True
        return is_host

    @cached_property
    def cached_values(self) -> dict[str, Any]:
        """Results of `cached_per_snapshot` functions; they are neither saved nor copied."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: self.__dict__[each.name] for each in fields(self)}

    def tag_name(self, node: int) -> str:
        """Lower-case tag of a node, ``#text`` for a text."""
        return self.tags[self.tag[node]]

    def with_tag(self, *names: str) -> NDArray[np.bool_]:
        """bool, shape (n,): nodes whose tag is one of these."""
        codes = [self._tag_codes[name] for name in names if name in self._tag_codes]
        if len(codes) == 1:
            return self.tag == codes[0]
        has_name = np.zeros(len(self.tags), bool)
        has_name[codes] = True
        return has_name.take(self.tag)

    def in_tag(self, *names: str) -> NDArray[np.bool_]:
        """bool, shape (n,): nodes that are, or are in, elements with one of these tags."""
        return subtree_mask(self.with_tag(*names), self.end)

    @cached_property
    def _tag_codes(self) -> dict[str, int]:
        return {tag: code for code, tag in enumerate(self.tags)}

    def children(self, node: int) -> list[int]:
        """Children of a node in document order."""
        children, child, stop = [], node + 1, int(self.end[node])
        while child < stop:
            children.append(child)
            child = int(self.end[child])
        return children

    def ancestors(self, node: int) -> list[int]:
        """Proper ancestors, nearest first."""
        ancestors, node = [], int(self.parent[node])
        while node >= 0:
            ancestors.append(node)
            node = int(self.parent[node])
        return ancestors

    def with_warnings(self, *warnings: PageWarning) -> Self:
        """The same snapshot with warnings added."""
        page = replace(self.page, warnings=self.page.warnings + warnings)
        return replace(self, page=page)


Page = TypeVar("Page", bound=SnapshotArrays)


def column_shape(name: str, nodes: int) -> tuple[int, ...]:
    """Shape of one of the `NODE_ARRAYS`."""
    return (nodes, COLUMNS[name]) if name in COLUMNS else (nodes,)


def code_table(values: list[str], first: str) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    """Distinct values, starting with `first`, and the int16 index of each value among them."""
    table = {value: code for code, value in enumerate(dict.fromkeys(chain((first,), values)))}
    codes = list(map(table.__getitem__, values))
    # A hostile page may invent more tag names than there are codes.
    limit = np.iinfo(np.int16).max
    if len(table) > limit:
        codes = [min(code, limit) for code in codes]
    return tuple(table)[: limit + 1], np.asarray(codes, np.int16)


def page_facts(snapshot: SnapshotArrays, json_ld: tuple[str, ...]) -> PageInfo:
    """The snapshot's `PageInfo`, completed with the facts that are read from its tree."""
    attributes = snapshot.attributes
    main = snapshot.frame == 0
    titles = (snapshot.with_tag("title") & main).nonzero()[0]
    title = ""
    if len(titles):
        i = int(titles[0])
        title = " ".join("".join(snapshot.text[i : snapshot.end[i]]).split())
    meta = []
    for node in (snapshot.with_tag("meta") & main).nonzero()[0].tolist():
        row = attributes.of(node)
        name = row.get("property") or row.get("name") or row.get("itemprop")
        if name and "content" in row:
            meta.append((name, row["content"]))
    language = attributes.get(0, "lang") or attributes.get(0, "xml:lang") or ""
    return replace(
        snapshot.page,
        title=title,
        language=language.strip(),
        meta=tuple(meta),
        json_ld=json_ld,
        content_hash=content_hash(snapshot),
    )


def content_hash(snapshot: SnapshotArrays) -> str:
    """SHA-256 over tree, tags, texts and attributes, hexadecimal."""
    digest = hashlib.sha256()
    attributes = snapshot.attributes
    digest.update(snapshot.parent.astype("<i4").tobytes())
    digest.update(attributes.start.astype("<i4").tobytes())
    names = [snapshot.tags[code] for code in snapshot.tag.tolist()]
    strings = attributes.strings
    pairs = [strings[i] for i in attributes.name.tolist() + attributes.value.tolist()]
    for part in (names, snapshot.text, pairs):
        digest.update("\0".join(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\1")
    return digest.hexdigest()


def trim(snapshot: Page, limits: Limits, *, cut: bool = False) -> Page:
    """Leave out nodes that are too deep, then those beyond the limit, with a warning for each."""
    warnings = []
    if snapshot.depth.max() >= limits.depth:
        snapshot = _take(snapshot, (snapshot.depth < limits.depth).nonzero()[0])
        warnings.append(PageWarning("too-deep", f"levels below {limits.depth:,} were left out"))
    if len(snapshot) > limits.nodes:
        # A prefix in document order contains the parents of all its nodes.
        snapshot, cut = _take(snapshot, np.arange(limits.nodes)), True
    if cut:
        warnings.append(
            PageWarning("too-many-nodes", f"nodes after {limits.nodes:,} were left out")
        )
    return snapshot.with_warnings(*warnings) if warnings else snapshot


def _take(snapshot: Page, nodes: NDArray[np.integer]) -> Page:
    parent = selected_parents(snapshot.parent, nodes)
    end, depth = tree_arrays(parent)
    return replace(
        snapshot,
        end=end,
        depth=depth,
        text=tuple([snapshot.text[i] for i in nodes.tolist()]),
        attributes=snapshot.attributes.take(nodes),
        **{name: getattr(snapshot, name)[nodes] for name in NODE_ARRAYS} | {"parent": parent},
    )
