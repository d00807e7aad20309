"""The loop as printed in the thesis: every block with every block, nothing shared or skipped.

It is the oracle of the tests and the peer in `benchmarks/xcex.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from math import sqrt

from miolo.models.blocks.profiles import Profile, Structure, name_codes
from miolo.models.blocks.redundancy import RedundancyOptions

Similarity = Callable[[Profile, Profile], float]
Verdict = tuple[int, bool, bool]
"""Number of pages with a similar block, whether another page has the identical block, and whether
the block is content."""


def verdicts(
    pages: Sequence[Sequence[Profile]],
    similarity: Similarity,
    options: RedundancyOptions,
    *,
    early_exit: bool = True,
) -> list[list[Verdict]]:
    """The verdicts on every block of every page."""
    return [
        [verdict(pages, page, place, similarity, options, early_exit) for place in range(len(own))]
        for page, own in enumerate(pages)
    ]


def verdict(
    pages: Sequence[Sequence[Profile]],
    page: int,
    place: int,
    similarity: Similarity,
    options: RedundancyOptions,
    early_exit: bool,
) -> Verdict:
    block, similar, identical = pages[page][place], 0, False
    for other, blocks in enumerate(pages):
        if other == page and not options.own_page:
            continue
        is_similar = False
        for partner, candidate in enumerate(blocks):
            if other == page and partner == place:
                continue
            identical |= other != page and candidate.identity == block.identity
            if early_exit and is_similar:
                continue
            is_similar |= similarity(block, candidate) > options.likeness.threshold
        similar += is_similar
    dropped = identical and options.identical
    return similar, dropped, not dropped and similar < options.limit(len(pages))


def weight_content(
    options: RedundancyOptions, content: Similarity, *, wrap: bool = True
) -> Similarity:
    """Equation 4.1, with structures compared by Python's `difflib`."""
    likeness = options.likeness
    above = ("html", "body") if wrap else ()

    def similarity(one: Profile, other: Profile) -> float:
        built = (
            difflib_ratio(above + one.structure.tags, above + other.structure.tags)
            + jaccard(one.structure, other.structure)
        ) / 2
        return (1 - likeness.importance) * built + likeness.importance * content(one, other)

    return similarity


def cosine(one: Profile, other: Profile) -> float:
    """Equation 4.2 on binary vectors of terms."""
    if not one.terms or not other.terms:
        return float(not one.terms and not other.terms)
    common = len(set(one.terms) & set(other.terms))
    return min(1.0, common / (sqrt(len(one.terms)) * sqrt(len(other.terms))))


def vector_cosine(one: Profile, other: Profile) -> float:
    """Content Extractor's similarity."""
    vectors = [
        Counter(block.structure.tags) + Counter({("term", term): 1 for term in block.terms})
        for block in (one, other)
    ]
    norms = [sqrt(sum(count * count for count in vector.values())) for vector in vectors]
    if not all(norms):
        return float(not any(norms))
    product = sum(count * vectors[1][name] for name, count in vectors[0].items())
    return min(1.0, product / (norms[0] * norms[1]))


def difflib_ratio(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    one, other = sorted((one, other), key=lambda tags: (len(tags), name_codes(tags).tolist()))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def jaccard(one: Structure, other: Structure) -> float:
    union = set(one.classes) | set(other.classes)
    return len(set(one.classes) & set(other.classes)) / len(union) if union else 1.0
