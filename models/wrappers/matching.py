"""Patterns against pages: whether a pattern takes a page, and what of it each wildcard takes.

Source: the RTDM dissertation, section 4.2 and 4.3, definition 4.8, as the recurrence over
children that its cost model comes to. Its own algorithm cannot be used as it stands: with
infinite costs the cut by size no longer holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...features.page_tree import PageTree
from ...renderer.tree import tree_shape
from .patterns import Kind, Pattern

__all__ = ["Match", "best_match", "match_pattern"]


@dataclass(frozen=True, eq=False)
class Match:
    """How a pattern takes a page.

    Attributes
    ----------
    cost
        Optional wildcards that take nothing.
    spans
        int32, shape (n, 2): for each node of the pattern, the first node of the page's tree
        that it takes and one past the last; equal numbers where it takes nothing. A
        wildcard's siblings lie side by side, so that a span holds all of them whole.
    """

    cost: int
    spans: NDArray[np.int32]


def match_pattern(pattern: Pattern, page: PageTree) -> Match | None:
    """The cheapest match of a pattern with a page; None where it does not match.

    Of equally cheap ways it is that in which the earlier wildcards take more.
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
    # What no label of the pattern equals is like none of them, and unlike a wildcard's.
    foreign = len(numbers)
    numbered = np.array([numbers.get(label, foreign) for label in page.labels], np.int32)
    cost = match(nodes, _nodes(page.parent, numbered), spans)
    return None if cost == np.inf else Match(int(cost), spans)


def best_match(
    patterns: Sequence[Pattern], page: PageTree, *, literal: bool = False
) -> tuple[int, Match] | None:
    """The pattern that matches most of a page; of equal ones that of the least cost.

    A pattern is measured by its plain nodes, all of them found in the page. To the
    letter of the dissertation it is the other way round, so that one which takes anything
    at no cost is always chosen.

    Returns
    -------
    Its number and the match; None where no pattern takes the page.
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
    """A tree's nodes in the form of the compiled functions."""
    from .matching_kernel import NODE

    # The children of each node lie side by side, after those of the nodes before it.
    order = np.concatenate(([0], 1 + np.argsort(parent[1:], kind="stable"))).astype(np.int32)
    counts = np.bincount(parent[1:], minlength=len(parent))
    first = 1 + np.concatenate(([0], np.cumsum(counts)[:-1]))
    end, _ = tree_shape(parent.tolist())
    nodes = np.zeros(len(parent), NODE)
    nodes["node"] = order
    nodes["size"] = (np.array(end) - np.arange(len(end)))[order]
    nodes["label"] = labels[order]
    nodes["first"] = first[order]
    nodes["last"] = (first + counts)[order]
    return nodes
