"""Parts of a page that its server streams out of order, for a script to move to their places.

A server that does not wait for the slow parts of a page sends an empty ``template`` in the place of
each, with something to show in the meantime, and the part itself later in a hidden element. A
script beside it names both in one call. What is shown in the meantime is delimited by comments,
such as ``$?`` and ``/$``, of which the second closes what the first opens. No framework is known by
its name.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ...patterns import lazy_re

MAX_PARTS = 200
MAX_DEPTH = 300  # levels of elements around a place that are examined

# A pattern that begins with one character is searched for much faster.
CALL = lazy_re(
    rb"\((?<=[\w$]\()\s{0,9}([\"'])([^\"'\\<>\s]{1,80})\1\s{0,9},\s{0,9}([\"'])([^\"'\\<>\s]{1,80})\3"
)


def put_in_place(parser: LexborHTMLParser, html: bytes) -> None:
    """Move the parts that a call in a script moves, in place of what is shown in the meantime."""
    calls = [(call[2], call[4]) for call in CALL.finditer(html)] if b"<template" in html else []
    if not calls:
        return
    places = _by_id(parser.css("template[id]"))
    parts = _by_id(parser.css("[hidden][id]"))
    aside = parser.create_node("div")
    moved: set[int] = set()
    for names in calls:
        one, other = (name.decode("utf-8", "replace") for name in names)
        place = places.pop(one, None) or places.pop(other, None)
        part = parts.get(one) or parts.get(other)
        if place is None or part is None or part.mem_id in moved or len(moved) >= MAX_PARTS:
            continue
        if _is_outside(place, part):
            for node in _fallback(place):
                aside.insert_child(node, move=True)
            place.insert_after(part, move=True)
            del part.attrs["hidden"]
            moved.add(part.mem_id)


def _by_id(nodes: list[LexborNode]) -> dict[str, LexborNode]:
    return {node.attributes.get("id") or "": node for node in reversed(nodes)}


def _fallback(place: LexborNode) -> list[LexborNode]:
    """What is shown in the meantime."""
    before = place.prev
    opening = (before.comment_content or "") if before and before.tag == "-comment" else ""
    sign, level, node, nodes = opening[:1], 0, place.next, []
    while sign and node is not None:
        if node.tag == "-comment":
            comment = node.comment_content or ""
            if comment.startswith("/" + sign):
                if not level:
                    return nodes
                level -= 1
            level += comment.startswith(sign)
        nodes.append(node)
        node = node.next
    return []


def _is_outside(place: LexborNode, part: LexborNode) -> bool:
    """Whether a place is not in a part; False if it is too deep to know."""
    node = place.parent
    for _ in range(MAX_DEPTH):
        if node is None or node.mem_id == part.mem_id:
            return node is None
        node = node.parent
    return False
