"""Agreement of two labellers: Cohen's kappa for each role, and the blocks they disagree on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sklearn.metrics import cohen_kappa_score

from ...models.article.roles import ROLES
from .store import LabelledPage

__all__ = ["Agreement", "Disagreement", "agreements"]


@dataclass(frozen=True)
class Disagreement:
    """A block to which two labellers gave different roles.

    Attributes
    ----------
    page, url
        Number of the page in the store, and its address.
    block
        Number of the block.
    text
        Text of the block.
    roles
        Roles given by the first and by the second labeller.
    """

    page: int
    url: str
    block: int
    text: str
    roles: tuple[str, str]


@dataclass(frozen=True)
class Agreement:
    """Agreement of two labellers on the pages that both have finished.

    Attributes
    ----------
    labellers
        Names of the two labellers.
    pages, blocks
        Number of pages and blocks that both have labelled.
    same
        Share of the blocks with the same role.
    kappa
        Cohen's kappa over all roles; None where it is undefined because both used only one role.
    of_role
        Cohen's kappa of each role against all others, for the roles that either labeller used.
    disagreements
        Blocks with different roles, in the order of the pages.
    """

    labellers: tuple[str, str]
    pages: int
    blocks: int
    same: float
    kappa: float | None
    of_role: dict[str, float | None]
    disagreements: tuple[Disagreement, ...]


def agreements(pages: Iterable[LabelledPage]) -> list[Agreement]:
    """Agreement of each pair of labellers with common finished pages, most pages first.

    References
    ----------
    Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1), 1960.
    """
    of_labeller: dict[str, dict[int, LabelledPage]] = {}
    for page in pages:
        of_labeller.setdefault(page.labeller, {})[page.id] = page
    comparisons = []
    for one, other in combinations(sorted(of_labeller), 2):
        shared = sorted(of_labeller[one].keys() & of_labeller[other].keys())
        pairs = [(of_labeller[one][page], of_labeller[other][page]) for page in shared]
        if pairs:
            comparisons.append(_agreement((one, other), pairs))
    return sorted(comparisons, key=lambda each: -each.pages)


def _agreement(
    labellers: tuple[str, str], pairs: Sequence[tuple[LabelledPage, LabelledPage]]
) -> Agreement:
    left = np.array([ROLES.index(role) for page, _ in pairs for role in page.roles], np.int64)
    right = np.array([ROLES.index(role) for _, page in pairs for role in page.roles], np.int64)
    codes = sorted({*left.tolist(), *right.tolist()})
    return Agreement(
        labellers,
        pages=len(pairs),
        blocks=len(left),
        same=float((left == right).mean()) if len(left) else 1.0,
        kappa=_kappa(left.tolist(), right.tolist()),
        of_role={
            ROLES[code]: _kappa((left == code).tolist(), (right == code).tolist()) for code in codes
        },
        disagreements=tuple(
            Disagreement(one.id, one.url, block, one.texts[block], roles)
            for one, other in pairs
            for block, roles in enumerate(zip(one.roles, other.roles, strict=True))
            if roles[0] != roles[1]
        ),
    )


def _kappa(left: Sequence[int], right: Sequence[int]) -> float | None:
    # With a single class, agreement by chance is certain and kappa is 0 / 0.
    if len({*left, *right}) < 2:
        return None
    return float(cohen_kappa_score(left, right))
