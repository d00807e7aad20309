"""Microdata and RDFa Lite, read from the arrays of a snapshot.

Only schema.org properties that fill a field are read. Other vocabularies and ``itemref`` are not
supported. Unlike with `extruct`, the page is not parsed a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

import numpy as np

from ...patterns import lazy_re
from ...renderer.page.tree import nearest_marked
from .finding import Finding, Scene, bare_name, subtree_text, tidy

PROPERTIES = {
    "headline": "title",
    "author": "authors",
    "creator": "authors",
    "datepublished": "date",
    "datecreated": "date",
    "issued": "date",
    "datemodified": "modified",
    "articlesection": "section",
    "keywords": "tags",
    "isaccessibleforfree": "free",
    "inlanguage": "language",
}
"""Properties by their lower-case names, each with its field."""

MAX_PROPERTIES = 500

VALUES = ("content", "datetime")
ARTICLE = lazy_re(r"(?:Article|Posting|CreativeWork|Report|Recipe|Review|WebPage)$")
NO_ARTICLE = lazy_re(r"(?:JobPosting|/Comment|UserComments)$")


def microdata(scene: Scene) -> Iterator[Finding]:
    """Findings in ``itemprop`` and ``property`` of items that are articles.

    Items that do not contain the first node of the body are last. A property
    outside of all items describes the page. If an item has several values of a property, all of
    them are used for authors and tags, and only the first for other fields.
    """
    page = scene.snapshot
    items = _items(scene)
    groups: dict[tuple[str, int, str], list[str]] = {}
    properties = _properties(scene)[:MAX_PROPERTIES]
    is_item = np.zeros(len(page), bool)
    is_item[list(items)] = True
    owners = nearest_marked(page.parent, is_item)[[node for node, _, _ in properties]].tolist()
    for (node, name, attribute), owner in zip(properties, owners, strict=True):
        if _is_article(items, owner):
            value = _value(scene, node, attribute)
            groups.setdefault((name, owner, f"{attribute} {name}"), []).append(value)
    found: list[tuple[bool, Finding]] = []
    for (name, owner, source), values in groups.items():
        field = PROPERTIES[name]
        distinct = tuple(dict.fromkeys(value for value in values if value))
        if distinct:
            holds = owner >= 0 and owner <= scene.start < int(page.end[owner])
            kept = distinct if field in ("authors", "tags") else distinct[:1]
            group = source if holds else f"{source} outside" if owner < 0 else f"{source} beside"
            found.append((not holds and owner >= 0, Finding(field, kept, source, group)))
    # Items beside the body are other articles.
    yield from (finding for _, finding in sorted(found, key=itemgetter(0)))


def _properties(scene: Scene) -> list[tuple[int, str, str]]:
    """(node, property, attribute) of each property that fills a field, in document order."""
    page = scene.snapshot
    return sorted(
        (node, name, attribute)
        for attribute in ("itemprop", "property")
        for node, value in scene.with_attribute(attribute)
        for name in _property_names(value)
        # OpenGraph meta elements are read by `meta_findings`.
        if name in PROPERTIES and not (attribute == "property" and page.tag_name(node) == "meta")
    )


def _items(scene: Scene) -> dict[int, str]:
    """Nodes that are items, and their types."""
    items = dict.fromkeys((node for node, _ in scene.with_attribute("itemscope")), "")
    items |= {node: kind for node, kind in scene.with_attribute("itemtype") if node in items}
    return items | dict(scene.with_attribute("typeof"))


def _is_article(items: dict[int, str], owner: int) -> bool:
    if owner < 0:
        return True
    kinds = items[owner].split()
    return any(ARTICLE.search(kind) and not NO_ARTICLE.search(kind) for kind in kinds)


def _property_names(value: str) -> list[str]:
    """Property names in an attribute, in lower case and without the prefix of a vocabulary."""
    return [bare_name(name) for name in value[:200].split()]


def _value(scene: Scene, node: int, attribute: str) -> str:
    page = scene.snapshot
    own = page.attributes.of(node)
    for name in VALUES:
        if own.get(name, "").strip():
            return tidy(own[name])
    # If the value is an item, its name is inside it.
    for inner in range(node + 1, min(int(page.end[node]), node + 50)):
        if not page.is_text[inner] and "name" in _property_names(
            page.attributes.get(inner, attribute) or ""
        ):
            content = page.attributes.get(inner, "content")
            return tidy(content) if content else subtree_text(scene, inner)
    return subtree_text(scene, node)[:300]
