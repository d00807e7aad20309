"""Images as rows of numbers: the measured columns, then one column per retained phrase.

Source: Kushmerick 1999, section 3.2: phrases of at most two words that occur often enough in
the training images are binary features.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from .images import FIELDS, NUMBERS, PageImages

__all__ = ["image_columns", "image_matrix"]


def image_columns(
    sites: Iterable[Sequence[PageImages]],
    min_count: int = 10,
    min_sites: int = 1,
    fields: Sequence[str] = FIELDS,
) -> tuple[str, ...]:
    """Columns for the images of some pages.

    Parameters
    ----------
    sites
        Images to learn from, by site.
    min_count
        Minimum number of images that have a phrase; 10 in the paper.
    min_sites
        Minimum number of sites that have a phrase. The paper has no such minimum; with two or
        more, the name of a site is not a phrase.
    fields
        Fields whose phrases count, out of `miolo_research.adeater.images.FIELDS`.

    Returns
    -------
    tuple
        `miolo_research.adeater.images.NUMBERS`, then the phrases in code point order.
    """
    images: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for pages in sites:
        own = Counter(phrase for page in pages for phrases in page.phrases for phrase in phrases)
        images.update(own)
        spread.update(own.keys())
    kept = [p for p, n in images.items() if n >= min_count and spread[p] >= min_sites]
    return (*NUMBERS, *sorted(p for p in kept if p.partition(":")[0] in fields))


def image_matrix(pages: Iterable[PageImages], columns: Sequence[str]) -> csr_matrix:
    """Rows of the images, page by page.

    Parameters
    ----------
    pages
        Images to encode.
    columns
        Any of `miolo_research.adeater.images.NUMBERS` and phrases, in any order.

    Returns
    -------
    csr_matrix
        float32, shape (images, columns): the numbers unchanged (-1 if unknown), 1 for phrases
        that the image has, and 0 for the others.
    """
    place = {column: i for i, column in enumerate(columns)}
    measured = [(i, place[name]) for i, name in enumerate(NUMBERS) if name in place]
    values: list[float] = []
    indices: list[int] = []
    bounds = [0]
    for page in pages:
        for numbers, phrases in zip(page.numbers.tolist(), page.phrases, strict=True):
            own = {column: numbers[i] for i, column in measured if numbers[i]}
            own.update((place[phrase], 1.0) for phrase in phrases if phrase in place)
            indices += sorted(own)
            values += (own[column] for column in sorted(own))
            bounds.append(len(indices))
    data = np.array(values, np.float32), np.array(indices, np.int32), np.array(bounds, np.int32)
    return csr_matrix(data, shape=(len(bounds) - 1, len(columns)), dtype=np.float32)
