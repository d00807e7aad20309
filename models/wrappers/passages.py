"""Passages: what the wildcards of a pattern match, and which of them are body and title.

Source: the RTDM dissertation, sections 4.3 and 4.4. Its test of the body's length uses the wrong
index and only considers inner passages. Its formula for the title divides by a distance that is
negative before the body, so that the least overlap would win. Both are corrected here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...features.page_tree import PageTree, is_text_label, tag_of_label, text_of_label
from ...features.words import count_words, words
from .matching import Match
from .patterns import Pattern

__all__ = ["Passage", "body_of", "passages", "title_of"]

HEADINGS = ("h1", "h2", "h3")

MIN_BODY_WORDS = 100
MAX_TITLE_WORDS = 20


@dataclass(frozen=True)
class Passage:
    """What one wildcard matches."""

    place: int
    """The wildcard's node in the pattern."""
    first: int
    last: int
    """Range ``first:last`` of nodes of the page's tree."""
    text: str
    """Text of these nodes."""
    words: int
    linked_words: int
    """Number of words of the text, and of those in links."""
    in_heading: bool
    """Whether the first node is or is inside a heading of the first three levels."""


def passages(pattern: Pattern, match: Match, page: PageTree) -> tuple[Passage, ...]:
    """Passages that contain text, in the order of the pattern, which is that of the page."""
    counts, linked = _word_sums(page)
    fields: list[Passage] = []
    for place in pattern.wildcards.tolist():
        first, last = match.spans[place].tolist()
        text = " ".join(filter(None, map(text_of_label, page.labels[first:last])))
        if text:
            own, in_links = (int(sums[last] - sums[first]) for sums in (counts, linked))
            in_heading = _in_heading(page, first)
            fields.append(Passage(place, first, last, text, own, in_links, in_heading))
    return tuple(fields)


def body_of(fields: Sequence[Passage]) -> int | None:
    """Index of the body: the longest passage, if it has more than 100 words."""
    longest = max(range(len(fields)), key=lambda i: fields[i].words, default=None)
    if longest is None or fields[longest].words <= MIN_BODY_WORDS:
        return None
    return longest


def title_of(fields: Sequence[Passage], body: int) -> int | None:
    """Index of the title: a passage shortly before the body that shares many words with it.

    Among the passages of 1 to 20 words before the body, it is the one with the highest quotient of
    the number of its words that occur in the body and its distance from the body in passages.
    Ties go to the nearest.
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
    """Prefix sums over the nodes of words, and of words in links."""
    counts, linked = np.zeros(len(page) + 1, np.int64), np.zeros(len(page) + 1, np.int64)
    in_link: list[bool] = []
    rows = zip(page.parent.tolist(), page.labels, strict=True)
    for node, (above, label) in enumerate(rows):
        in_link.append(tag_of_label(label) == "a" or (above >= 0 and in_link[above]))
        if is_text_label(label):
            counts[node + 1] = count_words(text_of_label(label))
            linked[node + 1] = counts[node + 1] * in_link[node]
    return np.cumsum(counts), np.cumsum(linked)
