"""Titles, and parts of titles, that many pages of a site declare: these name the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice, product
from typing import Any

from ..features.words import collapse
from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot

LEAST_PAGES = 3
LEAST_SHARE = 0.5

MAX_CHARS = 200
MAX_CUTS = 6

# Between a headline and the name of its site; spaces are collapsed.
SEPARATOR = lazy_re(r" [|–—»«·•:/-]+ | ?[|｜] ?")


class DeclaredTitles:
    """Titles that the pages of a site declare, and their parts, with their numbers of pages.

    `pages`: Total number of pages.
    """

    def __init__(self, counts: Mapping[str, int] | None = None, pages: int = 0) -> None:
        self._counts = Counter(counts or {})
        self._pages = pages

    def add(self, snapshot: Snapshot) -> None:
        """Count the titles of one more page, and their parts."""
        self._pages += 1
        attributes = snapshot.attributes
        declared = {
            node
            for node, name in attributes.with_attribute("property")
            if name.strip().lower() == "og:title"
        }
        titles = {value for node, value in attributes.with_attribute("content") if node in declared}
        titles.add(snapshot.page.title)
        parts = set[str]().union(*(_parts(collapse(title)[:MAX_CHARS]) for title in titles))
        self._counts.update(parts)

    def names(self) -> tuple[str, ...]:
        """Those of at least half of the pages, and of at least three; most frequent first.

        Those of equal frequency are in code point order.
        """
        least = max(LEAST_PAGES, LEAST_SHARE * self._pages)
        # Sorted, since the iteration order of the set of a page's titles differs between processes.
        ranked = sorted(self._counts.items(), key=lambda row: (-row[1], row[0]))
        return tuple(title for title, count in ranked if count >= least)

    def to_json(self) -> dict[str, Any]:
        """Those that more than one page declares, as JSON values."""
        repeated = {title: count for title, count in sorted(self._counts.items()) if count > 1}
        return {"pages": self._pages, "titles": repeated}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> DeclaredTitles:
        """Build an instance from the output of `to_json`."""
        counts = {str(title): int(count) for title, count in data["titles"].items()}
        return cls(counts, int(data["pages"]))


def _parts(title: str) -> set[str]:
    """The title and its parts between any two separators."""
    cuts = [cut.span() for cut in islice(SEPARATOR.finditer(title), MAX_CUTS)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(title)]
    return {title[start:end] for start, end in product(starts, ends) if start < end}
