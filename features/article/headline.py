"""The block that says the page's title."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ...renderer.snapshot import Snapshot
from .blocks import ArticleBlocks

__all__ = ["headline_block"]

# Of the words of a title and a headline the part that both have.
LIKE_TITLE = 0.5
HEADLINE_WORDS = 40

# Characters of a title that are compared: the rest of a longer one is no headline.
LONGEST_TITLE = 500

WORD = re.compile(r"\w+")


def headline_block(
    page: ArticleBlocks, words: NDArray[np.int64], rank: NDArray
) -> tuple[int, NDArray]:
    """The block that is most like the page's title, -1 for none; and how like all are."""
    titles = [set(_plain(title[:LONGEST_TITLE])) for title in _titles(page.snapshot)]
    of_titles = set().union(*titles)
    like = np.zeros(len(page))
    for number in np.flatnonzero((words > 0) & (words <= HEADLINE_WORDS)).tolist():
        own_words = set(_plain(page.texts[number]))
        if not own_words.isdisjoint(of_titles):
            like[number] = max(len(own_words & title) / len(own_words | title) for title in titles)
    worth = like + 0.3 * (rank == 1) + 0.1 * (rank == 2) - 0.2 * page.hidden
    best = int(np.argmax(worth)) if len(page) else -1
    return (best if best >= 0 and like[best] >= LIKE_TITLE else -1), like


def _titles(snapshot: Snapshot) -> list[str]:
    declared = snapshot.page.meta_value("og:title"), snapshot.page.meta_value("twitter:title")
    return [text for text in (snapshot.page.title, *declared) if text]


def _plain(text: str) -> list[str]:
    return WORD.findall(text.lower())
