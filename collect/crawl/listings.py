"""Pages that a site lists by itself: its sitemaps and feeds, read while the crawl goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..batch.pages import host_of
from ..frontier.order import spread
from ..frontier.scope import Scope
from ..frontier.sitemaps import sitemap_entries

if TYPE_CHECKING:
    from ..batch.messages import Fetched

__all__ = ["Listings"]

# Files that are read, and pages that are taken from them: a crawl needs some, not all.
MAX_FILES = 20
MAX_PAGES = 2000

Fetch = Callable[[str, Callable[["Fetched"], None]], None]


class Listings:
    """Reads listings one after the other and hands over what all of them name.

    Parameters
    ----------
    fetch
        Gets a file; calls back with what came.
    scope
        Of the crawl.
    found
        Called once with the pages, in the order to visit them in.
    """

    def __init__(self, fetch: Fetch, scope: Scope, found: Callable[[Iterable[str]], None]) -> None:
        self._fetch = fetch
        self._scope = scope
        self._found = found
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        self._entries: list[tuple[str, str | None]] = []

    def begin(self, sitemaps: Iterable[str], feeds: Iterable[str]) -> None:
        """Read these; where robots.txt names no sitemap, the one at the usual place."""
        usual = host_of(self._scope.start) + "/sitemap.xml"
        # Feeds tell what is new.
        self._waiting = [*feeds, *(list(sitemaps) or [usual])]
        self._next()

    def _next(self) -> None:
        while self._waiting and len(self._asked) < MAX_FILES:
            url = self._waiting.pop(0)
            if url not in self._asked:
                self._asked.add(url)
                self._fetch(url, lambda found, url=url: self._read(url, found))
                return
        self._found(spread(self._entries, MAX_PAGES))

    def _read(self, url: str, found: Fetched) -> None:
        if 200 <= found.status < 300:
            entries = sitemap_entries(found.body, url, self._scope)
            self._entries += entries.pages
            self._waiting += entries.sitemaps
        self._next()
