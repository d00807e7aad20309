"""Similarity of two blocks by content and structure.

Source: the X-CEX thesis, section 4.2.3 with equation 4.1, sections 4.2.3.B and 4.3.3.B with
equations 4.2 and 4.8 for content, sections 4.2.3.A and 4.3.3.A with equations 4.6 and 4.7 for
structure (tags and classes), and section 3.5.2 for Content Extractor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA, DamerauLevenshtein, Hamming, Indel, JaroWinkler, Levenshtein
from scipy.sparse import csr_array, hstack

from .profiles import Codes, Profile, Structure, name_codes

__all__ = [
    "CONTENTS",
    "CONTENT_EXTRACTOR",
    "STRUCTURES",
    "X_CEX",
    "Content",
    "Likeness",
    "StructureKind",
    "content_similarities",
    "cosines",
    "incidence",
    "similar_pairs",
    "similarities",
    "structure_similarities",
]


# Similarities of block texts, for all pairs at once.

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


StructureKind = Literal["lcs", "difflib", "cosine", "griazev"]
STRUCTURES: tuple[StructureKind, ...] = get_args(StructureKind)

# Equation 4.6: a replaced tag scores Oc^2 * KL. The thesis gives KL; Oc must be below 1.
REPLACED = 0.5**2 * 0.9

# Tags that parsing a fragment as a document adds around it.
WRAPPED = name_codes(("html", "body"))

Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]


def structure_similarities(
    rows: Sequence[Structure],
    columns: Sequence[Structure],
    pairs: Pairs,
    kind: StructureKind = "lcs",
    *,
    wrap: bool = False,
) -> NDArray[np.float64]:
    """float64, shape (k,), in [0, 1]: structural similarity of selected pairs of blocks.

    Parameters
    ----------
    rows, columns
        Structures; duplicates are best removed beforehand.
    pairs
        Indices into `rows` and into `columns`, intp, shape (k,) each.
    kind
        ``"lcs"`` and ``"difflib"``: mean of the similarity 2 M / T of the two lists of tags,
        where T is the sum of their lengths, and of the Jaccard index of the two sets of classes
        (1 if both are empty). For ``"lcs"``, M is the length of the longest common subsequence.
        For ``"difflib"``, M is the number of tags that Python's `difflib` matches, as in the
        thesis's package; this is slower and not symmetric, so the smaller list comes first
        here. ``"cosine"``: cosine of the counts of tags. ``"griazev"``: tags at the same
        position of the same level, scored by equation 4.6, over the number of tags of the
        larger block. The thesis does not state the cost Oc of an operation; here it is 0.5 for
        a replaced tag, and a tag without a partner scores nothing.
    wrap
        Compare blocks as documents of their own, as the thesis's package parsed them: `html`
        and `body` are prepended to both lists of tags.
    """
    one, other = pairs
    if kind == "cosine":
        tags = [block.tag_codes for block in rows], [block.tag_codes for block in columns]
        return cosines(*incidence(*tags))[one, other]
    places = zip(one.tolist(), other.tolist(), strict=True)
    if kind == "griazev":
        return np.array([_griazev(rows[i], columns[k]) for i, k in places], np.float64)
    measured = _lcs if kind == "lcs" else _difflib
    around = WRAPPED if wrap else WRAPPED[:0]
    tags = [[np.concatenate([around, b.tag_codes]) for b in blocks] for blocks in (rows, columns)]
    alike = [measured(tags[0][i], tags[1][k]) for i, k in places]
    return (np.array(alike, np.float64) + _jaccard(rows, columns)[one, other]) / 2


def _lcs(one: Codes, other: Codes) -> float:
    return Indel.normalized_similarity(one.tolist(), other.tolist())


def _difflib(one: Codes, other: Codes) -> float:
    from .matched_kernel import match

    one, other = sorted((one, other), key=lambda tags: (len(tags), tags.tolist()))
    total = len(one) + len(other)
    return 2 * int(match(one, other)) / total if total else 1.0


def _jaccard(rows: Sequence[Structure], columns: Sequence[Structure]) -> NDArray[np.float64]:
    one, other = incidence([b.class_codes for b in rows], [b.class_codes for b in columns])
    common = (one @ other.T).toarray().astype(np.float64)
    union = np.add.outer(one.sum(axis=1), other.sum(axis=1)) - common
    return np.divide(common, union, out=np.ones_like(common), where=union > 0)


def _griazev(one: Structure, other: Structure) -> float:
    most = max(len(one.tags), len(other.tags))
    if not most:
        return 1.0
    levels, others = _by_level(one), _by_level(other)
    score = sum(
        1.0 if tag == partner else REPLACED
        for level in levels.keys() & others.keys()
        for tag, partner in zip(levels[level], others[level], strict=False)
    )
    return score / most


def _by_level(block: Structure) -> dict[int, list[str]]:
    ranked = sorted(zip(block.levels, range(len(block.tags)), strict=True))
    return {
        level: [block.tags[place] for _, place in places]
        for level, places in groupby(ranked, key=lambda pair: pair[0])
    }


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
