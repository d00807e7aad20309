"""Matching of patterns with pages: whether a pattern accepts a page, and what wildcards match.

Source: the RTDM dissertation, sections 4.2 and 4.3, definition 4.8, implemented as the recurrence
over children that follows from its cost model. The dissertation's own algorithm cannot be used
unchanged, since its pruning by size is invalid for infinite costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...features.page_tree import PageTree
from ...renderer.page.tree import tree_arrays
from .patterns import Kind, Pattern

__all__ = ["Match", "best_match", "match_pattern"]


@dataclass(frozen=True, eq=False)
class Match:
    """A match of a pattern with a page."""

    cost: int
    """Number of optional wildcards that match nothing."""
    spans: NDArray[np.int32]
    """int32, shape (n, 2): for each node of the pattern, the first node of the page's tree that it
    matches and one past the last; both are equal if it matches nothing. The siblings that a
    wildcard matches are consecutive, so that a span covers their subtrees."""


def match_pattern(pattern: Pattern, page: PageTree) -> Match | None:
    """The cheapest match of a pattern with a page; None if it does not match.

    Of equally cheap matches, it is the one in which earlier wildcards match more.
    """
    from .matching_kernel import match

    numbers: dict[str, int] = {}
    for label in pattern.labels:
        numbers.setdefault(label, len(numbers))
    spans = np.zeros((len(pattern), 2), np.int32)
    wild = pattern.kind > 0
    labels = np.array([numbers[label] for label in pattern.labels], np.int32)
    nodes = _nodes(pattern.parent, np.where(wild, -1, labels))
    kinds = [Kind(kind) for kind in pattern.kind[nodes["node"]].tolist()]
    nodes["optional"] = [kind.optional for kind in kinds]
    nodes["many"] = [kind.many for kind in kinds]
    # All labels that the pattern lacks share one number, distinct from that of wildcards.
    foreign = len(numbers)
    numbered = np.array([numbers.get(label, foreign) for label in page.labels], np.int32)
    cost = match(nodes, _nodes(page.parent, numbered), spans)
    return None if cost == np.inf else Match(int(cost), spans)


def best_match(
    patterns: Sequence[Pattern], page: PageTree, *, literal: bool = False
) -> tuple[int, Match] | None:
    """The most specific pattern that matches a page; ties go to the least cost.

    The most specific pattern has the most plain nodes, all of which occur in the page. With
    `literal`, cost comes first as in the dissertation, so that a pattern that accepts any page at
    no cost is always chosen.

    Index of the pattern and the match; None if no pattern accepts the page.
    """
    trials = [(number, match_pattern(pattern, page)) for number, pattern in enumerate(patterns)]
    matches = [(number, match) for number, match in trials if match is not None]
    if not matches:
        return None

    def rank(row: tuple[int, Match]) -> tuple[int, int]:
        cost, plain = row[1].cost, int((patterns[row[0]].kind == Kind.PLAIN).sum())
        return (cost, -plain) if literal else (-plain, cost)

    return min(matches, key=rank)


def _nodes(parent: NDArray[np.int32], labels: NDArray[np.int32]) -> NDArray[np.void]:
    """A tree's nodes in the format of the compiled functions."""
    from .matching_kernel import NODE

    # The children of each node are consecutive and follow those of the nodes before it.
    order = np.concatenate(([0], 1 + np.argsort(parent[1:], kind="stable"))).astype(np.int32)
    counts = np.bincount(parent[1:], minlength=len(parent))
    first = 1 + np.concatenate(([0], np.cumsum(counts)[:-1]))
    end, _ = tree_arrays(parent)
    nodes = np.zeros(len(parent), NODE)
    nodes["node"] = order
    nodes["count"] = (end - np.arange(len(end)))[order]
    nodes["label"] = labels[order]
    nodes["first"] = first[order]
    nodes["last"] = (first + counts)[order]
    return nodes
