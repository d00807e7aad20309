"""The elements that hold the articles of a site, as far as judgements of its pages agree.

A page's judgement errs by a block here and there; over a site's pages these errors are not the
same, and the element around the bodies is. So each page that is learned from votes for elements
by how well their text fits the body that was judged, and a further page's blocks are judged by
whether they are in what was chosen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import block_features
from ...features.article.groups import block_sums
from ...features.blocks import TextBlocks, article_blocks
from ...features.selectors import Selectors
from ...renderer.snapshot import Snapshot
from .model import Reader, probability_of, shipped_reader
from .roles import PRESETS

__all__ = ["BodyElement", "BodyElements"]

# A body of fewer words is no evidence for its element.
LEAST_WORDS = 20

# An element gets a vote where its text fits the body better than this (F1, in thousandths).
LEAST_FIT = 500

# The element of a page has so much of what is judged body there. Of a post that is shorter than
# the words on its author beside it, that is less than half.
LEAST_SHARE = 0.2

# Above this all elements fit as well.
BEST_FIT = 990

# Elements and selectors that one page votes for, at most: it may nest ten thousand.
MAX_ELEMENTS = 40
MAX_VOTES = 60

# Pages that an element is chosen by, at least, and as a part of those with a body.
LEAST_PAGES = 2
LEAST_PART = 0.1

# Blocks that are likelier than this to be something that was written for the page are its body.
IS_BODY = 0.5


@dataclass(frozen=True)
class BodyElement:
    """Where the body of a page is.

    Attributes
    ----------
    node
        Its element.
    selector
        What it was found by.
    pages
        Pages of the site that were learned with such an element.
    fit
        How well its text is the body there, in [0.5, 1]: median of F1 by words.
    """

    node: int
    selector: str
    pages: int
    fit: float


class BodyElements:
    """Votes of a site's pages for the element of the body.

    Parameters
    ----------
    model
        Judges the pages; by default the one that comes with the package.
    """

    def __init__(self, model: Reader | None = None) -> None:
        self._model = model
        self.votes: list[dict[str, int]] = []
        self._choose: list[tuple[str, int, float]] | None = None

    def __len__(self) -> int:
        """Pages with a body that were learned from."""
        return len(self.votes)

    def __repr__(self) -> str:
        return f"<BodyElements of {len(self)} pages>"

    def add(self, snapshot: Snapshot) -> None:
        """Learn from one more page."""
        reader = self._model or shipped_reader()
        page = article_blocks(snapshot)
        features = block_features(page)
        # All that was written for the page fits the element best.
        written = probability_of(reader.read(features).roles, PRESETS["everything"])
        words = Words(page, features.words, written >= IS_BODY)
        if words.body >= LEAST_WORDS:
            self.votes.append(_votes(Selectors(snapshot), words))
            self._choose = None

    def find(
        self, page: TextBlocks, words: NDArray[np.float64], body: NDArray[np.bool_]
    ) -> BodyElement | None:
        """The body's element of one page; None where there is none, or it holds too little of it.

        Parameters
        ----------
        page
            Of b blocks.
        words
            float64, shape (b,): their words.
        body
            bool, shape (b,): blocks that are body by the page alone.
        """
        if self._choose is None:
            self._choose = _choose(self.votes)
        sums, selectors = Words(page, words, body), Selectors(page.snapshot)
        for selector, pages, fit in self._choose:
            node = sums.longest(selectors.nodes(selector))
            if node is not None and sums.of_body[node] >= LEAST_SHARE * sums.body > 0:
                return BodyElement(node, selector, pages, fit)
        return None

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        return {"votes": [dict(vote) for vote in sorted(sorted(v.items()) for v in self.votes)]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BodyElements:
        """Read the output of `to_json`.

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError
            It is something else.
        """
        read = cls()
        read.votes = [{str(key): int(value) for key, value in v.items()} for v in data["votes"]]
        if not all(LEAST_FIT < fit <= 1000 for vote in read.votes for fit in vote.values()):
            raise ValueError("no fit of an element")
        return read


class Words:
    """Words of all blocks, and of those of the body, in each node's subtree.

    Attributes
    ----------
    of_all, of_body
        int64, shape (n,).
    body
        Of the whole page's body.
    """

    def __init__(
        self, page: TextBlocks, words: NDArray[np.float64], body: NDArray[np.bool_]
    ) -> None:
        self.of_all = block_sums(page, words).astype(np.int64)
        self.of_body = block_sums(page, words * body).astype(np.int64)
        self.body = int(self.of_body[0])

    def fits(self) -> NDArray[np.int64]:
        """int64, shape (n,): how well a subtree is the body, F1 in thousandths."""
        return (2000 * self.of_body) // np.maximum(self.of_all + self.body, 1)

    def longest(self, nodes: NDArray[np.intp]) -> int | None:
        """The first of the nodes with the most words; None where none has any."""
        if not len(nodes):
            return None
        node = int(nodes[self.of_all[nodes].argmax()])
        return node if self.of_all[node] else None


def _votes(selectors: Selectors, words: Words) -> dict[str, int]:
    """Selectors whose longest element is about the body, and how well it fits."""
    fits = words.fits()
    near = np.flatnonzero((fits > LEAST_FIT) & ~selectors.snapshot.is_text)
    near = near[np.argsort(-fits[near], kind="stable")[:MAX_ELEMENTS]]
    names = dict.fromkeys(name for node in near.tolist() for name in selectors.of(node))
    votes: dict[str, int] = {}
    for name in names:
        node = words.longest(selectors.nodes(name))
        if node is not None and fits[node] > LEAST_FIT:
            votes[name] = int(fits[node])
    best = sorted(votes, key=lambda name: (-votes[name], name))[:MAX_VOTES]
    return {name: votes[name] for name in best}


def _log_odds(fit: int) -> int:
    """Log-odds in thousandths: what fits well on most pages is before what about fits on all."""
    share = min(fit, BEST_FIT) / 1000
    return round(1000 * math.log(share / (1 - share)))


def _choose(votes: list[dict[str, int]]) -> list[tuple[str, int, float]]:
    """Selectors in the order in which they are tried, their pages, and how well they fit.

    Each next one is that which the pages without all before it are most for: pages of another
    template have another element.
    """
    chosen: list[tuple[str, int, float]] = []
    left: list[Mapping[str, int]] = list(votes)
    while left:
        better: Counter[str] = Counter()
        for vote in left:
            better.update({name: _log_odds(fit) for name, fit in vote.items()})
        best = min(better, key=lambda name: (-better[name], len(name), name), default="")
        fits = [vote[best] for vote in left if best in vote]
        if len(fits) < max(LEAST_PAGES, LEAST_PART * len(votes)):
            break
        chosen.append((best, len(fits), median(fits) / 1000))
        left = [vote for vote in left if best not in vote]
    return chosen
