"""Lists within groups: months of an archive, rows of a grid, columns of a directory.

If each of several similar siblings is a group of items, the items are alike across all groups, and
they contain most of the text, then the items are the records rather than the groups. An item that
is itself a group of such items is also replaced by them. DEPTA splits such a generalized node only
if its items are in one row of a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .fields import Place
from .page import RecordPage
from .parts import commonest
from .runs import LISTS, MIN_LIKENESS
from .shapes import Shapes

__all__ = ["inner_records"]

# Minimum share of the groups' characters that is inside their items.
MIN_CHARS = 0.6

# Minimum share of items with linked text; items without are paragraphs of a body.
MIN_LINKED = 0.8

# Minimum mean number of items per group.
MIN_ITEMS = 1.5

# Minimum share of items whose shape is similar to the most common one.
MIN_ALIKE = 0.75

# Cells are fields of their row.
CELLS = frozenset(("td", "th"))

LINKED_TEXT = 1


def inner_records(
    page: RecordPage,
    shapes: Shapes,
    records: Sequence[Sequence[int]],
    places: Sequence[Place],
) -> list[tuple[int, ...]]:
    """Items of the records if these are groups, in document order; else empty.

    Parameters
    ----------
    page, shapes
        The page and the shapes of its subtrees.
    records, places
        The top nodes of the records and their alignment.
    """
    chars = sum(page.subtree_chars(node) for record in records for node in record)
    for place in places:
        for label in dict.fromkeys(page.label[_first(below)] for below in place.below):
            chosen = [below for below in place.below if page.label[_first(below)] == label]
            items = sorted({n for one in chosen for row in one.members.values() for n in row})
            groups = len({number for one in chosen for number in one.members})
            if (
                label not in CELLS
                and len(items) >= MIN_ITEMS * groups
                and sum(map(page.subtree_chars, items)) >= MIN_CHARS * max(chars, 1)
                and _are_records(page, shapes, items, chosen)
            ):
                return [(item,) for item in _open(page, shapes, items)]
    return []


def _open(page: RecordPage, shapes: Shapes, items: list[int]) -> Iterator[int]:
    """Items, with an item that only has a heading and a list replaced by the list's items."""
    model, _ = commonest(shapes.of[item] for item in items)
    for item in items:
        lists = [part for part in page.children[item] if page.label[part] in LISTS]
        inner = [node for part in lists for node in page.children[part]]
        rest = [part for part in page.children[item] if part not in lists]
        linked = any(page.signature[part] & LINKED_TEXT for part in rest)
        if (
            not linked
            and inner
            and all(shapes.likeness(model, shapes.of[n]) >= MIN_LIKENESS for n in inner)
        ):
            yield from inner
        else:
            yield item


def _first(place: Place) -> int:
    return next(iter(place.members.values()))[0]


def _are_records(
    page: RecordPage,
    shapes: Shapes,
    items: list[int],
    places: list[Place],
) -> bool:
    linked = [item for item in items if page.signature[item] & LINKED_TEXT]
    if len(linked) < MIN_LINKED * len(items):
        return False
    # If no place repeats, the items may be fields of one record, such as title and author.
    if not any(place.repeats for place in places) and page.signature[items[0]].bit_count() < 3:
        return False
    model, _ = commonest(shapes.of[item] for item in items)
    alike = [i for i in items if shapes.likeness(model, shapes.of[i]) >= MIN_LIKENESS]
    return len(alike) >= MIN_ALIKE * len(items)
