"""Measures of the X-CEX thesis that the method `x-cex` does not use, for `Likeness`.

Sources: equations 4.6 and 4.8, sections 4.2.3 and 4.3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

import numpy as np
from miolo.models.blocks.likeness import (
    FloatMatrix,
    Likeness,
    Pairs,
    class_jaccard,
    cosines,
    incidence,
    tag_sequences,
    term_cosines,
    vector_cosines,
)
from miolo.models.blocks.profiles import Codes, Profile, Structure, name_codes
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA, DamerauLevenshtein, Hamming, JaroWinkler, Levenshtein
from scipy.sparse import csr_array, hstack
from xcex_matched import match

# Equation 4.6: a replaced tag scores Oc^2 * KL. The thesis gives KL; Oc, the cost of an operation,
# must be below 1.
REPLACED = 0.5**2 * 0.9

# Texts of a lower similarity are those of blocks that are not similar, whatever their structures:
# 0.3 + 0.7 x must be above 0.5.
DECIDED = 0.28

# Tags that parsing a fragment as a document adds around it.
WRAPPED = name_codes(("html", "body"))


def edit_similarities(
    rows: Sequence[Profile],
    columns: Sequence[Profile],
    *,
    scorer: Callable[..., float],
    pad: bool = False,
) -> FloatMatrix:
    """Equation 4.8 over characters: ``1 - d / max(len)``; 0 for less than `DECIDED`."""
    texts = [block.text for block in rows]
    return process.cdist(
        texts,
        # For one list with itself, only half of the matrix is computed.
        texts if rows == columns else [block.text for block in columns],
        scorer=scorer,
        scorer_kwargs={"pad": True} if pad else None,
        score_cutoff=DECIDED,
        dtype=np.float64,
        workers=-1,
    )


def vectors_with_words(rows: Sequence[Profile], columns: Sequence[Profile]) -> FloatMatrix:
    """Content Extractor's similarity as printed, with the number of words in the vector."""
    both = (rows, columns)
    tags = incidence(*([block.structure.tag_codes for block in blocks] for blocks in both))
    terms = incidence(*([block.term_codes for block in blocks] for blocks in both))
    words = (csr_array(np.array([[b.words] for b in each]).reshape(-1, 1)) for each in both)
    vectors = zip(tags, terms, words, strict=True)
    return cosines(*(csr_array(hstack(each, format="csr")) for each in vectors))


def difflib_tags(
    rows: Sequence[Structure], columns: Sequence[Structure], pairs: Pairs, *, wrap: bool = True
) -> NDArray[np.float64]:
    """`tag_sequences` with the tags that Python's `difflib` matches, as in the thesis's package.

    With `wrap`, blocks are compared as documents of their own, as that package parsed them.
    """
    around = WRAPPED if wrap else WRAPPED[:0]
    tags = [[np.concatenate([around, b.tag_codes]) for b in blocks] for blocks in (rows, columns)]
    places = zip(*(each.tolist() for each in pairs), strict=True)
    alike = [_difflib(tags[0][i], tags[1][k]) for i, k in places]
    return (np.array(alike, np.float64) + class_jaccard(rows, columns)[pairs]) / 2


def _difflib(one: Codes, other: Codes) -> float:
    # It is not symmetric, so the smaller list comes first.
    one, other = sorted((one, other), key=lambda tags: (len(tags), tags.tolist()))
    total = len(one) + len(other)
    return 2 * int(match(one, other)) / total if total else 1.0


def tag_cosines(
    rows: Sequence[Structure], columns: Sequence[Structure], pairs: Pairs
) -> NDArray[np.float64]:
    """Cosines of the counts of tags."""
    tags = [block.tag_codes for block in rows], [block.tag_codes for block in columns]
    return cosines(*incidence(*tags))[pairs]


def griazev(
    rows: Sequence[Structure], columns: Sequence[Structure], pairs: Pairs
) -> NDArray[np.float64]:
    """Tags at the same position of the same level, over the number of tags of the larger block.

    A tag without a partner scores nothing.
    """
    places = zip(*(each.tolist() for each in pairs), strict=True)
    return np.array([_griazev(rows[i], columns[k]) for i, k in places], np.float64)


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


_edits = partial(partial, edit_similarities)

CONTENTS = {
    "cosine": term_cosines,
    "vector": vector_cosines,
    "vector with words": vectors_with_words,
    # The excess characters of the longer text count as different.
    "hamming": _edits(scorer=Hamming.normalized_similarity, pad=True),
    "levenshtein": _edits(scorer=Levenshtein.normalized_similarity),
    # With transpositions even if there are other edits between the characters, in quadratic time.
    "damerau-levenshtein": _edits(scorer=DamerauLevenshtein.normalized_similarity),
    # With transpositions only of neighbours, which is far faster.
    "osa": _edits(scorer=OSA.normalized_similarity),
    # The thesis used this similarity in place of the distance d, which makes all blocks alike.
    "jaro-winkler": _edits(scorer=JaroWinkler.normalized_similarity),
}

STRUCTURES = {
    "lcs": tag_sequences,
    "difflib": partial(difflib_tags, wrap=False),
    "cosine": tag_cosines,
    "griazev": griazev,
}

THESIS = Likeness(structure=difflib_tags)
"""X-CEX with structures compared as in the thesis's package."""
