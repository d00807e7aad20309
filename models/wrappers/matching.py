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
from ..compiled import compiled, record_type
from ..trees.top_down_kernel import height as height_of
from ..trees.top_down_kernel import with_capacity
from .patterns import Kind, Pattern


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
    cost = _match(nodes, _nodes(page.parent, numbered), spans)
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


# The compiled part, with a stack instead of recursion.

NODE = record_type(
    *((name, np.int32) for name in ("node", "count", "label", "optional", "many", "first", "last"))
)
"""A node of a pattern or of a page, in an order in which siblings are consecutive: its number in
document order, the number of nodes of its subtree, that of its label (-1 for wildcards), whether a
wildcard is optional and whether it may match several subtrees, and the range of its children."""

COMPARISON = record_type(
    # The pair; the current cell; the offsets of its row and its decisions; its number.
    *((name, np.int64) for name in ("x", "y", "row", "column", "start", "kept", "number")),
    # The cell above and to the left.
    ("corner", np.float64),
)

# Decisions of cells that did not open a comparison; others store that comparison's number.
CONSUME, EXTEND, SKIP = -1, -2, -3

# No answer yet.
NOTHING = -1.0


@compiled(nogil=True)
def _match(pattern, page, spans):
    """Least cost at which a pattern matches a page; infinity if it does not.

    `spans` receives, for each node of the pattern, the first node of the page that it matches and
    one past the last. Rows of nodes that match nothing are left unchanged.
    """
    if pattern[0].label < 0:
        spans[0, 0], spans[0, 1] = 0, len(page)
        return 0.0
    if pattern[0].label != page[0].label:
        return np.inf
    most = min(height_of(pattern), height_of(page)) + 2
    stack = np.zeros(most, COMPARISON)
    rows = np.empty(len(page) + most + 1)
    table, done = np.zeros(16, COMPARISON), np.empty(16, np.int32)
    opened, used, depth, answer = 0, 0, 0, NOTHING
    _open(stack[0], 0, 0, page, 0, rows)
    while depth >= 0:
        now = stack[depth]
        width, height = _children(page[now.y]), _children(pattern[now.x])
        if answer == NOTHING and now.row == 0:
            now.number, now.kept = opened, used
            used += height * (width + 1)
            table, done = with_capacity(table, opened), with_capacity(done, used)
            table[opened] = now
            opened += 1
        if answer == NOTHING and now.column > width:
            if now.row == height or rows[now.start : now.start + width + 1].min() == np.inf:
                answer = rows[now.start + width]
                depth -= 1
                continue
            _next_row(now, pattern, rows, done, width)
        y = _fill_row(now, pattern, page, rows, done, answer, stack[depth + 1].number)
        answer = NOTHING
        if y >= 0:
            x = pattern[now.x].first + now.row - 1
            depth += 1
            _open(stack[depth], x, y, page, now.start + width + 1, rows)
    if answer < np.inf:
        _trace(pattern, page, table, done, spans)
    return answer


@compiled
def _fill_row(now, pattern, page, rows, done, answer, number):
    """Fill the row from the current cell on.

    Stops at a cell of two nodes whose children have to be matched first, and returns that child of
    the page; returns -1 at the end of the row. `answer` is the result of the comparison for the
    current cell, and `number` is the number of that comparison.
    """
    a, y = pattern[pattern[now.x].first + now.row - 1], page[now.y]
    width = _children(y)
    kept = now.kept + (now.row - 1) * (width + 1)
    for column in range(now.column, width + 1):
        place = y.first + column - 1
        b, cell = page[place], now.start + column
        best, did = np.inf, CONSUME
        if a.label < 0:
            # At equal cost, leave the nodes to an earlier wildcard.
            best = now.corner
            if a.many and rows[cell - 1] < best:
                best, did = rows[cell - 1], EXTEND
            if a.optional and rows[cell] + 1 <= best:
                best, did = rows[cell] + 1, SKIP
        elif now.corner < np.inf and a.label == b.label:
            if answer == NOTHING and _children(a) and (_children(b) or _all_optional(a, pattern)):
                now.column = column
                return place
            if answer == NOTHING:
                answer = 0.0 if _children(a) == _children(b) else np.inf
            else:
                did = number
            best = now.corner + answer
        done[kept + column] = did
        now.corner, rows[cell] = rows[cell], best
        answer = NOTHING
    now.column = width + 1
    return -1


@compiled
def _open(now, x, y, page, start, rows):
    """Begin to match children: before the first row, no node of the page may be matched."""
    width = _children(page[y])
    now.x, now.y, now.start, now.row, now.column = x, y, start, 0, width + 1
    rows[start] = 0
    rows[start + 1 : start + width + 1] = np.inf


@compiled
def _next_row(now, pattern, rows, done, width):
    """Go to the next child of the pattern; the first cell of its row matches nothing."""
    now.corner = rows[now.start]
    optional = pattern[pattern[now.x].first + now.row].optional
    rows[now.start] = now.corner + 1 if optional else np.inf
    done[now.kept + now.row * (width + 1)] = SKIP
    now.row, now.column = now.row + 1, 1


@compiled
def _trace(pattern, page, table, done, spans):
    """Trace back through the tables what each node of the pattern matches."""
    waiting = [np.int64(0)]
    while waiting:
        now = table[waiting.pop()]
        x, y = pattern[now.x], page[now.y]
        spans[x.node, 0], spans[x.node, 1] = y.node, y.node + y.count
        row, column = _children(x), _children(y)
        while row:
            did = done[now.kept + (row - 1) * (_children(y) + 1) + column]
            a = pattern[x.first + row - 1]
            if did == SKIP:
                row -= 1
                continue
            b = page[y.first + column - 1]
            if did >= 0:
                waiting.append(did)
            else:
                # Several siblings are traced from the last to the first.
                spans[a.node, 0] = b.node
                spans[a.node, 1] = max(spans[a.node, 1], b.node + b.count)
            row, column = row - (did != EXTEND), column - 1


@compiled
def _all_optional(a, pattern):
    mandatory = 0
    for k in range(a.first, a.last):
        mandatory += not pattern[k].optional
    return mandatory == 0


@compiled(inline="always")
def _children(node):
    return node.last - node.first
