"""Tabs: panels of which a page shows one at a time, and their labels, which stand elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..renderer.page.snapshot import Snapshot
from .words import collapse

MAX_LABEL = 60
"""Maximum number of characters of the label of a tab."""

TOGGLES = ("data-toggle", "data-bs-toggle")
"""Attributes by which Bootstrap marks a link to a panel."""


def find_tabs(snapshot: Snapshot) -> dict[int, tuple[int, str]]:
    """Panels of tabs, by their nodes: the node of the tab, and its label.

    A tab names its panel, or is named by it (WAI-ARIA); it is a link to its panel; or it is the
    label of a radio button, without scripts.
    """
    panels: dict[int, tuple[int, str]] = {}
    for tab, panel in (*_by_names(snapshot), *_by_labels(snapshot)):
        text = collapse(" ".join(filter(None, snapshot.text[tab : snapshot.end[tab]])))
        if 0 < len(text) <= MAX_LABEL and not tab <= panel < snapshot.end[tab]:
            panels.setdefault(panel, (tab, text))
    return panels


def _by_names(snapshot: Snapshot) -> Iterator[tuple[int, int]]:
    """Pairs of tabs and panels by their ids."""
    attributes = snapshot.attributes
    roles = dict(attributes.with_attribute("role"))
    toggles = {
        node
        for name in TOGGLES
        for node, value in attributes.with_attribute(name)
        if value in ("tab", "pill")
    }
    if not toggles and "tab" not in roles.values() and "tabpanel" not in roles.values():
        return
    ids: dict[str, int] = {}
    for node, name in attributes.with_attribute("id"):
        ids.setdefault(name, node)
    for node, name in attributes.with_attribute("aria-controls"):
        if roles.get(node) == "tab" and name in ids:
            yield node, ids[name]
    for node, name in attributes.with_attribute("aria-labelledby"):
        if roles.get(node) == "tabpanel" and name in ids:
            yield ids[name], node
    for node, href in attributes.with_attribute("href"):
        if (node in toggles or roles.get(node) == "tab") and href[:1] == "#" and href[1:] in ids:
            yield node, ids[href[1:]]


def _by_labels(snapshot: Snapshot) -> Iterator[tuple[int, int]]:
    """Pairs of labels of radio buttons and the elements after them, or as many elsewhere."""
    attributes = snapshot.attributes
    radios = {node for node, value in attributes.with_attribute("type") if value == "radio"}
    if not radios:
        return
    names = {name for node, name in attributes.with_attribute("id") if node in radios}
    labels = [node for node, name in attributes.with_attribute("for") if name in names]
    around: defaultdict[int, list[int]] = defaultdict(list)
    for label in labels:
        around[int(snapshot.parent[label])].append(label)
    for parent, group in around.items():
        after = _element_after(snapshot, int(snapshot.end[parent]), int(snapshot.parent[parent]))
        blocks = [] if after is None else _elements_in(snapshot, after)
        children = _elements_in(snapshot, parent)
        if children == group and len(blocks) == len(group):
            yield from zip(group, blocks, strict=True)
            continue
        for label in group:
            panel = _element_after(snapshot, int(snapshot.end[label]), parent)
            if panel is not None and panel not in group and panel not in radios:
                yield label, panel


def _element_after(snapshot: Snapshot, node: int, parent: int) -> int | None:
    """The first element from a node on among the children of an element."""
    while node < len(snapshot) and snapshot.parent[node] == parent:
        if not snapshot.is_text[node]:
            return node
        node = int(snapshot.end[node])
    return None


def _elements_in(snapshot: Snapshot, parent: int) -> list[int]:
    return [node for node in snapshot.children(parent) if not snapshot.is_text[node]]
