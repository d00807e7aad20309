"""Markup of nodes as HTML serialisation writes it, and the length of a node's own markup."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from .arrays import SnapshotArrays
from .elements import UNREAD, VOID

__all__ = [
    "FORMULAS", "UNREAD", "element_chars", "markup_spans", "outer_html", "text_chars",
    "texts_chars",
]  # fmt: skip

ESCAPED = lazy_re("[&<>\xa0]")
EXTRA = {"&": 4, "<": 3, ">": 3, "\xa0": 5}
"""Characters that are written as character references, and how many characters these add."""

FORMULAS = "math/tex"
"""Prefix of the type of scripts that hold a formula for a typesetter instead of a program."""


def text_chars(text: str) -> int:
    """Length of a text once ``&``, ``<``, ``>`` and the no-break space are escaped."""
    return len(text) + sum(EXTRA[character] for character in ESCAPED.findall(text))


def texts_chars(texts: Sequence[str]) -> NDArray[np.int64]:
    """`text_chars` of each text; int64, shape (n,)."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    escaped = list(ESCAPED.finditer("".join(texts)))
    places = np.fromiter((match.start() for match in escaped), np.int64, len(escaped))
    extra = np.fromiter((EXTRA[match[0]] for match in escaped), np.int64, len(escaped))
    within = np.searchsorted(ends, places, side="right")
    return np.diff(ends, prepend=0) + np.bincount(within, extra, len(texts)).astype(np.int64)


def element_chars(tag: str, name_and_value_chars: int, attributes: int) -> int:
    """Length of an element's start and end tag."""
    own = len(tag) + 2 + name_and_value_chars + 4 * attributes
    return own if tag in VOID else own + len(tag) + 3


def outer_html(snapshot: SnapshotArrays, node: int) -> str:
    """Markup of a subtree, as the HTML standard serialises it."""
    return markup_spans(snapshot, node)[0]


def markup_spans(snapshot: SnapshotArrays, root: int = 0) -> tuple[str, list[int], list[int]]:
    """Markup of a subtree, and the positions in it at which each of its nodes starts and stops.

    The markup of the node ``root + k`` is ``markup[start[k]:stop[k]]``, so a single pass yields the
    markup of every subtree of a page.
    """
    size = int(snapshot.end[root]) - root
    start, stop = [0] * size, [0] * size
    parts: list[str] = []
    length = 0
    opened: list[int] = []
    for node in range(root, root + size + 1):
        while opened and (node == root + size or snapshot.end[opened[-1]] <= node):
            closed = opened.pop()
            parts.append(_closing(snapshot, closed))
            length += len(parts[-1])
            stop[closed - root] = length
        if node < root + size:
            start[node - root] = length
            parts.append(_opening(snapshot, node))
            length += len(parts[-1])
            opened.append(node)
    return "".join(parts), start, stop


def _opening(snapshot: SnapshotArrays, node: int) -> str:
    tag = snapshot.tag_name(node)
    if tag == "#text":
        return _escape(snapshot.text[node])
    attributes = snapshot.attributes.of(node).items()
    inside = "".join(f' {name}="{_quote(value)}"' for name, value in attributes)
    return f"<{tag}{inside}>"


def _closing(snapshot: SnapshotArrays, node: int) -> str:
    tag = snapshot.tag_name(node)
    return "" if tag == "#text" or tag in VOID else f"</{tag}>"


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace("\xa0", "&nbsp;")
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _quote(value: str) -> str:
    return value.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace('"', "&quot;")
