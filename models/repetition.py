"""Comment areas: the first three short texts close together that resemble each other.

Source: NCE, section 3.2. Bylines of comments repeat ("reported by … on …"), so a component of
three similar short texts close to each other marks the beginning of a comment area.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

__all__ = ["RepetitionRule", "first_repetition"]

# Minimum number of texts in a component that marks a comment area.
COMPONENT = 3


@dataclass(frozen=True)
class RepetitionRule:
    """When two texts of the list are joined.

    Attributes
    ----------
    max_distance
        Alpha 6: maximum difference of their positions in the list.
    min_common
        Alpha 7: minimum length of the longest common subsequence relative to the shorter text.
    min_length_ratio
        Minimum ratio of the shorter to the longer text. Not in the source: texts of very
        different lengths match by chance (2.2 % of random pairs). 0 disables the test.
    literal
        Stop at the first component that reaches the required size, as in the source. Otherwise,
        texts after that still join it, possibly together with texts before its first.
    """

    max_distance: int = 5
    min_common: float = 0.8
    min_length_ratio: float = 0.5
    literal: bool = False


def first_repetition(texts: Sequence[str], rule: RepetitionRule) -> tuple[int, ...] | None:
    """The first component of similar texts to reach three texts, in its final extent.

    Each text is compared with the texts before it, in the order of the list. With `literal`, the
    component is returned as it is when it reaches that size.

    Returns
    -------
    Positions of the component's texts in the list, ascending; None if no component is large
    enough.
    """
    leader = list(range(len(texts)))
    members = [[i] for i in leader]
    first: int | None = None
    for q, text in enumerate(texts):
        for p in range(max(0, q - rule.max_distance), q):
            a, b = leader[p], leader[q]
            if a == b or not _are_similar(texts[p], text, rule):
                continue
            # The smaller component is moved, or a hostile page would take quadratic time.
            if len(members[a]) < len(members[b]):
                a, b = b, a
            for member in members[b]:
                leader[member] = a
            members[a] += members[b]
        component = members[leader[q]]
        if first is None and len(component) >= COMPONENT:
            if rule.literal:
                return tuple(sorted(component))
            first = component[0]
    return None if first is None else tuple(sorted(members[leader[first]]))


def _are_similar(a: str, b: str, rule: RepetitionRule) -> bool:
    shorter, longer = sorted((len(a), len(b)))
    if shorter < rule.min_length_ratio * longer:
        return False
    return LCSseq.similarity(a, b) >= rule.min_common * shorter
