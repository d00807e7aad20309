"""From probabilities of blocks to the body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["without_repeats"]

# Short lines do repeat: names in an interview, cells of a table.
LONG = 8


def without_repeats(
    texts: Sequence[str], words: NDArray[np.float64], body: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The body without long texts that it has said before.

    Parameters
    ----------
    texts
        Of b blocks in document order.
    words
        float64, shape (b,): their words.
    body
        bool, shape (b,): blocks that are taken for body.
    """
    said: set[str] = set()
    kept = body.copy()
    for block in np.flatnonzero(body & (words >= LONG)).tolist():
        kept[block] = texts[block] not in said
        said.add(texts[block])
    return kept
