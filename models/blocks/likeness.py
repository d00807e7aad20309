"""Similarity of two blocks by content and structure.

Source: the X-CEX thesis, section 4.2.3, equation 4.1, and section 3.5.2 for Content Extractor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from .content import CONTENTS, Content, content_similarities, cosines, incidence
from .profiles import Profile, Structure
from .structure import STRUCTURES, StructureKind, structure_similarities

__all__ = ["CONTENT_EXTRACTOR", "X_CEX", "Likeness", "similar_pairs", "similarities"]

# Maximum cells of the matrix of all pairs that are computed at a time.
CELLS = 1 << 22

# Bounds are widened by this to allow for rounding errors.
SLACK = 1e-9

FloatMatrix = NDArray[np.float64]


@dataclass(frozen=True)
class Likeness:
    """How the similarity of two blocks is computed, and from where on they are similar.

    Attributes
    ----------
    by
        ``"parts"``: weighted mean of the similarities of content and of structure (X-CEX).
        ``"vector"``: cosine of one vector of the counts of all tags and a binary entry for
        each term (Content Extractor).
    content, structure, wrap
        See `content_similarities` and `structure_similarities`.
    count_words
        Include the number of words in the vector, as printed. It then outweighs all other
        entries: the similarity of any two paragraphs of plain text is 0.98.
    importance
        Weight of the content, in [0, 1]; the structure has the remainder.
    threshold
        Blocks are similar if their similarity is above this.
    """

    by: Literal["parts", "vector"] = "parts"
    content: Content = "cosine"
    structure: StructureKind = "lcs"
    wrap: bool = False
    count_words: bool = False
    importance: float = 0.7
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if not (0 <= self.importance <= 1 and 0 <= self.threshold <= 1):
            raise ValueError("importance and threshold must be between 0 and 1")
        if self.content not in CONTENTS or self.structure not in STRUCTURES:
            raise ValueError("unknown similarity of content or structure")


X_CEX = Likeness()
"""The X-CEX thesis: Sim = 0.3 SSim + 0.7 CSim > 0.5."""

CONTENT_EXTRACTOR = Likeness(by="vector", threshold=0.9)
"""Content Extractor (2005): cosine of the single vectors > 0.9."""


def similarities(
    rows: Sequence[Profile], columns: Sequence[Profile], likeness: Likeness = X_CEX
) -> FloatMatrix:
    """Similarity of every block of one list with every block of another; float64, (r, c)."""
    if likeness.by == "vector":
        return cosines(*_vectors(rows, columns, likeness.count_words))
    content = content_similarities(rows, columns, likeness.content)
    everywhere = np.ones(content.shape, bool)
    return _weight(content, _structures(rows, columns, everywhere, likeness), likeness)


def similar_pairs(
    rows: Sequence[Profile], columns: Sequence[Profile], likeness: Likeness = X_CEX
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Which blocks are similar, one batch of rows at a time.

    Structures are compared only where the content does not already decide.

    Yields
    ------
    Index of the batch's first row, and bool, shape (rows of the batch, columns).
    """
    step = max(1, CELLS // max(1, len(columns)))
    if step >= len(rows):
        yield 0, _similar(rows, columns, likeness)
        return
    for first in range(0, len(rows), step):
        yield first, _similar(rows[first : first + step], columns, likeness)


def _similar(
    rows: Sequence[Profile], columns: Sequence[Profile], likeness: Likeness
) -> NDArray[np.bool_]:
    if likeness.by == "vector":
        return similarities(rows, columns, likeness) > likeness.threshold
    share = 1 - likeness.importance
    least = (likeness.threshold - share) / likeness.importance if likeness.importance else 0
    content = content_similarities(rows, columns, likeness.content, least=least - SLACK)
    alone = likeness.importance * content
    open_ = (alone + share > likeness.threshold - SLACK) & (alone <= likeness.threshold + SLACK)
    structure = _structures(rows, columns, open_, likeness)
    # Where the content alone decides, the structure does not change the result.
    return _weight(content, structure, likeness) > likeness.threshold


def _weight(content: FloatMatrix, structure: FloatMatrix, likeness: Likeness) -> FloatMatrix:
    return (1 - likeness.importance) * structure + likeness.importance * content


def _structures(
    rows: Sequence[Profile],
    columns: Sequence[Profile],
    is_requested: NDArray[np.bool_],
    likeness: Likeness,
) -> FloatMatrix:
    """Similarities of structures where requested, 0 elsewhere; distinct pairs computed once."""
    distinct, place = _distinct(rows)
    others, other_place = _distinct(columns)
    one, other = np.nonzero(is_requested)
    codes = place[one] * len(others) + other_place[other]
    pairs, back = np.unique(codes, return_inverse=True)
    scores = structure_similarities(
        distinct,
        others,
        (pairs // max(1, len(others)), pairs % max(1, len(others))),
        likeness.structure,
        wrap=likeness.wrap,
    )
    matrix = np.zeros(is_requested.shape)
    matrix[one, other] = scores[back]
    return matrix


def _distinct(blocks: Sequence[Profile]) -> tuple[list[Structure], NDArray[np.intp]]:
    index: dict[Structure, int] = {}
    places = [index.setdefault(block.structure, len(index)) for block in blocks]
    return list(index), np.array(places, np.intp)


def _vectors(
    rows: Sequence[Profile], columns: Sequence[Profile], count_words: bool
) -> tuple[csr_array, csr_array]:
    """Content Extractor's vectors: counts of tags, presence of terms, optionally word count."""
    both = (rows, columns)
    parts = [
        incidence(*([block.structure.tag_codes for block in blocks] for blocks in both)),
        incidence(*([block.term_codes for block in blocks] for blocks in both)),
    ]
    if count_words:
        one, other = (np.array([[block.words] for block in blocks]) for blocks in both)
        parts.append((csr_array(one.reshape(-1, 1)), csr_array(other.reshape(-1, 1))))
    one, other = (csr_array(hstack(each, format="csr")) for each in zip(*parts, strict=True))
    return one, other
