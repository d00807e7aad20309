"""Dates as people, servers and standards write them: one table of forms, and one reader of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from operator import itemgetter

from ...features.words import SPACELESS
from ...patterns import lazy_re
from .vocabulary import alternatives, vocabulary, words_of

EARLIEST = date(1990, 1, 1)
"""The Web is no older than this."""

DAY_CHARS = 10
"""Length of a date without a time, such as 2023-12-20."""

MAX_RELATIVE = 90
"""Maximum number of characters of a line with a date relative to the time of capture."""

JALALI_MONTHS = vocabulary()["jalali months"][0].split()
MONTHS = {
    start: number + 1
    for names in vocabulary()["months"]
    for number, start in enumerate(names.split())
} | vocabulary()["starts of months"]
"""Numbers of months by the starts of their names. Some are months of other languages, too."""

MARKED_MONTHS = {
    name: number + 1
    for names in vocabulary()["months with vowel signs"]
    for number, name in enumerate(names.split())
}
"""Numbers of months by names whose vowel signs regular expressions do not match as letters."""

MARKED_NAMES = "|".join(map(re.escape, MARKED_MONTHS))

LONGEST = max(map(len, MONTHS))
WEEKDAYS = frozenset(name.replace("_", " ") for name in words_of("weekdays"))

# Eras by which Japan and Taiwan count years, each with the year before it began. The first year may
# be written as 元. Thailand counts from the death of the Buddha.
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
BUDDHIST = 543
CENTURY = 70
"""Two-digit years below this are in the 2000s, others in the 1900s."""

DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?"
NAME = r"(?P<month>(?:كانون|تشرين) (?:الأول|الثاني)|آب|مه|[^\W\d_]{3,12})\.?"
YEAR = r"(?P<year>(?:19|20)\d\d)"
OF = r"(?:,? (?:de|of|del) | d['’]| ?[,،]? |[-/.])"
CLOCK = r"\d\d?:\d\d(?::\d\d)?(?: [A-Z]{2,5})?"
NUMBER = r"(?P<month>\d\d?)"
NUMERALS = "〇一二三四五六七八九"
ONES = NUMERALS[1:]
JALALI = "|".join(JALALI_MONTHS).replace("ی", "[یي]")

NUMERIC = tuple(
    map(
        lazy_re,
        (
            rf"(?<![\d/.])(?P<day>\d\d?)\s?([-/.|])\s?{NUMBER}\s?\2\s?{YEAR}(?!\d)",
            rf"(?<![\d/.-])(?<!\d:)(?P<day>\d\d?)(/){NUMBER}/(?P<year>\d\d)(?![\d/:-]|\.\d)",
            # Numbers of versions and sections have single digits between dots and hyphens.
            r"(?<![\d/.-])(?<!\d:)(?P<day>\d\d)([-.])(?P<month>\d\d)\2(?P<year>\d\d)(?![\d/:-]|\.\d)",
        ),
    )
)
"""Forms in which the day and the month may be in either order."""

PLAIN = (
    *(
        lazy_re(form, re.IGNORECASE)
        for form in (
            rf"(?<![\d-]){YEAR}\s?([-/.])\s?{NUMBER}\s?\2\s?(?P<day>\d\d?)(?!\d)",
            # C and e-mail write the time before the year: "Feb 18 10:00:17 EST 2004".
            rf"(?<![\w/]){NAME},? {DAY}(?: ?[,،] ?| | {CLOCK} ){YEAR}(?!\d)",
            rf"(?<![\w/]){DAY}{OF}{NAME}{OF}{YEAR}(?!\d)",
            rf"(?<![\d-]){YEAR}(?:\.? |[-/])(?:m\. )?{NAME}[ -]{DAY}(?![\w:])",
            rf"(?<!\d){YEAR}\. gada {DAY} {NAME}",
            r"(?<![\d/-])(?P<year>1[34]\d\d)([-/])(?P<month>\d\d?)\2(?P<day>\d\d?)(?![\d/-])",
        )
    ),
    *NUMERIC,
)
"""Forms that may be written in ASCII characters alone."""

FORMS = (
    *PLAIN,
    *(
        lazy_re(form, re.IGNORECASE)
        for form in (
            rf"(?<!\d){YEAR}\s?[年년]\s?{NUMBER}\s?[月월]\s?(?P<day>\d\d?)\s?[日일号號]",
            rf"(?P<era>{'|'.join(ERAS)})\s?(?P<year>元|\d{{1,3}})\s?年\s?{NUMBER}\s?月\s?"
            r"(?P<day>\d\d?)\s?日",
            rf"(?P<year>[二一][零{NUMERALS}]{{3}})年(?P<month>[{ONES}十]{{1,2}})月"
            rf"(?P<day>[{ONES}十]{{1,3}})[日号號]",
            rf"(?<!\d)(?P<day>\d\d?) tháng {NUMBER}(?: năm |, ?| ){YEAR}(?!\d)",
            rf"(?<!\d)(?P<day>\d\d?)\s+(?:ام\s+)?(?P<month>{JALALI})(?:\s+ماه)?،?\s+(?:سال\s+)?"
            r"(?P<year>1[34]\d\d)(?!\d)",
            # After abbreviated months, only the last two digits of the year may be written.
            rf"(?<!\d)(?P<day>\d\d?) ?(?P<month>{MARKED_NAMES}),? ?"
            r"(?:พ\.ศ\. ?)?(?P<year>(?:20|25)\d\d|(?<=\.)\d\d|(?<=\. )\d\d)(?!\d|[:.]\d)",
            rf"(?P<month>{MARKED_NAMES}) (?P<day>\d\d?),? {YEAR}(?!\d)",
        )
    ),
)
"""The forms of a complete date."""

HAS_YEAR = lazy_re(r"(?:19|20|13|14|25)\d\d|年|\d([/.-])\d\d?\1\d\d(?!\d)|[ก-ฮ]\.?\s?\d\d(?!\d)")
DIGIT = lazy_re(r"\d")
SLASHED = lazy_re(r"(?<![\d/])(\d\d?)/(\d\d?)/(?:19|20)\d\d(?!\d)")
AMERICAN = lazy_re(r"\d ?(?:[ap]\.?m\.?)? ?(?:[ECMP][SD]?T)\b", re.IGNORECASE)

# Languages in which the year comes first. Otherwise, the order is that of another language.
YEAR_FIRST = ("zh", "ja", "ko", "hu", "lt", "mn")

# Arabic, Persian, Indian, Thai and full-width digits. Marks of the direction of writing,
# which may stand between the numbers of a date, are removed.
DIGITS = str.maketrans(
    "۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩०१२३४५६७८९০১২৩৪৫৬৭৮৯૦૧૨૩૪૫૬૭૮૯੦੧੨੩੪੫੬੭੮੯௦௧௨௩௪௫௬௭௮௯"
    "౦౧౨౩౪౫౬౭౮౯೦೧೨೩೪೫೬೭೮೯൦൧൨൩൪൫൬൭൮൯๐๑๒๓๔๕๖๗๘๙０１２３４５６７８９",
    "0123456789" * 12,
) | dict.fromkeys((0x200E, 0x200F))

# Time zones as `datetime.fromisoformat` does not read them.
ZONE = lazy_re(r"(?<!\s)\s*+(?:UTC|GMT|Z)$|(?<!\s)\s++(?=[+-]\d\d:?(?:\d\d)?$)", re.IGNORECASE)
EPOCH = lazy_re(r"\d{10}(?:\d{3})?")
IN_URL = tuple(
    map(
        lazy_re,
        (
            r"[/_.-](?P<year>(?:19|20)\d\d)([/_-])(?P<month>\d\d?)\2(?P<day>\d\d?)(?=[/_.-]|$)",
            r"/(?P<year>(?:19|20)\d\d)/(?P<month>[a-z]{3})/(?P<day>\d\d?)(?=/|$)",
            r"/t?(?P<year>(?:19|20)\d\d)[/-]?(?P<month>\d\d)[/-]?(?P<day>\d\d)(?=[/_.-]|$)",
        ),
    )
)

PUBLISHED = lazy_re(alternatives("published"), re.IGNORECASE)
UPDATED = lazy_re(alternatives("updated"), re.IGNORECASE)
JOINED = lazy_re(alternatives("joined"), re.IGNORECASE)
# The author of a post joined the forum on another day.
LABEL = lazy_re(
    f"(?P<updated>{UPDATED.pattern})|(?P<joined>{JOINED.pattern})|{PUBLISHED.pattern}",
    re.IGNORECASE,
)

HOURS = {"minute": 1 / 60, "hour": 1.0, "day": 24.0, "week": 168.0}
"""Spans that are exact enough to give a day; months and years are not."""

UNIT = "|".join(f"(?P<{unit}>{words})" for unit, words in vocabulary()["patterns"]["units"].items())
COUNT = (
    r"(?P<count>(?<!\d)\d{1,3}|"
    r"(?<!\w)(?:an?|one|eine[rm]?|une?|un[ao]?|uma|één|en|ett)(?=\s))"
)
SPANS = (
    lazy_re(rf"{COUNT}\s?(?:{UNIT})\s?(?:{alternatives('ago')})", re.IGNORECASE),
    lazy_re(rf"(?<!\w)(?:{alternatives('since')})\s+{COUNT}\s?(?:{UNIT})(?!\w)", re.IGNORECASE),
)
# The earliest day first, since "vorgestern" contains "gestern".
LETTER = rf"(?![{SPACELESS}가-힣])[^\W\d_]"
NAMED = tuple(
    (int(days), lazy_re(rf"(?<!{LETTER})(?:{words})(?!{LETTER})", re.IGNORECASE))
    for days, words in sorted(vocabulary()["patterns"]["days ago"].items(), reverse=True)
)

# The time of day beside a day, with at most two short words between them: "hoy a las 10:20".
TIME_OF_DAY = r"(?:[01]?\d|2[0-4])\s?(?:[:.h時时点點시]\s?(?:[0-5]\d[분分]?|(?!\w))|Uhr|[ap]\.?m\b)"
TIME_AFTER = lazy_re(
    rf"[\s,،]*(?:[^\W\d]{{1,4}}\.?\s+){{0,2}}(?:[上下]午)?{TIME_OF_DAY}"
    r"(?::[0-5]\d)?(?:\s?(?:Uhr|[ap]\.?m\.?|[A-Z]{3,4})(?!\w))?",
    re.IGNORECASE,
)
TIME_BEFORE = lazy_re(rf"(?<!\S){TIME_OF_DAY}(?:\s?(?:Uhr|[ap]\.?m\.?))?[\s,،]*$", re.IGNORECASE)
WHOLE_LABEL = lazy_re(rf"(?:{LABEL.pattern})\w*", re.IGNORECASE)
APART = lazy_re(r"[|·•—–,،:;()/\[\]\n>]|\s-\s")
# What follows a date in its line, if it is not a sentence that begins with a day.
FOLLOWS = lazy_re(
    rf"\W*$|\s*(?:[|·•—–;()/\[\]\n>]|-\s|\d|(?:{alternatives('by')})\s)", re.IGNORECASE
)
MAX_BESIDE = 4
"""Maximum number of words beside a relative date that are no label, such as the author's name."""

# Stands for a date; no page contains it.
MARK = "\0"
AROUND_DATE = lazy_re(
    rf"(?:\bon\s+)?(?:\b(?:{'|'.join(sorted(WEEKDAYS))})\b[.,،]?\s*)?{MARK}"
    rf"(?:[\s,|-]{{0,3}}(?:at |um )?(?:[上下]午)?{TIME_OF_DAY}(?::[0-5]\d)?"
    r"(?: ?(?:h|Uhr|[ap]\.?m\.?))?(?: [A-Z]{3,4})?(?!\w))?",
    re.IGNORECASE,
)


def is_month_first(language: str) -> bool | None:
    """Whether 3/4/2021 is a day in March on a page in this language; None if that is uncertain.

    The language is a BCP 47 tag, or the empty string.

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

    The text has ISO 8601 in its usual forms, RFC 5322, seconds or milliseconds since 1970, or a
    date as it is written in one of some forty languages. Dates more than a day after the page was
    captured are rejected. For `month_first`, see `is_month_first`.

    >>> iso_date("2023-12-20T10:00:00.000+0100"), iso_date("Dec. 20th, 2023"), iso_date("soon")
    ('2023-12-20T10:00:00+01:00', '2023-12-20', None)
    """
    text = text.strip()[:80]
    date_ = _machine(text) or find_date(text, month_first=month_first)
    return date_ if date_ and _is_possible(date_, captured) else None


def find_date(text: str, *, month_first: bool | None = None) -> str | None:
    """Find the first date written in a text, as ``YYYY-MM-DD``.

    A date of three numbers is read only if its order is certain; see `is_month_first`.

    >>> find_date("Updated on 3 mars 2021, 10h"), find_date("03/04/2021"), find_date("23.4.2021")
    ('2021-03-03', None, '2021-04-23')
    >>> find_date("یکشنبه ۱۶ مهر ۱۴۰۲"), find_date("令和5年12月20日"), find_date("8 ก.พ. 2559")
    ('2023-10-08', '2023-12-20', '2016-02-08')
    """
    text = _plain_digits(text[:200])
    if not HAS_YEAR.search(text):
        return None
    return min(_dates_by_place(text, month_first), key=itemgetter(0), default=(0, None))[1]


def _dates_by_place(text: str, month_first: bool | None) -> Iterator[tuple[int, str]]:
    """Position and day of the first date of each form."""
    for form in PLAIN if text.isascii() else FORMS:
        for match in form.finditer(text):
            swapped = _is_swapped(match, month_first) if form in NUMERIC else False
            day = None if swapped is None else _day_of(match, swapped)
            if day:
                yield match.start(), day
                break


def _is_swapped(match: re.Match[str], month_first: bool | None) -> bool | None:
    """Whether the first number of a date is the month; None if that is uncertain."""
    first, second = int(match["day"]), int(match["month"])
    if second > 12:
        return True
    # With a short year, the first number may be the year.
    if month_first is None and len(match["year"]) == 2:
        return None
    if first > 12 or first == second:
        return False
    return None if month_first is None and match[2] == "/" else bool(month_first)


def _day_of(match: re.Match[str], swapped: bool = False) -> str | None:
    """The day that a form gives, in any calendar."""
    day, month = _number(match["day"]), _month(match)
    if swapped:
        day, month = month, day
    year, written = _number(match["year"]), match["year"]
    era = match.groupdict().get("era")
    if era:
        year += ERAS[era]
    elif len(written) == 2:
        year += 2500 if match["month"] in MARKED_MONTHS else 2000 if year < CENTURY else 1900
    if 1300 <= year < 1500:
        jalali = jalali_date(year, month, day)
        return jalali and jalali.isoformat()
    return _day(year - BUDDHIST if year >= 2500 else year, month, day)


def _number(text: str) -> int:
    """A number in digits or in Chinese numerals: 三, 十二, 二十, 二〇二三; 元 is the first year."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.replace("零", "〇").replace("元", "一").rpartition("十")
    units = int("".join(str(NUMERALS.index(each)) for each in ones) or 0)
    return units + (10 * NUMERALS.index(tens or "一") if ten else 0)


def _month(match: re.Match[str]) -> int:
    """The number of a month from its number, its name or the start of it; 0 for other words."""
    name = match["month"].lower().replace(" ", "_")
    # In Polish, this is November: it writes no point after the day. In Czech, it is "listopadu".
    if name == "listopada" and f"{match['day']}. " in match[0]:
        return 10
    if name[0] in NUMERALS + "十" or name.isdecimal():
        return _number(name)
    persian = name.replace("ي", "ی")
    if persian in JALALI_MONTHS:
        return JALALI_MONTHS.index(persian) + 1
    starts = (MONTHS[name[:k]] for k in range(LONGEST, 2, -1) if name[:k] in MONTHS)
    return MARKED_MONTHS.get(name) or MONTHS.get(name) or next(starts, 0)


def _plain_digits(text: str) -> str:
    """Replace digits of other scripts by ASCII digits, and remove marks of direction."""
    return text if text.isascii() else text.translate(DIGITS)


def divided_at_dates(text: str) -> list[str]:
    """The texts before, between and after the dates and spans of time that a text names.

    >>> divided_at_dates("Publié le 3 mars 2021 par Jane Doe"), divided_at_dates("Jane Doe 2h ago")
    (['Publié le ', ' par Jane Doe'], ['Jane Doe ', ''])
    >>> divided_at_dates("Jane Doe on Friday, 3 May 2021, 10:15 am")
    ['Jane Doe ', '']
    """
    text = _plain_digits(text)
    for form in SPANS:
        text = form.sub(MARK, text)
    if HAS_YEAR.search(text):
        for form in PLAIN if text.isascii() else FORMS:
            text = form.sub(MARK, text)
    return AROUND_DATE.split(text) if MARK in text else [text]


def url_date(url: str) -> str | None:
    """Find a complete date in the path of an address.

    >>> url_date("https://example.org/2023/12/20/story.html")
    '2023-12-20'
    """
    match = next(filter(None, (form.search(url[:2000]) for form in IN_URL)), None)
    return _day_of(match) if match else None


def _machine(text: str) -> str | None:
    if EPOCH.fullmatch(text) and text.isascii():
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(text[:10]))
        return moment.isoformat()
    try:
        if text[:4].isdecimal():
            zoned = ZONE.sub(lambda zone: "Z" if zone[0].strip() else "", text)
            moment = datetime.fromisoformat(" ".join(zoned.split()))
        elif re.match(r"[A-Za-z]{3},? ", text):
            from email.utils import parsedate_to_datetime

            moment = parsedate_to_datetime(text)
        else:
            return None
    except (ValueError, IndexError, OverflowError):
        return None
    # Years of other calendars are read by the forms.
    moment = moment.replace(microsecond=0)
    if moment.year < 1900:
        return None
    return moment.isoformat()[: DAY_CHARS if len(text) <= DAY_CHARS else None]


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _is_possible(text: str, captured: str) -> bool:
    day = date.fromisoformat(text[:10])
    if day < EARLIEST:
        return False
    try:
        return day <= date.fromisoformat(captured[:10]) + timedelta(days=1)
    except (ValueError, OverflowError):
        return True


# Ordinal of the day before 1 Farvardin of the year 0 by the arithmetic below, the years in which it
# agrees with the astronomical calendar of Iran, and those of 366 days in a cycle of 33.
BEFORE_YEAR_0 = 226_529
YEARS = range(1206, 1498)
CYCLE_YEARS, CYCLE_LEAPS = 33, (1, 5, 9, 13, 17, 22, 26, 30)


def jalali_date(year: int, month: int, day: int) -> date | None:
    """The Gregorian date of a day in the Jalali calendar; None for a day that does not exist.

    >>> jalali_date(1403, 1, 1), jalali_date(1399, 12, 30), jalali_date(1400, 12, 30)
    (datetime.date(2024, 3, 20), datetime.date(2021, 3, 20), None)
    """
    cycles, rest = divmod(year, CYCLE_YEARS)
    length = 31 if month <= 6 else 30 if month <= 11 or rest in CYCLE_LEAPS else 29
    if year not in YEARS or not 1 <= month <= 12 or not 1 <= day <= length:
        return None
    leaps = cycles * len(CYCLE_LEAPS) + sum(leap < rest for leap in CYCLE_LEAPS)
    before = 31 * (month - 1) - max(month - 7, 0)
    return date.fromordinal(BEFORE_YEAR_0 + 365 * year + leaps + before + day)


def labelled_days(line: str, month_first: bool | None = None) -> list[tuple[str, str]]:
    """Days that a dateline or a byline names, each with its field: ``date`` or ``modified``.

    >>> labelled_days("Posted 3 May 2021, 10:00 | Last updated: 4 May 2021")
    [('date', '2021-05-03'), ('modified', '2021-05-04')]
    >>> labelled_days("2019年12月17日更新"), labelled_days("Jane Doe")
    ([('modified', '2019-12-17')], [])
    >>> labelled_days("Joined: Mon Jul 24, 2017 9:28 am")
    []
    """
    # Most lines have no date, and labels take longer to find than years.
    if not (DIGIT.search(line) and HAS_YEAR.search(_plain_digits(line))):
        return []
    labels = list(LABEL.finditer(line))
    places = [0, *[label.start() for label in labels], len(line)]
    fields = ["date", *map(_field, labels)]
    days: list[tuple[str, str]] = []
    for field, (start, stop) in zip(fields, pairwise(places), strict=True):
        part = line[start:stop]
        day = find_date(part, month_first=month_first)
        if day and field:
            days.append((field, day))
        elif field and start and len(labels) == 1 and not DIGIT.search(part):
            # The only label follows the date.
            days = [(field, day) for _, day in days]
    # A date before the one after "Published" is another, such as that of the receipt of a paper.
    is_labelled = any(field == "date" for field, _ in days[1:])
    return days[1:] if is_labelled and find_date(line[: places[1]]) else days


def _field(label: re.Match[str]) -> str | None:
    """The field of the date after a label; None if it is not about the page."""
    return "modified" if label["updated"] else None if label["joined"] else "date"


def names_a_change(label: str) -> bool:
    """Whether a text is a label for the date of a change, without a date: "Last updated:"."""
    return UPDATED.search(label) is not None and not DIGIT.search(label)


def relative_date(text: str, captured: str) -> str | None:
    """Day that a line gives relative to the time of capture, as ``YYYY-MM-DD``; None for none.

    Texts longer than datelines and bylines are ignored. `captured` is in ISO 8601, or empty if the
    time is unknown.

    >>> relative_date("Published 3 hours ago", "2024-05-02T01:30:00+00:00")
    '2024-05-01'
    >>> relative_date("昨天 10:30", "2024-05-02T12:00:00+00:00"), relative_date("2 years ago", "")
    ('2024-05-01', None)
    """
    text = _plain_digits(text)
    if len(text) > MAX_RELATIVE:
        return None
    try:
        time = datetime.fromisoformat(captured)
    except ValueError:
        return None
    hours = _hours_ago(text)
    return None if hours is None else (time - timedelta(hours=hours)).date().isoformat()


def _hours_ago(text: str) -> float | None:
    for form in SPANS:
        match = form.search(text)
        if match and _is_dateline(text, match, is_span=True):
            unit = next(name for name in HOURS if match[name])
            count = int(match["count"]) if match["count"].isdecimal() else 1
            return count * HOURS[unit]
    for days, words in NAMED:
        match = words.search(text)
        if match and _is_dateline(text, match, is_span=False):
            return 24.0 * days
    return None


def _is_dateline(text: str, match: re.Match[str], *, is_span: bool) -> bool:
    """Whether a relative date is the date of a line, and no word of a sentence.

    A sentence may begin with a day ("Hier darf man …"), or name one. A dateline has only the day,
    after a label or a name and before a separator, or a time of day beside it.
    """
    before, after = text[: match.start()], text[match.end() :]
    time = TIME_AFTER.match(after)
    after = after[time.end() :] if time else after
    part = TIME_BEFORE.sub("", before)
    has_time = time is not None or part != before
    part = APART.split(part.rstrip(" ,،:-"))[-1] if APART.search(part) else part
    if APART.match(before.rstrip()[-1:]):
        part = ""
    others, labels = WHOLE_LABEL.subn(" ", part)
    others = others.split()
    if is_span or has_time:
        is_named = sum(word[:1].islower() for word in others) <= 1 and len(others) <= MAX_BESIDE
    else:
        is_named = not others
    is_labelled = labels > 0 and len(after.split()) <= MAX_BESIDE
    return is_named and (FOLLOWS.match(after) is not None or is_labelled)
