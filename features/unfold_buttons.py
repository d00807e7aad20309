"""Buttons and links after a text that show the rest of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.button_words import MAX_LABEL, button_words
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_mask
from .links import NOWHERE, absolute_url
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
    return _label_after(snapshot, last, _controls)


def whole_text_label(snapshot: Snapshot, last: int) -> str:
    """What a link after a text says that leads to all of it, at another form of the page's address.

    `last`: Element of the last block of the text.
    """
    return _label_after(snapshot, last, _links_to_page)


def _label_after(
    snapshot: Snapshot, last: int, find: Callable[[Snapshot], NDArray[np.bool_]]
) -> str:
    """The first label after a text that offers more of it, among some nodes; empty if none does."""
    # A block directly in a container is followed by others in the same container.
    start = last + 1 if snapshot.with_tag(*CONTAINERS)[last] else int(snapshot.end[last])
    following = start + snapshot.is_text[start:].nonzero()[0][:FOLLOWING]
    chosen: NDArray[np.bool_] | None = None
    for node in following.tolist():
        label = collapse(snapshot.text[node])
        if len(label) > MAX_LABEL or not LABEL.search(label) or OTHER.search(label):
            continue
        chosen = find(snapshot) if chosen is None else chosen
        if chosen[node]:
            return label
    return ""


def _links_to_page(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes in links to the page's own address with another query, or below it.

    Parts of the page are other places of what it shows.
    """
    own = urlsplit(snapshot.page.url)
    links = np.zeros(len(snapshot), bool)
    for node, href in snapshot.attributes.with_attribute("href"):
        url = absolute_url(snapshot, node, href)
        parts = urlsplit(url) if url else None
        if parts is None or parts.netloc != own.netloc or parts.fragment:
            continue
        is_below = own.path.strip("/") and parts.path.startswith(own.path.rstrip("/") + "/")
        links[node] = is_below or (parts.path == own.path and parts.query != own.query)
    return subtree_mask(links & snapshot.with_tag("a"), snapshot.end) & ~_apart(snapshot)


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
    return subtree_mask(controls, snapshot.end) & ~_apart(snapshot)


def _apart(snapshot: Snapshot) -> NDArray[np.bool_]:
    return snapshot.in_tag("nav", "form", "footer", "aside", "li")
