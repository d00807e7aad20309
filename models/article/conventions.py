"""What counts as an article's text: data sets disagree, so it is said and not guessed.

Newsrooms' data sets take running text: captions, tables of facts, code and notes at the end
are mostly left out. Who publishes a post means all that was written, such parts among it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMN", "CONVENTIONS", "Convention", "with_convention"]

Convention = Literal["news", "full"]

CONVENTIONS: tuple[Convention, ...] = ("news", "full")

COLUMN = "convention.full"
"""The feature that tells trees which one is asked for."""


def with_convention(rows: NDArray[np.float32], convention: Convention) -> NDArray[np.float32]:
    """Rows of shape (b, f) with the convention as last column, shape (b, f + 1)."""
    column = np.full((len(rows), 1), CONVENTIONS.index(convention), np.float32)
    return np.concatenate([rows, column], axis=1)
