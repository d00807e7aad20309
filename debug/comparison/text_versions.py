"""Texts of two pages: which are versions of one text, and where two versions differ."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from rapidfuzz import fuzz

from ...features.blocks import block_owners, spaced_texts
from ...features.words import collapse, count_chars, words
from ...renderer.page.snapshot import Snapshot

# Shorter texts are alike by chance: "Page 1" and "Page 2".
MIN_CHARS = 20
MIN_ALIKE = 60
MAX_COMPARED = 1000

# A word that occurs in more texts than this distinguishes none of them. The bound also keeps the
# time linear.
MAX_TEXTS_OF_A_WORD = 20
MAX_CANDIDATES = 5


def reader(snapshot: Snapshot) -> Callable[[int, int], str]:
    """Return a function that reads the text of the nodes from `start` up to before `stop`.

    White space is collapsed. A space separates blocks, but not texts within a line.
    """
    owners = block_owners(snapshot).tolist()
    readable: list[int] = np.flatnonzero(spaced_texts(snapshot)).tolist()

    def read(start: int, stop: int) -> str:
        parts, owner = [], -1
        for node in readable[bisect_left(readable, start) : bisect_left(readable, stop)]:
            if owners[node] != owner:
                parts.append(" ")
            owner = owners[node]
            parts.append(snapshot.text[node])
        return collapse("".join(parts))

    return read


def versions(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """Texts of the page after that are versions of a text of the page before, mapped to it.

    Two texts are versions of one if each is the text most similar to the other, and if they are at
    least `MIN_ALIKE` per cent similar (the share of characters of their longest common
    subsequence, `rapidfuzz.fuzz.ratio`). Texts that occur on both pages are left out.
    """
    old, new = _distinct_texts(before, after), _distinct_texts(after, before)
    best_of_new: dict[int, tuple[float, int]] = {}
    best_of_old: dict[int, tuple[float, int]] = {}
    for one, two in _candidates(old, new):
        alike = fuzz.ratio(old[one][:MAX_COMPARED], new[two][:MAX_COMPARED], score_cutoff=MIN_ALIKE)
        if alike:
            best_of_old[one] = max(best_of_old.get(one, (0, 0)), (alike, -two))
            best_of_new[two] = max(best_of_new.get(two, (0, 0)), (alike, -one))
    return {
        new[-two]: old[one] for one, (_, two) in best_of_old.items() if best_of_new[-two][1] == -one
    }


def _distinct_texts(texts: Sequence[str], others: Sequence[str]) -> list[str]:
    """Distinct texts of at least `MIN_CHARS` that are not among the others, in order."""
    other_texts = set(others)
    own = (text for text in dict.fromkeys(texts) if text not in other_texts)
    return [text for text in own if count_chars(text) >= MIN_CHARS]


def _candidates(old: Sequence[str], new: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Pairs that share the most words of those that occur in few texts."""
    having: dict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(new):
        for word in dict.fromkeys(words(text)):
            having[word].append(number)
    for number, text in enumerate(old):
        shared: Counter[int] = Counter()
        for word in dict.fromkeys(words(text)):
            if len(having.get(word, ())) <= MAX_TEXTS_OF_A_WORD:
                shared.update(having.get(word, ()))
        for other, _ in shared.most_common(MAX_CANDIDATES):
            yield number, other


def difference(before: str, after: str) -> tuple[int, int]:
    """Number of characters that two texts share at their beginnings and at their ends.

    Only whole words are counted, so that the text between them can be read.
    """
    old, new = before.split(" "), after.split(" ")
    max_chars = min(len(old), len(new))
    head = next((i for i in range(max_chars) if old[i] != new[i]), max_chars)
    tail = next(
        (i for i in range(max_chars - head) if old[-1 - i] != new[-1 - i]), max_chars - head
    )
    chars = [sum(len(word) + 1 for word in part) for part in (old[:head], old[len(old) - tail :])]
    shortest = min(len(before), len(after))
    return min(chars[0], shortest), min(chars[1], max(0, shortest - chars[0]))


def shorten(text: str, max_chars: int) -> str:
    """The text, shortened with an ellipsis to at most `max_chars` characters."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
