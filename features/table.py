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
        [markup[first:last] for first, last in zip(start, stop, strict=True)],
    )
    return dict(zip(RECORD_COLUMNS, columns, strict=True))


def _children(snapshot: Snapshot) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in range(len(snapshot))]
    for node, parent in enumerate(snapshot.parent.tolist()):
        if parent >= 0:
            children[parent].append(node)
    return children


def _texts(snapshot: Snapshot, counted: NDArray[np.bool_]) -> list[str]:
    """Counted text of every subtree, white space collapsed."""
    nodes = np.flatnonzero(counted)
    texts = [snapshot.text[node] for node in nodes.tolist()]
    first = np.searchsorted(nodes, np.arange(len(snapshot))).tolist()
    last = np.searchsorted(nodes, snapshot.end).tolist()
    return [collapse(" ".join(texts[i:j])) for i, j in zip(first, last, strict=True)]
