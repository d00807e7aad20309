"""Fields of records: nodes at corresponding places, determined by partial tree alignment.

Source: Zhai and Liu, *Web data extraction based on partial tree alignment*, WWW 2005
(DEPTA). All records are aligned with one growing tree. Nodes without a counterpart in the tree are
inserted if their position is unambiguous; otherwise the record waits until the tree has grown.

There are four departures. The tree grows level by level for all records at once, which avoids
recursion. The seed is the first record of the most common layout if most records have that
layout, else the record with the most parts at the level. Siblings whose number varies (tags,
paragraphs) share one place, whereas DEPTA gives a column to each. Siblings with the same tag and
no class are distinguished by how their texts look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .page import RecordPage
from .parts import (
    PLAIN,
    Part,
    commonest,
    grow_parts,
    layout_of,
    match_parts,
    parts_of,
    without_repeated_looks,
)

__all__ = ["Place", "align_records"]

# Class names on a smaller share of the records identify single records ("post-123").
MIN_MARK_SHARE = 0.2

# Share of records with the same number or layout of siblings from which it is not a coincidence.
LAYOUT_SHARE = 0.75


@dataclass(eq=False)
class Place:
    """Corresponding nodes of different records."""

    members: dict[int, list[int]]
    """Nodes by record number."""
    above: Place | None
    """The place of their parents, or None."""
    repeats: bool
    """Whether a record may have any number of them."""
    below: list[Place] = field(default_factory=list)
    """Places of their children, in order."""


def align_records(page: RecordPage, records: Sequence[Sequence[int]]) -> list[Place]:
    """Places of the records' trees in document order; the first is above all records."""
    marks = _common_marks(page, records)
    root = Place({}, None, False)
    todo = [root]
    while todo:
        place = todo.pop()
        if place is root:
            rows = {number: list(nodes) for number, nodes in enumerate(records)}
        else:
            rows = {
                number: [child for node in nodes for child in page.children[node]]
                for number, nodes in place.members.items()
            }
        place.below = _places_below(page, place, {k: v for k, v in rows.items() if v}, marks)
        todo.extend(place.below)
    return _in_order(root)


def _common_marks(page: RecordPage, records: Sequence[Sequence[int]]) -> set[str]:
    carried: Counter[str] = Counter()
    for record in records:
        carried.update(
            {
                mark
                for top in record
                for node in range(top, page.end[top])
                for mark in page.marks[node]
            }
        )
    return {mark for mark, count in carried.items() if count >= MIN_MARK_SHARE * len(records)}


def _places_below(
    page: RecordPage, above: Place, rows: dict[int, list[int]], marks: set[str]
) -> list[Place]:
    if not rows:
        return []
    parts, seed = _parts_below(page, above, rows, marks)
    tree = grow_parts(parts[seed], [parts[number] for number in parts if number != seed])
    places = [Place({}, above, above.repeats or part.repeats) for part in tree]
    pairs: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for number, row in parts.items():
        layout = tuple(part.key for part in row)
        if layout not in pairs:
            pairs[layout] = match_parts(tree, row)
        for at, place in pairs[layout]:
            places[at].members[number] = list(row[place].nodes)
    return [place for place in places if place.members]


def _parts_below(
    page: RecordPage, above: Place, rows: dict[int, list[int]], marks: set[str]
) -> tuple[dict[int, list[Part]], int]:
    """Parts of each record at one level, and the record that is the seed of the tree."""
    parts = {number: [Part.of(page, node, marks) for node in row] for number, row in rows.items()}
    layouts = {number: layout_of(row) for number, row in parts.items()}
    layout, share = commonest(layouts.values())
    if above.above is None and all(len(row) == 1 for row in parts.values()):
        # Top nodes of records always correspond, whatever their classes and contents.
        bare = {"marks": (), "signature": 0, "look": PLAIN}
        parts = {number: [replace(part, **bare)] for number, (part,) in parts.items()}
    if share >= LAYOUT_SHARE and not above.repeats:
        parts = {
            number: [replace(part, look=PLAIN) if part.look else part for part in row]
            for number, row in parts.items()
        }
        return parts, next(number for number in parts if layouts[number] == layout)
    parts = without_repeated_looks(parts)
    varying = _varying_keys(parts, above.repeats)
    parts = {number: parts_of(row, varying) for number, row in parts.items()}
    return parts, max(parts, key=lambda number: (len(parts[number]), -number))


def _varying_keys(parts: dict[int, list[Part]], every: bool) -> set[tuple[object, ...]]:
    """Keys whose number of siblings differs between records."""
    counts: dict[tuple[object, ...], list[int]] = {}
    for row in parts.values():
        for key, count in Counter(part.key for part in row).items():
            counts.setdefault(key, []).append(count)
    return {
        key
        for key, numbers in counts.items()
        if every or (max(numbers) > 1 and commonest(numbers)[1] < LAYOUT_SHARE)
    }


def _in_order(root: Place) -> list[Place]:
    places: list[Place] = []
    stack = [root]
    while stack:
        place = stack.pop()
        places.append(place)
        stack.extend(reversed(place.below))
    return places
