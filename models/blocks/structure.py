"""Structural similarities of blocks: their tags and classes.

Source: the X-CEX thesis, sections 4.2.3.A and 4.3.3.A, equations 4.6 and 4.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from .content import cosines, incidence
from .profiles import Codes, Structure, name_codes

__all__ = ["STRUCTURES", "StructureKind", "structure_similarities"]

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
    """Structural similarity of selected pairs of blocks.

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

    Returns
    -------
    float64, shape (k,), in [0, 1].
    """
    one, other = pairs
    if kind == "cosine":
        tags = [block.tag_codes for block in rows], [block.tag_codes for block in columns]
        return cosines(*incidence(*tags))[one, other]
    places = zip(one.tolist(), other.tolist(), strict=True)
    if kind == "griazev":
        return np.array([_griazev(rows[i], columns[k]) for i, k in places], np.float64)
    measured = _lcs if kind == "lcs" else _difflib
    tags = [_tags(blocks, wrap) for blocks in (rows, columns)]
    alike = [measured(tags[0][i], tags[1][k]) for i, k in places]
    return (np.array(alike, np.float64) + _jaccard(rows, columns)[one, other]) / 2


def _tags(blocks: Sequence[Structure], wrap: bool) -> list[Codes]:
    return [np.concatenate([WRAPPED if wrap else WRAPPED[:0], b.tag_codes]) for b in blocks]


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
