"""Regions: tables of records with a score that ranks the lists of a page.

The score is the list's share of the page, reduced if its records are short, narrow, repeated,
incomplete or beside the main content. MDR and DEPTA do not rank their data regions.

`is_main` decides whether a list is the purpose of its page. The page of a single post has a menu, a
list of tags and a list of links like every other page of its site, and an article may contain a
list that belongs to its subject. None of them is the purpose of the page, and an empty result is
better than one of them. The main list is in the main part of the page and makes up most of its
text, and the page's paragraphs are in the list rather than around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import Column, columns_of
from .evidence import PARAGRAPH_CHARS
from .fields import Place
from .page import RecordPage

__all__ = ["Record", "Region", "is_main", "region_of"]


# Mean characters per record that halve the score: records of menus are shorter than those of lists.
SHORT_RECORD = 40

# Factor for the score of lists beside the main part.
SIDE_FACTOR = 0.5

# Minimum share of the main part's text that is in the records of the main list (0.7 or more on real
# pages), and of a main list of two records, which may also be two comments on an article.
MIN_SHARE = 0.4
MIN_PAIR_SHARE = 0.7

# Maximum characters of the paragraphs around the main list per character of its records.
MAX_PROSE = 0.5

# Minimum share of the page's width that the main list spans; sidebars span a quarter.
MIN_BREADTH = 0.3


@dataclass(frozen=True)
class Record:
    """One record.

    Attributes
    ----------
    nodes
        Its top nodes, usually consecutive siblings.
    fields
        The nodes in each column, or None.
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
    score
        Score in [0, 1]: how much of the page the list covers, and how regular it is.
    left_out
        Number of texts, links, images and dates of the records that are in no column.
    main
        Whether it is the page's main list.
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


def region_of(page: RecordPage, run: Sequence[Sequence[int]], places: Sequence[Place]) -> Region:
    """The table of a run's records with its score.

    Parameters
    ----------
    run, places
        Top nodes of the records, and their alignment.
    """
    columns, fields = columns_of(page, places, len(run))
    rows = [tuple(column.get(number) for column in fields) for number in range(len(run))]
    records = tuple(Record(tuple(nodes), row) for nodes, row in zip(run, rows, strict=True))
    root = _root(page, run)
    evidence = sum(
        page.fact[n] > 0 for nodes in run for top in nodes for n in range(top, page.end[top])
    )
    cells = sum(len(nodes) for column in fields for nodes in column.values())
    score = _score(page, root, records, columns)
    return Region(root, records, columns, score, left_out=evidence - cells)


def _root(page: RecordPage, run: Sequence[Sequence[int]]) -> int:
    first, last = min(nodes[0] for nodes in run), max(nodes[-1] for nodes in run)
    root = page.parent[first]
    while page.end[root] <= last:
        root = page.parent[root]
    return root


def _score(
    page: RecordPage, root: int, records: Sequence[Record], columns: Sequence[Column]
) -> float:
    """Share of the page, reduced for the shortcomings listed in the module docstring."""
    tops = [node for record in records for node in record.nodes]
    chars = sum(page.subtree_chars(node) for node in tops)
    evidence = {
        tuple(page.value[node] for nodes in record.fields if nodes for node in nodes)
        for record in records
    }
    length = chars / len(records)
    # Mean of the supports weighted by themselves: a column that few records have matters little.
    supports = np.array([column.support for column in columns])
    filled = float((supports**2).sum() / supports.sum())
    score = _share(page, tops, chars) * len(evidence) / len(records) * filled
    score *= length / (length + SHORT_RECORD) * (1 - 1 / len(records))
    return score * (SIDE_FACTOR if page.side[root] else 1)


def _share(page: RecordPage, tops: list[int], chars: int) -> float:
    """Share of the page's text and, if there is geometry, also of its area and width."""
    share = chars / max(int(page.sums[-1]), 1)
    x, _, width, height = page.box[tops].astype(np.float64).T
    page_width, page_height = page.box[0, 2:].tolist()
    if not page_width * page_height:
        return share
    area = min(1.0, float((width * height).sum()) / (page_width * page_height))
    breadth = min(1.0, float((x + width).max() - x.min()) / page_width)
    return (share + area) / 2 * breadth**0.5


def is_main(page: RecordPage, region: Region, others: Sequence[Region]) -> bool:
    """Whether a list is the main list of its page.

    Parameters
    ----------
    others
        The page's other lists; those less than half as wide count as beside the list.
    """
    side = np.array(page.side, bool)
    breadth = _breadth(page, region)
    if side[region.tops[0]] or (breadth and breadth < MIN_BREADTH):
        return False
    own = _mask(page, region)
    for other in others:
        if _breadth(page, other) < breadth / 2:
            side |= _mask(page, other)
    around = ~own & ~side
    paragraphs = around & (page.chars >= PARAGRAPH_CHARS) & ~page.in_link
    chars = int(page.chars[own].sum())
    least = MIN_PAIR_SHARE if len(region.records) == 2 else MIN_SHARE
    return (
        chars >= least * int(page.chars[own | around].sum())
        and int(page.chars[paragraphs].sum()) <= MAX_PROSE * chars
    )


def _breadth(page: RecordPage, region: Region) -> float:
    """Share of the page's width that a list spans; 0 without geometry."""
    x, _, width, _ = page.box[region.tops].astype(np.float64).T
    page_width = float(page.box[0, 2])
    return float((x + width).max() - x.min()) / page_width if page_width else 0.0


def _mask(page: RecordPage, region: Region) -> NDArray[np.bool_]:
    """Mask of the nodes of the records."""
    mask = np.zeros(len(page), bool)
    for node in region.tops:
        mask[node : page.end[node]] = True
    return mask
