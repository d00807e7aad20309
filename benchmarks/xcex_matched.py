"""The compiled part of `xcex_variants`: matching elements of two sequences.

Algorithm of Ratcliff and Obershelp (1988), as in Python's `difflib` without junk heuristics.
"""

from __future__ import annotations

import numpy as np
from miolo.models.compiled import compiled


@compiled
def match(one, other):
    """Number of matched elements: the longest common run, then recursively before and after it.

    Ties go to the first run in `one`, then to the first in `other`.
    """
    total = 0
    stack = [(0, len(one), 0, len(other))]
    before = np.zeros(len(other) + 1, np.int32)
    row = np.zeros(len(other) + 1, np.int32)
    while stack:
        low, high, left, right = stack.pop()
        best, start, place = 0, low, left
        before[left : right + 1] = 0
        for i in range(low, high):
            for k in range(left, right):
                length = before[k] + 1 if one[i] == other[k] else 0
                row[k + 1] = length
                if length > best:
                    best, start, place = length, i - length + 1, k - length + 1
            row[left] = 0
            before, row = row, before
        if best:
            total += best
            if low < start and left < place:
                stack.append((low, start, left, place))
            if start + best < high and place + best < right:
                stack.append((start + best, high, place + best, right))
    return total
