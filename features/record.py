"""Node records of the template-detection report (see its section on data collection)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.markup import markup_spans
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import child_lists, subtree_mask
from .counts import Counts
from .links import link_mask
from .readable import readable_texts
from .words import collapse

MAX_CHARS = 1 << 27
"""Maximum number of characters of a page's texts, or of its markup, summed over all nodes."""

Column = Sequence[Any] | NDArray[Any]

RECORD_COLUMNS = (
    "id tag level parent children x y width height own_links links own_intra_links intra_links "
    "own_words words own_linked_words linked_words anchor_text text html"
).split()
"""Columns of `record_columns`."""


def record_columns(snapshot: Snapshot, counts: Counts) -> dict[str, Column]:
    """A column for each field of the records of all nodes, by name.

    Notes
    -----
    ``children`` are node numbers, the root's ``parent`` is -1, and boxes are in CSS px.
    ``own_links`` is 1 if the node itself is a link, and ``links`` counts those of the subtree; of
    ``intra_links``, those to the page's own site. ``own_words`` are those of the node's own text,
    ``words`` those of the subtree, and ``linked_words`` those inside links. ``anchor_text``,
    ``text`` (readable, white space collapsed) and ``html`` are those of the subtree.
    """
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
