"""Records: the repeated units of a list page, and the fields of each.

Source: Liu, Grossman and Zhai, *Mining data records in Web pages*, KDD 2003, and Zhai and
Liu, *Web data extraction based on partial tree alignment*, WWW 2005: data regions are runs
of similar siblings, their records are aligned into a table. Likeness is RTDM's restricted
top-down distance in place of simple tree matching. Beyond the sources, lists within groups
(months of an archive, rows of a grid) are taken together, passages of articles are
distinguished from lists, regions are ranked, and at most one is the page's main list.

A page passes through these modules in order::

    page      the tree, with the datum that each node carries
    shapes    which subtrees are alike
    runs      runs of siblings that are alike: candidates
    fields    what corresponds in the records of a run (parts: one level of it)
    groups    records that are groups give way to what is in them
    columns   columns of the table
    evidence  whether it is a list at all
    regions   its score, and whether the page is for it
    records   the whole search
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from .columns import Column
from .evidence import Evidence
from .fields import align_records
from .groups import inner_records
from .page import RecordPage
from .regions import MainOptions, Record, Region, ScoreOptions, is_main, region_of
from .runs import RunOptions, sibling_groups, sibling_runs
from .shapes import Shapes

__all__ = ["Column", "MainOptions", "Record", "RecordOptions", "Region", "find_regions"]


# Lists and pairs that are tried as the main list: it is among the best.
MAX_TRIED = 20


@dataclass(frozen=True)
class RecordOptions:
    """When repeated siblings are records, and which list is the page's.

    Attributes
    ----------
    runs
        Options of the search among siblings.
    min_records
        Records of a list, at least. Two make the main list where each has a link for a
        title and markup declares that they are of one kind.
    min_support
        Share of records that have a column which proves a list.
    score, main
        Options of the ranking and of the main list.
    """

    runs: RunOptions = field(default_factory=RunOptions)
    min_records: int = 3
    min_support: float = 0.5
    score: ScoreOptions = field(default_factory=ScoreOptions)
    main: MainOptions = field(default_factory=MainOptions)


def find_regions(page: RecordPage, options: RecordOptions | None = None) -> tuple[Region, ...]:
    """Lists of the page that do not overlap, the main list first and the others best first.

    Parameters
    ----------
    page
        The page.
    options
        Thresholds.

    Notes
    -----
    Time is bounded. On a page that needs more comparisons than `Shapes` allows (a thousand
    siblings without equal ones), the remaining ones that are alike but not equal are missed.
    """
    options = options or RecordOptions()
    by_nodes: dict[tuple[tuple[int, ...], ...], Region] = {}
    for region in _candidates(page, options):
        by_nodes.setdefault(tuple(record.nodes for record in region.records), region)
    ranked = sorted(by_nodes.values(), key=lambda region: (-region.score, region.root))
    lists = _disjoint(page, [one for one in ranked if len(one.records) >= options.min_records])
    pairs = [one for one in ranked if len(one.records) < options.min_records]
    candidates = lists[:MAX_TRIED]
    for region in (*candidates, *pairs[:MAX_TRIED]):
        if is_main(
            page, region, [other for other in candidates if other is not region], options.main
        ):
            others = [other for other in lists if other is not region]
            return _disjoint(page, [replace(region, main=True), *others])
    return lists


def _candidates(page: RecordPage, options: RecordOptions) -> Iterator[Region]:
    """All lists, one inside another as well, and pairs that only the main list may be."""
    shapes = Shapes(page, min(options.runs.min_likeness, options.runs.min_marked_likeness))
    evidence = Evidence(page, options.min_support)
    for node in range(len(page)):
        whole = sibling_runs(page, shapes, node, options.runs)
        for run in (*whole, *sibling_groups(page, node)):
            places = align_records(page, run)
            # Groups that are not alike are no records themselves.
            good = run in whole
            while inner := inner_records(page, shapes, run, places, options.runs.min_likeness):
                run, places, good = inner, align_records(page, inner), True
            if good and (len(run) >= options.min_records or evidence.is_pair(run)):
                region = region_of(page, run, places, options.score)
                if evidence.is_list(run, region.columns):
                    yield region


def _disjoint(page: RecordPage, regions: Iterable[Region]) -> tuple[Region, ...]:
    """Those that have no node in common with one before them."""
    is_covered = np.zeros(len(page), bool)
    kept: list[Region] = []
    for region in regions:
        slices = [slice(node, page.end[node]) for node in region.tops]
        if not any(is_covered[part].any() for part in slices):
            kept.append(region)
            for part in slices:
                is_covered[part] = True
    return tuple(kept)
