"""Which of the pages that a site lists to visit, and in which order.

A crawl visits what it finds breadth first, by the distance from the start, then as it was
found. Sitemaps and feeds name thousands of pages at once; here they are put in an order of
which any beginning is a fair choice: those named like articles first, spread over the folders
of the site, in each the latest first.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...features.page_address import ADDRESS_FEATURES, address_features
from .shapes import shape_of

__all__ = ["looks_like_article", "spread"]


def spread(entries: Iterable[tuple[str, str | None]], max_entries: int) -> tuple[str, ...]:
    """Which listed pages to visit, in which order.

    Parameters
    ----------
    entries
        Addresses in normal form, and when each was changed, ISO 8601; feeds before sitemaps,
        since they tell what is new.
    max_entries
        How many at most.

    Returns
    -------
    Each once.
    """
    changed: dict[str, str] = {}
    for url, when in entries:
        changed.setdefault(url, when or "")
    folders: dict[tuple[bool, str], list[str]] = {}
    for url in sorted(changed, key=changed.__getitem__, reverse=True):
        folder = shape_of(url).alike.partition("?")[0].rstrip("/").rpartition("/")[0]
        folders.setdefault((not looks_like_article(url), folder), []).append(url)
    ranked = [
        (unlike, turn, folder, url)
        for (unlike, folder), listed in folders.items()
        for turn, url in enumerate(listed)
    ]
    ranked.sort(key=lambda entry: entry[:3])
    return tuple(url for *_, url in ranked[:max_entries])


def looks_like_article(url: str) -> bool:
    """Whether an address is shaped like an article's.

    It has a date, a long number, or a name of several words, and is no list's.

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
    named = features["address article word"] and features["address depth"] > 1
    dated = features["address dated"] or features["address long_number"]
    return bool(dated or named or features["address hyphens"] >= 3)
