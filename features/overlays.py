"""Detection of layers over the page: banners, dialogs and sticky bars. Nothing is removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import POSITIONS, Snapshot, cached_per_snapshot
from ..renderer.page.tree import subtree_mask
from .counts import count_texts

# A layer with more than this share of the page's text is the page itself: whole sites scroll
# inside one.
MAX_TEXT_SHARE = 0.5

FIXED, STICKY = POSITIONS.index("fixed"), POSITIONS.index("sticky")

# Minimum width of a sticky bar, as a share of the viewport's width. A narrower sticky element is a
# column of the layout.
BAR_WIDTH = 0.5


def overlay_roots(snapshot: Snapshot) -> list[int]:
    """Outermost nodes of the layers, in document order.

    A layer is fixed, sticky over at least half of the viewport's width, or declared a modal
    dialog. It does not contain most of the page's text.
    """
    candidates = _candidates(snapshot).nonzero()[0].tolist()
    if not candidates:
        return []
    texts = count_texts(snapshot).chars
    limit = MAX_TEXT_SHARE * texts[0]
    roots: list[int] = []
    for node in candidates:
        if roots and node < snapshot.end[roots[-1]]:
            continue
        if texts[node] <= limit:
            roots.append(node)
    return roots


@cached_per_snapshot
def overlay_mask(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes of any layer."""
    mask = np.zeros(len(snapshot), bool)
    mask[overlay_roots(snapshot)] = True
    return subtree_mask(mask, snapshot.end)


def _candidates(snapshot: Snapshot) -> NDArray[np.bool_]:
    sticky = snapshot.position == STICKY
    floats = sticky | (snapshot.position == FIXED)
    narrow = snapshot.box[:, 2] < BAR_WIDTH * max(snapshot.page.viewport[0], 1)
    dialog = np.zeros(len(snapshot), bool)
    for node, value in snapshot.attributes.with_attribute("aria-modal"):
        dialog[node] = value.lower() == "true"
    return ((floats & ~(sticky & narrow)) | dialog) & ~snapshot.is_text
