"""The record of every node of a page as columns; `miolo.features.record` for all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..renderer.markup import markup_spans
from ..renderer.snapshot import Snapshot
from ..renderer.tree import subtree_mask
from .counts import Counts
from .links import link_mask
from .readable import readable_texts
from .words import collapse

__all__ = ["RECORD_COLUMNS", "record_columns"]

MAX_CHARS = 1 << 27
"""Characters that a page's texts, or its markup, may come to over all nodes."""

Column = Sequence[Any] | NDArray[Any]

RECORD_COLUMNS = (
    "id tag level parent children x y width height own_links links own_intra_links intra_links "
    "own_words words own_linked_words linked_words anchor_text text html"
).split()
"""Fields of `NodeRecord`, in order."""


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
        _children(snapshot),
        *snapshot.box.T,
        counts.own_links,
        counts.links,
        counts.own_intra_links,
        counts.intra_links,
        counts.own_words,
        counts.text.words,
        counts.own_link_words,
        counts.text.link_words,
        _texts(snapshot, linked),
        _texts(snapshot, readable),
        _pieces(markup, start, stop),
    )
    return dict(zip(RECORD_COLUMNS, columns, strict=True))


def _pieces(whole: str, start: list[int], stop: list[int]) -> list[str]:
    """Slices of a string, the longest left empty where all would be more than `MAX_CHARS`.

    A page nested ten thousand levels deep holds its own markup ten thousand times.
    """
    lengths = np.subtract(stop, start)
    ascending = np.sort(lengths)
    affordable = int(np.searchsorted(np.cumsum(ascending), MAX_CHARS, side="right"))
    longest = int(ascending[affordable - 1]) if affordable else 0
    return [
        whole[first:last] if last - first <= longest else ""
        for first, last in zip(start, stop, strict=True)
    ]


def _children(snapshot: Snapshot) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in range(len(snapshot))]
    for node, parent in enumerate(snapshot.parent.tolist()):
        if parent >= 0:
            children[parent].append(node)
    return children


def _texts(snapshot: Snapshot, counted: NDArray[np.bool_]) -> list[str]:
    """Counted text of every subtree, white space collapsed."""
    nodes = np.flatnonzero(counted)
    texts = [collapse(snapshot.text[node]) for node in nodes.tolist()]
    # Texts of white space alone say nothing, and part nothing.
    nodes, texts = nodes[[bool(text) for text in texts]], [text for text in texts if text]
    place = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)])
    start = place[np.searchsorted(nodes, np.arange(len(snapshot)))]
    stop = place[np.searchsorted(nodes, snapshot.end)]
    return _pieces(" ".join(texts), start.tolist(), np.maximum(start, stop - 1).tolist())
