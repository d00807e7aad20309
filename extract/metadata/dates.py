"""Dates as people, servers and standards write them, to ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

__all__ = ["find_date", "iso_date", "local_date", "url_date", "without_dates"]

EARLIEST = date(1990, 1, 1)
"""No page of the Web is older."""

# Twelve months each: English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish,
# Danish and Norwegian, Polish, Czech, Turkish, Indonesian, Russian. First letters are enough.
MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "jan feb maa apr mei jun jul aug sep okt nov dec",
    "jan feb mar apr maj jun jul aug sep okt nov dec",
    "jan feb mar apr mai jun jul aug sep okt nov des",
    "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "led úno bře dub kvě červn července srp zář říj lis pro",
    "oca şub mar nis may haz tem ağu eyl eki kas ara",
    "jan feb mar apr mei jun jul agu sep okt nov des",
    "янв фев мар апр мая июн июл авг сен окт ноя дек",
)
MONTH = {start: number + 1 for names in MONTHS for number, start in enumerate(names.split())}
# Austria's January, German and Dutch short forms, French without accents, nominatives.
MONTH |= {"jän": 1, "mrt": 3, "mrz": 3, "fevr": 2, "aou": 8, "май": 5, "červen": 6, "červene": 7}
LONGEST = max(map(len, MONTH))

DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?"
NAME = r"(?P<month>[^\W\d_]{3,12})\.?"
YEAR = r"(?P<year>(?:19|20)\d\d)"
CLOCK = r"(?:\D{1,6}?(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?P<rest>(?::\d\d)?\s?(?:[ap]\.?m\b)?))?"
OF = r"(?:,? (?:de|of) |,? |[-/.])"
WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d-]){YEAR}([-/.])(?P<month>\d\d?)\2(?P<day>\d\d?)(?!\d)",
        rf"(?<!\d){YEAR}\s?[年년]\s?(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日일]",
        rf"(?<![\w/]){NAME} {DAY},? {YEAR}(?!\d)",
        rf"(?<![\w/]){DAY}{OF}{NAME}{OF}{YEAR}(?!\d)",
        rf"(?<![\d/.])(?P<day>\d\d?)([-/.])(?P<month>\d\d?)\2{YEAR}(?!\d)",
    )
)
AMBIGUOUS = WRITTEN[-1]
HAS_YEAR = re.compile(r"(?:19|20)\d\d")

ISO = re.compile(
    r"((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?\s*"
    r"(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?(?!\d)", re.IGNORECASE
)  # fmt: skip
ZONED = re.compile(r"T.*[+-]\d\d:\d\d$")
EPOCH = re.compile(r"\d{10}(?:\d{3})?")
IN_URL = re.compile(r"[/_.-]((?:19|20)\d\d)([/_-])(\d\d?)\2(\d\d?)(?=[/_.-]|$)")
IN_URL_SHORT = re.compile(r"/((?:19|20)\d\d)(\d\d)(\d\d)(?=[/_.-]|$)")


def iso_date(text: str, captured: str = "", *, us: bool = False) -> str | None:
    """A declared date in ISO 8601, with its time and time zone where they are given.

    Parameters
    ----------
    text
        ISO 8601 in its usual forms, RFC 5322, seconds or milliseconds since 1970, or a
        date as it is written in one of a dozen languages.
    captured
        When the page was captured, ISO 8601; what lies more than a day beyond is none.
    us
        Whether 3/4/2021 is a day in March.

    >>> iso_date("2023-12-20T10:00:00.000+0100"), iso_date("Dec. 20th, 2023"), iso_date("soon")
    ('2023-12-20T10:00:00+01:00', '2023-12-20', None)
    """
    text = text.strip()[:80]
    told = _machine(text) or find_date(text, us=us)
    return told if told and _possible(told, captured) else None


def find_date(text: str, *, us: bool = False) -> str | None:
    """The first date written in a text, as ``YYYY-MM-DD``.

    A date of three numbers is read only where its order is certain.

    >>> find_date("Updated on 3 mars 2021, 10h"), find_date("03/04/2021"), find_date("23.4.2021")
    ('2021-03-03', None, '2021-04-23')
    """
    text = text[:200]
    if not HAS_YEAR.search(text):
        return None
    for pattern in WRITTEN:
        for found in pattern.finditer(text):
            day, month = found["day"], found["month"]
            number = int(month) if month.isdecimal() else _month(month)
            if pattern is AMBIGUOUS:
                if us:
                    day, number = str(number), int(day)
                elif int(day) <= 12 and number <= 12 and found[2] == "/" and int(day) != number:
                    continue
            told = _day(int(found["year"]), number, int(day))
            if told:
                return told
    return None


def without_dates(text: str) -> str:
    """A text without the dates written in it.

    >>> without_dates("Jane Doe Jul 18, 2025 at home")
    'Jane Doe  at home'
    """
    if not HAS_YEAR.search(text):
        return text
    for pattern in WRITTEN:
        text = pattern.sub("", text)
    return text


def local_date(told: str, others: Iterable[str], address: str | None) -> str:
    """The date as its own place writes it, where that is known.

    Many publishing systems declare moments in UTC, which late in the evening is the next
    day. Another voice may give the same moment with its time zone; else the address may
    hold the day before or after.

    Parameters
    ----------
    told, others
        ISO 8601: the date chosen, and what other voices say.
    address
        The day in the page's address, or None.

    >>> local_date("2023-12-23T01:48:19+00:00", ["2023-12-22T20:48:19-05:00"], None)
    '2023-12-22T20:48:19-05:00'
    >>> local_date("2023-12-23T01:48:19+00:00", [], "2023-12-22")
    '2023-12-22'
    """
    if not told.endswith("+00:00"):
        return told
    moment = datetime.fromisoformat(told)
    for other in others:
        if ZONED.search(other) and not other.endswith("+00:00"):
            try:
                if abs(datetime.fromisoformat(other) - moment) < timedelta(minutes=1):
                    return other
            except OverflowError:
                continue
    if address and abs(date.fromisoformat(address) - moment.date()) == timedelta(days=1):
        return address
    return told


def url_date(url: str) -> str | None:
    """A whole date among the parts of an address.

    >>> url_date("https://example.org/2023/12/20/story.html")
    '2023-12-20'
    """
    url = url[:2000]
    found = IN_URL.search(url)
    if found:
        return _day(int(found[1]), int(found[3]), int(found[4]))
    short = IN_URL_SHORT.search(url)
    return _day(*map(int, short.groups())) if short else None


def _machine(text: str) -> str | None:
    found = ISO.fullmatch(text)
    if found:
        return _iso(found)
    if EPOCH.fullmatch(text) and text.isascii():
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(text[:10]))
        return moment.isoformat()
    if re.match(r"[A-Za-z]{3},? ", text):
        try:
            return parsedate_to_datetime(text).isoformat()
        except (ValueError, IndexError, OverflowError):
            return None
    return None


def _iso(found: re.Match[str]) -> str | None:
    year, month, day, hour, minute, second, zone = found.groups()
    told = _day(int(year), int(month), int(day))
    if told is None or hour is None:
        return told
    offset = "" if zone is None else zone.upper().replace("UTC", "Z").replace("GMT", "Z")
    if offset not in ("", "Z") and len(offset) != 6:
        offset = f"{offset[:3]}:{offset[3:] or '00'}"
    moment = f"{told}T{hour}:{minute}:{second or '00'}{offset}"
    try:
        return datetime.fromisoformat(moment).isoformat()
    except ValueError:
        return told


def _month(name: str) -> int:
    name = name.lower()
    return next((MONTH[name[:k]] for k in range(LONGEST, 2, -1) if name[:k] in MONTH), 0)


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _possible(told: str, captured: str) -> bool:
    day = date.fromisoformat(told[:10])
    if day < EARLIEST:
        return False
    try:
        return day <= date.fromisoformat(captured[:10]) + timedelta(days=1)
    except (ValueError, OverflowError):
        return True
