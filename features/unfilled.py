"""Space that a page reserves for rows that it has not drawn, as lists do that draw only what shows.

Such a list (windowing, virtual scrolling) has its whole height, but only the rows near the screen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot

__all__ = ["has_undrawn_rows"]

SCREENS = 1.5
"""Least height of the empty end of a list, in heights of the viewport."""

MIN_ROWS = 5
"""Least number of kept texts in a list."""

MAX_LISTS = 200
"""Most elements that are examined; a hostile page may have any number."""


def has_undrawn_rows(snapshot: Snapshot, kept: NDArray[np.bool_]) -> bool:
    """Whether the kept texts are rows of a list whose other rows are not drawn."""
    screen = snapshot.page.viewport[1]
    if not snapshot.page.has_geometry or not screen:
        return False
    top, height = snapshot.box[:, 1], snapshot.box[:, 3]
    drawn = snapshot.is_text & snapshot.visible
    rows = np.concatenate([[0], np.cumsum(drawn & kept)])
    count = rows[snapshot.end] - rows[:-1]
    tall = (height > 2 * SCREENS * screen) & (count >= MIN_ROWS) & ~snapshot.is_text
    tall &= ~snapshot.with_tag("html", "body")
    bottoms = np.where(drawn, top + height, 0)
    for element in tall.nonzero()[0][-MAX_LISTS:].tolist():
        last = bottoms[element : snapshot.end[element]].max()
        if top[element] + height[element] - last > SCREENS * screen:
            return True
    return False
