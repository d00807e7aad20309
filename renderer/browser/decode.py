"""Converts protocol replies to arrays; the nodes of all documents are numbered consecutively."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..page.arrays import MAX_PX, Frame
from ..page.attributes import Attributes
from .capture import STYLES, Capture

__all__ = ["Raw", "decode"]


IntArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Raw:
    """All N nodes of all documents, and their L layout boxes.

    Attributes
    ----------
    parent
        int32, shape (N,); the parent of a document's root is its frame's host element.
    kind
        uint8, shape (N,): DOM node types.
    generated
        bool, shape (N,): whether each node is a pseudo-element.
    name, value
        int32, shape (N,): indices into `strings`; -1 for none.
    attributes
        Attributes of all nodes.
    frame
        int16, shape (N,): index into `frames`.
    row
        int32, shape (N,): row of the layout arrays, -1 for none.
    bounds
        float32, shape (L, 4): x, y, width, height in CSS px from the page's top left corner.
    styles
        int32, shape (L, len(STYLES)): indices into `strings`.
    paint_order
        int32, shape (L,).
    strings
        Strings of all documents; the last one is empty, so that index -1 refers to it.
    frames
        The documents.
    restored
        bool, shape (N,): roots of subtrees that were put back for the capture.
    lost
        int32, shape (k,): roots of documents whose host element is gone.
    size
        Width and height of the main document, CSS px.
    """

    parent: IntArray
    kind: NDArray[np.uint8]
    generated: NDArray[np.bool_]
    name: IntArray
    value: IntArray
    attributes: Attributes
    frame: NDArray[np.int16]
    row: IntArray
    bounds: NDArray[np.float32]
    styles: IntArray
    paint_order: IntArray
    strings: list[str]
    frames: tuple[Frame, ...]
    restored: NDArray[np.bool_]
    lost: IntArray
    size: tuple[int, int]


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
    return Raw(
        parent=_parents(documents),
        kind=np.concatenate([np.asarray(d.nodes["nodeType"], np.uint8) for d in documents]),
        generated=_find_generated(documents, sum(counts)),
        name=np.concatenate([d.shared_indices(d.nodes["nodeName"]) for d in documents]),
        value=np.concatenate([d.shared_indices(d.nodes["nodeValue"]) for d in documents]),
        attributes=_attributes(documents, strings),
        frame=np.repeat(np.arange(len(documents), dtype=np.int16), counts),
        row=_rows(documents, sum(counts)),
        bounds=_bounds(documents),
        styles=_styles(documents),
        paint_order=_paint_order(documents),
        strings=strings,
        frames=tuple(Frame(d.string("documentURL"), d.string("baseURL")) for d in documents),
        restored=_find_restored(documents, capture.restored),
        lost=np.asarray([d.first for d in documents[1:] if d.host < 0], np.int32),
        size=_size(documents[0].data),
    )


def _size(document: dict[str, Any]) -> tuple[int, int]:
    width, height = document["contentWidth"], document["contentHeight"]
    return int(min(width, MAX_PX)), int(min(height, MAX_PX))


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
                inset = capture.insets.get((document.reply, identity), (0.0, 0.0))
                _attach_frame(guest, document, node, inset)


def _attach_frame(
    guest: _Document, document: _Document, node: int, inset: tuple[float, float]
) -> None:
    guest.host = document.first + node
    layout = document.data["layout"]
    if node not in layout["nodeIndex"]:
        return
    x, y = layout["bounds"][layout["nodeIndex"].index(node)][:2]
    guest.origin = (
        document.origin[0] + x + inset[0] - guest.data.get("scrollOffsetX", 0),
        document.origin[1] + y + inset[1] - guest.data.get("scrollOffsetY", 0),
    )


def _parents(documents: list[_Document]) -> IntArray:
    parts = []
    for document in documents:
        parent = np.asarray(document.nodes["parentIndex"], np.int32)
        parent = np.where(parent >= 0, parent + document.first, parent)
        # A document that lost its host is put below the main one's root, and left out later.
        parent[0] = max(document.host, 0) if document.first else -1
        parts.append(parent)
    return np.concatenate(parts)


def _find_generated(documents: list[_Document], total: int) -> NDArray[np.bool_]:
    mask = np.zeros(total, bool)
    for document in documents:
        indices = np.asarray(document.nodes["pseudoType"]["index"], np.int64)
        mask[document.first + indices] = True
    return mask


def _find_restored(documents: list[_Document], restored: frozenset[int]) -> NDArray[np.bool_]:
    parts = []
    for document in documents:
        ids = np.asarray(document.nodes["backendNodeId"], np.int64)
        is_own = bool(restored) and document.reply == 0
        parts.append(np.isin(ids, list(restored)) if is_own else np.zeros(len(ids), bool))
    return np.concatenate(parts)


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


def _bounds(documents: list[_Document]) -> NDArray[np.float32]:
    parts = []
    for document in documents:
        bounds = _boxes(document.data["layout"]["bounds"])
        for row, box in _first_fragments(document.data["textBoxes"]):
            bounds[row] = box
        bounds[:, :2] += document.origin
        # A transform may make the coordinates of a box infinite or NaN.
        bounds = np.clip(np.nan_to_num(bounds), -MAX_PX, MAX_PX)
        parts.append(bounds.astype(np.float32))
    return np.concatenate(parts)


def _boxes(rows: list[list[float]]) -> NDArray[np.float64]:
    """float64, shape (k, 4)."""
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


def _styles(documents: list[_Document]) -> IntArray:
    parts = []
    for document in documents:
        # The viewport's own box has no styles.
        none = [-1] * len(STYLES)
        rows = [row or none for row in document.data["layout"]["styles"]]
        flat = list(chain.from_iterable(rows))
        parts.append(document.shared_indices(flat).reshape(-1, len(STYLES)))
    return np.concatenate(parts)


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
