"""The truth of a page to roles of its blocks: title, byline, date line and comments.

Truths say what a title or an author is, not where it stands: a block is labelled where it says
so by the body. What says so elsewhere, as a teaser may, is labelled neither way.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...features.article.blocks import ArticleBlocks, article_blocks
from ...features.article.features import BlockFeatures, block_features
from ...features.words import collapse, words
from ...renderer.snapshot import Snapshot
from ...renderer.tree import subtree_mask
from .alignment import align
from .role_features import SHORT, asked_names, role_rows, says_day, told_day
from .samples import BODY_SHARE

__all__ = ["LEARNED", "UNKNOWN", "RoleSample", "RoleTruth", "label_roles", "role_labels"]

LEARNED = ("title", "byline", "date", "comment")
"""Roles that are learned, in the order of the labels' columns."""

UNKNOWN = -1

# Of the tokens of two titles those that both have.
ALIKE = 0.8

# A longer truth inside of a heading is the title with more to it.
WHOLE_TITLE = 3
LONGEST_TITLE = 60

# Blocks from the article's first and last one that may be about it.
AROUND = 15

BIO_WORDS = 6
SHORTEST_NAME = 4
SEPARATORS = re.compile(r"\s*(?:[;,/|&\n]|\band\b|\bund\b)\s*")


@dataclass(frozen=True)
class RoleTruth:
    """What is true of a page, empty where nothing is known.

    Attributes
    ----------
    text, title, author, date
        The article; authors are parted by commas, semicolons or lines, the date is ISO 8601.
    comments
        Text of the comment area, empty if there is none; None where it is not known.
    """

    text: str
    title: str = ""
    author: str = ""
    date: str = ""
    comments: str | None = None


@dataclass(frozen=True, eq=False)
class RoleSample:
    """A page of b blocks with its labels.

    Attributes
    ----------
    set, group
        Where it is from, and what is held out together: a registrable domain, or a site.
    names
        f columns that role models ask.
    values
        float32, shape (b, f).
    words
        float64, shape (b,).
    labels
        int8, shape (b, len(LEARNED)): 1 for yes, 0 for no, -1 where it is not known.
    """

    set: str
    group: str
    names: tuple[str, ...]
    values: NDArray[np.float32]
    words: NDArray[np.float64]
    labels: NDArray[np.int8]


def label_roles(snapshot: Snapshot, truth: RoleTruth, *, set: str, group: str) -> RoleSample:
    """Features and labels of a page."""
    page = article_blocks(snapshot)
    features = block_features(page)
    body = align(page.texts, truth.text).share >= BODY_SHARE
    labels = role_labels(page, features, body, truth)
    names = asked_names(features.names)
    values = role_rows(names, page, features, body)
    return RoleSample(set, group, names, values, features.words, labels)


def role_labels(
    page: ArticleBlocks, features: BlockFeatures, body: NDArray[np.bool_], truth: RoleTruth
) -> NDArray[np.int8]:
    """Labels of the blocks of a page.

    Parameters
    ----------
    page, features
        The page's b blocks.
    body
        bool, shape (b,): blocks of which the truth's text says most.
    truth
        What is true of the page.

    Returns
    -------
    int8, shape (b, len(LEARNED)). A role of which no block is found is unknown all over the
    page.
    """
    labels = np.full((len(page), len(LEARNED)), UNKNOWN, np.int8)
    if not body.any():
        return labels
    title = _title(page, body, truth.title) if truth.title else -1
    near = _near(body, title)
    if title >= 0:
        labels[:, 0] = np.arange(len(page)) == title
    in_figure = subtree_mask(page.snapshot.with_tag("figure"), page.snapshot.end)[page.first]
    short = ~body & ~in_figure & (features.words > 0) & (features.words <= SHORT)
    if title >= 0:
        short[title] = False
    # What tells of an author in a sentence is no byline, and not far from one.
    sentence = (features.words > BIO_WORDS) & [text.endswith(".") for text in page.texts]
    said = (
        (_says_author(page, short, truth.author), near & ~sentence),
        (_says_date(page, short, truth.date), near),
    )
    for column, (found, sure) in enumerate(said, 1):
        if (found & sure).any():
            # In the body's own text a name is no byline, but a truth may have taken one in.
            unsure = (found & ~sure) | (body & (features.words <= SHORT))
            labels[:, column] = np.where(unsure, UNKNOWN, found)
    if truth.comments is not None:
        share = align(page.texts, truth.comments).share
        labels[:, 3] = ~body & (share >= BODY_SHARE)
    return labels


def _near(body: NDArray[np.bool_], title: int) -> NDArray[np.bool_]:
    """Blocks around the article."""
    some = np.flatnonzero(body)
    first = min(int(some[0]), title) if title >= 0 else int(some[0])
    place = np.arange(len(body))
    return (place >= first - AROUND) & (place <= some[-1] + AROUND)


def _title(page: ArticleBlocks, body: NDArray[np.bool_], title: str) -> int:
    """The block that says the title, largest and nearest to the body's start; -1 for none."""
    told = Counter(words(title.casefold()))
    start = int(np.argmax(body))
    size = page.snapshot.font_size[page.first]
    found = [n for n in range(len(page)) if _says_title(page, n, told)]

    def order(number: int) -> tuple[bool, float, int]:
        return bool(page.hidden[number]), -float(size[number]), abs(number - start)

    return min(found, key=order, default=-1)


def _says_title(page: ArticleBlocks, number: int, title: Counter[str]) -> bool:
    said = Counter(words(page.texts[number][:1000].casefold()))
    both = (said & title).total()
    if 2 * both >= ALIKE * (said.total() + title.total()) and both:
        return True
    heading = page.snapshot.tag_name(int(page.owner[number])) in ("h1", "h2")
    return heading and WHOLE_TITLE <= both == title.total() and said.total() <= LONGEST_TITLE


def _says_author(page: ArticleBlocks, short: NDArray[np.bool_], told: str) -> NDArray[np.bool_]:
    """Short blocks with a whole name, as text that may run on without a space."""
    names = [collapse(name) for name in SEPARATORS.split(told.casefold())]
    names = [name for name in names if len(name) >= SHORTEST_NAME]
    found = np.zeros(len(page), bool)
    for number in np.flatnonzero(short).tolist():
        said = collapse(page.texts[number].casefold())
        found[number] = any(name in said for name in names)
    return found


def _says_date(page: ArticleBlocks, short: NDArray[np.bool_], told: str) -> NDArray[np.bool_]:
    """Short blocks with the day, or in whose `time` element it stands."""
    found = np.zeros(len(page), bool)
    day = told_day(told)
    if day is None:
        return found
    for number in np.flatnonzero(short).tolist():
        found[number] = says_day(page.texts[number], day)
    for node, value in page.snapshot.attributes.having("datetime"):
        if told_day(value) == day and page.snapshot.tag_name(node) == "time":
            of = page.of[node : page.snapshot.end[node]]
            found[of[of >= 0]] = True
    return found & short
