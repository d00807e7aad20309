"""Readable texts: the painted ones, unless the page hides its main text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.elements import INLINE_TAGS
from ..renderer.page.snapshot import Snapshot, cached_per_snapshot

# A page that fades in its text by a script stays blank when that script fails: the text has a place
# in the layout, but no opacity. If more than this share of the laid-out text is hidden, it is read.
HIDDEN_SHARE = 0.5

# Names by which fonts write icons, such as `arrow_back`, and those of a single word.
ICON, COMPOUND = lazy_re(r"\s*[a-z][a-z0-9_]{1,39}\s*"), lazy_re(r"\s*[a-z0-9]+(?:_[a-z0-9]+)+\s*")
MAX_ICON_EM = 1.5
MAX_ICONS = 2
CODE = ("pre", "code", "kbd", "samp", "var", "tt")


@cached_per_snapshot
def readable_texts(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): text nodes to read.

    These are the visible ones. If they are less than half of the text that has a place in the
    layout and a colour, they are all such text nodes.
    """
    visible = snapshot.is_text & snapshot.visible & ~_icons(snapshot)
    if not snapshot.page.has_geometry:
        return visible
    box = snapshot.box
    placed = snapshot.is_text & (box[:, 2] > 1) & (box[:, 3] > 1) & (box[:, 0] + box[:, 2] > 0)
    placed &= ~placeholder_texts(snapshot)
    lengths = np.fromiter(map(len, snapshot.text), np.int64, len(snapshot))
    if lengths[visible].sum() < (1 - HIDDEN_SHARE) * lengths[placed].sum():
        return placed
    return visible


def placeholder_texts(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): texts without a colour, which keep a place until those of the page come."""
    has_area = (snapshot.box[:, 2] > 0) & (snapshot.box[:, 3] > 0)
    return snapshot.is_text & ~snapshot.visible & has_area & ((snapshot.color & 255) == 0)


def _icons(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): names of icons, which a font shows as pictures.

    Each is all the text of an inline element with a class: a word that the element withholds from
    screen readers, or a name of several words that is as wide as a single letter. Of a sentence
    that a script has split into such elements, to animate it, the words are none.
    """
    icons = np.zeros(len(snapshot), bool)
    attributes, nodes = snapshot.attributes, np.arange(len(snapshot))
    alone = snapshot.with_tag(*INLINE_TAGS) & (snapshot.end == nodes + 2)
    named = np.zeros(len(snapshot), bool)
    named[attributes.nodes_with("class")[0]] = True
    withheld = {node for node, value in attributes.with_attribute("aria-hidden") if value == "true"}
    candidates = (alone & named & ~snapshot.with_tag("a", *CODE)).nonzero()[0]
    words: dict[int, set[str]] = {}
    for node in candidates.tolist():
        text = snapshot.text[node + 1]
        if node in withheld:
            words.setdefault(int(snapshot.parent[node]), set()).add(text)
            icons[node + 1] = ICON.fullmatch(text) is not None
        elif COMPOUND.fullmatch(text):
            wide, size = float(snapshot.box[node + 1, 2]), float(snapshot.font_size[node + 1])
            icons[node + 1] = 0 < wide <= MAX_ICON_EM * size
    for around, texts in words.items():
        if len(texts) > MAX_ICONS or not all(map(ICON.fullmatch, texts)):
            split = slice(around, snapshot.end[around])
            icons[split] &= snapshot.parent[snapshot.parent[split]] != around
    if icons.any():
        icons &= ~snapshot.in_tag(*CODE)
    return icons
