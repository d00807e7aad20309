"""Alignment of blocks with a ground-truth text: which blocks contain the text, in its order.

A truth is plain text that somebody considered to be the article. Its paragraphs are in the page's
order, but it may lack headlines, captions or lists, join what the page separates, or contain once
what the page contains twice. Every block gets candidates: places in the truth that share many of
its tokens. Of all assignments of disjoint places to blocks in the same order, the one that explains
the most tokens is chosen by dynamic programming. Repeated text is thus assigned to the block whose
neighbours are also next to it in the truth. Of assignments that are still equal, the one whose
first and last blocks are closest together on the page is chosen, and not one that includes a teaser
far above.

A truth of t tokens and p candidates take O(t + p log p) steps. Only chains of candidates that
explain more than all chains that end earlier are kept, so the best one to extend is found by
bisection, as for a heaviest increasing subsequence. Only the first `MAX_PLACES` places of a run of
tokens are looked up, so p is at most a multiple of the page's tokens, whatever it repeats.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...features.words import words

__all__ = ["Alignment", "align"]

# Number of consecutive tokens that make a place in the truth a candidate; shorter blocks must match
# as a whole.
GRAM = 3

# Maximum number of places considered for a block, since a common word occurs in many.
MAX_PLACES = 40

# Tokens that the truth may omit from a block or insert into it, as a share of the block's tokens.
SLACK = 0.25

# Bonus for each pair of neighbours that are side by side in the truth, which decides between
# assignments that explain equally much. It is worth less than a token.
BESIDE = 0.5

# Penalty for the blocks between the first and the last block of an assignment. Even for all blocks
# of a page, it is worth less than the bonus for neighbours.
SPAN = 0.25

# Truths repeat a few tokens at the seams of joined blocks: at most this many, and at most one in
# `OVERLAP_PART` of a block's tokens.
OVERLAP = 2
OVERLAP_PART = 8

# Minimum share of a place's hits on a diagonal that counts; matches by chance are rarer.
MIN_DIAGONAL = 0.08


@dataclass(frozen=True, eq=False)
class Alignment:
    """Alignment of the blocks of a page with its truth."""

    share: NDArray[np.float64]
    """float64, shape (b,), in [0, 1]: the share of each block's tokens that its place in the truth
    contains; 0 without a place."""
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    """int64, shape (b,): the block's place, in tokens of the truth; -1 without one. Places ascend
    with the blocks, and each shares at most `OVERLAP` tokens with all before it."""
    explained: float
    """Share of the truth's tokens that blocks explain, in [0, 1]; 1 for an empty truth."""


@dataclass(frozen=True)
class _Place:
    """A place in the truth that contains some of a block's tokens."""

    start: int
    stop: int
    matched: int


@dataclass(frozen=True, eq=False)
class _Chain:
    """A chain of places of blocks, as its last link; `number` is the order of creation.

    `total` includes a bonus for the number of blocks before the chain's first block.
    """

    total: float
    number: int
    block: int
    place: _Place
    before: _Chain | None


def align(blocks: Sequence[str], truth: str) -> Alignment:
    """Align the blocks of a page to its truth."""
    tokens = tuple(words(truth.casefold()))
    index = _index(tokens)
    block_words = [tuple(words(text.casefold())) for text in blocks]
    places = {block: _places(block, index) for block in set(block_words)}
    share = np.zeros(len(blocks))
    start = np.full(len(blocks), -1, np.int64)
    stop = np.full(len(blocks), -1, np.int64)
    chain = _best_chain([places[block] for block in block_words])
    while chain:
        at, place = chain.block, chain.place
        share[at] = place.matched / len(block_words[at])
        start[at], stop[at] = place.start, place.stop
        chain = chain.before
    return Alignment(share, start, stop, _explain(len(tokens), start, stop))


def _grams(tokens: tuple[str, ...], size: int) -> zip[tuple[str, ...]]:
    """All runs of `size` tokens."""
    return zip(*(tokens[skipped:] for skipped in range(size)), strict=False)


def _index(tokens: tuple[str, ...]) -> dict[tuple[str, ...], list[int]]:
    """Positions at which each run of one, two and `GRAM` tokens begins."""
    index: dict[tuple[str, ...], list[int]] = {}
    for size in range(1, GRAM + 1):
        for place, gram in enumerate(_grams(tokens, size)):
            index.setdefault(gram, []).append(place)
    return index


def _places(block: tuple[str, ...], index: dict[tuple[str, ...], list[int]]) -> list[_Place]:
    """Candidate places of a block."""
    size = len(block)
    if size <= GRAM:
        return [_Place(at, at + size, size) for at in index.get(block, ())[:MAX_PLACES]]
    # Positions of matching runs in the block, by the position in the truth where it would begin.
    diagonals: dict[int, list[int]] = {}
    for i, gram in enumerate(_grams(block, GRAM)):
        for at in index.get(gram, ())[:MAX_PLACES]:
            diagonals.setdefault(at - i, []).append(i)
    groups = _groups(sorted(diagonals), max(2, int(SLACK * size)))
    places = [_place({diagonal: diagonals[diagonal] for diagonal in group}) for group in groups]
    fitting = [place for place in places if place.stop - place.start <= (1 + SLACK) * size + GRAM]
    return sorted(fitting, key=lambda place: -place.matched)[:MAX_PLACES]


def _groups(diagonals: list[int], width: int) -> list[list[int]]:
    """Groups of ascending diagonals; the first and last of a group are at most `width` apart."""
    groups: list[list[int]] = []
    for diagonal in diagonals:
        if not groups or diagonal - groups[-1][0] > width:
            groups.append([])
        groups[-1].append(diagonal)
    return groups


def _place(hits: dict[int, list[int]]) -> _Place:
    """The place that hits form: the ascending positions of runs in the block, by diagonal."""
    often = [len(starts) for starts in hits.values()]
    enough = min(MIN_DIAGONAL * sum(often), max(often))
    hits = {diagonal: starts for diagonal, starts in hits.items() if len(starts) >= enough}
    start = min(diagonal + starts[0] for diagonal, starts in hits.items())
    stop = max(diagonal + starts[-1] for diagonal, starts in hits.items()) + GRAM
    runs = sorted(set().union(*hits.values()))
    matched = sum(min(after - run, GRAM) for run, after in pairwise(runs)) + GRAM
    return _Place(start, stop, min(matched, stop - start))


def _best_chain(places: list[list[_Place]]) -> _Chain | None:
    """Places of distinct blocks, ascending in page and truth, that explain the most tokens.

    Of equally good chains, the one whose last place was listed first, and so on back to its first
    place; None without candidates.
    """
    chains = _Chains()
    best: _Chain | None = None
    most, number = 0.0, 0
    # The distances between links sum to the last block minus the first, so only these two count.
    # A power of two keeps sums exact in any order of addition.
    step = SPAN / (1 << len(places).bit_length())
    for block, block_places in enumerate(places):
        candidates: list[_Chain] = []
        for place in block_places:
            before, worth = chains.before(place, step * block)
            candidates.append(_Chain(place.matched + worth, number, block, place, before))
            number += 1
        # Only added now, since a block has at most one place in a chain.
        for chain in candidates:
            chains.add(chain)
            if chain.total - step * block > most:
                best, most = chain, chain.total - step * block
    return best


class _Chains:
    """Chains that can be extended: the best for each stop, and those that no other dominates.

    The latter are in ascending order of both stop and total.
    """

    def __init__(self) -> None:
        self._at: dict[int, _Chain] = {}
        self._stops: list[int] = []
        self._chains: list[_Chain] = []

    def before(self, place: _Place, alone: float) -> tuple[_Chain | None, float]:
        """The best chain for a place to extend, and its value; None and `alone` for none."""
        shared = min(OVERLAP, place.matched // OVERLAP_PART)
        rank = bisect_right(self._stops, place.start)
        best = self._chains[rank - 1] if rank else None
        worth = best.total if best else alone
        for stop in range(place.start - OVERLAP, place.start + shared + 1):
            if beside := self._at.get(stop):
                # Tokens that two places share count once.
                gap = BESIDE if stop <= place.start else place.start - stop
                total = beside.total + gap
                if total > worth or (best and total == worth and beside.number < best.number):
                    best, worth = beside, total
        return best, worth

    def add(self, chain: _Chain) -> None:
        """Add a chain; of two equally good ones, the first added is kept."""
        stop = chain.place.stop
        if stop not in self._at or self._at[stop].total < chain.total:
            self._at[stop] = chain
        rank = bisect_right(self._stops, stop)
        if rank and self._chains[rank - 1].total >= chain.total:
            return
        first = rank - 1 if rank and self._stops[rank - 1] == stop else rank
        last = rank
        while last < len(self._chains) and self._chains[last].total < chain.total:
            last += 1
        self._stops[first:last] = [stop]
        self._chains[first:last] = [chain]


def _explain(tokens: int, start: NDArray[np.int64], stop: NDArray[np.int64]) -> float:
    if not tokens:
        return 1.0
    explained = np.zeros(tokens, bool)
    for first, last in zip(start.tolist(), stop.tolist(), strict=True):
        if first >= 0:
            explained[first:last] = True
    return float(explained.mean())
