"""Units of a page that are kept or left out as a whole: lists and tables.

A reader that decides every item alone keeps one item of three, or the head of a table without its
rows. For each unit that would be torn, a model that was learned from labelled pages estimates
whether all of it, nothing, or only a part of it belongs to the text. Units that the reader keeps or
leaves out as a whole are not decided again, which costs more on listings and products than it
gains. Headings and units that stand between what surely is text belong to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...features.blocks import TextBlocks
from ...features.notes import headed_by_link
from ...renderer.page.tree import nearest_marked, subtree_sums
from ..logistic import MultinomialModel, log_odds
from .decision import LOWEST_LEVEL

OUTCOMES = ("absent", "torn", "whole")
"""What of a unit belongs to the text: nothing, a part of it, or all of it."""

LISTS = ("ul", "ol", "dl")

MIN_BLOCKS = 2
"""Minimum number of blocks of a unit."""

MOST_LIKELY = 0.5
"""Minimum probability of what a torn unit becomes."""

SURE, POSSIBLE = 0.9, 0.25
"""Minimum probabilities of a paragraph, and of the heading or unit beside it."""

MAX_LINKED = 0.5
"""Maximum share of links in the words of a list or table between two paragraphs."""


@dataclass(frozen=True, eq=False)
class Units:
    """u units in document order."""

    node: NDArray[np.int64]
    """int64, shape (u,): element of each unit."""
    parent: NDArray[np.int64]
    """int64, shape (u,): the innermost unit around each unit, -1 for none."""
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    """int64, shape (u,): the unit's blocks are ``start:stop``."""

    def __len__(self) -> int:
        return len(self.node)

    def sums(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Sum of the values of each unit's blocks: float64, shape (u,)."""
        total = np.append(0.0, np.cumsum(values, dtype=np.float64))
        return total[self.stop] - total[self.start]


def find_units(page: TextBlocks) -> Units:
    """The units of a page with several blocks; tables that hold tables are no units."""
    snapshot = page.snapshot
    table = snapshot.with_tag("table")
    is_unit = snapshot.with_tag(*LISTS) | table & (subtree_sums(table, snapshot.end) == 1)
    nodes = is_unit.nonzero()[0]
    start = np.searchsorted(page.first, nodes)
    stop = np.searchsorted(page.first, snapshot.end[nodes])
    enough = stop - start >= MIN_BLOCKS
    nodes, start, stop = nodes[enough], start[enough], stop[enough]
    is_unit = np.zeros(len(snapshot), bool)
    is_unit[nodes] = True
    number = np.full(len(snapshot) + 1, -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    around = nearest_marked(snapshot.parent, is_unit)
    return Units(nodes, number[around[nodes]], start, stop)


UNIT_FEATURES = (
    "list", "numbered", "definitions", "table", "blocks", "words", "block words", "linked",
    "mean", "lowest", "highest", "spread", "likely share", "first", "last", "before", "after",
    "nested", "within", "heads", "article",
)  # fmt: skip
"""Columns of `unit_features`."""


def unit_features(
    page: TextBlocks,
    units: Units,
    probability: NDArray[np.float64],
    words: NDArray[np.float64],
    linked: NDArray[np.floating],
    article: float,
) -> NDArray[np.float64]:
    """Evidence about each unit, pooled over its blocks: float64, shape (u, f).

    `words`, `linked`: Floats, shape (b,): number of words of each block, and the share of them that
    are links.
    """
    if not len(units):
        return np.zeros((0, len(UNIT_FEATURES)))
    snapshot = page.snapshot
    count = (units.stop - units.start).astype(float)
    odds = log_odds(probability, 1e-9).clip(_LOWEST, -_LOWEST)
    weight = np.sqrt(words + 1)
    total = units.sums(weight)
    mean = units.sums(weight * odds) / total
    square = units.sums(weight * odds * odds) / total
    padded = np.concatenate([[_LOWEST], odds, [_LOWEST]])
    heads = np.append(0, np.cumsum(snapshot.with_tag("th", "dt")))
    children = np.bincount(units.parent[units.parent >= 0], minlength=len(units))
    extremes = [np.empty(len(units)), np.empty(len(units))]
    for place, (start, stop) in enumerate(zip(units.start, units.stop, strict=True)):
        extremes[0][place] = odds[start:stop].min()
        extremes[1][place] = odds[start:stop].max()
    tag = [snapshot.with_tag(name)[units.node] for name in ("ul", "ol", "dl", "table")]
    columns = [
        *tag,
        np.log(count),
        np.log1p(units.sums(words)),
        np.log1p(units.sums(words) / count),
        units.sums(words * linked) / np.maximum(units.sums(words), 1),
        mean,
        *extremes,
        np.sqrt(np.maximum(square - mean * mean, 0)),
        units.sums((probability >= 0.5).astype(float)) / count,
        odds[units.start],
        odds[units.stop - 1],
        padded[units.start],
        padded[units.stop + 1],
        np.log1p(children),
        units.parent >= 0,
        np.log1p(heads[snapshot.end[units.node]] - heads[units.node]),
        np.full(len(units), article),
    ]
    return np.array(columns, np.float64).T


_LOWEST = -6.0


class UnitModel(MultinomialModel):
    """Probability of each of `OUTCOMES`."""

    features = UNIT_FEATURES
    answers = len(OUTCOMES)
    format = "miolo-units"
    version = 2
    what = "model of units"


@cache
def shipped_unit_model() -> UnitModel:
    """The model that comes with the package."""
    return UnitModel.load(Path(__file__).with_name("units.json"))


def without_torn_units(
    units: Units,
    outcomes: NDArray[np.float64],
    kept: NDArray[np.bool_],
    head: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """A selection in which units that are torn are whole or left out, if that is most likely.

    A table never keeps its head alone.

    Parameters
    ----------
    outcomes
        float64, shape (u, 3): probabilities of `OUTCOMES`.
    kept, head
        bool, shape (b,): the selection, and the blocks that are cells of the head of a table.

    Returns
    -------
    bool, shape (b,).
    """
    selection = kept.copy()
    for place, (start, stop) in enumerate(zip(units.start, units.stop, strict=True)):
        part, heads = selection[start:stop], head[start:stop]
        if not part.any() or part.all():
            continue
        absent, _, whole = outcomes[place].tolist()
        is_head = not (part & ~heads).any() and not heads.all()
        if is_head or max(absent, whole) >= MOST_LIKELY:
            part[:] = whole > absent
    return selection


def headings_between(
    page: TextBlocks,
    level: NDArray[np.floating],
    probability: NDArray[np.float64],
    kept: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """bool, shape (b,): headings that may be text, after text and beside what surely is.

    A line that links to itself is a heading, too.
    """
    between = np.zeros(len(page), bool)
    if len(page) < 2:
        return between
    parent = page.snapshot.parent[page.owner]
    is_heading = level <= LOWEST_LEVEL
    after = kept[1:] & (probability[1:] >= SURE) & ~is_heading[1:] & (parent[1:] == parent[:-1])
    between[:-1] = is_heading[:-1] & (probability[:-1] >= POSSIBLE) & after
    if (after & ~(between | kept)[:-1]).any():
        between[:-1] |= headed_by_link(page)[:-1] & after
    return between & ~kept & (np.cumsum(kept) > 0)


def units_between(
    page: TextBlocks,
    units: Units,
    probability: NDArray[np.float64],
    content: NDArray[np.float64],
    head: NDArray[np.float64],
    title: int,
    words: NDArray[np.float64],
    linked: NDArray[np.floating],
) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks of lists and tables that stand among what surely is text.

    A list stands between two blocks of the text: of some 2,400 such units in the labelled pages
    that are mostly no links, two are no text. A table of data is also text before and after the
    paragraphs in its element. Their cells may look like the dates or names of a page's head. Facts
    with labels in the element of the title, or just below that, are text if they do not.

    Parameters
    ----------
    probability, content, head
        float64, shape (b,): probability that each block belongs to the text, that it is the page's
        own, and that it says who wrote the page or when, or is a comment.
    title
        Block of the title, -1 for none.
    """
    between = np.zeros(len(page), bool)
    parent = page.snapshot.parent
    sure = np.append(probability >= SURE, False)
    around = np.append(parent[page.owner], -1)
    before, after, own = units.start - 1, units.stop, parent[units.node]
    stands = sure[before] & sure[after] & (around[before] == own) & (around[after] == own)
    is_data = data_tables(page, units)
    stands |= np.isin(own, around[sure]) & is_data
    size = units.stop - units.start
    stands &= units.sums(content) / size >= POSSIBLE
    is_label = page.snapshot.with_tag("th", "dt")[page.owner].astype(float)
    # Facts are more than counters.
    is_fact = np.array([any(map(str.isalpha, text)) for text in page.texts], float) * (1 - is_label)
    facts = (units.sums(is_label) > 1) & (units.sums(is_fact) > 0)
    facts &= is_data | page.snapshot.with_tag("dl")[units.node]
    facts &= (title >= 0) & ((own == around[title]) | (parent[own] == around[title]))
    # Comments come after the text.
    earlier = np.append(0, np.cumsum(sure))
    facts &= (units.start > title) & (earlier[units.start] == earlier[title])
    stands |= facts & (units.sums(head) / size < POSSIBLE)
    total = np.maximum(units.sums(words), 1)
    stands &= units.sums(words * linked) / total <= MAX_LINKED
    for place in stands.nonzero()[0].tolist():
        between[units.start[place] : units.stop[place]] = True
    return between


def data_tables(page: TextBlocks, units: Units) -> NDArray[np.bool_]:
    """bool, shape (u,): tables of at least two rows with as many cells, none with two blocks."""
    snapshot = page.snapshot
    is_row = snapshot.with_tag("tr")
    above = snapshot.parent[snapshot.with_tag("td", "th")]
    cells = np.bincount(above[above >= 0], minlength=len(snapshot))
    regular = snapshot.with_tag("table")[units.node]
    for place in regular.nonzero()[0].tolist():
        part = slice(units.node[place], snapshot.end[units.node[place]])
        widths = cells[part][is_row[part]]
        blocks = int(units.stop[place] - units.start[place])
        regular[place] = (
            len(widths) > 1 and 1 < widths.min() == widths.max() and blocks <= widths.sum()
        )
    return regular
