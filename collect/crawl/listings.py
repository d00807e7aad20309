"""Pages that a site lists in its sitemaps and feeds, read while the crawl is running.

A crawl visits pages breadth first, in the order of discovery. Sitemaps and feeds list thousands of
pages at once. `spread` orders them so that any prefix is a representative sample: addresses that
look like articles come first, they alternate between the folders of the site, and the latest page
of each folder comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ...features.page_address import ADDRESS_FEATURES, address_features
from ..frontier.scope import Scope
from ..frontier.shapes import shape_of
from ..frontier.sitemaps import MAX_ENTRIES, sitemap_entries

if TYPE_CHECKING:
    from ..batch.messages import FetchResult

__all__ = ["Listings", "looks_like_article", "spread"]

# Maximum number of files read; a crawl does not need them all.
MAX_FILES = 20

Fetch = Callable[[str, Callable[["FetchResult"], None]], None]
Queue = Callable[[Iterable[str], int], None]


class Listings:
    """Reads listings one after the other and queues the pages that they list.

    Parameters
    ----------
    fetch
        Fetches a file and calls back with the result.
    scope
        Scope of the crawl.
    max_pages
        Maximum number of pages that are queued.
    queue
        Called once with the pages, in the order in which to visit them, and with the number of
        listed pages beyond `max_pages`.
    """

    def __init__(self, fetch: Fetch, scope: Scope, max_pages: int, queue: Queue) -> None:
        self._fetch = fetch
        self._scope = scope
        self._max_pages = max_pages
        self._queue = queue
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        self._entries: list[tuple[str, str | None]] = []

    def begin(self, files: Iterable[str]) -> None:
        """Read the given files and the sitemaps that they name."""
        self._waiting = list(files)
        self._next()

    def _next(self) -> None:
        while self._waiting and len(self._asked) < MAX_FILES:
            url = self._waiting.pop(0)
            if url not in self._asked:
                self._asked.add(url)
                self._fetch(url, lambda response, url=url: self._read(url, response))
                return
        pages = spread(self._entries, self._max_pages)
        self._queue(pages, len({url for url, _ in self._entries}) - len(pages))

    def _read(self, url: str, response: FetchResult) -> None:
        if 200 <= response.status < 300:
            entries = sitemap_entries(response.body, url, self._scope)
            self._entries += entries.pages
            self._waiting += entries.sitemaps
        self._next()


def spread(entries: Iterable[tuple[str, str | None]], max_entries: int) -> tuple[str, ...]:
    """Order listed pages so that any prefix is a representative sample of the site.

    Parameters
    ----------
    entries
        Addresses in normal form, each with the time of its last change in ISO 8601 or None. If an
        address occurs more than once, the first entry is used, so entries of feeds come first.
    max_entries
        Maximum number of addresses to return. They are chosen from the `MAX_ENTRIES` latest
        entries, or from this number of entries if it is greater.

    Returns
    -------
    Distinct addresses, in the order in which to visit them.
    """
    changed: dict[str, str] = {}
    for url, when in entries:
        changed.setdefault(url, when or "")
    folders: dict[tuple[bool, str], list[str]] = {}
    latest = sorted(changed, key=changed.__getitem__, reverse=True)
    for url in latest[: max(MAX_ENTRIES, max_entries)]:
        folder = shape_of(url).alike.partition("?")[0].rstrip("/").rpartition("/")[0]
        folders.setdefault((not looks_like_article(url), folder), []).append(url)
    ranked = [
        (unlike, turn, folder, url)
        for (unlike, folder), urls in folders.items()
        for turn, url in enumerate(urls)
    ]
    ranked.sort(key=lambda entry: entry[:3])
    return tuple(url for *_, url in ranked[:max_entries])


def looks_like_article(url: str) -> bool:
    """Whether an address has the form of an article's address.

    Such an address contains a date, a long number or a name of several words, and is not the
    address of a list.

    >>> looks_like_article("https://example.org/town/the-storm-that-came-twice")
    True
    >>> looks_like_article("https://example.org/tag/storms"), looks_like_article("https://a.org/")
    (False, False)
    """
    if shape_of(url).kind in ("calendar", "paging"):
        return False
    features = dict(zip(ADDRESS_FEATURES, address_features(url).tolist(), strict=True))
    if features["address home"] or features["address list word"]:
        return False
    is_named = features["address article word"] and features["address depth"] > 1
    has_date = features["address dated"] or features["address long_number"]
    return bool(has_date or is_named or features["address hyphens"] >= 3)
