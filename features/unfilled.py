"""Space that a page reserves for what it has not drawn, because it draws only what shows.

Such a list of rows (windowing, virtual scrolling), or an article of sections that are loaded one by
one, has its whole height, but only the content near the screen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot

SCREENS = 1.5
"""Least height of the empty end of an element, in heights of the viewport."""

FILLING = "img svg video audio canvas iframe object embed input textarea".split()
"""Elements that fill space without a text."""

MAX_ELEMENTS = 200
"""Most elements that are examined; a hostile page may have any number."""


def has_undrawn_end(snapshot: Snapshot, kept: NDArray[np.bool_]) -> bool:
    """Whether the kept texts are in an element whose end is reserved and not drawn."""
    screen = snapshot.page.viewport[1]
    if not snapshot.page.has_geometry or not screen:
        return False
    top, height = snapshot.box[:, 1], snapshot.box[:, 3]
    drawn = (snapshot.is_text | snapshot.with_tag(*FILLING)) & snapshot.visible
    before = np.concatenate([[0], np.cumsum(drawn & kept & snapshot.is_text)])
    tall = (height > 2 * SCREENS * screen) & (before[snapshot.end] > before[:-1])
    tall &= ~snapshot.is_text
    tall &= ~snapshot.with_tag("html", "body")
    elements = tall.nonzero()[0][-MAX_ELEMENTS:].tolist()
    if not elements:
        return False
    # Dots stand for what is to come.
    says_nothing = [
        node for node in snapshot.is_text.nonzero()[0].tolist()
        if not any(map(str.isalnum, snapshot.text[node]))
    ]  # fmt: skip
    drawn[says_nothing] = False
    bottoms = np.where(drawn, top + height, 0)
    for element in elements:
        last = bottoms[element : snapshot.end[element]].max()
        if top[element] + height[element] - last > SCREENS * screen:
            return True
    return False
