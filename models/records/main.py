"""The list that a page is for, if it is for one.

A page of one post has a menu, a list of tags and a list of links as every other page of its
site, and an article may hold a list of what it speaks of. None of them is what the page is
for, and an empty answer is better than one of these: the main list stands in the main part,
where it makes up most of the text, and the page's paragraphs are in it rather than about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .page import RecordPage
from .regions import Region

__all__ = ["MainOptions", "is_main"]


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
