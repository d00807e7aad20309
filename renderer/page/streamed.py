"""Parts of a page that its server streams out of order, for a script to move to their places.

A server that does not wait for the slow parts of a page sends an empty ``template`` in the place of
each, with something to show in the meantime, and the part itself later in a hidden element. A
script beside it names both in one call. What is shown in the meantime is delimited by comments,
such as ``$?`` and ``/$``, of which the second closes what the first opens. No framework is known by
its name.
"""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ...patterns import lazy_re

MAX_PARTS = 200
MAX_DEPTH = 300
"""Levels of elements around a place that are examined."""

# A pattern that begins with one character is searched for much faster.
CALL = lazy_re(
    rb"\((?<=[\w$]\()\s{0,9}([\"'])([^\"'\\<>\s]{1,80})\1\s{0,9},\s{0,9}([\"'])([^\"'\\<>\s]{1,80})\3"
)


@dataclass(frozen=True, eq=False)
class StreamedPart:
    """A hidden element of the page, and the empty ``template`` in its place.

    `following` is the sibling that follows the part in its place; None for the last.
    """

    place: LexborNode
    part: LexborNode
    following: LexborNode | None


def streamed_parts(parser: LexborHTMLParser, html: bytes) -> list[StreamedPart]:
    """The parts of a page that a call in one of its scripts moves to their places."""
    calls = [(call[2], call[4]) for call in CALL.finditer(html)] if b"<template" in html else []
    if not calls:
        return []
    places = _by_id(parser.css("template[id]"))
    parts = _by_id(parser.css("[hidden][id]"))
    found: dict[int, StreamedPart] = {}
    holders: dict[int, int] = {}
    for names in calls:
        one, other = (name.decode("utf-8", "replace") for name in names)
        place = places.pop(one, None) or places.pop(other, None)
        part = parts.get(one) or parts.get(other)
        if place is None or part is None or part.mem_id in found or len(found) >= MAX_PARTS:
            continue
        found[part.mem_id] = StreamedPart(place, part, _after_fallback(place))
    for number, each in found.items():
        holders[number] = _holder(each.place, found)
    return [each for number, each in found.items() if _ends(number, holders)]


def _by_id(nodes: list[LexborNode]) -> dict[str, LexborNode]:
    return {node.attributes.get("id") or "": node for node in reversed(nodes)}


def _after_fallback(place: LexborNode) -> LexborNode | None:
    """The sibling after what is shown in the meantime."""
    before = place.prev
    opening = (before.comment_content or "") if before and before.tag == "-comment" else ""
    sign, level, node = opening[:1], 0, place.next
    while sign and node is not None:
        if node.tag == "-comment":
            comment = node.comment_content or ""
            if comment.startswith("/" + sign):
                if not level:
                    return node
                level -= 1
            level += comment.startswith(sign)
        node = node.next
    return place.next


def _holder(place: LexborNode, found: dict[int, StreamedPart]) -> int:
    """The part that a place is in; 0 for none, -1 if it is too deep to know."""
    node = place.parent
    for _ in range(MAX_DEPTH):
        if node is None:
            return 0
        if node.mem_id in found:
            return node.mem_id
        node = node.parent
    return -1


def _ends(number: int, holders: dict[int, int]) -> bool:
    """Whether the parts around a part are at last in the page itself."""
    for _ in range(len(holders) + 1):
        number = holders.get(number, -1)
        if number <= 0:
            return number == 0
    return False
