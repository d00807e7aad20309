"""Similarity of two blocks by content and structure.

Source: the X-CEX thesis, section 4.2.3 with equation 4.1, sections 4.2.3.B and 4.3.3.B for content,
sections 4.2.3.A and 4.3.3.A for structure (tags and classes), and section 3.5.2 for Content
Extractor. The thesis's other measures are in ``benchmarks/xcex_variants.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from scipy.sparse import csr_array, hstack

from .profiles import Codes, Profile, Structure

FloatMatrix = NDArray[np.float64]
Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]

EMPTY = np.zeros(0, np.uint64)

# Maximum cells of the matrix of all pairs that are computed at a time.
CELLS = 1 << 22

# Bounds are widened by this to allow for rounding errors.
SLACK = 1e-9


def term_cosines(rows: Sequence[Profile], columns: Sequence[Profile]) -> FloatMatrix:
    """Cosines of the binary vectors of terms (equation 4.2).

    It is 1 if both texts have no terms, 0 if only one has none.
    """
    return cosines(*incidence(*([b.term_codes for b in blocks] for blocks in (rows, columns))))


def vector_cosines(rows: Sequence[Profile], columns: Sequence[Profile]) -> FloatMatrix:
    """Cosines of Content Extractor's vectors: counts of all tags and a binary entry for each term.

    The number of words, which is an entry as printed, is left out. It would outweigh all others:
    the similarity of any two paragraphs of plain text would be 0.98.
    """
    both = (rows, columns)
    tags = incidence(*([block.structure.tag_codes for block in blocks] for blocks in both))
    terms = incidence(*([block.term_codes for block in blocks] for blocks in both))
    vectors = zip(tags, terms, strict=True)
    return cosines(*(csr_array(hstack(each, format="csr")) for each in vectors))


def incidence(rows: Sequence[Codes], columns: Sequence[Codes]) -> tuple[csr_array, csr_array]:
    """Counts of names in two lists of bags, int64, shape (bags, names), over one vocabulary."""
    bags = [*rows, *columns]
    lengths = [len(bag) for bag in bags]
    names, places = np.unique(np.concatenate([*bags, EMPTY]), return_inverse=True)
    start = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    ones = np.ones(len(places), np.int64)
    counts = csr_array((ones, places, start), shape=(len(bags), max(1, len(names))))
    counts.sum_duplicates()
    return counts[: len(rows)], counts[len(rows) :]


def cosines(one: csr_array, other: csr_array) -> FloatMatrix:
    """Cosine of every row of one matrix with every row of another.

    It is 1 if both rows are zero, 0 if only one is.
    """
    lengths = [np.sqrt(matrix.multiply(matrix).sum(axis=1)) for matrix in (one, other)]
    products = (one @ other.T).toarray().astype(np.float64)
    norms = np.outer(*lengths)
    empty = np.outer(lengths[0] == 0, lengths[1] == 0).astype(np.float64)
    similarity = np.divide(products, norms, out=empty, where=norms > 0)
    return np.minimum(similarity, 1.0)


def tag_sequences(
    rows: Sequence[Structure], columns: Sequence[Structure], pairs: Pairs
) -> NDArray[np.float64]:
    """Mean of the similarity of the two lists of tags and of the `class_jaccard` of pairs.

    The similarity of two lists is 2 M / T, with M the length of their longest common subsequence
    and T the sum of their lengths.
    """
    tags = [[block.tag_codes.tolist() for block in blocks] for blocks in (rows, columns)]
    places = zip(*(each.tolist() for each in pairs), strict=True)
    alike = [Indel.normalized_similarity(tags[0][i], tags[1][k]) for i, k in places]
    return (np.array(alike, np.float64) + class_jaccard(rows, columns)[pairs]) / 2


def class_jaccard(rows: Sequence[Structure], columns: Sequence[Structure]) -> FloatMatrix:
    """Jaccard index of the sets of classes of all pairs; 1 if both sets are empty."""
    one, other = incidence([b.class_codes for b in rows], [b.class_codes for b in columns])
    common = (one @ other.T).toarray().astype(np.float64)
    union = np.add.outer(one.sum(axis=1), other.sum(axis=1)) - common
    return np.divide(common, union, out=np.ones_like(common), where=union > 0)


@dataclass(frozen=True)
class Likeness:
    """How the similarity of two blocks is computed, and from where on they are similar."""

    importance: float = 0.7
    """Weight of the content, in [0, 1]; the structure has the remainder."""
    threshold: float = 0.5
    """Blocks are similar if their similarity is above this."""
    content: Callable[[Sequence[Profile], Sequence[Profile]], FloatMatrix] = term_cosines
    """Similarities of the texts of r blocks with those of c others: float64, shape (r, c), in [0,
    1]."""
    structure: Callable[[Sequence[Structure], Sequence[Structure], Pairs], NDArray[np.float64]] = (
        tag_sequences
    )
    """Similarities of pairs of structures: float64, shape (k,), in [0, 1]. The pairs are indices
    into the two lists, intp, shape (k,) each."""

    def __post_init__(self) -> None:
        if not (0 <= self.importance <= 1 and 0 <= self.threshold <= 1):
            raise ValueError("importance and threshold must be between 0 and 1")


X_CEX = Likeness()
"""The X-CEX thesis: Sim = 0.3 SSim + 0.7 CSim > 0.5."""

CONTENT_EXTRACTOR = Likeness(importance=1.0, threshold=0.9, content=vector_cosines)
"""Content Extractor (2005): cosine of the single vectors > 0.9."""


def similar_pairs(
    rows: Sequence[Profile], columns: Sequence[Profile], likeness: Likeness = X_CEX
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Which blocks are similar, one batch of rows at a time.

    Yields index of the batch's first row, and bool, shape (rows of the batch, columns).
    """
    step = max(1, CELLS // max(1, len(columns)))
    for first in range(0, len(rows), step):
        yield first, _are_similar(rows[first : first + step], columns, likeness)


def _are_similar(
    rows: Sequence[Profile], columns: Sequence[Profile], likeness: Likeness
) -> NDArray[np.bool_]:
    """bool, shape (r, c). Structures are compared only where the content does not decide."""
    share = 1 - likeness.importance
    similarity = likeness.importance * likeness.content(rows, columns)
    above, below = likeness.threshold - SLACK - share, likeness.threshold + SLACK
    one, other = np.nonzero((similarity > above) & (similarity <= below))
    # Distinct pairs of structures are compared once.
    distinct, place = _distinct(rows)
    others, other_place = _distinct(columns)
    codes = place[one] * len(others) + other_place[other]
    pairs, back = np.unique(codes, return_inverse=True)
    places = np.divmod(pairs, max(1, len(others)))
    similarity[one, other] += share * likeness.structure(distinct, others, places)[back]
    return similarity > likeness.threshold


def _distinct(blocks: Sequence[Profile]) -> tuple[list[Structure], NDArray[np.intp]]:
    index: dict[Structure, int] = {}
    places = [index.setdefault(block.structure, len(index)) for block in blocks]
    return list(index), np.array(places, np.intp)
