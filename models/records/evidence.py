"""Whether repeated siblings are the records of a list or a passage of an article.

Parts of an article repeat as well: a heading with its paragraphs, a sentence with the source code
that it introduces, a paragraph with a link. A record differs in that it has a link of its own as
its title, or that the markup declares it as a row or an item. Liu and Zhai leave this open; their
data regions include the paragraphs of an article.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .page import FACTS, RecordPage
from .runs import Run

__all__ = ["PARAGRAPH_CHARS", "Evidence"]

# Elements of running text, whose sequences are read continuously rather than as list items.
PROSE = frozenset((
    "#text", "b", "blockquote", "br", "code", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "i", "p", "pre", "small", "strong",
))  # fmt: skip

# Elements whose tag declares that they are one of several.
ROWS = frozenset(("tr", "li", "dt", "dd", "td", "th"))

# Elements that occur within a line of text.
INLINE = frozenset(("a", "span", "#text", "time", "img", "label"))

# Elements that may wrap a link within its block.
WRAPPERS = frozenset(("span", "label", "b", "strong", "em", "i"))

# Minimum share of records titled by a link if they consist of elements typical of articles.
MIN_TITLED = 0.8

# Minimum characters of a paragraph, and mean number of paragraphs per record from which records
# count as sections of an article.
PARAGRAPH_CHARS = 100
SECTION_PARAGRAPHS = 2.0

# Minimum share of records that have a column for it to count as evidence of a list.
MIN_SUPPORT = 0.5

LINK = FACTS.index("link")

Sums = NDArray[np.int64]


class Evidence:
    """Evidence for lists or passages on a page, computed once for all runs."""

    def __init__(self, page: RecordPage) -> None:
        self._page = page
        self._titles = _prefix_sums(_titles(page))
        self._paragraphs = _prefix_sums((page.chars >= PARAGRAPH_CHARS) & ~page.in_link)
        self._sources = _prefix_sums([label == "pre" for label in page.label])

    def is_list(self, run: Run, columns: Sequence[Column]) -> bool:
        """Whether a run with these columns is a list of records."""
        head = self._page.label[run[0][0]]
        if head not in ROWS and self._is_passage(run):
            return False
        kinds = [column.kind for column in columns if column.support >= MIN_SUPPORT]
        if "image" in kinds or "link" in kinds:
            return True
        return kinds.count("text") + kinds.count("datetime") > 1

    def is_pair(self, run: Run) -> bool:
        """Whether a run is two titled records of the same kind, by class or `article` tag."""
        tops = [nodes[0] for nodes in run]
        kinds = {(self._page.label[top], self._page.marks[top]) for top in tops}
        label, marks = next(iter(kinds))
        return (
            len(run) == 2
            and all(len(nodes) == 1 for nodes in run)
            and len(kinds) == 1
            and (bool(marks) or label == "article")
            and all(map(self._is_titled, run))
        )

    def _is_passage(self, run: Run) -> bool:
        """Whether a run that is not declared as a list by its markup is part of an article."""
        labels = {self._page.label[node] for nodes in run for node in nodes}
        if labels & PROSE and self._share(run, self._opens_with_link) < MIN_TITLED:
            return True
        titled = self._share(run, self._is_titled)
        if any(len(nodes) > 1 for nodes in run):
            return titled < MIN_TITLED or self._are_sections(run)
        if labels & INLINE:
            return self._in_running_text(run)
        return titled < MIN_SUPPORT and self._are_sections(run)

    def _share(self, run: Run, holds: Callable[[Sequence[int]], bool]) -> float:
        return sum(map(holds, run)) / len(run)

    def _count(self, sums: Sums, nodes: Sequence[int]) -> int:
        """Number of marked nodes in the subtrees of a record."""
        return sum(int(sums[self._page.end[node]] - sums[node]) for node in nodes)

    def _opens_with_link(self, nodes: Sequence[int]) -> bool:
        """Whether the first text of a record is in a link that leads to another page."""
        page = self._page
        text = page.first_text[nodes[0]]
        if text >= page.end[nodes[-1]]:
            return False
        link = page.link_around[text]
        return link >= nodes[0] and not page.inward[link]

    def _is_titled(self, nodes: Sequence[int]) -> bool:
        """Whether a link that leads to another page is the title of a record."""
        return self._count(self._titles, nodes) > 0 or self._opens_with_link(nodes)

    def _in_running_text(self, run: Run) -> bool:
        """Whether there is more text between the records than in them."""
        page = self._page
        tops = [node for nodes in run for node in nodes]
        around = page.children[page.parent[tops[0]]]
        between = sum(int(page.chars[node]) for node in set(around) - set(tops))
        return between > sum(map(page.subtree_chars, tops))

    def _are_sections(self, run: Run) -> bool:
        """Whether records look like sections of an article: many paragraphs, or source code."""
        paragraphs = sum(self._count(self._paragraphs, nodes) for nodes in run)
        sources = self._share(run, lambda nodes: self._count(self._sources, nodes) > 0)
        return paragraphs >= SECTION_PARAGRAPHS * len(run) or sources >= MIN_SUPPORT


def _prefix_sums(marked: Sequence[bool] | NDArray[np.bool_]) -> Sums:
    """Prefix sums of marked nodes."""
    return np.concatenate([[0], np.cumsum(np.asarray(marked, np.int64))])


def _titles(page: RecordPage) -> list[bool]:
    """Links that lead to another page and contain the first text of their block."""
    blocks: list[int] = []
    is_title: list[bool] = []
    for node, above in enumerate(page.parent):
        wrapped = above > 0 and page.label[above] in WRAPPERS
        blocks.append(blocks[above] if wrapped else max(above, 0))
        leads = page.fact[node] == LINK and not page.inward[node]
        is_title.append(leads and node < page.first_text[blocks[node]] < page.end[node])
    return is_title
