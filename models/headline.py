"""The headline: a short text before the body whose words the body repeats.

NCE, section 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["HeadlineRule", "best_headline"]


@dataclass(frozen=True)
class HeadlineRule:
    """What a headline is.

    Attributes
    ----------
    min_words, max_words
        Alpha 8. The text of the source bounds it above by 4, its table calls the same 4 a
        minimum; a maximum of 4 words excludes almost every headline, so it is the minimum
        here, and 20 is the bound of the RTDM dissertation.
    min_overlap
        Alpha 9: share of its words, with multiplicity, that the body has too.
    """

    min_words: int = 4
    max_words: int = 20
    min_overlap: float = 0.7


def best_headline(
    candidates: Iterable[tuple[int, list[str], int]], body: list[str], rule: HeadlineRule
) -> tuple[int, float] | None:
    """The longest candidate that the body repeats.

    Parameters
    ----------
    candidates
        (node, words, characters) in document order.
    body
        Words of the body.
    rule
        The thresholds.

    Returns
    -------
    The node and the share of its words found in the body; of equally long candidates the
    last, which is the closest to the body.
    """
    # One call for all words: no word has a line break in it.
    bag = Counter("\n".join(body).casefold().split("\n"))
    best: tuple[int, float] | None = None
    longest = 0
    for node, words, chars in candidates:
        if not max(1, rule.min_words) <= len(words) <= rule.max_words or chars < longest:
            continue
        common = (Counter(word.casefold() for word in words) & bag).total() / len(words)
        if common >= rule.min_overlap:
            best, longest = (node, common), chars
    return best
