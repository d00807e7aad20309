"""Builds a `Snapshot` from protocol replies.

The documents of the replies are joined as raw arrays, with their nodes numbered consecutively. Then
what is not a node is dropped, and styles become numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...patterns import lazy_re
from ..options import Limits
from ..page.arrays import MAX_PX, POSITIONS, Frame, PageInfo, code_table, page_facts, trim
from ..page.attributes import Attributes
from ..page.elements import BLOCK_TAGS, RAW_TEXT, UNREAD, at_block_edge, keeps_lines
from ..page.emails import with_decoded_addresses
from ..page.markup import FORMULAS, element_chars, texts_chars
from ..page.snapshot import Snapshot
from ..page.tree import preorder, subtree_mask, subtree_sums, tree_arrays
from .capture import STYLES, Capture

ELEMENT, TEXT, DOCUMENT, FRAGMENT = 1, 3, 9, 11

# A box that clips its content to a pixel or less is the "visually hidden" idiom.
CLIP_PX = 1.0

# Values of `overflow` with which a box clips, and of `display` with which it can (CSS Overflow 3,
# section 3).
CLIPPING_OVERFLOWS = ("hidden", "clip", "auto", "scroll")
CLIPPING_DISPLAYS = (
    "block", "flow-root", "list-item", "inline-block", "flex", "inline-flex", "grid", "inline-grid",
    "-webkit-box", "-webkit-inline-box", "table-cell", "table-caption",
)  # fmt: skip


XML_ERROR = "parsererror"
"""Element in which Chromium describes an error of an XML document."""

XML_VIEWER = "webkit-xml-viewer-source-xml"
"""Identifier of the element before Chromium's notice on an XML document without a style sheet."""

PLACES = {value: code for code, value in enumerate(POSITIONS)}

IntArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Raw:
    """All N nodes of all documents, and their L layout boxes."""

    parent: IntArray  # (N,); the parent of a document's root is its frame's host element
    kind: NDArray[np.uint8]  # (N,): DOM node types
    generated: NDArray[np.bool_]  # (N,): whether each node is a pseudo-element
    name: IntArray  # (N,): indices into `strings`, -1 for none
    value: IntArray  # the same
    attributes: Attributes
    frame: NDArray[np.int16]  # (N,): index into `frames`
    row: IntArray  # (N,): row of the layout arrays, -1 for none
    bounds: NDArray[np.float32]  # (L, 4): x, y, width, height in CSS px from the top left corner
    styles: IntArray  # (L, len(STYLES)): indices into `strings`
    paint_order: IntArray  # (L,)
    strings: list[str]  # the last one is empty, so that index -1 refers to it
    frames: tuple[Frame, ...]
    restored: NDArray[np.bool_]  # (N,): roots of subtrees that were put back for the capture
    lost: IntArray  # (k,): roots of documents whose host element is gone
    size: tuple[int, int]  # width and height of the main document, CSS px


OF_NODES = ("kind", "generated", "name", "value", "frame", "row", "restored")
"""Arrays of `Raw` with an entry for each node that refers to no other node."""


def snapshot_of(capture: Capture, facts: PageInfo, limits: Limits) -> Snapshot:
    """The snapshot of a capture, within its limits."""
    snapshot = _without_browser_text(assemble(decode(capture), facts))
    return trim(snapshot, limits, cut=capture.cut)


def _without_browser_text(snapshot: Snapshot) -> Snapshot:
    """The snapshot without what Chromium writes above an XML document: its own error or notice."""
    added = snapshot.with_tag(XML_ERROR)
    for viewer, _ in snapshot.attributes.with_attribute("id", XML_VIEWER.__eq__):
        notice = int(snapshot.end[viewer])
        added[notice : notice + 1] = True
    if not added.any():
        return snapshot
    written = subtree_mask(added, snapshot.end).tolist()
    shown = zip(snapshot.text, written, strict=True)
    own = replace(snapshot, text=tuple("" if of_browser else text for text, of_browser in shown))
    if not snapshot.with_tag(XML_ERROR).any():
        return own
    message = "the page is XML with an error, and the browser shows nothing after it"
    return own.with_warnings(PageWarning("broken-off", message))


def assemble(raw: Raw, facts: PageInfo) -> Snapshot:
    """Build the snapshot of a captured page."""
    if len(raw.frames) > 1:
        raw = _in_document_order(raw)
    names, (raw_end, _) = _names(raw), tree_arrays(raw.parent)
    keep = _keep(raw, names, raw_end)
    if not keep.any():
        # A script removed the root element, or there never was one. An empty page has a root too.
        names[0], keep[0] = "html", True
    parent = _lifted_parents(raw)
    nodes = np.flatnonzero(keep)
    number = np.full(len(keep), -1, np.int32)
    number[nodes] = np.arange(len(nodes))
    above = np.where(parent >= 0, number[parent], -1)[nodes].astype(np.int32)
    end, depth = tree_arrays(above)
    tags, tag = code_table([names[i] for i in nodes.tolist()], "#text")
    layout = _layout(raw, nodes, end)
    texts = np.where(raw.kind == TEXT, raw.value, -1)[nodes]
    snapshot = Snapshot(
        parent=above,
        end=end,
        depth=depth,
        tag=tag,
        tags=tags,
        text=tuple([raw.strings[i] for i in texts.tolist()]),
        attributes=raw.attributes.take(nodes),
        html_chars=_markup(raw, names, keep, number),
        frame=raw.frame[nodes],
        restored=subtree_mask(raw.restored, raw_end)[nodes],
        frames=raw.frames,
        page=replace(facts, page_size=raw.size),
        **layout,
    )
    snapshot = replace(
        snapshot, visible=_visible(snapshot, raw, nodes), clips=_clips(snapshot, raw, nodes)
    )
    snapshot = with_decoded_addresses(snapshot)
    scripts = _json_ld(raw, names)
    return replace(snapshot, page=page_facts(snapshot, scripts))


def _in_document_order(raw: Raw) -> Raw:
    order = np.asarray(preorder(raw.parent.tolist()), np.int32)
    place = np.full(len(raw.parent), -1, np.int32)
    place[order] = np.arange(len(order))
    parent = raw.parent[order]
    return replace(
        raw,
        **{name: getattr(raw, name)[order] for name in OF_NODES},
        parent=np.where(parent >= 0, place[parent], -1).astype(np.int32),
        attributes=raw.attributes.take(order),
        lost=place[raw.lost],
    )


def _names(raw: Raw) -> list[str]:
    """Lower-case names of all nodes."""
    lower = {i: raw.strings[i].lower() for i in set(raw.name.tolist())}
    return [lower[i] for i in raw.name.tolist()]


def _keep(raw: Raw, names: list[str], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mask of elements and texts, without generated content, program text and unrendered space."""
    unread = _is_named(names, UNREAD)
    for node, value in raw.attributes.with_attribute("type"):
        unread[node] &= not value.strip().lower().startswith(FORMULAS)
    inner = np.zeros(len(names), bool)
    has_parent = raw.parent >= 0
    inner[has_parent] = unread[raw.parent[has_parent]] & (raw.kind[has_parent] == TEXT)
    # With scripts off, a noscript has real child elements. A template never shows its children.
    inner[has_parent] |= _is_named(names, ("template",))[raw.parent[has_parent]]
    gone = raw.generated | inner
    gone[raw.lost] = True
    hidden = subtree_mask(gone, end)
    return np.isin(raw.kind, (ELEMENT, TEXT)) & ~hidden & ~_unrendered_space(raw, names)


def _unrendered_space(raw: Raw, names: list[str]) -> NDArray[np.bool_]:
    """Mask of whitespace texts without a box; if their parent has none, only at block edges."""
    unrendered = np.zeros(len(names), bool)
    strings, value = raw.strings, raw.value
    texts = np.flatnonzero((raw.kind == TEXT) & (raw.row < 0))
    blank = texts[[not strings[i].strip() for i in value[texts].tolist()]]
    at_edge = at_block_edge(blank, raw.parent, _is_named(names, BLOCK_TAGS))
    unrendered[blank] = (raw.row[raw.parent[blank]] >= 0) | at_edge
    return unrendered


def _lifted_parents(raw: Raw) -> NDArray[np.int32]:
    """Parents, skipping documents and fragments."""
    lift = np.isin(raw.kind, (DOCUMENT, FRAGMENT))
    parent = raw.parent.copy()
    while True:
        through = (parent >= 0) & lift[parent]
        if not through.any():
            return parent
        parent[through] = parent[parent[through]]


def _layout(raw: Raw, nodes: NDArray[np.integer], end: NDArray[np.int32]) -> dict[str, Any]:
    """Columns of geometry and style; the rows of texts have the style of their parents."""
    row = raw.row[nodes]
    has = row >= 0

    def column(style: str, read: Callable[[str], float], empty: float, dtype: type):
        values = np.full(len(nodes), empty, dtype)
        values[has] = _style(raw, row[has], style, read, dtype)
        return values

    box = np.zeros((len(nodes), 4), np.float32)
    box[has] = raw.bounds[row[has]]
    paint = np.full(len(nodes), -1, np.int32)
    paint[has] = raw.paint_order[row[has]]
    displays, display = _displays(raw, row, end)
    return {
        "box": box,
        "visible": has,
        "clips": np.zeros((len(nodes), 2), np.bool_),
        "keeps_lines": column("white-space", keeps_lines, False, np.bool_),
        "display": display,
        "displays": displays,
        "position": column("position", lambda value: PLACES.get(value, 0), 0, np.uint8),
        "font_size": column("font-size", _pixels, 0, np.float32),
        "font_weight": column("font-weight", _weight, 400, np.int16),
        "color": column("color", _rgba, 0, np.uint32),
        "background": column("background-color", _rgba, 0, np.uint32),
        "paint_order": paint,
    }


def _displays(
    raw: Raw, row: NDArray[np.int32], end: NDArray[np.int32]
) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    style = np.full(len(row), -1, np.int32)
    style[row >= 0] = raw.styles[row[row >= 0], STYLES.index("display")]
    names = [raw.strings[i] or "none" for i in style.tolist()]
    # Elements that have no box but contain boxes: slots, and those with `display: contents`.
    for node in np.flatnonzero((row < 0) & (subtree_sums(row >= 0, end) > 0)).tolist():
        names[node] = "contents"
    return code_table(names, "none")


def _pixels(value: str) -> float:
    try:
        return min(float(value.removesuffix("px")), 1e6)
    except ValueError:
        return 0.0


def _weight(value: str) -> int:
    return int(value) if value.isdecimal() and len(value) <= 4 else 400


_RGBA = lazy_re(r"rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)")


@lru_cache(maxsize=4096)
def _rgba(value: str) -> int:
    match = _RGBA.fullmatch(value)
    if not match:
        # Colours of wider gamuts, such as oklch(), become opaque black, because they do paint.
        return 0x000000FF if value else 0
    red, green, blue = (int(part) & 255 for part in match.groups()[:3])
    alpha = round(255 * min(float(match[4]), 1.0)) if match[4] else 255
    return red << 24 | green << 16 | blue << 8 | alpha


def _markup(
    raw: Raw, names: list[str], keep: NDArray[np.bool_], number: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Length of each kept node's markup; nodes left out count for their nearest kept ancestor."""
    lengths = np.fromiter(map(len, raw.strings), np.int32, len(raw.strings))
    bare = {name: element_chars(name) for name in set(names)}
    chars = np.fromiter(map(bare.__getitem__, names), np.int64, len(names))
    chars += raw.attributes.chars()
    chars[(raw.kind != ELEMENT) | raw.generated] = 0
    texts = np.flatnonzero(raw.kind == TEXT)
    is_raw = (raw.parent[texts] >= 0) & _is_named(names, RAW_TEXT)[raw.parent[texts]]
    values = raw.value[texts]
    escaped = texts_chars([raw.strings[value] for value in values.tolist()])
    chars[texts] = np.where(is_raw, lengths[values], escaped)
    above = np.where(keep, np.arange(len(keep)), raw.parent)
    while (out := (above >= 0) & ~keep[above]).any():
        above[out] = above[above[out]]
    target = np.where(above >= 0, number[above], 0)
    return np.bincount(target, chars, int(keep.sum())).astype(np.int32)


def _is_named(names: list[str], group: Collection[str]) -> NDArray[np.bool_]:
    """Mask of the nodes with one of some names."""
    return np.fromiter(map(group.__contains__, names), bool, len(names))


def _visible(snapshot: Snapshot, raw: Raw, nodes: NDArray[np.integer]) -> NDArray[np.bool_]:
    """bool, shape (n,): whether each node is painted (see `Snapshot.visible`)."""
    row = raw.row[nodes]
    has, box = row >= 0, snapshot.box

    def has_style(style: str, *values: str) -> NDArray[np.bool_]:
        return _has_style(raw, row, style, *values)

    area = (box[:, 2] > 0) & (box[:, 3] > 0)
    clips = has_style("overflow-x", "hidden", "clip") | has_style("overflow-y", "hidden", "clip")
    pinhole = clips & ~snapshot.is_text & ((box[:, 2] <= CLIP_PX) | (box[:, 3] <= CLIP_PX))
    seen_through = subtree_mask(has_style("opacity", "0") & ~snapshot.is_text, snapshot.end)
    on_page = (box[:, 0] + box[:, 2] > 0) & (box[:, 1] + box[:, 3] > 0)
    # Placeholders have transparent text, unless its shape cuts the background or casts a shadow.
    coloured = subtree_mask(has_style("background-clip", "text"), snapshot.end)
    coloured |= ~has_style("text-shadow", "none") | ((snapshot.color & 255) > 0)
    is_shown = has_style("visibility", "visible") & (coloured | ~snapshot.is_text)
    return has & area & is_shown & on_page & ~seen_through & ~subtree_mask(pinhole, snapshot.end)


def _clips(snapshot: Snapshot, raw: Raw, nodes: NDArray[np.integer]) -> NDArray[np.bool_]:
    """bool, shape (n, 2): which boxes clip what is in them (see `Snapshot.clips`)."""
    row = raw.row[nodes]
    axes = [_has_style(raw, row, f"overflow-{axis}", *CLIPPING_OVERFLOWS) for axis in "xy"]
    # The overflow of the root, or of the body if the root has none, applies to the viewport.
    root = snapshot.with_tag("html") | (snapshot.parent < 0)
    of_viewport = root | snapshot.with_tag("body") & ~(axes[0] | axes[1])[snapshot.parent]
    is_box = _has_style(raw, row, "display", *CLIPPING_DISPLAYS)
    is_box &= ~snapshot.is_text & ~of_viewport
    return np.stack(axes, axis=1) & is_box[:, None] | snapshot.is_frame_host[:, None]


def _has_style(raw: Raw, row: NDArray[np.int32], style: str, *values: str) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes with a box whose computed style is one of some values."""
    return _style(raw, row, style, values.__contains__, np.bool_) & (row >= 0)


def _style(
    raw: Raw, row: IntArray, style: str, read: Callable[[str], float], dtype: type
) -> NDArray[Any]:
    """The numbers for which a computed style of some boxes stands; any for row -1."""
    if not len(raw.styles):
        return np.zeros(len(row), dtype)
    value = raw.styles[row, STYLES.index(style)]
    table = np.zeros(len(raw.strings), dtype)
    used = list(set(value.tolist()))
    table[used] = [read(raw.strings[each]) for each in used]
    return table[value]


def _json_ld(raw: Raw, names: list[str]) -> tuple[str, ...]:
    scripts = [
        node
        for node, value in raw.attributes.with_attribute("type")
        if names[node] == "script"
        and not raw.frame[node]
        and value.strip().lower() == "application/ld+json"
    ]
    texts = np.flatnonzero(np.isin(raw.parent, scripts)) if scripts else ()
    return tuple([raw.strings[raw.value[node]] for node in texts])


@dataclass
class _Document:
    """A document of a reply; `first` is the number of its first node among all nodes."""

    data: dict[str, Any]
    reply: int
    first: int
    strings: list[str]
    shift: int
    host: int = -1
    origin: tuple[float, float] = (0.0, 0.0)

    @property
    def nodes(self) -> dict[str, Any]:
        return self.data["nodes"]

    def string(self, name: str) -> str:
        index = self.data.get(name, -1)
        return self.strings[index] if index >= 0 else ""

    def shared_indices(self, indices: Any) -> IntArray:
        """Indices into this reply's strings as indices into the shared ones."""
        array = np.asarray(indices, np.int32)
        return np.where(array >= 0, array + self.shift, -1)


def decode(capture: Capture) -> Raw:
    """Join the documents of a capture."""
    documents = _documents(capture)
    _link(documents, capture)
    counts = [len(d.nodes["parentIndex"]) for d in documents]
    strings = list(chain.from_iterable(r["strings"] for r in capture.replies))
    strings.append("")
    main = documents[0].data

    def joined(read: Callable[[_Document], NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(list(map(read, documents)))

    return Raw(
        parent=joined(_parents),
        kind=joined(lambda d: np.asarray(d.nodes["nodeType"], np.uint8)),
        generated=joined(_generated),
        name=joined(lambda d: d.shared_indices(d.nodes["nodeName"])),
        value=joined(lambda d: d.shared_indices(d.nodes["nodeValue"])),
        attributes=_attributes(documents, strings),
        frame=np.repeat(np.arange(len(documents), dtype=np.int16), counts),
        row=_rows(documents, sum(counts)),
        bounds=joined(_bounds),
        styles=joined(_styles),
        paint_order=_paint_order(documents),
        strings=strings,
        frames=tuple(Frame(d.string("documentURL"), d.string("baseURL")) for d in documents),
        restored=joined(
            lambda d: np.isin(d.nodes["backendNodeId"], [] if d.reply else list(capture.restored))
        ),
        lost=np.asarray([d.first for d in documents[1:] if d.host < 0], np.int32),
        size=(int(min(main["contentWidth"], MAX_PX)), int(min(main["contentHeight"], MAX_PX))),
    )


def _documents(capture: Capture) -> list[_Document]:
    documents: list[_Document] = []
    first = shift = 0
    for number, reply in enumerate(capture.replies):
        for data in reply["documents"]:
            documents.append(_Document(data, number, first, reply["strings"], shift))
            first += len(data["nodes"]["parentIndex"])
        shift += len(reply["strings"])
    return documents


def _link(documents: list[_Document], capture: Capture) -> None:
    """Set each document's host element and the position of its top left corner on the page."""
    if len(documents) == 1:
        return
    of_reply: dict[int, list[_Document]] = {}
    for document in documents:
        of_reply.setdefault(document.reply, []).append(document)
    guests: dict[tuple[int, int], _Document] = {}
    for document in documents:
        links = document.nodes["contentDocumentIndex"]
        for node, index in zip(links["index"], links["value"], strict=True):
            identity = document.nodes["backendNodeId"][node]
            guests[document.reply, identity] = of_reply[document.reply][index]
    for number, host in enumerate(capture.hosts, start=1):
        guests[host] = of_reply[number][0]
    for document in documents:  # outer documents come first, so origins add up
        for node, identity in enumerate(document.nodes["backendNodeId"]):
            guest = guests.get((document.reply, identity))
            if guest:
                guest.host = document.first + node
                layout = document.data["layout"]
                if node in layout["nodeIndex"]:
                    x, y = layout["bounds"][layout["nodeIndex"].index(node)][:2]
                    right, down = capture.insets.get((document.reply, identity), (0.0, 0.0))
                    guest.origin = (
                        document.origin[0] + x + right - guest.data.get("scrollOffsetX", 0),
                        document.origin[1] + y + down - guest.data.get("scrollOffsetY", 0),
                    )


def _parents(document: _Document) -> IntArray:
    parent = np.asarray(document.nodes["parentIndex"], np.int32)
    parent = np.where(parent >= 0, parent + document.first, parent)
    # A document that lost its host is put below the main one's root, and left out later.
    parent[0] = max(document.host, 0) if document.first else -1
    return parent


def _generated(document: _Document) -> NDArray[np.bool_]:
    mask = np.zeros(len(document.nodes["parentIndex"]), bool)
    mask[np.asarray(document.nodes["pseudoType"]["index"], np.int64)] = True
    return mask


def _attributes(documents: list[_Document], strings: list[str]) -> Attributes:
    rows = [row for document in documents for row in document.nodes["attributes"]]
    start = np.zeros(len(rows) + 1, np.int32)
    start[1:] = np.fromiter(accumulate(map(len, rows)), np.int32, len(rows)) // 2
    flat = [
        document.shared_indices(list(chain.from_iterable(document.nodes["attributes"])))
        for document in documents
    ]
    both = np.concatenate(flat).astype(np.int32)
    both[both < 0] = len(strings) - 1
    return Attributes(start, both[0::2], both[1::2], tuple(strings))


def _rows(documents: list[_Document], total: int) -> IntArray:
    row = np.full(total, -1, np.int32)
    before = 0
    for document in documents:
        nodes = np.asarray(document.data["layout"]["nodeIndex"], np.int64)
        # If a node has several boxes, the first counts: the last box of a list item is its marker.
        row[document.first + nodes[::-1]] = np.arange(before, before + len(nodes))[::-1]
        before += len(nodes)
    return row


def _bounds(document: _Document) -> NDArray[np.float32]:
    bounds = _boxes(document.data["layout"]["bounds"])
    for row, box in _first_fragments(document.data["textBoxes"]):
        bounds[row] = box
    bounds[:, :2] += document.origin
    # A transform may make the coordinates of a box infinite or NaN.
    return np.clip(np.nan_to_num(bounds), -MAX_PX, MAX_PX).astype(np.float32)


def _boxes(rows: list[list[float]]) -> NDArray[np.float64]:
    return np.asarray(list(chain.from_iterable(rows)), np.float64).reshape(-1, 4)


def _first_fragments(lines: dict[str, Any]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Row and box of the first fragment of each text that flows over several columns.

    Chromium places the lines of all fragments in the column of the first one and each fragment at
    the top of the first, so that the box of all lines may end below the columns.
    """
    rows, boxes = np.asarray(lines["layoutIndex"], np.int64), _boxes(lines["bounds"])
    first = np.searchsorted(rows, rows)
    low, high = boxes[:, :2], boxes[:, :2] + boxes[:, 2:]
    shared = np.minimum(high[1:, 0], high[:-1, 0]) - np.maximum(low[1:, 0], low[:-1, 0])
    # In vertical writing, a line that begins at the top is beside the one before it.
    is_in_column = shared > np.minimum(boxes[1:, 2], boxes[:-1, 2]) / 2
    is_at_top = low[1:, 1] <= low[first[1:], 1]
    returns = np.flatnonzero((rows[1:] == rows[:-1]) & is_at_top & is_in_column) + 1
    _, earliest = np.unique(rows[returns], return_index=True)
    for stop in returns[earliest].tolist():
        of = slice(int(first[stop]), stop)
        corner = low[of].min(axis=0)
        yield int(rows[stop]), np.concatenate([corner, high[of].max(axis=0) - corner])


def _styles(document: _Document) -> IntArray:
    # The viewport's own box has no styles.
    rows = (row or [-1] * len(STYLES) for row in document.data["layout"]["styles"])
    return document.shared_indices(list(chain.from_iterable(rows))).reshape(-1, len(STYLES))


def _paint_order(documents: list[_Document]) -> IntArray:
    """Paint orders; those of a frame in another process follow all earlier ones."""
    parts: list[IntArray] = []
    base, reply = 0, 0
    for document in documents:
        orders = np.asarray(document.data["layout"]["paintOrders"], np.int32)
        if document.reply != reply:
            reply = document.reply
            base = 1 + max((int(p.max()) for p in parts if len(p)), default=0)
        parts.append(orders + base)
    return np.concatenate(parts)
