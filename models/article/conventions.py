"""What counts as an article's text: data sets disagree, so it is said and not guessed.

Newsrooms' data sets take running text (``news``): captions, tables of facts, code and notes at
the end are mostly left out. Who publishes a post means all that was written (``full``), such
parts among it. Of pages of every kind, products, threads and lists among them, all that is the
page's own counts (``page``). Whoever does not know by which a page is read asks several, and
gives each its share of the say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMN", "CONVENTIONS", "LESSONS", "Convention", "Lesson", "Shares", "with_convention"]

Convention = Literal["news", "full", "page"]

Shares = Mapping[Convention, float]
"""How much each convention has to say; more than 0."""

CONVENTIONS: tuple[Convention, ...] = ("news", "full", "page")

COLUMN = "convention"
"""The feature that tells trees by which one a page is labelled."""


@dataclass(frozen=True)
class Lesson:
    """What teaches a convention.

    Attributes
    ----------
    pages
        Conventions of the pages that it is learned from.
    general
        Whether the general forest, which knows what an article is, has a say.
    """

    pages: tuple[Convention, ...]
    general: bool = True


LESSONS: dict[Convention, Lesson] = {
    # News pages without the posts know neither lists nor code; posts alone are few. Which of the
    # two a page is labelled by is told by the column.
    "news": Lesson(("news", "full")),
    "full": Lesson(("news", "full")),
    "page": Lesson(("page",), general=False),
}


def with_convention(rows: NDArray[np.float32], convention: Convention) -> NDArray[np.float32]:
    """Rows of shape (b, f) with the convention as last column, shape (b, f + 1)."""
    column = np.full((len(rows), 1), CONVENTIONS.index(convention), np.float32)
    return np.concatenate([rows, column], axis=1)
