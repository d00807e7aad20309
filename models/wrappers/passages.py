"""Passages: what the wildcards of a pattern take of a page, and what of it is the news.

Source: the RTDM dissertation, sections 4.3 and 4.4. It writes the test of the body's length
on the wrong index and lets it run over inner passages alone; its formula for the title
divides by a distance that is negative before the body, so that the least overlap would win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...features.page_tree import PageTree, is_text_label, tag_of_label, text_of_label
from ...features.words import count_words, words
from .matching import Match
from .patterns import Pattern

__all__ = ["TemplateField", "body_of", "passages", "title_of"]

HEADINGS = ("h1", "h2", "h3")

MIN_BODY_WORDS = 100
MAX_TITLE_WORDS = 20


@dataclass(frozen=True)
class TemplateField:
    """What one wildcard takes.

    Attributes
    ----------
    place
        The wildcard's node in the pattern.
    first, last
        The nodes of the page's tree: ``first:last``.
    text
        Their text.
    words, linked_words
        Its words, and those of them in links.
    heads
        Whether it is, or stands in, a heading of the first three levels.
    """

    place: int
    first: int
    last: int
    text: str
    words: int
    linked_words: int
    heads: bool


def passages(pattern: Pattern, match: Match, page: PageTree) -> tuple[TemplateField, ...]:
    """Passages with text in the order of the pattern, which is that of the page."""
    counts, linked = _word_sums(page)
    fields: list[TemplateField] = []
    for place in pattern.wildcards.tolist():
        first, last = match.spans[place].tolist()
        text = " ".join(filter(None, map(text_of_label, page.labels[first:last])))
        if text:
            own, in_links = (int(sums[last] - sums[first]) for sums in (counts, linked))
            heads = _in_heading(page, first)
            fields.append(TemplateField(place, first, last, text, own, in_links, heads))
    return tuple(fields)


def body_of(fields: Sequence[TemplateField]) -> int | None:
    """Index of the body: the longest passage, if it has more than 100 words."""
    longest = max(range(len(fields)), key=lambda i: fields[i].words, default=None)
    if longest is None or fields[longest].words <= MIN_BODY_WORDS:
        return None
    return longest


def title_of(fields: Sequence[TemplateField], body: int) -> int | None:
    """Index of the title: near before the body, with many of its words in it.

    Among passages of 1 to 20 words before the body, that with the most occurrences of words
    that the body has, over its distance from the body in passages; the nearer of equals.
    """
    vocabulary = {word.casefold() for word in words(fields[body].text)}
    best, most = None, 0.0
    for i, passage in enumerate(fields[:body]):
        if 1 <= passage.words <= MAX_TITLE_WORDS:
            common = sum(word.casefold() in vocabulary for word in words(passage.text))
            if common and common / (body - i) >= most:
                best, most = i, common / (body - i)
    return best


def _in_heading(page: PageTree, node: int) -> bool:
    while node >= 0:
        if tag_of_label(page.labels[node]) in HEADINGS:
            return True
        node = int(page.parent[node])
    return False


def _word_sums(page: PageTree) -> tuple[np.ndarray, np.ndarray]:
    """Prefix sums of words over the nodes, and of those in links."""
    counts, linked = np.zeros(len(page) + 1, np.int64), np.zeros(len(page) + 1, np.int64)
    in_link: list[bool] = []
    rows = zip(page.parent.tolist(), page.labels, strict=True)
    for node, (above, label) in enumerate(rows):
        in_link.append(tag_of_label(label) == "a" or (above >= 0 and in_link[above]))
        if is_text_label(label):
            counts[node + 1] = count_words(text_of_label(label))
            linked[node + 1] = counts[node + 1] * in_link[node]
    return np.cumsum(counts), np.cumsum(linked)
