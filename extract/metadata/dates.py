"""Parse dates, as people, servers and standards write them, into ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from operator import itemgetter

from ...patterns import lazy_re
from .months import (
    JALALI_MONTHS,
    MARKED_MONTHS,
    MONTH_NAME,
    WEEKDAYS,
    jalali_date,
    month_number,
)

__all__ = ["HAS_YEAR", "find_date", "is_month_first", "iso_date", "order_of_dates",
           "plain_digits", "split_at_dates", "url_date", "without_dates"]  # fmt: skip

EARLIEST = date(1990, 1, 1)
"""The Web is no older than this."""

DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?"
NAME = rf"(?P<month>{MONTH_NAME})\.?"
YEAR = r"(?P<year>(?:19|20)\d\d)"
OF = r"(?:,? (?:de|of|del) | d['’]| ?[,،]? |[-/.])"
NUMBER = r"(?P<month>\d\d?)"
WRITTEN = tuple(
    lazy_re(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d-]){YEAR}\s?([-/.])\s?{NUMBER}\s?\2\s?(?P<day>\d\d?)(?!\d)",
        rf"(?<!\d){YEAR}\s?[年년]\s?{NUMBER}\s?[月월]\s?(?P<day>\d\d?)\s?[日일号號]",
        rf"(?<!\d)(?P<day>\d\d?) tháng {NUMBER}(?: năm |, ?| ){YEAR}(?!\d)",
        rf"(?<![\w/]){NAME},? {DAY}(?: ?[,،] ?| ){YEAR}(?!\d)",
        rf"(?<![\w/]){DAY}{OF}{NAME}{OF}{YEAR}(?!\d)",
        rf"(?<![\d-]){YEAR}(?:\.? |[-/])(?:m\. )?{NAME}[ -]{DAY}(?![\w:])",
        rf"(?<!\d){YEAR}\. gada {DAY} {NAME}",
        rf"(?<![\d/.])(?P<day>\d\d?)\s?([-/.])\s?{NUMBER}\s?\2\s?{YEAR}(?!\d)",
        r"(?<![\d/.-])(?<!\d:)(?P<day>\d\d?)(/)(?P<month>\d\d?)/(?P<year>\d\d)(?![\d/:-]|\.\d)",
        # Numbers of versions and sections have single digits between dots and hyphens.
        r"(?<![\d/.-])(?<!\d:)(?P<day>\d\d)([-.])(?P<month>\d\d)\2(?P<year>\d\d)(?![\d/:-]|\.\d)",
    )
)
SLASHED = lazy_re(r"(?<![\d/])(\d\d?)/(\d\d?)/(?:19|20)\d\d(?!\d)")
AMERICAN = lazy_re(r"\d ?(?:[ap]\.?m\.?)? ?(?:[ECMP][SD]?T)\b", re.IGNORECASE)
IN_NUMBERS = frozenset(WRITTEN[-3:])
"""Patterns in which the day and the month may be in either order."""

CENTURY = 70
"""Two-digit years below this are in the 2000s, others in the 1900s."""

# Languages in which the year comes first. Otherwise, the order is that of another language.
YEAR_FIRST = ("zh", "ja", "ko", "hu", "lt", "mn")
HAS_YEAR = lazy_re(r"(?:19|20|13|14|25)\d\d|年|\d([/.-])\d\d?\1\d\d(?!\d)|[ก-ฮ]\.?\s?\d\d(?!\d)")

# Eras by which Japan and Taiwan count years, each with the year before it began. The first year may
# be written as 元.
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
IN_ERA = lazy_re(
    rf"(?P<era>{'|'.join(ERAS)})\s?(?P<year>元|\d{{1,3}})\s?年\s?(?P<month>\d\d?)\s?月\s?"
    r"(?P<day>\d\d?)\s?日"
)
IN_JALALI = (
    lazy_re(
        rf"(?<!\d)(?P<day>\d\d?)\s+(?:ام\s+)?(?P<month>{'|'.join(JALALI_MONTHS)})"
        r"(?:\s+ماه)?،?\s+(?:سال\s+)?(?P<year>1[34]\d\d)(?!\d)"
    ),
    lazy_re(r"(?<![\d/-])(?P<year>1[34]\d\d)([-/])(?P<month>\d\d?)\2(?P<day>\d\d?)(?![\d/-])"),
)

# Arabic keyboards produce other characters for two Persian letters.
PERSIAN = str.maketrans("يك", "یک")

# Thailand counts years from the death of the Buddha. After abbreviated months, only the last two
# digits may be written.
IN_MARKED = lazy_re(
    rf"(?<!\d)(?P<day>\d\d?) ?(?P<month>{'|'.join(map(re.escape, MARKED_MONTHS))}),? ?"
    r"(?:พ\.ศ\. ?)?(?P<year>(?:20|25)\d\d|(?<=\.)\d\d|(?<=\. )\d\d)(?!\d|[:.]\d)"
)
BUDDHIST = 543

# Persian, Arabic, Devanagari, Bengali and full-width digits. Marks of the direction of writing,
# which may stand between the numbers of a date, are removed.
DIGITS = str.maketrans(
    "۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩०१२३४५६७८९০১২৩৪৫৬৭৮৯０１２３４５６７８９", "0123456789" * 5
) | dict.fromkeys((0x200E, 0x200F))
NUMERALS = "〇一二三四五六七八九"
IN_NUMERALS = lazy_re(
    rf"(?P<year>[二一][〇零{NUMERALS[1:]}]{{3}})年(?P<month>[一二三四五六七八九十]{{1,2}})月"
    r"(?P<day>[一二三四五六七八九十]{1,3})[日号號]"
)

ISO = lazy_re(
    r"((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?\s*"
    r"(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?(?!\d)", re.IGNORECASE
)  # fmt: skip
EPOCH = lazy_re(r"\d{10}(?:\d{3})?")
IN_URL = lazy_re(r"[/_.-]((?:19|20)\d\d)([/_-])(\d\d?)\2(\d\d?)(?=[/_.-]|$)")
IN_URL_SHORT = lazy_re(r"/t?((?:19|20)\d\d)[/-]?(\d\d)[/-]?(\d\d)(?=[/_.-]|$)")
IN_URL_NAMED = lazy_re(r"/((?:19|20)\d\d)/([a-z]{3})/(\d\d?)(?=/|$)")


def is_month_first(language: str) -> bool | None:
    """Whether 3/4/2021 is a day in March on a page in this language; None if that is uncertain.

    Parameters
    ----------
    language
        BCP 47 tag, or the empty string.

    >>> is_month_first("en-US"), is_month_first("fr"), is_month_first("en"), is_month_first("")
    (True, False, None, None)
    """
    tag = language.lower().replace("_", "-")
    main = tag.partition("-")[0]
    if tag == "en-us":
        return True
    # Some US sites declare another variety of English, that of their software.
    return None if main in ("", "en", *YEAR_FIRST) else False


def order_of_dates(texts: Iterable[str]) -> bool | None:
    """Whether the month is first in the numeric dates of a page; None if no date shows it.

    A number above 12 is a day. A time zone of North America tells it, too.

    >>> order_of_dates(["Tue, 07/11/2023", "Fri, 07/14/2023"]), order_of_dates(["31/01/2021"])
    (True, False)
    >>> order_of_dates(["07/11/2023"]), order_of_dates(["04/05/2015 10:24 pm EDT"])
    (None, True)
    """
    month_first = day_first = 0
    for text in texts:
        if "/" not in text:
            continue
        for match in SLASHED.finditer(text[:200]):
            first, second = int(match[1]), int(match[2])
            if first > 31 or second > 31:
                continue
            month_first += (first <= 12 < second) or AMERICAN.search(text) is not None
            day_first += second <= 12 < first
    return None if month_first == day_first else month_first > day_first


def iso_date(text: str, captured: str = "", *, month_first: bool | None = None) -> str | None:
    """Convert a declared date to ISO 8601, with its time and time zone if they are given.

    Parameters
    ----------
    text
        ISO 8601 in its usual forms, RFC 5322, seconds or milliseconds since 1970, or a
        date as it is written in one of a dozen languages.
    captured
        Time at which the page was captured, in ISO 8601. Dates more than a day later are rejected.
    month_first
        Whether 3/4/2021 is a day in March; None if that is uncertain.

    >>> iso_date("2023-12-20T10:00:00.000+0100"), iso_date("Dec. 20th, 2023"), iso_date("soon")
    ('2023-12-20T10:00:00+01:00', '2023-12-20', None)
    """
    text = text.strip()[:80]
    date_ = _machine(text) or find_date(text, month_first=month_first)
    return date_ if date_ and _possible(date_, captured) else None


def find_date(text: str, *, month_first: bool | None = None) -> str | None:
    """Find the first date written in a text, as ``YYYY-MM-DD``.

    A date of three numbers is read only if its order is certain; see `is_month_first`.

    >>> find_date("Updated on 3 mars 2021, 10h"), find_date("03/04/2021"), find_date("23.4.2021")
    ('2021-03-03', None, '2021-04-23')
    >>> find_date("یکشنبه ۱۶ مهر ۱۴۰۲"), find_date("令和5年12月20日"), find_date("8 ก.พ. 2559")
    ('2023-10-08', '2023-12-20', '2016-02-08')
    """
    text = plain_digits(text[:200])
    if not HAS_YEAR.search(text):
        return None
    _, first = min(_written(text, month_first), key=itemgetter(0), default=(0, None))
    return first or _era_date(text) or _in_jalali(text) or _in_marked(text)


def _written(text: str, month_first: bool | None) -> Iterator[tuple[int, str]]:
    """Position and day of the first date of each form."""
    for pattern in WRITTEN:
        for match in pattern.finditer(text):
            if pattern in IN_NUMBERS:
                place = _month_and_day(match, month_first)
            else:
                place = _month(match), int(match["day"])
            day = place and _day(_full_year(match["year"]), *place)
            if day:
                yield match.start(), day
                break


def _month_and_day(match: re.Match[str], month_first: bool | None) -> tuple[int, int] | None:
    """Month and day of a numeric date; None if their order is uncertain."""
    first, second = int(match["day"]), int(match["month"])
    has_short_year = len(match["year"]) == 2
    if second > 12:
        return first, second
    if month_first is None and has_short_year:
        # The first number may be the year.
        return None
    if first > 12 or first == second:
        return second, first
    if month_first is None and match[2] == "/":
        return None
    return (first, second) if month_first else (second, first)


def _full_year(year: str) -> int:
    return int(year) + (0 if len(year) == 4 else 2000 if int(year) < CENTURY else 1900)


def plain_digits(text: str) -> str:
    """Replace digits of other scripts by ASCII digits, and remove marks of direction."""
    return text if text.isascii() else text.translate(DIGITS)


def _era_date(text: str) -> str | None:
    """A date with the year of an era, or in Chinese numerals."""
    match = IN_ERA.search(text)
    if match:
        year = 1 if match["year"] == "元" else int(match["year"])
        return _day(ERAS[match["era"]] + year, int(match["month"]), int(match["day"]))
    match = IN_NUMERALS.search(text)
    if match is None:
        return None
    year = int("".join(str(NUMERALS.index(each)) for each in match["year"].replace("零", "〇")))
    return _day(year, _numeral(match["month"]), _numeral(match["day"]))


def _numeral(text: str) -> int:
    """A number below 100 in Chinese numerals: 三, 十二, 二十, 二十三."""
    tens, ten, ones = text.rpartition("十")
    return (10 * NUMERALS.index(tens or "一") if ten else 0) + NUMERALS.index(ones or "〇")


def _in_jalali(text: str) -> str | None:
    text = text.translate(PERSIAN)
    for pattern in IN_JALALI:
        for match in pattern.finditer(text):
            name = match["month"]
            month = JALALI_MONTHS.index(name) + 1 if name in JALALI_MONTHS else int(name)
            day = jalali_date(int(match["year"]), month, int(match["day"]))
            if day:
                return day.isoformat()
    return None


def _in_marked(text: str) -> str | None:
    """A date with the name of a month in Thai, Hindi or Bengali."""
    for match in IN_MARKED.finditer(text):
        year = int(match["year"]) + (2500 if len(match["year"]) == 2 else 0)
        year -= BUDDHIST if year >= 2500 else 0
        day = _day(year, MARKED_MONTHS[match["month"]], int(match["day"]))
        if day:
            return day
    return None


def without_dates(text: str) -> str:
    """Remove the dates written in a text, and the weekdays before them.

    >>> without_dates("Jane Doe Jul 18, 2025 at home")
    'Jane Doe  at home'
    >>> without_dates("Jane Doe on Friday, 3 May 2021")
    'Jane Doe '
    """
    return WEEKDAY_BEFORE.sub("", _with_marks(text))


def split_at_dates(text: str) -> list[str]:
    """The texts before, between and after the dates that a text names; one if it names none.

    >>> split_at_dates("Publié le 3 mars 2021 par Jane Doe")
    ['Publié le ', ' par Jane Doe']
    """
    return _with_marks(text).split(MARK)


def _with_marks(text: str) -> str:
    """A text with `MARK` in place of each date."""
    text = plain_digits(text)
    if not HAS_YEAR.search(text):
        return text
    for pattern in (*WRITTEN, IN_ERA, IN_NUMERALS, *IN_JALALI, IN_MARKED):
        text = pattern.sub(MARK, text)
    return text


# Replaces a removed date; no page contains it.
MARK = "\0"
WEEKDAY_BEFORE = lazy_re(
    rf"(?:\bon\s+)?(?:\b(?:{'|'.join(WEEKDAYS)})\b[.,،]?\s*)?{MARK}", re.IGNORECASE
)


def url_date(url: str) -> str | None:
    """Find a complete date in the path of an address.

    >>> url_date("https://example.org/2023/12/20/story.html")
    '2023-12-20'
    """
    url = url[:2000]
    match = IN_URL.search(url)
    if match:
        return _day(int(match[1]), int(match[3]), int(match[4]))
    named = IN_URL_NAMED.search(url)
    if named:
        return _day(int(named[1]), month_number(named[2]), int(named[3]))
    short = IN_URL_SHORT.search(url)
    return _day(*map(int, short.groups())) if short else None


def _machine(text: str) -> str | None:
    match = ISO.fullmatch(text)
    if match:
        return _iso(match)
    if EPOCH.fullmatch(text) and text.isascii():
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(text[:10]))
        return moment.isoformat()
    if re.match(r"[A-Za-z]{3},? ", text):
        from email.utils import parsedate_to_datetime

        try:
            return parsedate_to_datetime(text).isoformat()
        except (ValueError, IndexError, OverflowError):
            return None
    return None


def _iso(match: re.Match[str]) -> str | None:
    year, month, day, hour, minute, second, zone = match.groups()
    day_ = _day(int(year), int(month), int(day))
    if day_ is None or hour is None:
        return day_
    offset = "" if zone is None else zone.upper().replace("UTC", "Z").replace("GMT", "Z")
    if offset not in ("", "Z") and len(offset) != 6:
        offset = f"{offset[:3]}:{offset[3:] or '00'}"
    moment = f"{day_}T{hour}:{minute}:{second or '00'}{offset}"
    try:
        return datetime.fromisoformat(moment).isoformat()
    except ValueError:
        return day_


def _month(match: re.Match[str]) -> int:
    """Number of the month of a date whose order is certain."""
    name = match["month"]
    # In Polish, this is November: it writes no point after the day. In Czech, it is "listopadu".
    if name.lower() == "listopada" and f"{match['day']}. " in match[0]:
        return 10
    return int(name) if name.isdecimal() else month_number(name)


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _possible(text: str, captured: str) -> bool:
    day = date.fromisoformat(text[:10])
    if day < EARLIEST:
        return False
    try:
        return day <= date.fromisoformat(captured[:10]) + timedelta(days=1)
    except (ValueError, OverflowError):
        return True
