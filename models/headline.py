"""The headline: a short text before the body whose words recur in the body.

Source: NCE, section 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..values import frozen

__all__ = ["HeadlineRule", "best_headline"]


@frozen
class HeadlineRule:
    """Criteria for a headline.

    Attributes
    ----------
    min_words, max_words
        Bounds on the number of words. The source's alpha 8 is 4, an upper bound in its text
        and a minimum in its table. A maximum of 4 words excludes almost every headline, so 4
        is the minimum here; the maximum of 20 is that of the RTDM dissertation.
    min_overlap
        Alpha 9: minimum share of its words, with multiplicity, that also occur in the body.
    """

    min_words: int = 4
    max_words: int = 20
    min_overlap: float = 0.7


def best_headline(
    candidates: Iterable[tuple[int, list[str], int]], body: list[str], rule: HeadlineRule
) -> tuple[int, float] | None:
    """The longest candidate whose words recur in the body.

    Parameters
    ----------
    candidates
        (node, words, characters) in document order.
    body
        Words of the body.

    Returns
    -------
    The node and the share of its words found in the body, or None. Ties in length go to the
    last candidate, which is the closest to the body.
    """
    # All words are case-folded in one call, since no word contains a line break.
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
