"""Texts that only the layout separates, such as by the margin or the padding of an element."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot, cached_per_snapshot
from ..renderer.page.tree import subtree_mask
from .readable import readable_texts
from .words import SPACELESS

__all__ = ["texts_apart"]

# Width of a narrow space, in font sizes. No space separates words that are closer.
GAP_EM = 0.25

# Style sheets give these a padding or a margin within words and beside brackets, too.
WITHIN_WORDS = (
    "pre", "code", "kbd", "samp", "tt", "var", "mark", "sub", "sup", "ruby", "math",
    "mjx-container", "textarea",
)  # fmt: skip

# Scripts that are written without spaces between words.
UNSPACED = lazy_re(f"[{SPACELESS}]")
ENDS = frozenset(".,:;!?)]%")
QUOTES = "\"'“‘„«‹"


@cached_per_snapshot
def texts_apart(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): texts with a gap before them, as wide as a space, in a line of text."""
    apart = np.zeros(len(snapshot), bool)
    if not snapshot.page.has_geometry:
        return apart
    within = subtree_mask(snapshot.with_tag(*WITHIN_WORDS), snapshot.end)
    nodes = readable_texts(snapshot).nonzero()[0]
    left, top, width, height = snapshot.box[nodes].T
    right, bottom, size = left + width, top + height, snapshot.font_size[nodes]
    # Text runs from the left or from the right.
    gap = np.maximum(left[1:] - right[:-1], left[:-1] - right[1:])
    overlap = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    has_gap = gap > GAP_EM * np.maximum(size[1:], size[:-1])
    has_gap &= overlap > np.minimum(height[1:], height[:-1]) / 2
    has_gap &= ~within[nodes[1:]] & ~within[nodes[:-1]]
    for place in has_gap.nonzero()[0].tolist():
        before, after = (snapshot.text[node].strip() for node in nodes[place : place + 2].tolist())
        apart[nodes[place + 1]] = bool(before and after) and _are_words(before, after)
    return apart


def _are_words(before: str, after: str) -> bool:
    """Whether two texts with a gap between them are words, not parts of one word.

    Single letters may be an initial or letters that are spaced one by one.
    """
    last, first = before[-1], after[0]
    if not first.isalnum() or UNSPACED.match(last) or UNSPACED.match(first):
        return False
    if last.isalpha() == first.isalpha() and last.isalnum():
        return len(before.lstrip(QUOTES)) > 1 and len(after) > 1
    return last.isalnum() or last in ENDS
