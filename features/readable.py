"""Readable texts: the painted ones, unless the page hides its main text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot, cached_per_snapshot

__all__ = ["readable_texts"]

# A page that fades in its text by a script stays blank when that script fails: the text has a place
# in the layout, but no opacity. If more than this share of the laid-out text is hidden, it is read.
HIDDEN_SHARE = 0.5


@cached_per_snapshot
def readable_texts(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): text nodes to read.

    These are the visible ones. If they are less than half of the text that has a place in the
    layout, they are all text nodes with such a place.
    """
    visible = snapshot.is_text & snapshot.visible
    if not snapshot.page.has_geometry:
        return visible
    box = snapshot.box
    placed = snapshot.is_text & (box[:, 2] > 1) & (box[:, 3] > 1) & (box[:, 0] + box[:, 2] > 0)
    lengths = np.fromiter(map(len, snapshot.text), np.int64, len(snapshot))
    if lengths[visible].sum() < (1 - HIDDEN_SHARE) * lengths[placed].sum():
        return placed
    return visible
