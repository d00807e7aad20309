"""Comment areas: the first three short texts close together that resemble each other.

Source: NCE, section 3.2. Bylines of comments repeat ("reported by … on …"), so a component of
three similar short texts close to each other marks the beginning of a comment area.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

__all__ = ["RepetitionRule", "first_repetition"]


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
    component
        Minimum number of texts in a component that marks a comment area.
    """

    max_distance: int = 5
    min_common: float = 0.8
    min_length_ratio: float = 0.5
    component: int = 3


def first_repetition(texts: Sequence[str], rule: RepetitionRule) -> tuple[int, ...] | None:
    """The first component of similar texts to reach the required size, in its final extent.

    Each text is compared with the texts before it, in the order of the list.

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
            if a == b or not _are_equal(texts[p], text, rule):
                continue
            for member in members[b]:
                leader[member] = a
            members[a] += members[b]
            if first is None and len(members[a]) >= rule.component:
                first = members[a][0]
    return None if first is None else tuple(sorted(members[leader[first]]))


def _are_equal(a: str, b: str, rule: RepetitionRule) -> bool:
    shorter, longer = sorted((len(a), len(b)))
    if shorter < rule.min_length_ratio * longer:
        return False
    return LCSseq.similarity(a, b) >= rule.min_common * shorter
