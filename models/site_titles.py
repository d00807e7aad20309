"""What the titles that the pages of a site declare have in common: its names, and their template.

A part between separators that many pages declare names the site. What is before and after the
page's own heading in its declared title is the template of the site's titles, if many pages share
it: "Trig Polar Coordinates" above the heading "Section 10.1 Polar Coordinates" has the template
"Trig …".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, islice, product
from typing import Any

from ..features.words import collapse
from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot

LEAST_PAGES = 3
LEAST_SHARE = 0.5

MAX_CHARS = 200
MAX_CUTS = 6

HEADINGS = ("h1", "h2", "h3")
MAX_HEADINGS = 20
MAX_NODES = 50

LEAST_HEADING = 0.3
"""Minimum share of a declared title that is the page's heading."""

# Between a headline and the name of its site; spaces are collapsed.
SEPARATOR = lazy_re(r" [|–—»«·•:/-]+ | ?[|｜] ?")


class DeclaredTitles:
    """Titles that the pages of a site declare, and their parts, with their numbers of pages.

    A template is counted as what is before and after the heading, with a line break between, and an
    element of headings after two line breaks.

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
        titles = {collapse(title)[:MAX_CHARS] for title in titles}
        headings = dict(_headings(snapshot))
        longest = sorted(headings, key=lambda text: (-len(text), text))
        templates = {template for title in titles if (template := _template(title, longest))}
        inner = {2 * BREAK + text for text, is_inner in headings.items() if is_inner}
        self._counts.update(templates.union(inner, *map(_parts, titles)))

    def names(self) -> tuple[str, ...]:
        """Those of at least half of the pages, and of at least three; most frequent first.

        Those of equal frequency are in code point order.
        """
        return tuple(each for each in self._frequent() if BREAK not in each)

    def own_title(self, declared: str) -> str:
        """A declared title without what the template of the site's titles adds to it.

        A name of the site before a title may be a part of it, such as the name of a list.
        """
        for template in self._frequent():
            before, line_break, after = template.partition(BREAK)
            middle = declared.removeprefix(before).removesuffix(after)
            if line_break and len(before) + len(middle) + len(after) == len(declared):
                return middle or declared
        cuts = list(islice(SEPARATOR.finditer(declared), MAX_CUTS))
        if cuts and declared[cuts[-1].end() :] in self.names():
            return declared[: cuts[-1].start()] or declared
        return declared

    def of_headings(self) -> tuple[str, ...]:
        """Elements that the headings of many pages have beside their own text, such as a button."""
        both = 2 * BREAK
        return tuple(each.removeprefix(both) for each in self._frequent() if each.startswith(both))

    def _frequent(self) -> list[str]:
        least = max(LEAST_PAGES, LEAST_SHARE * self._pages)
        # Sorted, since the iteration order of the set of a page's titles differs between processes.
        ranked = sorted(self._counts.items(), key=lambda row: (-row[1], row[0]))
        return [title for title, count in ranked if count >= least]

    def to_json(self) -> dict[str, Any]:
        """Those that more than one page declares, as JSON values."""
        repeated = {title: count for title, count in sorted(self._counts.items()) if count > 1}
        return {"pages": self._pages, "titles": repeated}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> DeclaredTitles:
        """Build an instance from the output of `to_json`."""
        counts = {str(title): int(count) for title, count in data["titles"].items()}
        return cls(counts, int(data["pages"]))


BREAK = "\n"


def _template(title: str, headings: Sequence[str]) -> str:
    """What is around the longest heading in a title; empty if that is too short or the whole."""
    for heading in headings:
        if heading == title or len(heading) < LEAST_HEADING * len(title):
            break
        before, found, after = title.partition(heading)
        if found and not before[-1:].isalnum() and not after[:1].isalnum():
            return before + BREAK + after
    return ""


def _headings(snapshot: Snapshot) -> Iterator[tuple[str, bool]]:
    """Texts of the headings of a page and of the elements in them, and whether it is a part."""
    is_text = snapshot.is_text.tolist()
    for heading in snapshot.with_tag(*HEADINGS).nonzero()[0][:MAX_HEADINGS].tolist():
        end = min(int(snapshot.end[heading]), heading + MAX_NODES)
        whole = ""
        for node in range(heading, end):
            stop = min(int(snapshot.end[node]), end)
            text = collapse("".join(compress(snapshot.text[node:stop], is_text[node:stop])))
            whole = whole or text
            if 0 < len(text) <= MAX_CHARS:
                yield text, text != whole


def _parts(title: str) -> set[str]:
    """The title and its parts between any two separators."""
    cuts = [cut.span() for cut in islice(SEPARATOR.finditer(title), MAX_CUTS)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(title)]
    return {title[start:end] for start, end in product(starts, ends) if start < end}
