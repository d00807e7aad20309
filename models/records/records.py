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
    groups    replacement of records that are groups by their items
    columns   columns of the table
    evidence  whether a run is a list or a passage of an article
    regions   the score of a list, and whether it is the main list
    records   the complete search
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from .columns import Column
from .evidence import Evidence
from .fields import align_records
from .groups import inner_records
from .page import RecordPage
from .regions import Record, Region, is_main, region_of
from .runs import MIN_MARKED_LIKENESS, sibling_groups, sibling_runs
from .shapes import Shapes

__all__ = ["Column", "Record", "Region", "find_regions"]


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
