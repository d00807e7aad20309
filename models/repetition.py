"""Comment areas: the first three short texts in a row that resemble each other.

NCE, section 3.2: bylines of comments repeat ("reported by … on …"), so a component of
three similar short texts close to each other begins an area of comments.
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
        Alpha 6: positions between them, at most.
    min_common
        Alpha 7: longest common subsequence over the shorter text, at least.
    min_length_ratio
        Shorter over longer text, at least. Not in the source: texts of very different
        length match by chance (2.2 % of random pairs). 0 switches it off.
    component
        Texts of a component that proves an area.
    """

    max_distance: int = 5
    min_common: float = 0.8
    min_length_ratio: float = 0.5
    component: int = 3


def first_repetition(texts: Sequence[str], rule: RepetitionRule) -> tuple[int, ...] | None:
    """The first component of similar texts to reach the needed size, grown to its end.

    Texts are joined to those before them in the order of the list.

    Returns
    -------
    Places of the component in the list, ascending; None where no component is large enough.
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
