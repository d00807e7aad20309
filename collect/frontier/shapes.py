"""`Shape`: features of an address that distinguish pages of endless series from articles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, unquote_plus, urlsplit

__all__ = ["Shape", "shape_of"]

DIGITS = re.compile(r"\d+")
CALENDAR = re.compile(
    r"cal(?:endar|endario|endrier)?|kal[ea]nd[ae]r(?:z|i|iet)?|agenda|day|week|month|timetable"
)
# A year and a month, optionally with a day, as segments of a path.
IN_PATH = re.compile(r"/(?P<year>[12]\d{3})[/-](?P<month>0?[1-9]|1[0-2])(?:[/-][0-3]?\d)?(?=/|$)")
COMPACT = re.compile(r"(?P<year>(?:19|20|21)\d\d)(?P<month>0[1-9]|1[0-2])(?:[0-3]\d)?")
PARTED = re.compile(r"(?P<year>[12]\d{3})[-/.](?P<month>0?[1-9]|1[0-2])(?:[-/.][0-3]?\d.*)?")
YEARS = frozenset("year yr jahr annee anno ano rok y".split())
DATES = re.compile(
    r".*(?:date|month|day|cal(?:endar)?|time|datum|fecha)|m|mo|d|dt|ym|week|from|to|start|end"
)
PAGES = re.compile(
    r"(?:^|[/?&_.-])(?:page|paged|pg|pageno|page_no|seite|pagina|strona|sida|sivu|offset|start|from"
    r"|skip|currentpage)[=/_.-]?0(?=[/&_.-]|$)"
)
# Parameters that select another view of the same content, or lead to a form that leads back.
VIEWS = re.compile(
    r"(?:sort|order|filter|facet|refine|min|max|price|q|query|search|keywords?|s|per_?page"
    r"|page_?size|limit|dir|direction|colou?r|size|brand|display_?mode|view_?mode|replytocom|share"
    r"|print|printable|printview|oldid|diff|rev|redlink|veaction|return|return_?(?:to|url)"
    r"|redirect(?:_?(?:to|uri|url))?|next|continue|destination|referr?er|back_?url|tab|highlight"
    r"|add[-_]to[-_](?:cart|wishlist))(?:[_-]?(?:by|dir|order|price|direction))?(?:\[.*)?"
)
ACTS = re.compile(
    r"(?:action|do|mode|task|view)=(?:edit|history|raw|info|log(?:in|out)|register|reply|quote"
    r"|print|diff|revisions|backlink|export\w*|media|recent|submit|purge|delete|share|e?mail|cart)",
    re.IGNORECASE,
)
# A session identifier in a path, as servers write it for browsers without cookies.
SESSION = re.compile(r"\([a-z]\([a-z0-9]{8,}\)\)|(?:sid|sess|session|phpsessid)[=:-]\w+", re.I)
TOKEN = re.compile(r"(?=.*\d)(?=.*[a-z])[0-9a-z]{16,}|(?=.*\d)[0-9a-f-]{32,36}", re.IGNORECASE)

Kind = Literal["calendar", "paging", "numbers", ""]


@dataclass(frozen=True)
class Shape:
    """The parts of an address.

    Attributes
    ----------
    place
        Host and path.
    folder
        Host and path of the parent folder, with a trailing slash.
    tail
        Host and last segment of the path.
    segments
        Segments of the path without empty ones.
    parameters
        Sorted (name, value) pairs of the query.
    alike
        Host, path and query with 0 in place of every number.
    kind
        What the numbers in the address mean: ``"calendar"`` for a calendar's page, ``"paging"`` for
        a page of a list, ``"numbers"`` for anything else; empty if there are no numbers.
    date
        Year and month in the address; the month is 0 if there is only a year.
    token
        Host and path with ``~`` in place of tokens before the last segment; empty without tokens.
    views
        Whether a parameter selects another view of the same content.
    """

    place: str
    folder: str
    tail: str
    segments: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]
    alike: str
    kind: Kind
    date: tuple[int, int] | None
    token: str
    views: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct parameter names, sorted.

        Numbers are replaced by 0, because SPIP writes an article's number as part of a name
        (``?article12``).
        """
        return tuple(dict.fromkeys(DIGITS.sub("0", name) for name, _ in self.parameters))


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
