"""Two texts side by side, word by word: what both say, what one alone says."""

from __future__ import annotations

from typing import Literal

from rapidfuzz.distance import LCSseq

from ...features.words import words

__all__ = ["MAX_WORDS", "Run", "word_diff"]

Run = tuple[Literal["both", "alone"], str]

MAX_WORDS = 6_000
"""Words of a text that are compared: the matrix of an alignment grows with both lengths."""


def word_diff(truth: str, answer: str) -> tuple[list[Run], list[Run]]:
    """Align two texts by their longest common subsequence of words.

    Parameters
    ----------
    truth, answer
        The texts; of each the first 6,000 words are shown.

    Returns
    -------
    The runs of either text, which joined are the text as far as it is shown.

    >>> word_diff("one two three", "one three four")
    ([('both', 'one '), ('alone', 'two '), ('both', 'three')], [('both', 'one '), \
('both', 'three '), ('alone', 'four')])
    """
    left, right = _pieces(truth), _pieces(answer)
    a, b = ([word for word, _ in pieces] for pieces in (left, right))
    sides: tuple[list[Run], list[Run]] = ([], [])
    for step in LCSseq.opcodes(a, b):
        kind: Literal["both", "alone"] = "both" if step.tag == "equal" else "alone"
        for side, pieces, start, end in (
            (sides[0], left, step.src_start, step.src_end),
            (sides[1], right, step.dest_start, step.dest_end),
        ):
            if start < end:
                side.append((kind, "".join(text for _, text in pieces[start:end])))
    return sides


def _pieces(text: str) -> list[tuple[str, str]]:
    """Words with their place in the text: each together with all up to the next word."""
    found, starts = words(text), []
    place = 0
    for word in found[: MAX_WORDS + 1]:
        starts.append(text.index(word, place))
        place = starts[-1] + len(word)
    if len(found) <= MAX_WORDS:
        starts.append(len(text))
    starts[:1] = [0] if found else []
    return [
        (word, text[start:end]) for word, start, end in zip(found, starts, starts[1:], strict=False)
    ]
