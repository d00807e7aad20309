"""Detection of layers over the page: banners, dialogs and sticky bars. Nothing is removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import POSITIONS, Snapshot, cached_per_snapshot
from ..renderer.page.tree import subtree_mask
from .counts import count_texts
from .words import collapse

# A layer with more than this share of the page's text is the page itself: whole sites scroll
# inside one.
MAX_TEXT_SHARE = 0.5

# Characters of a layer, and of its heading, that is the story of the page, opened over its list.
MIN_STORY, MIN_TITLE = 500, 15

FIXED, STICKY = POSITIONS.index("fixed"), POSITIONS.index("sticky")

# Minimum width of a sticky bar, as a share of the viewport's width. A narrower sticky element is a
# column of the layout.
BAR_WIDTH = 0.5


def overlay_roots(snapshot: Snapshot) -> list[int]:
    """Outermost nodes of the layers, in document order.

    A layer is fixed, sticky over at least half of the viewport's width, or declared a modal
    dialog. It does not contain the page's story: most of its text, or a text below its title. A
    dialog may be longer than the story, whose title is then outside of it.
    """
    modal = _modal(snapshot)
    candidates = (_floats(snapshot) | modal).nonzero()[0].tolist()
    if not candidates:
        return []
    texts, titles = count_texts(snapshot).chars, _titles(snapshot)
    limit = MAX_TEXT_SHARE * texts[0]
    roots: list[int] = []
    for node in candidates:
        if roots and node < snapshot.end[roots[-1]]:
            continue
        has_title = any(node <= title < snapshot.end[node] for title in titles)
        is_story = texts[node] >= MIN_STORY and has_title
        if not is_story and (texts[node] <= limit or (modal[node] and titles)):
            roots.append(node)
    return roots


def _titles(snapshot: Snapshot) -> list[int]:
    """Headings that the title of the page contains."""
    headings = snapshot.with_tag("h1", "h2").nonzero()[0].tolist()
    texts = [collapse("".join(snapshot.text[each : snapshot.end[each]])) for each in headings]
    title = snapshot.page.title
    pairs = zip(headings, texts, strict=True)
    return [each for each, text in pairs if len(text) >= MIN_TITLE and text in title]


@cached_per_snapshot
def overlay_mask(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes of any layer."""
    mask = np.zeros(len(snapshot), bool)
    mask[overlay_roots(snapshot)] = True
    return subtree_mask(mask, snapshot.end)


def _floats(snapshot: Snapshot) -> NDArray[np.bool_]:
    sticky = snapshot.position == STICKY
    floats = sticky | (snapshot.position == FIXED)
    narrow = snapshot.box[:, 2] < BAR_WIDTH * max(snapshot.page.viewport[0], 1)
    return floats & ~(sticky & narrow) & ~snapshot.is_text


def _modal(snapshot: Snapshot) -> NDArray[np.bool_]:
    modal = np.zeros(len(snapshot), bool)
    for node, value in snapshot.attributes.with_attribute("aria-modal"):
        modal[node] = value.lower() == "true"
    return modal & ~snapshot.is_text
