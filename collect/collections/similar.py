"""Pages of one or several collections whose texts are nearly the same.

Texts are compared as sets of shingles, sequences of five words. MinHash estimates the share that
two sets have in common, and an index of bands finds the pairs that are worth the estimate
(`datasketch`).
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

__all__ = ["SimilarPages", "similar_pages"]

PERMUTATIONS = 128
SHINGLE_WORDS = 5

MIN_WORDS = 20
"""Words of the shortest text that is compared: of shorter ones many are alike by chance."""

MAX_WORDS = 20_000
"""Words of a text that count; a longer text is compared by its beginning."""

MAX_MATCHES = 100
"""Earlier pages that one page is reported to be similar to."""


@dataclass(frozen=True)
class SimilarPages:
    """Two pages with nearly the same text.

    Attributes
    ----------
    collection, url
        Place of the collection among those that are compared, and the page's address.
    earlier_collection, earlier_url
        The same of the page that came first.
    similarity
        Estimate of the share of shingles that both have, in [0, 1].
    """

    collection: int
    url: str
    earlier_collection: int
    earlier_url: str
    similarity: float


def similar_pages(
    collections: Iterable[Collection], min_similarity: float = 0.8
) -> Iterator[SimilarPages]:
    """Yield the pairs of pages that are similar, the later page of each first.

    Parameters
    ----------
    collections
        Of pages with results; each is read once, in order.
    min_similarity
        Least share of common shingles at which two pages are similar, in (0, 1).

    Raises
    ------
    MissingDependencyError
        datasketch is not installed.
    ArchiveError
        A row is damaged, and its collection has no `log`.

    Notes
    -----
    Memory grows with the number of pages, by some 3 kB each. With 128 permutations the standard
    error of a similarity s is ``sqrt(s * (1 - s) / 128)``, at most .044.
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "datasketch is not installed: pip install 'miolo[collect]'"
        ) from error
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
    """The shingles of a text; none of one that is too short."""
    terms = [term.casefold() for term in words(text)[:MAX_WORDS]]
    if len(terms) < MIN_WORDS:
        return []
    sequences = zip(*(terms[start:] for start in range(SHINGLE_WORDS)), strict=False)
    return list({" ".join(each).encode("utf-8", "replace") for each in sequences})
