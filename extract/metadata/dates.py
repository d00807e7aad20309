"""Parsing of dates as people, servers and standards write them, to ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

from .jalali import JALALI_MONTHS, jalali_date

__all__ = ["WEEKDAYS", "find_date", "is_month_first", "iso_date", "local_date", "plain_digits",
           "url_date", "without_dates"]  # fmt: skip

EARLIEST = date(1990, 1, 1)
"""The Web is no older than this."""

# Twelve months each: English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish,
# Danish and Norwegian, Polish, Czech, Turkish, Indonesian, Russian, Ukrainian, Bulgarian, Greek (in
# the genitive and in the nominative), Romanian, Hungarian. First letters are enough.
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
    "січ лют бер кві тра чер лип сер вер жов лис гру",
    "яну фев мар апр май юни юли авг сеп окт ное дек",
    "ιαν φεβ μαρ απρ μαΐ ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
    "ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοέ δεκ",
    "ian feb mar apr mai iun iul aug sep oct noi dec",
    "jan feb már ápr máj jún júl aug szep okt nov dec",
)
MONTH = {start: number + 1 for names in MONTHS for number, start in enumerate(names.split())}
# Austria's January, German and Dutch short forms, French without accents, nominatives.
MONTH |= {"jän": 1, "mrt": 3, "mrz": 3, "fevr": 2, "aou": 8, "май": 5, "červen": 6, "červene": 7}
LONGEST = max(map(len, MONTH))

# Monday to Sunday: English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish,
# Russian, Turkish, Persian.
WEEKDAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
    sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi
    mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
    lunedì martedì mercoledì giovedì venerdì sabato domenica segunda-feira terça-feira quarta-feira
    quinta-feira sexta-feira maandag dinsdag woensdag donderdag vrijdag zaterdag zondag måndag
    tisdag onsdag torsdag fredag lördag söndag poniedziałek wtorek środa czwartek piątek sobota
    niedziela понедельник вторник среда четверг пятница суббота воскресенье pazartesi salı çarşamba
    perşembe cuma cumartesi pazar شنبه یکشنبه دوشنبه چهارشنبه پنجشنبه جمعه""".split()
)

DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?"
NAME = r"(?P<month>[^\W\d_]{3,12})\.?"
YEAR = r"(?P<year>(?:19|20)\d\d)"
CLOCK = r"(?:\D{1,6}?(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?P<rest>(?::\d\d)?\s?(?:[ap]\.?m\b)?))?"
OF = r"(?:,? (?:de|of) |,? |[-/.])"
WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d-]){YEAR}([-/.])(?P<month>\d\d?)\2(?P<day>\d\d?)(?!\d)",
        rf"(?<!\d){YEAR}\s?[年년]\s?(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日일号號]",
        rf"(?<![\w/]){NAME} {DAY}(?: ?, ?| ){YEAR}(?!\d)",
        rf"(?<![\w/]){DAY}{OF}{NAME}{OF}{YEAR}(?!\d)",
        rf"(?<![\d/.])(?P<day>\d\d?)([-/.])(?P<month>\d\d?)\2{YEAR}(?!\d)",
    )
)
AMBIGUOUS = WRITTEN[-1]
# Languages in which the year comes first; where it does not, the order is another's.
YEAR_FIRST = ("zh", "ja", "ko", "hu", "lt", "mn")
HAS_YEAR = re.compile(r"(?:19|20|13|14)\d\d|[年]")

# Years that Japan and Taiwan count from the beginning of an era; the first may be called 元.
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
IN_ERA = re.compile(
    rf"(?P<era>{'|'.join(ERAS)})\s?(?P<year>元|\d{{1,3}})\s?年\s?(?P<month>\d\d?)\s?月\s?"
    r"(?P<day>\d\d?)\s?日"
)
IN_JALALI = (
    re.compile(
        rf"(?<!\d)(?P<day>\d\d?)\s+(?:ام\s+)?(?P<month>{'|'.join(JALALI_MONTHS)})"
        r"(?:\s+ماه)?،?\s+(?:سال\s+)?(?P<year>1[34]\d\d)(?!\d)"
    ),
    re.compile(r"(?<![\d/-])(?P<year>1[34]\d\d)([-/])(?P<month>\d\d?)\2(?P<day>\d\d?)(?![\d/-])"),
)

# Digits of Persian, of Arabic and of full width.
DIGITS = str.maketrans("۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩０１２３４５６７８９", "0123456789" * 3)
NUMERALS = "〇一二三四五六七八九"
IN_NUMERALS = re.compile(
    rf"(?P<year>[二一][〇零{NUMERALS[1:]}]{{3}})年(?P<month>[一二三四五六七八九十]{{1,2}})月"
    r"(?P<day>[一二三四五六七八九十]{1,3})[日号號]"
)

ISO = re.compile(
    r"((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?\s*"
    r"(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?(?!\d)", re.IGNORECASE
)  # fmt: skip
ZONED = re.compile(r"\A[^T]*+T.*[+-]\d\d:\d\d$")
EPOCH = re.compile(r"\d{10}(?:\d{3})?")
IN_URL = re.compile(r"[/_.-]((?:19|20)\d\d)([/_-])(\d\d?)\2(\d\d?)(?=[/_.-]|$)")
IN_URL_SHORT = re.compile(r"/((?:19|20)\d\d)(\d\d)(\d\d)(?=[/_.-]|$)")


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
    # Some sites of the United States declare another English, that of their software.
    return None if main in ("", "en", *YEAR_FIRST) else False


def iso_date(text: str, captured: str = "", *, month_first: bool | None = None) -> str | None:
    """Convert a declared date to ISO 8601, with its time and time zone if they are given.

    Parameters
    ----------
    text
        ISO 8601 in its usual forms, RFC 5322, seconds or milliseconds since 1970, or a
        date as it is written in one of a dozen languages.
    captured
        When the page was captured, ISO 8601. Dates more than a day later are rejected.
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
    >>> find_date("یکشنبه ۱۶ مهر ۱۴۰۲"), find_date("令和5年12月20日")
    ('2023-10-08', '2023-12-20')
    """
    text = plain_digits(text[:200])
    if not HAS_YEAR.search(text):
        return None
    for pattern in WRITTEN:
        for found in pattern.finditer(text):
            day, month = found["day"], found["month"]
            number = int(month) if month.isdecimal() else _month(month)
            if pattern is AMBIGUOUS:
                if month_first:
                    day, number = str(number), int(day)
                elif (
                    month_first is None
                    and int(day) <= 12
                    and number <= 12
                    and found[2] == "/"
                    and int(day) != number
                ):
                    continue
            day_ = _day(int(found["year"]), number, int(day))
            if day_:
                return day_
    return _era_date(text) or _in_jalali(text)


def plain_digits(text: str) -> str:
    """Replace Persian, Arabic and full-width digits by ASCII digits."""
    return text if text.isascii() else text.translate(DIGITS)


def _era_date(text: str) -> str | None:
    """A date with a year of an era, or in Chinese numerals."""
    found = IN_ERA.search(text)
    if found:
        year = 1 if found["year"] == "元" else int(found["year"])
        return _day(ERAS[found["era"]] + year, int(found["month"]), int(found["day"]))
    found = IN_NUMERALS.search(text)
    if found is None:
        return None
    year = int("".join(str(NUMERALS.index(each)) for each in found["year"].replace("零", "〇")))
    return _day(year, _numeral(found["month"]), _numeral(found["day"]))


def _numeral(text: str) -> int:
    """A number below 100 in Chinese numerals: 三, 十二, 二十, 二十三."""
    tens, ten, ones = text.rpartition("十")
    return (10 * NUMERALS.index(tens or "一") if ten else 0) + NUMERALS.index(ones or "〇")


def _in_jalali(text: str) -> str | None:
    for pattern in IN_JALALI:
        for found in pattern.finditer(text):
            name = found["month"]
            month = JALALI_MONTHS.index(name) + 1 if name in JALALI_MONTHS else int(name)
            day = jalali_date(int(found["year"]), month, int(found["day"]))
            if day:
                return day.isoformat()
    return None


def without_dates(text: str) -> str:
    """Remove the dates written in a text, and the weekdays before them.

    >>> without_dates("Jane Doe Jul 18, 2025 at home")
    'Jane Doe  at home'
    >>> without_dates("Jane Doe on Friday, 3 May 2021")
    'Jane Doe '
    """
    text = plain_digits(text)
    if not HAS_YEAR.search(text):
        return text
    for pattern in (*WRITTEN, IN_ERA, IN_NUMERALS, *IN_JALALI):
        text = pattern.sub(MARK, text)
    return WEEKDAY_BEFORE.sub("", text)


# Replaces a removed date; no page contains it.
MARK = "\0"
WEEKDAY_BEFORE = re.compile(
    rf"(?:\bon\s+)?(?:\b(?:{'|'.join(WEEKDAYS)})\b[.,،]?\s*)?{MARK}", re.IGNORECASE
)


def local_date(chosen: str, others: Iterable[str], days: Iterable[str]) -> str:
    """The date in the local time of the publication, if that is known.

    Many publishing systems declare times in UTC, where late evening is already the next day.
    Another source may give the same time with its time zone, or the address or the dateline may
    show the day before or after.

    Parameters
    ----------
    chosen, others
        ISO 8601: the date chosen, and the dates of other sources.
    days
        Days without a time, from the page's address and dateline, the most reliable first.

    >>> local_date("2023-12-23T01:48:19+00:00", ["2023-12-22T20:48:19-05:00"], [])
    '2023-12-22T20:48:19-05:00'
    >>> local_date("2023-12-23T01:48:19+00:00", [], ["2023-12-22"])
    '2023-12-22'
    """
    if not chosen.endswith("+00:00"):
        return chosen
    moment = datetime.fromisoformat(chosen)
    for other in others:
        if ZONED.search(other) and not other.endswith("+00:00"):
            try:
                if abs(datetime.fromisoformat(other) - moment) < timedelta(minutes=1):
                    return other
            except OverflowError:
                continue
    for day in days:
        apart = abs(date.fromisoformat(day) - moment.date())
        if apart <= timedelta(days=1):
            return day if apart else chosen
    return chosen


def url_date(url: str) -> str | None:
    """Find a complete date in the path of an address.

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


def _month(name: str) -> int:
    name = name.lower()
    return next((MONTH[name[:k]] for k in range(LONGEST, 2, -1) if name[:k] in MONTH), 0)


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
