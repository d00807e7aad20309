"""Features of repetition: how much of a block recurs in other blocks or in declared texts.

A page may contain its article twice, as a hidden dump or a second rendering. It may also quote a
sentence of the article in large letters, or show its description above it. Shares are computed
over runs of four words, so that a copy is recognised even if it is cut into blocks differently.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from ..blocks import TextBlocks
from .columns import Columns
from .tokens import block_words

__all__ = ["put_copies"]

RUN = 4
"""Number of words in a run; a shorter block is a single run."""

WINDOW = 5
"""Number of blocks on each side whose shares are averaged, since an article is copied as a series
of blocks."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

LONGEST_BODY = 1 << 20
BODY = lazy_re(r'"articleBody"\s*:\s*"((?:[^"\\]|\\.)*)"')


def put_copies(columns: Columns, page: TextBlocks, words: Sequence[Sequence[str]]) -> None:
    """Add the shares of each block that recur in other blocks, the description or declared body."""
    info = page.snapshot.page
    descriptions = filter(None, map(info.meta_value, ("description", "og:description")))
    declared = block_words((" ".join(descriptions), _declared_article_body(page.snapshot)))
    texts = [*words, *declared]
    sizes = np.array([len(text) for text in texts], np.int64)
    codes, owner = _run_codes(_numbers(texts), sizes)
    blocks = len(page)
    total = np.maximum(np.bincount(owner, minlength=blocks + 2), 1)[:blocks]

    def share(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(owner[mask], minlength=blocks + 2)[:blocks] / total

    own = owner < blocks
    _, code = np.unique(codes, return_inverse=True)
    kinds = int(code.max(initial=-1)) + 1
    first, last, longest = (np.full(kinds, value) for value in (blocks, -1, -1))
    np.minimum.at(first, code[own], owner[own])
    np.maximum.at(last, code[own], owner[own])
    size = sizes[:blocks]
    np.maximum.at(longest, code[own], size[owner[own]])
    hidden = np.append(page.hidden, [False, False])[owner]
    on_side = [_member_mask(code, own & (hidden == side), kinds) for side in (False, True)]
    earlier = share(own & (first[code] < owner))
    later = share(own & (last[code] > owner))
    columns.put(
        "copy",
        earlier=earlier,
        later=later,
        earlier_around=_smoothed_shares(earlier, size),
        later_around=_smoothed_shares(later, size),
        other_side=share(own & np.where(hidden, on_side[0][code], on_side[1][code])),
        in_longer=share(own & (longest[code] > np.append(size, [0, 0])[owner])),
        in_description=share(own & _member_mask(code, owner == blocks, kinds)[code]),
        in_body=share(own & _member_mask(code, owner == blocks + 1, kinds)[code])
        if len(declared[1])
        else np.nan,
        has_body=bool(len(declared[1])),
    )


def _numbers(texts: Sequence[Sequence[str]]) -> NDArray[np.uint64]:
    """Number of each word of all texts; words are numbered by first occurrence."""
    numbers: defaultdict[str, int] = defaultdict(count(1).__next__)
    return np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), np.uint64)


def _run_codes(
    word: NDArray[np.uint64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hash codes of the runs of all texts, and the index of the text that contains each run."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    ends = np.cumsum(sizes)[owner]
    place = np.arange(len(word))
    code = np.zeros(len(word), np.uint64)
    padded = np.concatenate([word, np.zeros(RUN, np.uint64)])
    for step in range(RUN):
        code += np.where(place + step < ends, padded[step : step + len(word)], 0)
        code *= MULTIPLIER
        code ^= code >> np.uint64(29)
    starts = place == ends - sizes[owner]
    kept = (place + RUN <= ends) | (starts & (sizes[owner] < RUN))
    return code[kept], owner[kept]


def _member_mask(
    code: NDArray[np.intp], chosen: NDArray[np.bool_], kinds: int
) -> NDArray[np.bool_]:
    """bool, shape (kinds,): codes of the chosen runs."""
    mask = np.zeros(kinds, bool)
    mask[code[chosen]] = True
    return mask


def _smoothed_shares(share: NDArray[np.float64], size: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean share over the window around each block, weighted by words."""
    mass = np.concatenate([[0.0], np.cumsum(share * size)])
    weight = np.concatenate([[0], np.cumsum(size)])
    place = np.arange(len(share))
    low, high = np.maximum(place - WINDOW, 0), np.minimum(place + WINDOW + 1, len(share))
    return (mass[high] - mass[low]) / np.maximum(weight[high] - weight[low], 1)


def _declared_article_body(snapshot: Snapshot) -> str:
    for source in snapshot.page.json_ld:
        match = BODY.search(source[:LONGEST_BODY])
        if match:
            try:
                return json.loads(f'"{match[1]}"', strict=False)
            except ValueError:
                return match[1]
    return ""
