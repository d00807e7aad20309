"""Near-duplicate pages in one or several collections, by shingles of five words.

MinHash estimates the Jaccard similarity of two sets, and locality-sensitive hashing (banding) finds
the candidate pairs (`datasketch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

from ...errors import MissingDependencyError
from ...features.words import words

if TYPE_CHECKING:
    from .collection import Collection

PERMUTATIONS = 128
SHINGLE_WORDS = 5

MIN_WORDS = 20  # minimum number of words of a compared text; many shorter texts are alike by chance
MAX_WORDS = 20_000  # maximum number of words of a text that are compared, from its beginning
MAX_MATCHES = 100  # maximum number of earlier pages that are considered for each page


@dataclass(frozen=True)
class SimilarPages:
    """Two pages with nearly the same text, each with the index of its collection, and the estimated
    Jaccard similarity of their sets of shingles.
    """

    collection: int
    url: str
    earlier_collection: int
    earlier_url: str
    similarity: float


def similar_pages(
    collections: Iterable[Collection], min_similarity: float = 0.8
) -> Iterator[SimilarPages]:
    """Yield the pairs of pages with at least a Jaccard similarity; each collection is read once, in
    order.

    Memory grows by about 3 kB per page. With 128 permutations the standard error of a similarity s
    is ``sqrt(s * (1 - s) / 128)``, at most .044.
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of_extra("finding near-duplicates", "collect") from error
    index = MinHashLSH(threshold=min_similarity, num_perm=PERMUTATIONS)
    pages: dict[int, tuple[int, str, MinHash]] = {}
    for place, collection in enumerate(collections):
        for row in collection.rows():
            shingles = _shingles(str(row.get("text") or ""))
            if not shingles:
                continue
            hashed = MinHash(num_perm=PERMUTATIONS)
            hashed.update_batch(shingles)
            url = str(row.get("requested_url"))
            for match in islice(sorted(cast(list[int], index.query(hashed))), MAX_MATCHES):
                earlier, earlier_url, other = pages[match]
                similarity = float(hashed.jaccard(other))
                if similarity >= min_similarity:
                    yield SimilarPages(place, url, earlier, earlier_url, similarity)
            pages[len(pages)] = place, url, hashed
            index.insert(len(pages) - 1, hashed)


def _shingles(text: str) -> list[bytes]:
    """The shingles of a text; empty if the text is too short."""
    terms = [term.casefold() for term in words(text)[:MAX_WORDS]]
    if len(terms) < MIN_WORDS:
        return []
    sequences = zip(*(terms[start:] for start in range(SHINGLE_WORDS)), strict=False)
    return list({" ".join(each).encode("utf-8", "replace") for each in sequences})
