"""Records: the repeated units of a list page, and the fields of each.

Source: Liu, Grossman and Zhai, *Mining data records in Web pages*, KDD 2003, and Zhai and
Liu, *Web data extraction based on partial tree alignment*, WWW 2005. Data regions are runs of
similar siblings, and the records of a region are aligned into a table. Likeness is based on RTDM's
restricted top-down distance instead of simple tree matching. Beyond the sources, lists within
groups (months of an archive, rows of a grid) are combined, passages of articles are distinguished
from lists, regions are ranked, and at most one is the page's main list.

A page passes through these modules in order::

    page      the tree, with the datum that each node carries
    shapes    which subtrees are similar
    runs      runs of similar siblings, the candidates
    fields    alignment of the records of a run (parts: one level of it)
    columns   columns of the table
    evidence  whether a run is a list or a passage of an article
    regions   the score of a list, and whether it is the main list
    records   the complete search, and replacement of records that are groups by their items
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from .columns import Column
from .evidence import Evidence
from .fields import Place, align_records
from .page import RecordPage
from .parts import commonest
from .regions import Record, Region, is_main, region_of
from .runs import LISTS, MIN_LIKENESS, MIN_MARKED_LIKENESS, sibling_groups, sibling_runs
from .shapes import Shapes

__all__ = ["Column", "Record", "Region", "find_regions", "inner_records"]


# Number of lists, and of pairs, that are tried as the main list, best first.
MAX_TRIED = 20

# Minimum number of records of a list. Two may form the main list if each has a link as its title
# and the markup declares that they are of the same kind.
MIN_RECORDS = 3


def find_regions(page: RecordPage) -> tuple[Region, ...]:
    """Non-overlapping lists of the page, the main list first and the others by score.

    Notes
    -----
    Time is bounded. On a page that needs more comparisons than `Shapes` allows (a thousand
    siblings without equal ones), remaining siblings that are similar but not equal are missed.
    """
    by_nodes: dict[tuple[tuple[int, ...], ...], Region] = {}
    for region in _candidates(page):
        by_nodes.setdefault(tuple(record.nodes for record in region.records), region)
    ranked = sorted(by_nodes.values(), key=lambda region: (-region.score, region.root))
    lists = _disjoint(page, [one for one in ranked if len(one.records) >= MIN_RECORDS])
    pairs = [one for one in ranked if len(one.records) < MIN_RECORDS]
    candidates = lists[:MAX_TRIED]
    for region in (*candidates, *pairs[:MAX_TRIED]):
        if is_main(page, region, [other for other in candidates if other is not region]):
            others = [other for other in lists if other is not region]
            return _disjoint(page, [replace(region, main=True), *others])
    return lists


def _candidates(page: RecordPage) -> Iterator[Region]:
    """All lists, including nested ones, and pairs, which qualify only as the main list."""
    shapes = Shapes(page, MIN_MARKED_LIKENESS)
    evidence = Evidence(page)
    for node in range(len(page)):
        whole = sibling_runs(page, shapes, node)
        for run in (*whole, *sibling_groups(page, node)):
            places = align_records(page, run)
            # Groups that are not similar are not records themselves.
            good = run in whole
            while inner := inner_records(page, shapes, run, places):
                run, places, good = inner, align_records(page, inner), True
            if good and (len(run) >= MIN_RECORDS or evidence.is_pair(run)):
                region = region_of(page, run, places)
                if evidence.is_list(run, region.columns):
                    yield region


def _disjoint(page: RecordPage, regions: Iterable[Region]) -> tuple[Region, ...]:
    """The regions that have no node in common with a region kept before them."""
    is_covered = np.zeros(len(page), bool)
    kept: list[Region] = []
    for region in regions:
        slices = [slice(node, page.end[node]) for node in region.tops]
        if not any(is_covered[part].any() for part in slices):
            kept.append(region)
            for part in slices:
                is_covered[part] = True
    return tuple(kept)


# Lists within groups: months of an archive, rows of a grid, columns of a directory.
#
# If each of several similar siblings is a group of items, the items are alike across all groups,
# and they contain most of the text, then the items are the records rather than the groups. An item
# that is itself a group of such items is also replaced by them. DEPTA splits such a generalized
# node only if its items are in one row of a table.

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
