"""Features of a node's position and content, and of how these compare with an enclosing node.

They extend those of the template-detection report, whose seven columns are in
`miolo.features.template`. Most columns are shares, logarithms or flags, so that pages of any size
and any language are comparable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_sums
from .counts import Counts, count_nodes

TAGS = (
    "nav header footer aside article main section div p ul ol li a h1 h2 h3 table tr td form pre "
    "img body html blockquote figure"
).split()

PLACE = ("left", "top", "right", "bottom", "width", "height", "center")
SIZE = ("log_area", "log_top", "depth", "log_children", "log_nodes", "position", "font_size")
TEXT = (
    "log_words", "word_share", "plain_share", "anchor_share", "links_per_word", "anchor_words",
    "intra_share", "visible_share", "log_density",
)  # fmt: skip
# Columns of the enclosing node that are repeated for comparison.
ABOVE = ("width", "height", "word_share", "plain_share", "anchor_share", "links_per_word")

LAYOUT_FEATURES = (
    *PLACE,
    *SIZE,
    *TEXT,
    *(f"above_{name}" for name in ABOVE),
    "words_of_above",
    "plain_words_of_above",
    *(f"tag_{tag}" for tag in TAGS),
)
"""Columns of `layout_features`."""


def layout_features(
    snapshot: Snapshot,
    nodes: NDArray[np.integer],
    above: NDArray[np.integer],
    counts: Counts | None = None,
) -> NDArray[np.float64]:
    """Features of selected nodes.

    `nodes`: int, shape (m,): the nodes, in document order. `above`: int, shape (m,): index in
    `nodes` of the node that each one is compared with; -1 for none, in which case it is compared
    with the first.

    Returns float64, shape (m, len(LAYOUT_FEATURES)).
    """
    counts = counts or count_nodes(snapshot)
    own = _place(snapshot, nodes) | _size(snapshot, nodes) | _text(snapshot, nodes, counts)
    to = np.maximum(above, 0)
    words = counts.text.words[nodes].astype(np.float64)
    plain = words - counts.text.link_words[nodes]
    tags, codes = snapshot.tag[nodes], {tag: code for code, tag in enumerate(snapshot.tags)}
    columns = [
        *own.values(),
        *(own[name][to] for name in ABOVE),
        words / np.maximum(1, words[to]),
        plain / np.maximum(1, plain[to]),
        *((tags == codes.get(tag, -1)).astype(np.float64) for tag in TAGS),
    ]
    return np.column_stack(columns)


def _place(snapshot: Snapshot, nodes: NDArray[np.integer]) -> dict[str, NDArray[np.float64]]:
    width, height = (max(1, side) for side in snapshot.page.page_size)
    x, y, w, h = snapshot.box[nodes].astype(np.float64).T
    values = (
        x / width,
        y / height,
        (x + w) / width,
        (y + h) / height,
        w / width,
        h / height,
        np.abs(x + w / 2 - width / 2) / width,
    )
    return dict(zip(PLACE, values, strict=True))


def _size(snapshot: Snapshot, nodes: NDArray[np.integer]) -> dict[str, NDArray[np.float64]]:
    box = snapshot.box[nodes].astype(np.float64)
    children = np.bincount(snapshot.parent[1:], minlength=len(snapshot))
    values = (
        np.log1p(box[:, 2] * box[:, 3]),
        np.log1p(np.maximum(box[:, 1], 0)),
        snapshot.depth[nodes].astype(np.float64),
        np.log1p(children[nodes]),
        np.log1p((snapshot.end - np.arange(len(snapshot)))[nodes]),
        snapshot.position[nodes].astype(np.float64),
        snapshot.font_size[nodes].astype(np.float64),
    )
    return dict(zip(SIZE, values, strict=True))


def _text(
    snapshot: Snapshot, nodes: NDArray[np.integer], counts: Counts
) -> dict[str, NDArray[np.float64]]:
    text = counts.text
    words, linked = (column[nodes].astype(np.float64) for column in (text.words, text.link_words))
    chars, links = text.chars[nodes].astype(np.float64), counts.links[nodes].astype(np.float64)
    markup = subtree_sums(snapshot.html_chars, snapshot.end)[nodes]
    area = snapshot.box[nodes, 2].astype(np.float64) * snapshot.box[nodes, 3]
    plain_words = int(text.words[0] - text.link_words[0])
    values = (
        np.log1p(words),
        words / max(1, int(text.words[0])),
        (words - linked) / max(1, plain_words),
        linked / np.maximum(1, words),
        links / np.maximum(1, words),
        linked / np.maximum(1, links),
        counts.intra_links[nodes] / np.maximum(1, links),
        np.minimum(1, chars / np.maximum(1, markup)),
        np.log1p(1000 * chars / np.maximum(1, area)),
    )
    return dict(zip(TEXT, values, strict=True))
