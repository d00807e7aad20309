"""Similarities of block texts, for all pairs at once.

Source: the X-CEX thesis, sections 4.2.3.B and 4.3.3.B, equations 4.2 and 4.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA, DamerauLevenshtein, Hamming, JaroWinkler, Levenshtein
from scipy.sparse import csr_array

from .profiles import Codes, Profile

__all__ = ["CONTENTS", "Content", "content_similarities", "cosines", "incidence"]

Content = Literal["cosine", "hamming", "levenshtein", "damerau-levenshtein", "osa", "jaro-winkler"]
CONTENTS: tuple[Content, ...] = get_args(Content)

FloatMatrix = NDArray[np.float64]

EMPTY = np.zeros(0, np.uint64)

SCORERS = {
    "hamming": Hamming.normalized_similarity,
    "levenshtein": Levenshtein.normalized_similarity,
    "damerau-levenshtein": DamerauLevenshtein.normalized_similarity,
    "osa": OSA.normalized_similarity,
    "jaro-winkler": JaroWinkler.normalized_similarity,
}


def content_similarities(
    rows: Sequence[Profile],
    columns: Sequence[Profile],
    kind: Content = "cosine",
    *,
    least: float = 0.0,
) -> FloatMatrix:
    """Similarity of every text of one list with every text of another.

    Parameters
    ----------
    kind
        ``"cosine"``: cosine of the binary vectors of terms; 1 if both texts have no terms, 0
        if only one has none. The other kinds except the last are ``1 - d / max(len)`` over
        characters (equation 4.8). ``"hamming"`` counts the excess characters of the longer text
        as different. ``"damerau-levenshtein"`` allows transpositions of neighbouring
        characters even with other edits between them, in quadratic time. ``"osa"`` allows them
        only without, and is far faster. ``"jaro-winkler"`` is that similarity itself; the
        thesis used it in place of the distance d, which makes all blocks alike, and found no
        content on any site.
    least
        Similarities below this may be returned as 0, which makes edit distances faster.

    Returns
    -------
    float64, shape (rows, columns), in [0, 1].
    """
    if kind == "cosine":
        names = [block.term_codes for block in rows], [block.term_codes for block in columns]
        return cosines(*incidence(*names))
    texts = [block.text for block in rows]
    return process.cdist(
        texts,
        # For one list with itself, only half of the matrix is computed.
        texts if rows is columns else [block.text for block in columns],
        scorer=SCORERS[kind],
        scorer_kwargs={"pad": True} if kind == "hamming" else None,
        score_cutoff=max(least, 0.0) or None,
        dtype=np.float64,
        workers=-1,
    )


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
