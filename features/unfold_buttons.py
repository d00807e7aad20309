"""Buttons after a text that show the rest of it."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.button_words import MAX_LABEL, button_words
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_mask
from .links import NOWHERE
from .words import collapse

LABEL = lazy_re(button_words("unfold"), re.IGNORECASE)
OTHER = lazy_re(button_words("other"), re.IGNORECASE)
FOLLOWING = 8
"""Number of text nodes after a text among which the button is."""

CONTAINERS = ("div", "article", "section", "main", "body")
CONTROLS = ("aria-expanded", "tabindex", "onclick")


def unfold_label(snapshot: Snapshot, last: int) -> str:
    """What the first button says that most likely unfolds the text before it; empty if none does.

    `last`: Element of the last block of the text.
    """
    # A block directly in a container is followed by others in the same container.
    start = last + 1 if snapshot.with_tag(*CONTAINERS)[last] else int(snapshot.end[last])
    following = start + snapshot.is_text[start:].nonzero()[0][:FOLLOWING]
    is_control: NDArray[np.bool_] | None = None
    for node in following.tolist():
        label = collapse(snapshot.text[node])
        if len(label) > MAX_LABEL or not LABEL.search(label) or OTHER.search(label):
            continue
        is_control = _controls(snapshot) if is_control is None else is_control
        if is_control[node]:
            return label
    return ""


def _controls(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes in elements that can be clicked and lead to no other page."""
    attributes = snapshot.attributes
    controls = snapshot.with_tag("button")
    links = snapshot.with_tag("a")
    for node, value in attributes.with_attribute("href"):
        links[node] &= value.lstrip().startswith("#") or NOWHERE.fullmatch(value) is not None
    controls |= links
    for node, value in attributes.with_attribute("role"):
        controls[node] |= value == "button"
    for name in CONTROLS:
        controls[attributes.nodes_with(name)[0]] = True
    inside = subtree_mask(controls, snapshot.end)
    away = snapshot.in_tag("nav", "form", "footer", "aside", "li")
    return inside & ~away
