"""Agreement of two labellers: Cohen's kappa for each role, and the blocks they disagree on."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

from ...models.article.roles import ROLES
from .store import LabelledPage

Pair = tuple[str, str]


@dataclass(frozen=True)
class Disagreement:
    """A block to which two labellers gave different roles, those of the first and of the second."""

    page: int
    url: str
    block: int
    text: str
    roles: tuple[str, str]


@dataclass(frozen=True)
class Agreement:
    """Agreement of two labellers on the pages that both have finished."""

    labellers: tuple[str, str]
    pages: int
    blocks: int
    same: float  # share of the blocks with the same role
    kappa: float | None
    """Cohen's kappa over all roles; None where it is undefined because both used only one role."""
    of_role: dict[str, float | None]
    """Cohen's kappa of each role against all others, for the roles that either labeller used."""
    disagreements: tuple[Disagreement, ...]
    """Blocks with different roles, in the order of the pages; there may be more of them."""


def agreements(
    pages: Iterable[LabelledPage], max_disagreements: int | None = None
) -> list[Agreement]:
    """Agreement of each pair of labellers with common finished pages, most pages first.

    Reviews are left out, since reviewers see the labels of others. Only the labels of one
    page are held in memory at a time, so pages with the same `id` follow each other. At most
    `max_disagreements` of all pairs together are listed.

    References
    ----------
    Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1), 1960.
    """
    pages_of: Counter[Pair] = Counter()
    counts: defaultdict[Pair, Counter[Pair]] = defaultdict(Counter)
    listed: defaultdict[Pair, list[Disagreement]] = defaultdict(list)
    room = math.inf if max_disagreements is None else max_disagreements
    for _, group in groupby(pages, lambda page: page.id):
        independent = (page for page in group if not page.reviews)
        readings = sorted(independent, key=lambda page: page.labeller)
        for left, right in combinations(readings, 2):
            pair = left.labeller, right.labeller
            chosen = list(zip(left.names, right.names, strict=True))
            pages_of[pair] += 1
            counts[pair].update(chosen)
            differing = [block for block, (one, other) in enumerate(chosen) if one != other]
            differing = differing[: int(min(room, len(differing)))]
            room -= len(differing)
            listed[pair] += [
                Disagreement(left.id, left.url, b, left.texts[b], chosen[b]) for b in differing
            ]
    comparisons = [
        _agreement(pair, pages_of[pair], counts[pair], listed[pair]) for pair in sorted(counts)
    ]
    return sorted(comparisons, key=lambda each: -each.pages)


def _agreement(
    labellers: Pair, pages: int, chosen: Counter[Pair], listed: Sequence[Disagreement]
) -> Agreement:
    """Agreement of two labellers, given how often they chose each pair of roles."""
    used = {role for pair in chosen for role in pair}
    names = [*(role for role in ROLES if role in used), *sorted(used.difference(ROLES))]
    code = {role: place for place, role in enumerate(names)}
    counts = np.zeros((len(names), len(names)), np.int64)
    for (left, right), count in chosen.items():
        counts[code[left], code[right]] = count
    blocks = int(counts.sum())
    return Agreement(
        labellers,
        pages=pages,
        blocks=blocks,
        same=float(np.trace(counts) / blocks) if blocks else 1.0,
        kappa=_kappa(counts),
        of_role={role: _kappa(_against_others(counts, code[role])) for role in names},
        disagreements=tuple(listed),
    )


def _against_others(counts: NDArray[np.int64], code: int) -> NDArray[np.int64]:
    """Counts of one role and of all others together, shape (2, 2)."""
    both, left, right = counts[code, code], counts[code].sum(), counts[:, code].sum()
    return np.array([[both, left - both], [right - both, counts.sum() - left - right + both]])


def _kappa(counts: NDArray[np.int64]) -> float | None:
    total, left, right = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    by_chance = float(left @ right) / float(total) if total else 0.0
    # With a single class, agreement by chance is certain and kappa is 0 / 0.
    if np.count_nonzero(left + right) < 2:
        return None
    return float((np.trace(counts) - by_chance) / (total - by_chance))
