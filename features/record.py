"""Node records of the template-detection report, for one node or for all nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.markup import markup_spans, outer_html
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import child_lists, subtree_mask
from .counts import Counts, count_nodes
from .links import link_mask
from .readable import readable_texts
from .words import collapse

__all__ = ["RECORD_COLUMNS", "NodeRecord", "node_record", "record_columns"]

MAX_CHARS = 1 << 27
"""Maximum number of characters of a page's texts, or of its markup, summed over all nodes."""

Column = Sequence[Any] | NDArray[Any]

RECORD_COLUMNS = (
    "id tag level parent children x y width height own_links links own_intra_links intra_links "
    "own_words words own_linked_words linked_words anchor_text text html"
).split()
"""Fields of `NodeRecord`, in order."""


@dataclass(frozen=True)
class NodeRecord:
    """One node as in the report's data set (see its section on data collection)."""

    id: int
    tag: str
    level: int
    parent: int
    children: tuple[int, ...]
    """Place in the tree; the root's parent is -1."""
    x: float
    y: float
    width: float
    height: float
    """Box in CSS px."""
    own_links: int
    links: int
    """1 if the node itself is a link; number of links in the subtree."""
    own_intra_links: int
    intra_links: int
    """The same for links to the page's own site."""
    own_words: int
    words: int
    """Number of words of the node's own text; of the subtree."""
    own_linked_words: int
    linked_words: int
    """The same for words inside links."""
    anchor_text: str
    """Text of the links of the subtree."""
    text: str
    """Readable text of the subtree, white space collapsed."""
    html: str
    """Markup of the subtree."""


def node_record(snapshot: Snapshot, node: int, counts: Counts | None = None) -> NodeRecord:
    """Record of a node.

    Parameters
    ----------
    snapshot
        The page.
    node
        Index of the node.
    counts
        Result of `count_nodes`; pass it to avoid recounting for each of many nodes.
    """
    counts = counts or count_nodes(snapshot)
    x, y, width, height = (float(value) for value in snapshot.box[node])
    texts, linked = _texts(snapshot, node)
    return NodeRecord(
        id=node,
        tag=snapshot.tag_name(node),
        level=int(snapshot.depth[node]),
        parent=int(snapshot.parent[node]),
        children=tuple(snapshot.children(node)),
        x=x,
        y=y,
        width=width,
        height=height,
        own_links=int(counts.own_links[node]),
        links=int(counts.links[node]),
        own_intra_links=int(counts.own_intra_links[node]),
        intra_links=int(counts.intra_links[node]),
        own_words=int(counts.own_words[node]),
        words=int(counts.text.words[node]),
        own_linked_words=int(counts.own_link_words[node]),
        linked_words=int(counts.text.link_words[node]),
        anchor_text=collapse(" ".join(linked)),
        text=collapse(" ".join(texts)),
        html=outer_html(snapshot, node),
    )


def _texts(snapshot: Snapshot, node: int) -> tuple[list[str], list[str]]:
    """Readable texts of a subtree, and those of them inside links."""
    stop = int(snapshot.end[node])
    readable = readable_texts(snapshot)[node:stop].nonzero()[0] + node
    links = link_mask(snapshot)
    covered, linked = -1, []
    above = any(links[i] for i in snapshot.ancestors(node))
    for i in range(node, stop):
        if links[i]:
            covered = max(covered, int(snapshot.end[i]))
        linked.append(above or i < covered)
    texts = [snapshot.text[i] for i in readable.tolist()]
    return texts, [snapshot.text[i] for i in readable.tolist() if linked[i - node]]


def record_columns(snapshot: Snapshot, counts: Counts) -> dict[str, Column]:
    """Each field of the node record for all nodes, by name."""
    markup, start, stop = markup_spans(snapshot)
    readable = readable_texts(snapshot)
    linked = readable & subtree_mask(link_mask(snapshot), snapshot.end)
    columns = (
        np.arange(len(snapshot), dtype=np.int32),
        [snapshot.tag_name(node) for node in range(len(snapshot))],
        snapshot.depth,
        snapshot.parent,
        child_lists(snapshot.parent.tolist()),
        *snapshot.box.T,
        counts.own_links,
        counts.links,
        counts.own_intra_links,
        counts.intra_links,
        counts.own_words,
        counts.text.words,
        counts.own_link_words,
        counts.text.link_words,
        _subtree_texts(snapshot, linked),
        _subtree_texts(snapshot, readable),
        _pieces(markup, start, stop),
    )
    return dict(zip(RECORD_COLUMNS, columns, strict=True))


def _pieces(whole: str, start: list[int], stop: list[int]) -> list[str]:
    """Slices of a string; the longest are empty if all together would exceed `MAX_CHARS`.

    On a page nested ten thousand levels deep, the slices repeat its markup ten thousand times.
    """
    lengths = np.subtract(stop, start)
    ascending = np.sort(lengths)
    affordable = int(np.searchsorted(np.cumsum(ascending), MAX_CHARS, side="right"))
    # Slices as long as the first one that is too much are all empty.
    limit = ascending[affordable] if affordable < len(ascending) else MAX_CHARS + 1
    return [
        whole[first:last] if last - first < limit else ""
        for first, last in zip(start, stop, strict=True)
    ]


def _subtree_texts(snapshot: Snapshot, counted: NDArray[np.bool_]) -> list[str]:
    """Counted text of every subtree, white space collapsed."""
    nodes = counted.nonzero()[0]
    texts = [collapse(snapshot.text[node]) for node in nodes.tolist()]
    # Texts of white space only have no content and separate nothing.
    nodes, texts = nodes[[bool(text) for text in texts]], [text for text in texts if text]
    place = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)])
    start = place[np.searchsorted(nodes, np.arange(len(snapshot)))]
    stop = place[np.searchsorted(nodes, snapshot.end)]
    return _pieces(" ".join(texts), start.tolist(), np.maximum(start, stop - 1).tolist())
