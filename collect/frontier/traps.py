"""Detection of crawler traps: parts of a site with an unlimited number of pages.

Each kind of trap, such as calendars, filters and paths that grow, has its own limit, so that a
site's articles are not mistaken for one, whatever their addresses look like.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal
from urllib.parse import unquote, unquote_plus, urlsplit

from ...patterns import lazy_re

LAST_YEAR = 2199  # numbers beyond this are not years

DIGITS = lazy_re(r"\d+")
CALENDAR = lazy_re(
    r"cal(?:endar|endario|endrier)?|kal[ea]nd[ae]r(?:z|i|iet)?|agenda|day|week|month|timetable"
)

# A year and a month, optionally with a day, as segments of a path.
IN_PATH = lazy_re(r"/(?P<year>[12]\d{3})[/-](?P<month>0?[1-9]|1[0-2])(?:[/-][0-3]?\d)?(?=/|$)")
COMPACT = lazy_re(r"(?P<year>(?:19|20|21)\d\d)(?P<month>0[1-9]|1[0-2])(?:[0-3]\d)?")
PARTED = lazy_re(r"(?P<year>[12]\d{3})[-/.](?P<month>0?[1-9]|1[0-2])(?:[-/.][0-3]?\d.*)?")
YEARS = frozenset("year yr jahr annee anno ano rok y".split())
DATES = lazy_re(
    r".*(?:date|month|day|cal(?:endar)?|time|datum|fecha)|m|mo|d|dt|ym|week|from|to|start|end"
)
PAGES = lazy_re(
    r"(?:^|[/?&_.-])(?:page|paged|pg|pageno|page_no|seite|pagina|strona|sida|sivu|offset|start|from"
    r"|skip|currentpage)[=/_.-]?0(?=[/&_.-]|$)"
)

# Parameters that select another view of the same content, or lead to a form that leads back.
VIEWS = lazy_re(
    r"(?:sort|order|filter|facet|refine|min|max|price|q|query|search|keywords?|s|per_?page"
    r"|page_?size|limit|dir|direction|colou?r|size|brand|display_?mode|view_?mode|replytocom|share"
    r"|print|printable|printview|oldid|diff|rev|redlink|veaction|return|return_?(?:to|url)"
    r"|redirect(?:_?(?:to|uri|url))?|next|continue|destination|referr?er|back_?url|tab|highlight"
    r"|add[-_]to[-_](?:cart|wishlist))(?:[_-]?(?:by|dir|order|price|direction))?(?:\[.*)?"
)
ACTS = lazy_re(
    r"(?:action|do|mode|task|view)=(?:edit|history|raw|info|log(?:in|out)|register|reply|quote"
    r"|print|diff|revisions|backlink|export\w*|media|recent|submit|purge|delete|share|e?mail|cart)",
    re.IGNORECASE,
)

# A session identifier in a path, as servers write it for browsers without cookies.
SESSION = lazy_re(r"\([a-z]\([a-z0-9]{8,}\)\)|(?:sid|sess|session|phpsessid)[=:-]\w+", re.I)
TOKEN = lazy_re(r"(?=.*\d)(?=.*[a-z])[0-9a-z]{16,}|(?=.*\d)[0-9a-f-]{32,36}", re.IGNORECASE)

Kind = Literal["calendar", "paging", "numbers", ""]


LIMITS: Mapping[str, int] = {
    "long": 512,  # characters of the decoded path and query
    "deep": 12,  # segments of a path
    "repeated": 2,  # times that a path has a segment
    "parameters": 8,  # of a query
    "ahead": 366,  # days from today of a date in an address
    "back": 30,  # years from today of the date of a calendar's page
    # Addresses that differ only in their numbers: of a calendar, of a list, and of anything else,
    # such as numbered articles.
    "calendar": 12,
    "paging": 50,
    "numbers": 1000,
    "views": 3,  # addresses in a folder that sort, filter, search, print, edit or share
    "mixed": 20,  # addresses of a path that only recombine parameters of earlier ones
    "names": 12,  # distinct sets of parameter names of a path
    "queries": 1000,  # addresses of a path that differ in their query
    "token": 5,  # addresses that differ only in a token before the last segment
    # Addresses that append the same segment to another page's path, as a relative link does that
    # occurs on every page of a site.
    "grown": 5,
}
"""Limits beyond which a part of a site counts as a trap, so that its addresses are refused."""


@dataclass
class Traps:
    """Admits addresses until a part of the site exceeds a limit.

    The counts depend only on the admitted addresses and their order, so a resumed crawl restores
    them by calling `note` again. Two objects with the same counts are equal. Dates in addresses are
    compared to `today`.
    """

    today: date
    limits: Mapping[str, int] = field(default_factory=lambda: LIMITS)
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _seen: set[tuple[str, ...]] = field(default_factory=set)

    def admits(self, url: str) -> str | None:
        """Count an address in normal form that was not admitted before, and return None.

        Otherwise nothing is counted, and the kind of trap, a colon and an explanation are returned.
        Kinds are ``long``, ``deep``, ``repeated``, ``parameters``, ``date``, ``calendar``,
        ``paging``, ``numbers``, ``views``, ``mixed``, ``names``, ``queries``, ``token`` and
        ``grown``.
        """
        shape = shape_of(url)
        full = (
            f"{kind}: {self.limits[kind]} addresses like {key} were already admitted"
            for kind, key in self._keys(shape)
            if self._counts[kind, key] >= self.limits[kind]
        )
        reason = self._judge_address(url, shape) or self._far(shape) or next(full, None)
        if reason is None:
            self._note(shape)
        return reason

    def note(self, url: str) -> None:
        """Count an address that was admitted before, even if it would now be refused."""
        self._note(shape_of(url))

    def _judge_address(self, url: str, shape: Shape) -> str | None:
        """Reason to refuse an address regardless of other addresses."""
        parts = urlsplit(url)
        often = max(Counter(shape.segments).values(), default=0)
        for kind, size, unit in (
            ("long", len(unquote(f"{parts.path}?{parts.query}", errors="replace")), "characters"),
            ("deep", len(shape.segments), "path segments"),
            ("parameters", len(shape.parameters), "parameters"),
            ("repeated", often, "equal path segments"),
        ):
            if size > self.limits[kind]:
                return f"{kind}: more than {self.limits[kind]} {unit}"
        return "repeated: the path repeats its segments" if _cycles(shape.segments) else None

    def _far(self, shape: Shape) -> str | None:
        """Reason to refuse an address whose date is too far from today."""
        if shape.date is None or shape.date[0] > LAST_YEAR:
            return None
        year, month = shape.date
        latest = self.today + timedelta(days=self.limits["ahead"])
        if (year, month or 1) > (latest.year, latest.month):
            return "date: too far in the future"
        if shape.kind == "calendar" and year < self.today.year - self.limits["back"]:
            return "date: too far in the past"
        return None

    def _note(self, shape: Shape) -> None:
        self._counts.update(self._keys(shape))
        self._seen |= {("page", shape.place.rstrip("/")), *_pairs(shape), _names(shape)}

    def _keys(self, shape: Shape) -> list[tuple[str, str]]:
        """Kind and key of each count to which an address contributes."""
        is_below_page = ("page", shape.folder.rstrip("/")) in self._seen
        is_mixed = len(shape.parameters) > 1 and self._seen.issuperset(_pairs(shape))
        counts = (
            (shape.kind, shape.alike, bool(shape.kind)),
            ("views", shape.folder, shape.views),
            ("token", shape.token, bool(shape.token)),
            ("grown", shape.tail, len(shape.segments) > 1 and is_below_page),
            ("queries", shape.place, bool(shape.parameters)),
            ("mixed", shape.place, is_mixed),
            ("names", shape.place, bool(shape.parameters) and _names(shape) not in self._seen),
        )
        return [(kind, key) for kind, key, is_counted in counts if is_counted]


def _pairs(shape: Shape) -> list[tuple[str, ...]]:
    return [("parameter", shape.place, *pair) for pair in shape.parameters]


def _names(shape: Shape) -> tuple[str, ...]:
    """A key of the parameter names, without numbers: SPIP writes those of articles in names."""
    names = dict.fromkeys(DIGITS.sub("0", name) for name, _ in shape.parameters)
    return ("names", shape.place, *names)


def _cycles(segments: tuple[str, ...]) -> bool:
    """Whether a sequence of two or more segments is repeated immediately: ``/a/b/a/b``."""
    for size in range(2, len(segments) // 2 + 1):
        for at in range(len(segments) - 2 * size + 1):
            if segments[at : at + size] == segments[at + size : at + 2 * size]:
                return True
    return False


@dataclass(frozen=True)
class Shape:
    """The parts of an address."""

    place: str  # host and path
    folder: str  # host and path of the parent folder
    tail: str  # host and last segment of the path
    segments: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]  # sorted (name, value) pairs of the query
    alike: str  # host, path and query with 0 in place of every number
    # What the numbers mean: ``"calendar"`` for a calendar's page, ``"paging"`` for a page of a
    # list, ``"numbers"`` for anything else; empty if there are none.
    kind: Kind
    date: tuple[int, int] | None  # year and month; the month is 0 if there is only a year
    token: str  # host and path with ``~`` for tokens before the last segment; empty without any
    views: bool  # whether a parameter selects another view of the same content


def shape_of(url: str) -> Shape:
    """Split an address in normal form into its parts.

    >>> shape = shape_of("https://example.org/calendar/2031/05/?view=list")
    >>> shape.kind, shape.date, shape.alike
    ('calendar', (2031, 5), 'example.org/calendar/0/0/?view=list')
    >>> shape_of("https://example.org/2031/05/the-storm").kind
    'numbers'
    """
    parts = urlsplit(url)
    # Escapes are decoded first, because their digits are not numbers.
    path, query = (unquote(part, errors="replace").lower() for part in (parts.path, parts.query))
    segments = tuple(part for part in path.split("/") if part)
    pairs = (part.partition("=") for part in parts.query.split("&") if part)
    parameters = tuple(sorted((unquote_plus(n).lower(), unquote_plus(v)) for n, _, v in pairs))
    # A fragment that a script reads as an address (`#!/two`) denotes a separate page.
    script = f"#{parts.fragment}" if parts.fragment else ""
    alike = DIGITS.sub("0", f"{path}?{query}{script}" if query else path + script)
    when, has_date = _date(path, segments, parameters)
    return Shape(
        place=f"{parts.netloc}{path}{script}",
        folder=parts.netloc + path.rstrip("/").rpartition("/")[0] + "/",
        tail=f"{parts.netloc}/~/{segments[-1] if segments else ''}",
        segments=segments,
        parameters=parameters,
        alike=parts.netloc + alike,
        kind=_kind(alike, has_date),
        date=when,
        token=_token(parts.netloc, segments),
        views=any(VIEWS.fullmatch(n) or ACTS.fullmatch(f"{n}={v}") for n, v in parameters),
    )


def _kind(alike: str, has_date: bool) -> Kind:
    if "0" not in alike:
        return ""
    return "calendar" if has_date else "paging" if PAGES.search(alike) else "numbers"


def _date(
    path: str, segments: tuple[str, ...], parameters: tuple[tuple[str, str], ...]
) -> tuple[tuple[int, int] | None, bool]:
    """Year and month in an address, and whether it names a calendar's page."""
    for name, value in parameters:
        of_date = DATES.fullmatch(name) is not None
        if match := PARTED.fullmatch(value) or (of_date and COMPACT.fullmatch(value)):
            return _year_month(match), True
        if name in YEARS and value.isdecimal() and len(value) == 4:
            return (int(value), 0), True
        if of_date and value.isdecimal() and len(value) > 8:
            return None, True  # seconds since 1970
    is_calendar = any(map(CALENDAR.fullmatch, segments))
    if match := IN_PATH.search(path):
        return _year_month(match), is_calendar or match.end() >= len(path.rstrip("/"))
    compact = next(filter(None, map(COMPACT.fullmatch, segments)), None) if is_calendar else None
    return (_year_month(compact) if compact else None), is_calendar


def _year_month(match: re.Match[str]) -> tuple[int, int]:
    return int(match["year"]), int(match["month"])


def _token(host: str, segments: tuple[str, ...]) -> str:
    """Host and path with tokens replaced, except in the last segment, which may be an article."""
    marked = [
        "~" if SESSION.fullmatch(part) or TOKEN.fullmatch(part) else part for part in segments[:-1]
    ]
    return "/".join([host, *marked, segments[-1]]) if "~" in marked else ""
