"""Paths of a decision tree as rules that people read.

A path asks of one number or phrase several times; its rule says once what is left of it.
C4.5rules (Quinlan 1993, chapter 5) goes further: it drops conditions while a pessimistic
estimate of the error does not grow, which unties rules from the tree. Here every image is
decided by exactly one path, and the rule is that path.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...features.images import NUMBERS, UNKNOWN

__all__ = ["Condition", "path_conditions", "rule_text"]

Condition = tuple[str, float, float]
"""A column with the bounds of its value: greater than the first, at most the second."""

MEASURES = NUMBERS[:3]

# A negative condition tells little of why an image is one; a long path has dozens.
MAX_ABSENT = 3


def path_conditions(path: Sequence[tuple[str, float, bool]]) -> list[Condition]:
    """Conditions of a path from the root, one for each column, in the order of first use.

    Parameters
    ----------
    path
        Column, threshold, and whether the path goes on at greater values.
    """
    bounds: dict[str, tuple[float, float]] = {}
    for column, threshold, greater in path:
        low, high = bounds.get(column, (float("-inf"), float("inf")))
        bounds[column] = (max(low, threshold), high) if greater else (low, min(high, threshold))
    return [(column, low, high) for column, (low, high) in bounds.items()]


def rule_text(conditions: Sequence[Condition]) -> str:
    """A rule in words: what an image has, then what it has not."""
    present, absent = [], []
    for column, low, high in conditions:
        if column in MEASURES:
            present.append(_measure(column, low, high))
        elif column in NUMBERS:
            present.append(_place(column, low, high))
        else:
            field, _, phrase = column.partition(":")
            (present if low >= 0 else absent).append(f"“{phrase}” in {field}")
    if absent:
        more = len(absent) - MAX_ABSENT
        said = ", ".join(absent[:MAX_ABSENT]) + (f" and {more} more" if more > 0 else "")
        present.append(f"no {said}")
    return "; ".join(present) or "any image"


def _measure(column: str, low: float, high: float) -> str:
    if high < 0:
        return f"{column} unknown"
    if UNKNOWN < low < 0:
        return f"{column} known" if high == float("inf") else f"{column} known, ≤ {high:g}"
    if low < 0:
        return f"{column} ≤ {high:g} or unknown"
    return f"{column} > {low:g}" + ("" if high == float("inf") else f" and ≤ {high:g}")


def _place(column: str, low: float, high: float) -> str:
    """A flag is 1, 0 or not known, -1: what of these lies within the bounds."""
    named = {1.0: column, 0.0: column.replace(" on ", " off "), UNKNOWN: f"{column} unknown"}
    return " or ".join(said for value, said in named.items() if low < value <= high)
