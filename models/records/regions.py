"""Regions: tables of records with a score that ranks the lists of a page.

The score is the list's share of the page, lessened for what is short, narrow, repeated, ragged
or set aside. MDR and DEPTA return their data regions without an order.

`is_main` decides whether the page is for a list. A page of one post has a menu, a list of tags and
a list of links as every other page of its site, and an article may hold a list of what it is about.
The page is for none of them, and an empty answer is better than one of these. The main list stands
in the main part, where it makes up most of the text, and the page's paragraphs are in it rather
than about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import Column, columns_of
from .fields import Place
from .page import RecordPage

__all__ = ["MainOptions", "Record", "Region", "ScoreOptions", "is_main", "region_of"]


@dataclass(frozen=True)
class ScoreOptions:
    """How lists are ranked.

    Attributes
    ----------
    short_record
        Characters at which a record counts half: menus have shorter ones than lists.
    side_factor
        Factor on the score of what stands beside the main part.
    """

    short_record: int = 40
    side_factor: float = 0.5


@dataclass(frozen=True)
class Record:
    """One record.

    Attributes
    ----------
    nodes
        Its top nodes, consecutive siblings as a rule.
    fields
        Nodes for each column, or None.
    """

    nodes: tuple[int, ...]
    fields: tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True)
class Region:
    """A list of records.

    Attributes
    ----------
    root
        Nearest common ancestor of the records.
    records, columns
        The table.
    score
        In [0, 1]: how much of the page it is, and how regular.
    left_out
        Texts, links, pictures and dates of the records that are in no column.
    main
        Whether the page is for it.
    """

    root: int
    records: tuple[Record, ...]
    columns: tuple[Column, ...]
    score: float
    left_out: int = 0
    main: bool = False

    @property
    def tops(self) -> list[int]:
        """Top nodes of all records."""
        return [node for record in self.records for node in record.nodes]


def region_of(
    page: RecordPage,
    run: Sequence[Sequence[int]],
    places: Sequence[Place],
    options: ScoreOptions,
) -> Region:
    """The table of a run's records with its score.

    Parameters
    ----------
    page
        The page.
    run, places
        Top nodes of the records, and their alignment.
    options
        Options of the score.
    """
    columns, fields = columns_of(page, places, len(run))
    rows = [tuple(column.get(number) for column in fields) for number in range(len(run))]
    records = tuple(Record(tuple(nodes), row) for nodes, row in zip(run, rows, strict=True))
    root = _root(page, run)
    evidence = sum(
        page.fact[n] > 0 for nodes in run for top in nodes for n in range(top, page.end[top])
    )
    cells = sum(len(nodes) for column in fields for nodes in column.values())
    score = _score(page, root, records, columns, options)
    return Region(root, records, columns, score, left_out=evidence - cells)


def _root(page: RecordPage, run: Sequence[Sequence[int]]) -> int:
    first, last = min(nodes[0] for nodes in run), max(nodes[-1] for nodes in run)
    root = page.parent[first]
    while page.end[root] <= last:
        root = page.parent[root]
    return root


def _score(
    page: RecordPage,
    root: int,
    records: Sequence[Record],
    columns: Sequence[Column],
    options: ScoreOptions,
) -> float:
    """Share of the page, lessened for what is short, narrow, repeated, ragged or set aside."""
    tops = [node for record in records for node in record.nodes]
    chars = sum(page.subtree_chars(node) for node in tops)
    evidence = {
        tuple(page.value[node] for nodes in record.fields if nodes for node in nodes)
        for record in records
    }
    length = chars / len(records)
    # Supports, each weighed by itself: a column that few records have matters little.
    supports = np.array([column.support for column in columns])
    filled = float((supports**2).sum() / supports.sum())
    score = _share(page, tops, chars) * len(evidence) / len(records) * filled
    score *= length / (length + options.short_record) * (1 - 1 / len(records))
    return score * (options.side_factor if page.side[root] else 1)


def _share(page: RecordPage, tops: list[int], chars: int) -> float:
    """Share of the page's text, and where it is laid out of its area and width too."""
    share = chars / max(int(page.sums[-1]), 1)
    x, _, width, height = page.box[tops].astype(np.float64).T
    page_width, page_height = page.box[0, 2:].tolist()
    if not page_width * page_height:
        return share
    area = min(1.0, float((width * height).sum()) / (page_width * page_height))
    breadth = min(1.0, float((x + width).max() - x.min()) / page_width)
    return (share + area) / 2 * breadth**0.5


@dataclass(frozen=True)
class MainOptions:
    """When a list is what its page is for.

    Attributes
    ----------
    min_share
        Of the text of the main part, what the records hold; real lists hold 0.7 and more.
    min_pair_share
        The same for a list of two, which may as well be two comments on an article.
    max_prose
        Characters of the paragraphs around the list, for each of the records'.
    paragraph_chars
        Characters of a paragraph, at least.
    min_breadth
        Of the page's width, what the list takes; sidebars take a quarter.
    """

    min_share: float = 0.4
    min_pair_share: float = 0.7
    max_prose: float = 0.5
    paragraph_chars: int = 100
    min_breadth: float = 0.3


def is_main(
    page: RecordPage, region: Region, others: Sequence[Region], options: MainOptions
) -> bool:
    """Whether a list is what its page is for.

    Parameters
    ----------
    page
        The page.
    region
        The list.
    others
        The page's other lists: the narrower ones count as standing beside it.
    options
        Thresholds.
    """
    side = np.array(page.side, bool)
    breadth = _breadth(page, region)
    if side[region.tops[0]] or (breadth and breadth < options.min_breadth):
        return False
    own = _mask(page, region)
    for other in others:
        if _breadth(page, other) < breadth / 2:
            side |= _mask(page, other)
    around = ~own & ~side
    paragraphs = around & (page.chars >= options.paragraph_chars) & ~page.in_link
    chars = int(page.chars[own].sum())
    least = options.min_pair_share if len(region.records) == 2 else options.min_share
    return (
        chars >= least * int(page.chars[own | around].sum())
        and int(page.chars[paragraphs].sum()) <= options.max_prose * chars
    )


def _breadth(page: RecordPage, region: Region) -> float:
    """Share of the page's width that a list takes; 0 without geometry."""
    x, _, width, _ = page.box[region.tops].astype(np.float64).T
    page_width = float(page.box[0, 2])
    return float((x + width).max() - x.min()) / page_width if page_width else 0.0


def _mask(page: RecordPage, region: Region) -> NDArray[np.bool_]:
    """Nodes of the records."""
    mask = np.zeros(len(page), bool)
    for node in region.tops:
        mask[node : page.end[node]] = True
    return mask
