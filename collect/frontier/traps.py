"""Detection of crawler traps: parts of a site with an unlimited number of pages.

A calendar has a page for every day of every year, a shop has one for every combination of filters,
and a broken relative link makes paths that grow. Each kind of trap has its own limit, so that a
site's articles are not mistaken for a trap, whatever their addresses look like.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from urllib.parse import unquote, urlsplit

from .shapes import Shape, shape_of

__all__ = ["TrapLimits", "Traps"]

# Numbers beyond this are not years.
LAST_YEAR = 2199


@dataclass(frozen=True)
class TrapLimits:
    """Limits beyond which a part of a site counts as a trap.

    Attributes
    ----------
    max_chars
        Characters of the decoded path and query.
    max_depth
        Segments of a path.
    max_repeats
        Occurrences of a segment in a path.
    max_parameters
        Parameters of a query.
    days_ahead, years_back
        How far a date in an address may lie in the future, and how far the date of a calendar's
        page may lie in the past.
    max_dated
        Pages of a calendar whose addresses differ only in their numbers.
    max_paged
        Pages of a list whose addresses differ only in their numbers.
    max_numbered
        Any other pages whose addresses differ only in their numbers, such as numbered articles.
    max_views
        Addresses in a folder that sort, filter, search, print, edit or share its content.
    max_mixed
        Addresses of a path that only recombine parameters of earlier addresses.
    max_names
        Distinct sets of parameter names of a path.
    max_queries
        Addresses of a path that differ in their query.
    max_tokens
        Addresses that differ only in a token before the last segment of the path.
    max_grown
        Addresses that append the same segment to another page's path, as a relative link does
        that occurs on every page of a site.
    """

    max_chars: int = 512
    max_depth: int = 12
    max_repeats: int = 2
    max_parameters: int = 8
    days_ahead: int = 366
    years_back: int = 30
    max_dated: int = 12
    max_paged: int = 50
    max_numbered: int = 1000
    max_views: int = 3
    max_mixed: int = 20
    max_names: int = 12
    max_queries: int = 1000
    max_tokens: int = 5
    max_grown: int = 5


@dataclass
class Traps:
    """Admits addresses until a part of the site exceeds a limit.

    The counts depend only on the admitted addresses and their order, so a resumed crawl restores
    them by calling `note` again. Two objects with the same counts are equal.

    Attributes
    ----------
    today
        Day to which dates in addresses are compared.
    limits
        Limits beyond which a part of a site counts as a trap.
    """

    today: date
    limits: TrapLimits = field(default_factory=TrapLimits)
    _counts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _seen: set[tuple[str, ...]] = field(default_factory=set)

    def admits(self, url: str) -> str | None:
        """Count an address and return None; or return why it is refused, and count nothing.

        Parameters
        ----------
        url
            An address in normal form that was not admitted before.

        Returns
        -------
        None, or the kind of trap, a colon and an explanation. Kinds are ``long``, ``deep``,
        ``repeated``, ``parameters``, ``date``, ``calendar``, ``paging``, ``numbers``, ``views``,
        ``mixed``, ``names``, ``queries``, ``token`` and ``grown``.
        """
        shape = shape_of(url)
        reason = self._judge_address(url, shape) or self._far(shape) or self._count(shape)
        if reason is None:
            self._note(shape)
        return reason

    def note(self, url: str) -> None:
        """Count an address that was admitted before, even if it would now be refused."""
        self._note(shape_of(url))

    def _judge_address(self, url: str, shape: Shape) -> str | None:
        """Reason to refuse an address regardless of other addresses."""
        limits, parts = self.limits, urlsplit(url)
        if len(unquote(f"{parts.path}?{parts.query}", errors="replace")) > limits.max_chars:
            return f"long: more than {limits.max_chars} characters"
        if len(shape.segments) > limits.max_depth:
            return f"deep: more than {limits.max_depth} path segments"
        if len(shape.parameters) > limits.max_parameters:
            return f"parameters: more than {limits.max_parameters} parameters"
        often = max(Counter(shape.segments).values(), default=0)
        if often > limits.max_repeats or _cycles(shape.segments):
            return "repeated: the path repeats its segments"
        return None

    def _far(self, shape: Shape) -> str | None:
        """Reason to refuse an address whose date is too far from today."""
        if shape.date is None or shape.date[0] > LAST_YEAR:
            return None
        year, month = shape.date
        latest = self.today + timedelta(days=self.limits.days_ahead)
        if (year, month or 1) > (latest.year, latest.month):
            return "date: too far in the future"
        if shape.kind == "calendar" and year < self.today.year - self.limits.years_back:
            return "date: too far in the past"
        return None

    def _count(self, shape: Shape) -> str | None:
        """Reason to refuse an address because of the counts of earlier ones."""
        for kind, key in self._keys(shape):
            limit = self._limit(kind)
            if self._counts[(kind, *key)] >= limit:
                return f"{kind}: {limit} addresses like {' '.join(key)} were already admitted"
        names = ("set of names", shape.place, *shape.names)
        many = self._counts["names", shape.place] >= self.limits.max_names
        if shape.names and many and names not in self._seen:
            limit = self.limits.max_names
            return f"names: {limit} sets of parameters of {shape.place} were already admitted"
        return None

    def _note(self, shape: Shape) -> None:
        self._counts.update((kind, *key) for kind, key in self._keys(shape))
        names = ("set of names", shape.place, *shape.names)
        if shape.names and names not in self._seen:
            self._counts["names", shape.place] += 1
            self._seen.add(names)
        self._seen.update(("parameter", shape.place, *pair) for pair in shape.parameters)
        self._seen.add(("page", shape.place.rstrip("/")))

    def _keys(self, shape: Shape) -> list[tuple[str, tuple[str, ...]]]:
        """Kind and key of each count to which an address contributes."""
        keys = []
        if shape.kind:
            keys.append((shape.kind, (shape.alike,)))
        if shape.views:
            keys.append(("views", (shape.folder,)))
        if shape.token:
            keys.append(("token", (shape.token,)))
        if len(shape.segments) > 1 and ("page", shape.folder.rstrip("/")) in self._seen:
            keys.append(("grown", (shape.tail,)))
        if shape.parameters:
            keys.append(("queries", (shape.place,)))
            pairs = [("parameter", shape.place, *pair) for pair in shape.parameters]
            if len(pairs) > 1 and self._seen.issuperset(pairs):
                keys.append(("mixed", (shape.place,)))
        return keys

    def _limit(self, kind: str) -> int:
        limits = self.limits
        return {
            "calendar": limits.max_dated,
            "paging": limits.max_paged,
            "numbers": limits.max_numbered,
            "views": limits.max_views,
            "token": limits.max_tokens,
            "grown": limits.max_grown,
            "queries": limits.max_queries,
            "mixed": limits.max_mixed,
        }[kind]


def _cycles(segments: tuple[str, ...]) -> bool:
    """Whether a sequence of two or more segments is repeated immediately: ``/a/b/a/b``."""
    for size in range(2, len(segments) // 2 + 1):
        for at in range(len(segments) - 2 * size + 1):
            if segments[at : at + size] == segments[at + size : at + 2 * size]:
                return True
    return False
