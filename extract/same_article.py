"""Whether two pages bear the title of one article, page numbers aside."""

from __future__ import annotations

import re

from ..features.words import words

__all__ = ["same_title"]

# "(2/3)", "Page 2 of 3", "– Seite 2", "第2页", ", part 2": what pages add to one title.
MARKER = re.compile(
    r"\W*(?:\b(?:page|seite|página|pagina|strona|sida|sayfa|part|teil|partie|parte)\s*\d{1,2}"
    r"(?:\s*(?:of|von|de|di|sur|/)\s*\d{1,2})?|[(\[]\s*\d{1,2}(?:\s*(?:/|of|von|de)\s*\d{1,2})?"
    r"\s*[)\]]|\b\d{1,2}\s*/\s*\d{1,2}|第\s*\d{1,2}\s*[页頁]|\d{1,2}\s*ページ目?)(?!\w)",
    re.IGNORECASE,
)
MIN_SHARED = 0.8
# Shorter titles are in too many others.
MIN_WHOLE = 4
MAX_TITLE = 1000


def same_title(one: str, other: str) -> bool:
    """Whether two titles are one article's.

    Page numbers are taken off first. Then nearly all words of the longer are in the other;
    or the second has the whole first title and a page's own heading beside it.

    >>> same_title("A long walk", "A long walk (2/3)")
    True
    >>> same_title("A long walk home | The Paper", "A short walk out | The Paper")
    False
    >>> same_title("", "A long walk")
    False
    """
    first, second = _terms(one), _terms(other)
    if not first or not second:
        return False
    shared = len(first & second)
    nearly = shared >= MIN_SHARED * max(len(first), len(second))
    return nearly or (shared == len(first) and shared >= MIN_WHOLE)


def _terms(title: str) -> frozenset[str]:
    return frozenset(words(MARKER.sub(" ", title[:MAX_TITLE]).casefold()))
