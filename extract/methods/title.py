"""Find the headline of a page whose body is known: stage 3 of NCE, also used by other methods."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...features.counts import TextCounts
from ...features.words import collapse, count_chars, words
from ...models.nce import NCEOptions, best_headline
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_sums
from .selection import subtree

# A text that is a smaller share of the title element is the name of the site or of a section.
TITLE_SHARE = 0.3

# Maximum number of characters of the title element that are compared.
MAX_TITLE = 1000

DEFAULT = NCEOptions()


def find_title(
    page: Snapshot,
    counted: NDArray[np.bool_],
    counts: TextCounts,
    kept: NDArray[np.bool_],
    options: NCEOptions = DEFAULT,
) -> tuple[int, str] | None:
    """Node of the headline and the reason for its choice; None if there is no headline.

    `counted` and `kept`, bool, shape (n,), are the texts that count, and the body. With
    `options.literal`, the title element is another candidate, and the longest wins.
    """
    body = (kept & counted).nonzero()[0]
    if not len(body):
        return None
    elements = (page.with_tag("title") & (page.frame == 0)).nonzero()[0]
    element = int(elements[0]) if len(elements) and page.page.title else None
    if not options.literal and element is not None:
        visible_title = _visible_title(page, counted, counts, int(body[-1]))
        if visible_title is not None:
            return visible_title, "the title: the title element repeats its text"
    # No word spans white space, so all texts can be joined into one.
    body_words = words(" ".join([page.text[i] for i in body.tolist()]))
    start = int(kept.nonzero()[0][0])
    candidates = _candidates(page, counted, counts, start, options)
    headline = best_headline(candidates, body_words, options)
    if headline is not None and element is not None and options.literal:
        is_longer = count_chars(page.page.title, wide=False) > counts.chars[headline[0]]
        headline = None if is_longer else headline
    if headline is None:
        return None if element is None else (element, "the title element")
    return headline[0], f"the title: {headline[1]:.0%} of its words are in the body"


def counted_text(page: Snapshot, counted: NDArray[np.bool_], node: int) -> str:
    """Counted text of a subtree."""
    nodes = counted[subtree(page, node)].nonzero()[0] + node
    return collapse(" ".join([page.text[i] for i in nodes.tolist()]))


def _candidates(
    page: Snapshot,
    counted: NDArray[np.bool_],
    counts: TextCounts,
    start: int,
    options: NCEOptions,
) -> Iterator[tuple[int, list[str], int]]:
    low, high = options.words_of_title
    fits = (counts.words >= low) & (counts.words <= high)
    # Candidates end before the body starts; elements that contain the body do not.
    fits &= page.end <= start
    texts = _Texts(page, counted)
    for node in fits[:start].nonzero()[0].tolist():
        yield node, words(texts.of(node)), int(counts.chars[node])


def _visible_title(
    page: Snapshot, counted: NDArray[np.bool_], counts: TextCounts, last: int
) -> int | None:
    """The element, up to the end of the body, whose text the title element repeats.

    The title element also contains the name of the site. If both are on the page, the headline
    comes later. This rule is not in NCE, which takes the title element itself or any text whose
    words the body repeats.
    """
    title = page.page.title[:MAX_TITLE].casefold()
    small = (counts.chars > 0) & (counts.chars <= 2 * len(title))
    texts = _Texts(page, counted)
    # If the title repeats a text as a whole, it also repeats every part of that text.
    part = np.zeros(len(page), bool)
    pieces = texts.places[small[texts.places]]
    part[pieces] = [collapse(page.text[i]).casefold() in title for i in pieces.tolist()]
    other = subtree_sums(counted & (counts.chars > 0) & ~part, page.end)
    fits = small & (other == 0) & ~page.is_text
    by_text: dict[str, int] = {}
    for node in fits[: last + 1].nonzero()[0].tolist():
        text = texts.of(node).casefold()
        if len(text) > TITLE_SHARE * len(title) and text in title:
            by_text.setdefault(text, node)
    whole: list[str] = []
    for text in sorted(by_text, key=len, reverse=True):
        if not any(text in longer for longer in whole):
            whole.append(text)
    return max((by_text[text] for text in whole), default=None)


class _Texts:
    """Counted texts of subtrees, built once for consecutive subtrees with the same text nodes."""

    def __init__(self, page: Snapshot, counted: NDArray[np.bool_]) -> None:
        self.page = page
        self.places = counted.nonzero()[0]
        self.before = np.concatenate([[0], np.cumsum(counted)])
        self.span, self.text = (0, 0), ""

    def of(self, node: int) -> str:
        span = int(self.before[node]), int(self.before[self.page.end[node]])
        if span != self.span:
            inside = self.places[slice(*span)].tolist()
            self.span, self.text = span, collapse(" ".join([self.page.text[i] for i in inside]))
        return self.text
