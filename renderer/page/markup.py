"""Markup of nodes as HTML serialisation writes it, and the length of a node's own markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from .arrays import SnapshotArrays
from .elements import VOID

ESCAPED = lazy_re("[&<>\xa0]")
EXTRA = {"&": 4, "<": 3, ">": 3, "\xa0": 5}
"""Characters that are written as character references, and how many characters these add."""

FORMULAS = "math/tex"
"""Prefix of the type of scripts that hold a formula for a typesetter instead of a program."""


def texts_chars(texts: Sequence[str]) -> NDArray[np.int64]:
    """int64, shape (n,): lengths of texts once ``&``, ``<``, ``>`` and ``&nbsp;`` are escaped."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    escaped = list(ESCAPED.finditer("".join(texts)))
    places = np.fromiter((match.start() for match in escaped), np.int64, len(escaped))
    extra = np.fromiter((EXTRA[match[0]] for match in escaped), np.int64, len(escaped))
    within = np.searchsorted(ends, places, side="right")
    return np.diff(ends, prepend=0) + np.bincount(within, extra, len(texts)).astype(np.int64)


def element_chars(tag: str) -> int:
    """Length of the start and the end tag of an element without attributes."""
    return len(tag) + 2 + (0 if tag in VOID else len(tag) + 3)


def outer_html(snapshot: SnapshotArrays, node: int) -> str:
    """Markup of a subtree, as the HTML standard serialises it."""
    return markup_spans(snapshot, node)[0]


def markup_spans(snapshot: SnapshotArrays, root: int = 0) -> tuple[str, list[int], list[int]]:
    """Markup of a subtree, and the positions in it at which each of its nodes starts and stops.

    The markup of the node ``root + k`` is ``markup[start[k]:stop[k]]``, so a single pass yields the
    markup of every subtree of a page.
    """
    stop_node = int(snapshot.end[root])
    size = stop_node - root
    nodes = slice(root, stop_node)
    start, stop = [0] * size, [0] * size
    parts: list[str] = []
    length = 0
    opened: list[int] = []
    tags = [snapshot.tags[tag] for tag in snapshot.tag[nodes].tolist()]
    ends = [end - root for end in snapshot.end[nodes].tolist()]
    for node, opening in enumerate([*_openings(snapshot, nodes, tags), ""]):
        while opened and (node == size or ends[opened[-1]] <= node):
            closed = opened.pop()
            tag = tags[closed]
            if tag != "#text" and tag not in VOID:
                parts.append(f"</{tag}>")
                length += len(parts[-1])
            stop[closed] = length
        if node < size:
            start[node] = length
            parts.append(opening)
            length += len(opening)
            opened.append(node)
    return "".join(parts), start, stop


def _openings(snapshot: SnapshotArrays, nodes: slice, tags: Sequence[str]) -> Iterator[str]:
    """Start tags of elements, and escaped texts."""
    attributes = snapshot.attributes
    starts = attributes.start[nodes.start : nodes.stop + 1].tolist()
    pairs = slice(starts[0], starts[-1])
    names = [attributes.strings[name] for name in attributes.name[pairs].tolist()]
    values = [attributes.strings[value] for value in attributes.value[pairs].tolist()]
    for tag, text, (first, last) in zip(tags, snapshot.text[nodes], pairwise(starts), strict=True):
        if tag == "#text":
            text = text.replace("&", "&amp;").replace("\xa0", "&nbsp;")
            yield text.replace("<", "&lt;").replace(">", "&gt;")
        else:
            own = slice(first - pairs.start, last - pairs.start)
            # The last of equal names counts, as in a dictionary of the attributes.
            carried = dict(zip(names[own], values[own], strict=True))
            inside = "".join([f' {name}="{_quote(value)}"' for name, value in carried.items()])
            yield f"<{tag}{inside}>"


def _quote(value: str) -> str:
    return value.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace('"', "&quot;")
