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


def headline_block(
    page: ArticleBlocks, words: NDArray[np.int64], rank: NDArray
) -> tuple[int, NDArray]:
    """The block that is most like the page's title, -1 for none; and how like all are."""
    titles = [set(_plain(title[:LONGEST_TITLE])) for title in _titles(page.snapshot)]
    like = np.zeros(len(page))
    short = np.flatnonzero((words > 0) & (words <= HEADLINE_WORDS))
    saying = _saying([page.texts[number] for number in short.tolist()], set().union(*titles))
    for number in short[saying].tolist():
        said = set(_plain(page.texts[number]))
        like[number] = max(
            (len(said & title) / max(1, len(said | title)) for title in titles), default=0
        )
    worth = like + 0.3 * (rank == 1) + 0.1 * (rank == 2) - 0.2 * page.hidden
    best = int(np.argmax(worth)) if len(page) else -1
    return (best if best >= 0 and like[best] >= LIKE_TITLE else -1), like


def _saying(texts: list[str], words: set[str]) -> NDArray[np.bool_]:
    """bool, shape (b,): texts that say one of some words."""
    found = np.zeros(len(texts), bool)
    if not words:
        return found
    joined = "\n".join(texts).lower()
    starts = np.cumsum([0, *(len(text.lower()) + 1 for text in texts)])
    hits = [
        hit.start() for hit in re.finditer(rf"\b(?:{'|'.join(map(re.escape, words))})\b", joined)
    ]
    found[np.searchsorted(starts, hits, side="right") - 1] = True
    return found


def _titles(snapshot: Snapshot) -> list[str]:
    declared = snapshot.page.meta_value("og:title"), snapshot.page.meta_value("twitter:title")
    return [text for text in (snapshot.page.title, *declared) if text]


def _plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
