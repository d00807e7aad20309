"""The elements that contain the articles of a site, found by agreement between its pages.

The predictions for a page are wrong for a few blocks. These errors differ between the pages of a
site, while the element around the body is the same. Each page that is learned from therefore votes
for elements by how well their text fits its predicted body. The blocks of further pages are then
judged by whether they are inside the chosen element.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.article.groups import block_sums
from ...features.blocks import TextBlocks
from ...features.selectors import Selectors

# A body of fewer words is no evidence for its element.
LEAST_WORDS = 20

# An element gets a vote if its text fits the body better than this (F1 in thousandths).
LEAST_FIT = 500

# Minimum share of a page's predicted body that its element contains. It is less than half because
# a post may be shorter than the text about its author beside it.
LEAST_SHARE = 0.2

# Fits above this count as equally good.
BEST_FIT = 990

# Maximum numbers of elements and selectors that one page votes for; it may nest ten thousand.
MAX_ELEMENTS = 40
MAX_VOTES = 60

# Minimum number of pages that vote for a chosen element, absolute and as a share of the pages with
# a body.
LEAST_PAGES = 2
LEAST_PART = 0.1

# A block is part of the body if the probability that it was written for the page is at least this.
IS_BODY = 0.5


@dataclass(frozen=True)
class BodyElement:
    """The element that contains the body of a page."""

    node: int
    """The element."""
    selector: str
    """The selector that it was found by."""
    pages: int
    """Number of pages of the site that voted for the selector."""
    fit: float
    """How well the element's text fits the body on these pages: median F1 by words, in [0.5, 1]."""


class BodyElements:
    """Votes of a site's pages for the element that contains the body."""

    def __init__(self) -> None:
        self.votes: list[dict[str, int]] = []
        self._choose: list[tuple[str, int, float]] | None = None

    def __len__(self) -> int:
        """Number of pages with a body that were learned from."""
        return len(self.votes)

    def __repr__(self) -> str:
        return f"<BodyElements of {len(self)} pages>"

    def add(
        self, page: TextBlocks, words: NDArray[np.float64], written: NDArray[np.float64]
    ) -> None:
        """Learn from one more page.

        `written`: float64, shape (b,): probability that a block was written for the page.
        """
        sums = Words(page, words, written >= IS_BODY)
        if sums.body >= LEAST_WORDS:
            self.votes.append(_votes(Selectors(page.snapshot), sums))
            self._choose = None

    @property
    def chosen(self) -> list[tuple[str, int, float]]:
        """Selectors in the order in which they are tried, with their pages and median fit."""
        if self._choose is None:
            self._choose = _choose(self.votes)
        return self._choose

    def find(
        self, page: TextBlocks, words: NDArray[np.float64], body: NDArray[np.bool_]
    ) -> BodyElement | None:
        """The element of a page's body; None if no element is found that contains enough of it.

        `body`: bool, shape (b,): blocks of the body, as predicted from the page alone.
        """
        sums, selectors = Words(page, words, body), Selectors(page.snapshot)
        for selector, pages, fit in self.chosen:
            node = sums.longest(selectors.nodes(selector))
            if node is not None and sums.of_body[node] >= LEAST_SHARE * sums.body > 0:
                return BodyElement(node, selector, pages, fit)
        return None

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        return {"votes": [dict(vote) for vote in sorted(sorted(v.items()) for v in self.votes)]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BodyElements:
        """Read the output of `to_json`."""
        read = cls()
        read.votes = [{str(key): int(value) for key, value in v.items()} for v in data["votes"]]
        if not all(LEAST_FIT < fit <= 1000 for vote in read.votes for fit in vote.values()):
            raise ValueError("the fit of an element is out of range")
        return read


class Words:
    """Number of words of all blocks, and of those of the body, in each node's subtree.

    `of_all`, `of_body`: int64, shape (n,). `body`: Number of words of the whole page's body.
    """

    def __init__(
        self, page: TextBlocks, words: NDArray[np.float64], body: NDArray[np.bool_]
    ) -> None:
        self.of_all = block_sums(page, words).astype(np.int64)
        self.of_body = block_sums(page, words * body).astype(np.int64)
        self.body = int(self.of_body[0])

    def fits(self) -> NDArray[np.int64]:
        """int64, shape (n,): how well each subtree fits the body, as F1 in thousandths."""
        return (2000 * self.of_body) // np.maximum(self.of_all + self.body, 1)

    def longest(self, nodes: NDArray[np.intp]) -> int | None:
        """The first of the nodes with the most words; None if no node has words."""
        if not len(nodes):
            return None
        node = int(nodes[self.of_all[nodes].argmax()])
        return node if self.of_all[node] else None


def _votes(selectors: Selectors, words: Words) -> dict[str, int]:
    """Selectors whose longest element is approximately the body, and how well it fits."""
    fits = words.fits()
    near = ((fits > LEAST_FIT) & ~selectors.snapshot.is_text).nonzero()[0]
    near = near[np.argsort(-fits[near], kind="stable")[:MAX_ELEMENTS]]
    names = dict.fromkeys(name for node in near.tolist() for name in selectors.of(node))
    votes: dict[str, int] = {}
    for name in names:
        node = words.longest(selectors.nodes(name))
        if node is not None and fits[node] > LEAST_FIT:
            votes[name] = int(fits[node])
    best = sorted(votes, key=lambda name: (-votes[name], name))[:MAX_VOTES]
    return {name: votes[name] for name in best}


def _choose(votes: list[dict[str, int]]) -> list[tuple[str, int, float]]:
    """Selectors in the order in which they are tried, with their pages and median fit.

    Each one has the most votes of the pages that voted for none of those before it, since pages of
    another template have another element.
    """
    chosen: list[tuple[str, int, float]] = []
    left: list[Mapping[str, int]] = list(votes)
    while left:
        # Log-odds in thousandths rank a good fit on most pages above a poor fit on all.
        better: Counter[str] = Counter()
        for vote in left:
            shares = {name: min(fit, BEST_FIT) / 1000 for name, fit in vote.items()}
            better.update({n: round(1000 * math.log(s / (1 - s))) for n, s in shares.items()})
        best = min(better, key=lambda name: (-better[name], len(name), name), default="")
        fits = [vote[best] for vote in left if best in vote]
        if len(fits) < max(LEAST_PAGES, LEAST_PART * len(votes)):
            break
        chosen.append((best, len(fits), float(np.median(fits)) / 1000))
        left = [vote for vote in left if best not in vote]
    return chosen
