"""What tells roles apart beside the features of blocks: the body, and what the page declares.

Author and day, where a page declares them for machines, are found again in the line that tells
them to readers; that line stands by the body.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...features.article.blocks import ArticleBlocks
from ...features.article.features import BlockFeatures
from ...features.dates import is_date
from ...renderer.snapshot import Snapshot
from ...renderer.tree import subtree_mask

__all__ = ["PAGE_NAMES", "SHORT", "page_features", "says_day", "told_day"]

SHORT = 20
"""Words up to which a block can be a byline or a date line."""

MOST_WORDS: dict[str, float] = {"title": 60, "byline": SHORT, "date": SHORT, "comment": np.inf}
"""Words up to which a block can have each of the roles that are learned."""

NEAR = 30
"""Blocks from the body on that bylines and date lines may be away."""

ASKED = frozenset(
    "text phrase tag parent_tag hint within tree up1 alike look place headline said page prev1 "
    "next1 around".split()
)
"""Groups of features that tell roles apart; the others are about prose."""

PAGE_NAMES = (
    "body.own", "body.after_first", "body.until_last", "body.since", "body.until", "body.before",
    "declared.author", "declared.day", "written.capitals", "written.date", "written.year",
    "marked.time", "marked.author",
)  # fmt: skip
"""Names of the columns of `page_features`."""

FAR = 60
MOST_AUTHORS = 5
LONGEST = 1 << 18
AUTHOR = re.compile(
    r'"author"\s*:[^"]{0,40}(?:"[^"]{0,200}"[^"]{1,40}){0,8}?"name"\s*:\s*"([^"]{3,60})"'
)
PUBLISHED = re.compile(r'"(?:datePublished|dateCreated|dateModified)"\s*:\s*"([^"]{8,40})"')
DAYS = ("article:published_time", "article:modified_time", "date", "dc.date", "pubdate",
        "publish-date", "parsely-pub-date", "sailthru.date", "datepublished")  # fmt: skip
AUTHOR_LINK = re.compile(
    r"[/-](?:authors?|autor(?:en|es)?|auteurs?|by|byline|people|staff|profiles?|writers?|"
    r"contributors?|journalists?|reporters?|redaktion|team|correspondents)[/=-].", re.IGNORECASE
)  # fmt: skip
AUTHOR_REL = re.compile(r"\bauthor\b", re.IGNORECASE)
LONGEST_LINK = 200

YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
NUMBER = re.compile(r"\d+")
ISO = re.compile(r"((?:19|20)\d\d)-?(\d\d)-?(\d\d)")
NUMBERS_ALONE = re.compile(r"(?<!\d)\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)|\d ?[年년]")
DAY = r"0?(\d\d?)"
DAY_OF_MONTH = re.compile(
    rf"[^\W\d_]{{3,}}\.? {DAY}(?!\d)"
    rf"|(?<!\d){DAY}(?:st|nd|rd|th|er|º|\.)?,?(?: de| of)?[ -][^\W\d_]{{3,}}"
)


def asked_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Of the names of features those that role models ask, and those of `page_features`."""
    return (*(name for name in names if name.split(".")[0] in ASKED), *PAGE_NAMES)


def role_rows(
    names: tuple[str, ...],
    page: ArticleBlocks,
    features: BlockFeatures,
    body: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """Columns by name, float32, shape (b, len(names)).

    Raises
    ------
    ValueError
        One is neither a feature of blocks nor of `page_features`.
    """
    of_blocks, of_page = _places(names, features.names)
    rows = np.empty((len(page), len(names)), np.float32)
    rows[:, of_blocks[0]] = features.values[:, of_blocks[1]]
    rows[:, of_page[0]] = page_features(page, features, body)[:, of_page[1]]
    return rows


def candidates(
    role: str,
    names: tuple[str, ...],
    rows: NDArray[np.float32],
    words: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that may have a role, by their length and where the body is.

    Parameters
    ----------
    role
        One of those in `MOST_WORDS`.
    names, rows
        The columns of `role_rows`, float32, shape (b, len(names)).
    words
        float64, shape (b,): words of each block.
    """
    found = words <= MOST_WORDS[role]
    until = rows[:, names.index("body.until_last")]
    if role == "title":
        found &= until >= 0
    elif role != "comment":
        found &= (rows[:, names.index("body.after_first")] >= -NEAR) & (until >= -NEAR)
    return found


Places = tuple[NDArray[np.int64], NDArray[np.int64]]


@lru_cache(maxsize=8)
def _places(asked: tuple[str, ...], names: tuple[str, ...]) -> tuple[Places, Places]:
    """For features of blocks, and of `page_features`: where they go to, and come from."""
    at = {name: place for place, name in enumerate((*names, *PAGE_NAMES))}
    missing = [name for name in asked if name not in at]
    if missing:
        raise ValueError(f"the role model was trained on other features: {missing[0]} is missing")
    source = np.array([at[name] for name in asked], np.int64)
    own = source < len(names)
    target = np.arange(len(asked))
    return (target[own], source[own]), (target[~own], source[~own] - len(names))


def page_features(
    page: ArticleBlocks, features: BlockFeatures, body: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Where the body is, and which blocks say what the page declares.

    Parameters
    ----------
    page
        The page's b blocks.
    features
        Their features.
    body
        bool, shape (b,): what is taken for the body.

    Returns
    -------
    float32, shape (b, len(PAGE_NAMES))
    """
    columns = [*_to_body(body, features.words), *_declared(page, _near(body, features.words))]
    return np.column_stack(columns).astype(np.float32).reshape(len(page), len(PAGE_NAMES))


def _to_body(body: NDArray[np.bool_], words: NDArray[np.float64]) -> list[NDArray]:
    place, n = np.arange(len(body)), len(body)
    some = np.flatnonzero(body)
    first, last = (int(some[0]), int(some[-1])) if len(some) else (0, n - 1)
    before = np.maximum.accumulate(np.where(body, place, -FAR - 1))
    after = np.minimum.accumulate(np.where(body, place, n + FAR)[::-1])[::-1]
    mass = np.cumsum(words * body)
    return [
        body,
        np.clip(place - first, -FAR, FAR),
        np.clip(last - place, -FAR, FAR),
        np.minimum(place - before, FAR),
        np.minimum(after - place, FAR),
        mass / max(mass[-1], 1) if n else mass,
    ]


def _near(body: NDArray[np.bool_], words: NDArray[np.float64]) -> NDArray[np.intp]:
    """Blocks by the body that can be bylines and date lines; by any where there is no body."""
    some = np.flatnonzero(body)
    first, last = (int(some[0]), int(some[-1])) if len(some) else (0, len(body))
    start = max(0, first - NEAR)
    by = words[start : last + NEAR + 1]
    return start + np.flatnonzero((by > 0) & (by <= SHORT))


def _declared(page: ArticleBlocks, near: NDArray[np.intp]) -> list[NDArray]:
    """What blocks near the body say of author and day; missing of all others."""
    snapshot = page.snapshot
    authors, days = _authors(snapshot), _days(snapshot)
    said = np.full((len(page), 5), np.nan)
    for number in near.tolist():
        text = page.texts[number]
        folded, parts = text.casefold(), text.split()
        digits = NUMBER.search(text) is not None
        said[number] = (
            bool([name for name in authors if name in folded]) if authors else np.nan,
            digits and any(says_day(text, day) for day in days) if days else np.nan,
            len([part for part in parts if part[0].isupper()]) / len(parts),
            digits and is_date(text),
            digits and YEAR.search(text) is not None,
        )
    in_time = subtree_mask(snapshot.with_tag("time"), snapshot.end)[page.first]
    return [*said.T, in_time, _links_to_author(page, near)]


def _links_to_author(page: ArticleBlocks, near: NDArray[np.intp]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks with a link to who wrote something, by its address or ``rel``.

    Links are looked at from the first of the blocks on to the last.
    """
    found, snapshot = np.zeros(len(page), bool), page.snapshot
    if not len(near):
        return found
    start, stop = int(page.owner[near[0]]), int(page.first[near[-1]])
    linked = np.zeros(len(snapshot), bool)
    for name, pattern in (("href", AUTHOR_LINK), ("rel", AUTHOR_REL)):
        nodes, values = snapshot.attributes.carriers(name)
        low, high = np.searchsorted(nodes, (start, stop))
        codes, at = np.unique(values[low:high], return_inverse=True)
        strings = (snapshot.attributes.strings[code] for code in codes.tolist())
        told = [pattern.search(text[:LONGEST_LINK]) is not None for text in strings]
        linked[nodes[low:high][np.array(told, bool)[at]]] = True
    of = page.of[subtree_mask(linked, snapshot.end)]
    found[of[of >= 0]] = True
    return found


def _authors(snapshot: Snapshot) -> tuple[str, ...]:
    """Names that the page declares as its authors', in lower case."""
    meta = snapshot.page.meta_value("author", "article:author", "parsely-author", "dc.creator")
    found = [meta] if meta and "/" not in meta else []
    for source in snapshot.page.json_ld:
        found += AUTHOR.findall(source[:LONGEST])
    names = dict.fromkeys(name.strip().casefold() for name in found)
    return tuple(name for name in names if 3 < len(name) <= 60)[:MOST_AUTHORS]


def _days(snapshot: Snapshot) -> tuple[date, ...]:
    """Days that the page declares for itself."""
    found = [snapshot.page.meta_value(*DAYS) or ""]
    for source in snapshot.page.json_ld:
        found += PUBLISHED.findall(source[:LONGEST])
    days = dict.fromkeys(map(told_day, found))
    return tuple(day for day in days if day)[:MOST_AUTHORS]


def told_day(told: str) -> date | None:
    """The day of a date in ISO 8601, None where there is none.

    >>> told_day("2023-12-20T10:00:00+01:00"), told_day("soon")
    (datetime.date(2023, 12, 20), None)
    """
    found = ISO.match(told.strip())
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def says_day(text: str, day: date) -> bool:
    """Whether a text names a day: in numbers of any order, or with a month by any name.

    A month's name may be of any language, and so it is not read; the day and the year are.
    Without a year, a text that is a date and nothing else will do.

    >>> moved = date(2023, 12, 20)
    >>> [says_day(text, moved) for text in ("20. Dezember 2023, 10:15", "12/20/23", "Dec 20")]
    [True, True, True]
    >>> [says_day(text, moved) for text in ("20 of 2023 pages", "2023-11-20", "Dec 21, 2023")]
    [False, False, False]
    """
    numbers = {int(number) for number in NUMBER.findall(text) if len(number) <= 4}
    if day.day not in numbers:
        return False
    if NUMBERS_ALONE.search(text):
        return day.month in numbers and (day.year in numbers or day.year % 100 in numbers)
    named = any(str(day.day) in found for found in DAY_OF_MONTH.findall(text))
    return named and (day.year in numbers or (not YEAR.search(text) and is_date(text)))
