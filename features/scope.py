"""Elements that a user names by CSS selectors or XPath, and the page with only their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]
from numpy.typing import NDArray

from ..errors import ElementNotFoundError
from ..patterns import lazy_re
from ..renderer.option_kinds import compiled_scope
from ..renderer.page.snapshot import NOWHERE, Snapshot, cached_per_snapshot
from ..renderer.page.tree import subtree_mask, subtree_sums

# What XML allows in names and values.
NAME = lazy_re(r"[A-Za-z_][\w.-]*")
FORBIDDEN = lazy_re(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

ABSENT = "template"
"""Tag whose content is no text of a page."""


def outside(snapshot: Snapshot, within: Sequence[str], without: Sequence[str]) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes that are in none of some elements, or in one of others.

    `within`: CSS selectors or XPaths of the elements; none for the whole page. `without`: Those of
    elements that are left out.

    Raises `ElementNotFoundError`: a selector matches no element. Raises `ValueError`: a text is
    neither a CSS selector nor an XPath.
    """
    inside = _matches(snapshot, within) if within else np.ones(len(snapshot), bool)
    return ~inside | _matches(snapshot, without)


def within_scope(snapshot: Snapshot, out: NDArray[np.bool_]) -> Snapshot:
    """The page without the text and the pictures of some nodes; all nodes keep their numbers.

    `out`: bool, shape (n,): the nodes, except those in the head of the document.
    """
    out = out & ~snapshot.in_tag("head")
    # Elements around what is left keep their tags.
    gone = out & ~snapshot.is_text & (subtree_sums(~out, snapshot.end) == 0)
    tags = snapshot.tags if ABSENT in snapshot.tags else (*snapshot.tags, ABSENT)
    tag = np.where(gone, tags.index(ABSENT), snapshot.tag).astype(snapshot.tag.dtype)
    texts = zip(snapshot.text, out.tolist(), strict=True)
    text = tuple("" if is_out else each for each, is_out in texts)
    return replace(snapshot, tags=tags, tag=tag, text=text)


def find_elements(snapshot: Snapshot, selector: str) -> list[int]:
    """Elements that a CSS selector or an XPath matches, in document order.

    Raises `ElementNotFoundError`: the selector matches no element. Raises `ValueError`: the text is
    neither a CSS selector nor an XPath.
    """
    root, nodes = _element_tree(snapshot)
    try:
        found = compiled_scope(selector)(root)
    except etree.XPathError as error:
        raise ValueError(f"{selector!r} cannot be evaluated: {error}") from None
    chosen = [nodes[each] for each in found if each in nodes] if isinstance(found, list) else []
    if not chosen:
        url = snapshot.page.url
        page = "the HTML" if url == NOWHERE else url
        raise ElementNotFoundError(f"no element of {page} matches {selector!r}")
    return sorted(chosen)


def _matches(snapshot: Snapshot, selectors: Sequence[str]) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes in elements that a selector matches."""
    mask = np.zeros(len(snapshot), bool)
    for selector in selectors:
        mask[find_elements(snapshot, selector)] = True
    return subtree_mask(mask, snapshot.end)


@cached_per_snapshot
def _element_tree(snapshot: Snapshot) -> tuple[Any, dict[Any, int]]:
    """The page's elements with their attributes and texts, and the node of each."""
    elements: list[Any] = [None] * len(snapshot)
    nodes: dict[Any, int] = {}
    last: dict[int, Any] = {}
    texts: dict[tuple[Any, str], list[str]] = {}
    for node, parent in enumerate(snapshot.parent.tolist()):
        if snapshot.is_text[node]:
            # In this kind of tree, a text belongs to the element before it, or else around it.
            place = (last[parent], "tail") if parent in last else (elements[parent], "text")
            texts.setdefault(place, []).append(FORBIDDEN.sub("", snapshot.text[node]))
            continue
        tag = _name(snapshot.tags[snapshot.tag[node]]) or "unknown"
        attributes = {
            name: FORBIDDEN.sub("", value)
            for name, value in snapshot.attributes.of(node).items()
            if _name(name)
        }
        if parent < 0:
            element = etree.Element(tag, attributes)
        else:
            element = last[parent] = etree.SubElement(elements[parent], tag, attributes)
        elements[node], nodes[element] = element, node
    for (element, place), parts in texts.items():
        setattr(element, place, "".join(parts))
    return elements[0], nodes


def _name(name: str) -> str:
    """The name, or nothing if XML does not allow it."""
    return name if name.isascii() and NAME.fullmatch(name) else ""
