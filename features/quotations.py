"""Quotations with a line that says who is quoted, as in the replies of a thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

MAX_LINE = 80
"""Maximum number of characters beside the words that are quoted."""


def signed_quotations(
    quotes: Sequence[int], parent: ArrayLike, end: ArrayLike, texts: Sequence[str | None]
) -> Iterator[int]:
    """Elements that consist of a line and the quotation after it.

    `quotes`: Elements with quoted words, ``blockquote``. `parent`, `end`: Integers, shape (n,):
    parent of each node, and one past its last descendant. `texts`: n texts; those of elements are
    empty or None.
    """
    if not quotes:
        return
    parents, ends = np.asarray(parent), np.asarray(end)
    total = np.append(0, np.cumsum([len((text or "").strip()) for text in texts]))
    for quote in quotes:
        around = int(parents[quote])
        if around < 0:
            continue
        before = total[quote] - total[around]
        after = total[ends[around]] - total[ends[quote]]
        if 0 < before <= MAX_LINE and not after:
            yield around
