"""Texts that are read: the painted ones, unless the page hides its main text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.snapshot import Snapshot, cached_per_snapshot

__all__ = ["readable_texts"]

# Pages that fade their text in by a script lie there blank when that script fails: the text
# has its place in the layout, but no opacity. So much of all laid-out text, and it is read.
HIDDEN_SHARE = 0.5


@cached_per_snapshot
def readable_texts(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): text nodes to read.

    The visible ones; where these are the lesser part of all text that has a place in the
    layout, all that has one.
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
