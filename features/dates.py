"""Recognition of dates in texts."""

from __future__ import annotations

import re

from ..patterns import lazy_re
from .words import collapse

# The name of a month may be any word, since there are many languages and calendars. Where the day
# or the year is missing, only English names count.
MONTH = r"[^\W\d]{3,}\.?"
ENGLISH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
DAY = r"(?:0?[1-9]|[12]\d|3[01])"
NTH = rf"{DAY}(?:st|nd|rd|th|er|º)?\.?"
YEAR = r"(?:1[34]|19|20)\d\d"
OF = r"(?:,? de | of |,? )"
CLOCK = r"[T ,]*(?:at |um )?\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]\.?m\.?)?"
ZONE = r"(?: ?Z| ?[+-]\d\d:?\d\d| ?[A-Z]{3,4})"
POINT = (
    rf"(?:{YEAR}([-/.]){DAY}\1{DAY}"
    rf"|{DAY}([-/.]){DAY}\2(?:{YEAR}|\d\d)"
    rf"|{YEAR} ?[年년] ?{DAY} ?[月월] ?{DAY} ?[日일]"
    rf"|{MONTH} {NTH},? {YEAR}|{NTH}{OF}{MONTH}{OF}{YEAR}"
    rf"|{ENGLISH} {NTH}|{NTH}{OF}{ENGLISH}|{ENGLISH}{OF}{YEAR}"
    rf"|(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    rf")(?:{CLOCK}{ZONE}?)?"
)
DATE = lazy_re(rf"(?:[^\W\d]+\.?,? )?{POINT}", re.IGNORECASE)
HOUR = rf"\d\d?:\d\d(?:(?: ?[ap]\.?m\b\.?)?{ZONE}?)"
WITHIN = lazy_re(rf"(?<!\w)(?:{POINT}|{HOUR})(?!\w)", re.IGNORECASE)

# Maximum number of characters of a text that are searched for dates.
LONGEST = 1000

# Decoration that designers put around dates.
ORNAMENTS = lazy_re(r"^[\W_]+|[\W_]+$")


def is_date(text: str) -> bool:
    """Whether a text consists of a date only, in a format used by people or standards.

    >>> [is_date(text) for text in ("3 March 2021", "2021-03-03T10:00Z", "3 of 4 shares")]
    [True, True, False]
    """
    return len(text) <= 60 and DATE.fullmatch(ORNAMENTS.sub("", collapse(text))) is not None


def date_share(text: str) -> float:
    """Share of the characters at the beginning of a text that belong to dates, in [0, 1].

    >>> date_share("Jane Doe, 3 March 2021") == 12 / 22
    True
    """
    text = text[:LONGEST]
    return sum(len(match[0]) for match in WITHIN.finditer(text)) / max(1, len(text))


def without_dates(text: str) -> str:
    """The beginning of a text without the dates and times in it.

    >>> without_dates("Jane Doe, 3 March 2021, 10:15 am")
    'Jane Doe, '
    """
    return WITHIN.sub("", text[:LONGEST])
