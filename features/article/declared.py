"""Features of titles, authors and dates, as declared in the page's metadata or written in a block.

A title, author or date in the metadata recurs in the block that shows it to readers.
"""

from __future__ import annotations

from datetime import date

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_mask
from ..blocks import TextBlocks
from ..dates import date_share, is_date
from .columns import Columns

# Minimum Jaccard similarity between the words of a title and those of a headline.
LIKE_TITLE = 0.5
HEADLINE_WORDS = 40

# Maximum number of characters of a title that are compared; what follows is not a headline.
LONGEST_TITLE = 500

WORD = lazy_re(r"\w+")

SHORT = 20
"""Maximum number of words of a block that is examined as a byline or a dateline."""

MAX_NAMES = 5
MAX_CHARS = 1 << 18
MAX_LINK = 200

AUTHOR = lazy_re(
    r'"author"\s*:[^"]{0,40}(?:"[^"]{0,200}"[^"]{1,40}){0,8}?"name"\s*:\s*"([^"]{3,60})"'
)
PUBLISHED = lazy_re(r'"(?:datePublished|dateCreated|dateModified)"\s*:\s*"([^"]{8,40})"')
DAYS = (
    "article:published_time", "article:modified_time", "date", "dc.date", "pubdate",
    "publish-date", "parsely-pub-date", "sailthru.date", "datepublished",
)  # fmt: skip
AUTHOR_LINK = lazy_re(
    r"[/-](?:authors?|autor(?:en|es)?|auteurs?|by|byline|people|staff|profiles?|writers?|"
    r"contributors?|journalists?|reporters?|redaktion|team|correspondents)[/=-]."
)
AUTHOR_REL = lazy_re(r"\bauthor\b")

YEAR = lazy_re(r"(?<!\d)(?:19|20)\d\d(?!\d)")
NUMBER = lazy_re(r"\d+")
ISO = lazy_re(r"((?:19|20)\d\d)-?(\d\d)-?(\d\d)")
NUMBERS_ALONE = lazy_re(r"(?<!\d)\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)|\d ?[年년]")
DAY = r"0?(\d\d?)"
DAY_OF_MONTH = lazy_re(
    rf"(?<![^\W\d_])[^\W\d_]{{3,}}\.? {DAY}(?!\d)"
    rf"|(?<!\d){DAY}(?:st|nd|rd|th|er|º|\.)?,?(?: de| of)?[ -][^\W\d_]{{3,}}"
)


def headline_block(
    page: TextBlocks, words: NDArray[np.int64], rank: NDArray
) -> tuple[int, NDArray]:
    """The block most similar to the page's title (-1 for none), and the similarity of each."""
    titles = [set(_plain(title[:LONGEST_TITLE])) for title in _titles(page.snapshot)]
    of_titles = set().union(*titles)
    like = np.zeros(len(page))
    for number in ((words > 0) & (words <= HEADLINE_WORDS)).nonzero()[0].tolist():
        plain = _plain(page.texts[number])
        if not of_titles.isdisjoint(plain):
            own_words = set(plain)
            like[number] = max(len(own_words & title) / len(own_words | title) for title in titles)
    worth = like + 0.3 * (rank == 1) + 0.1 * (rank == 2) - 0.2 * page.hidden
    best = int(np.argmax(worth)) if len(page) else -1
    return (best if best >= 0 and like[best] >= LIKE_TITLE else -1), like


def _titles(snapshot: Snapshot) -> list[str]:
    declared = snapshot.page.meta_value("og:title"), snapshot.page.meta_value("twitter:title")
    return [text for text in (snapshot.page.title, *declared) if text]


def _plain(text: str) -> list[str]:
    return WORD.findall(text.lower())


def put_declared_names(columns: Columns, page: TextBlocks, words: NDArray[np.float64]) -> None:
    """Add whether a block names the declared author or date, or is marked up or written as one."""
    snapshot = page.snapshot
    authors, days = _authors(snapshot), _days(snapshot)
    author_share = np.full(len(page), np.nan)
    shown = np.full(len(page), np.nan)
    written = np.zeros((len(page), 2), bool)
    dated = np.zeros(len(page))
    capitals = np.zeros(len(page))
    if authors:
        folded = [text.casefold() for text in page.texts]
        shares = [
            [len(name) / len(text) if name in text else 0 for text in folded] for name in authors
        ]
        author_share[:] = np.max(shares, axis=0)
    short = ((words > 0) & (words <= SHORT)).nonzero()[0].tolist()
    if days:
        shown[short] = False
    for block in short:
        text = page.texts[block]
        if NUMBER.search(text) is not None:
            written[block] = is_date(text), YEAR.search(text) is not None
            dated[block] = date_share(text)
            if days:
                shown[block] = any(shows_day(text, day) for day in days)
    parts = [page.texts[block].split() for block in short]
    capitals[short] = [sum([part[0].isupper() for part in each]) / len(each) for each in parts]
    columns.put(
        "declared",
        author=np.sign(author_share),
        author_share=author_share,
        day=shown,
        in_time=snapshot.in_tag("time")[page.first],
        author_link=_links_to_author(page),
    )
    columns.put(
        "written", date=written[:, 0], year=written[:, 1], date_share=dated, capitals=capitals
    )


def _links_to_author(page: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks with a link to an author's page, judged by address or ``rel``."""
    snapshot = page.snapshot
    linked = np.zeros(len(snapshot), bool)
    for name, pattern in (("href", AUTHOR_LINK), ("rel", AUTHOR_REL)):
        nodes, values = snapshot.attributes.nodes_with(name)
        strings = snapshot.attributes.strings
        matches = {
            value: pattern.search(strings[value][:MAX_LINK].lower()) is not None
            for value in dict.fromkeys(values.tolist())
        }
        linked[nodes[[matches[value] for value in values.tolist()]]] = True
    has_link = np.zeros(len(page), bool)
    of = page.of[subtree_mask(linked & snapshot.with_tag("a"), snapshot.end)]
    has_link[of[of >= 0]] = True
    return has_link


def _authors(snapshot: Snapshot) -> tuple[str, ...]:
    """Case-folded names of the authors that the page declares."""
    meta = snapshot.page.meta_value("author", "article:author", "parsely-author", "dc.creator")
    authors = [meta] if meta and "/" not in meta else []
    for source in snapshot.page.json_ld:
        authors += AUTHOR.findall(source[:MAX_CHARS])
    names = dict.fromkeys(name.strip().casefold() for name in authors)
    return tuple(name for name in names if 3 < len(name) <= 60)[:MAX_NAMES]


def _days(snapshot: Snapshot) -> tuple[date, ...]:
    """Dates that the page declares for its publication or modification."""
    dates = [snapshot.page.meta_value(*DAYS) or ""]
    for source in snapshot.page.json_ld:
        dates += PUBLISHED.findall(source[:MAX_CHARS])
    days = dict.fromkeys(map(iso_day, dates))
    return tuple(day for day in days if day)[:MAX_NAMES]


def iso_day(text: str) -> date | None:
    """Calendar date at the beginning of an ISO 8601 text, None where there is none.

    >>> iso_day("2023-12-20T10:00:00+01:00"), iso_day("soon")
    (datetime.date(2023, 12, 20), None)
    """
    match = ISO.match(text.strip())
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def shows_day(text: str, day: date) -> bool:
    """Whether a text names a date, as numbers in any order or with the name of a month.

    The name of a month may be in any language, so only the day and the year are compared. A text
    without a year must consist of a date only.

    >>> moved = date(2023, 12, 20)
    >>> [shows_day(text, moved) for text in ("20. Dezember 2023, 10:15", "12/20/23", "Dec 20")]
    [True, True, True]
    >>> [shows_day(text, moved) for text in ("20 of 2023 pages", "2023-11-20", "Dec 21, 2023")]
    [False, False, False]
    """
    numbers = {int(number) for number in NUMBER.findall(text) if len(number) <= 4}
    if day.day not in numbers:
        return False
    if NUMBERS_ALONE.search(text):
        return day.month in numbers and (day.year in numbers or day.year % 100 in numbers)
    named = any(str(day.day) in groups for groups in DAY_OF_MONTH.findall(text))
    return named and (day.year in numbers or (not YEAR.search(text) and is_date(text)))
