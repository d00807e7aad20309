"""The mapping between two pages' trees that best explains what changed.

It is the restricted top-down mapping (RTDM): nodes are paired only below paired nodes, and not
below a pair with different labels. Selkow's top-down mapping would pair the descendants of a `nav`
with those of the `article` that replaced it, which costs less and explains nothing. Two more
choices serve the reader rather than the distance:

- Elements are paired only with elements of the same tag, and texts only with texts.
- The weight of a text grows with its length. With unit costs, a list that lost its last entry and
  gained a first one would appear as a list in which every entry changed.

The unit cost of the mapping may therefore exceed the distance nu.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...features.page_tree import PageTree, is_text_label, text_of_label
from ...features.words import count_chars
from ...models.trees.costs import TreeCosts
from ...models.trees.subtree_classes import ClassedTree, SubtreeClasses
from ...models.trees.top_down import top_down_distance

Pairs = NDArray[np.int32]
"""int32, shape (m, 2): nodes of two trees, in document order."""

MAX_BYTES = 1 << 25
"""Maximum memory of one exact comparison, in bytes: enough for five hundred paragraphs a side."""

# Bytes that `miolo.models.trees.top_down_kernel` keeps: for a decision in each cell, and for a row
# in each comparison of two nodes with children.
CELL, COMPARISON = 4, 32

# The weight of a text grows with its width, up to that of a line or two.
ELEMENT, PER_STEP, STEP, STEPS = 40.0, 20.0, 20, 10
TEXT_RELABEL = 1.9  # times the weight: a little less than removing and inserting
ELEMENT_RELABEL = 120.0  # no less than removing and inserting, even for the heaviest text


@dataclass(frozen=True, eq=False)
class _Trees:
    """Two trees, with numbers of the tag paths to each node's parent and to it, shape (n, 2)."""

    one: ClassedTree
    two: ClassedTree
    way_one: NDArray[np.int64]
    way_two: NDArray[np.int64]
    costs: TreeCosts
    max_bytes: int


class _Rows(NamedTuple):
    """Children of two paired nodes that may be paired, as ranges of the trees' `children`."""

    x: int
    y: int
    of_x: range
    of_y: range


def map_trees(
    one: PageTree,
    two: PageTree,
    labels: Sequence[str],
    classes: SubtreeClasses,
    max_bytes: int = MAX_BYTES,
) -> tuple[Pairs, bool]:
    """Pair the nodes of two pages, whose subtrees are numbered in one collection of classes.

    The second value is whether no mapping of this kind is cheaper; otherwise the pages were too
    large to consider all of them. In the labels of the second page, a text that is a version of a
    text of the first page has that text's label, so that the two are paired as if equal. Rows of
    children whose comparison may need more than `max_bytes` are divided at equal children that are
    unique, or else at the child that holds most of each row, or else in the middle. Twenty thousand
    distinct paragraphs take some seconds.
    """
    first = classes.tree(one.parent, one.labels)
    second = classes.tree(two.parent, labels)
    if first.label[0] != second.label[0]:
        return np.zeros((0, 2), np.int32), True
    ways: dict[tuple[int, int], int] = {}
    texts = np.array([is_text_label(label) for label in classes.labels])
    way_one = _number_paths(one.parent, first.label, texts, ways)
    way_two = _number_paths(two.parent, second.label, texts, ways)
    own, swap = np.full(len(texts), ELEMENT), np.full(len(texts), ELEMENT_RELABEL)
    for number in np.flatnonzero(texts).tolist():
        steps = min(STEPS, count_chars(text_of_label(classes.labels[number])) // STEP)
        own[number] = ELEMENT + PER_STEP * steps
        swap[number] = TEXT_RELABEL * own[number]
    costs = TreeCosts(remove=own, insert=own, relabel=swap)
    runs, exact = _map_rows(_Trees(first, second, way_one, way_two, costs, max_bytes))
    pairs = np.concatenate(runs)
    return pairs[np.argsort(pairs[:, 0])], exact


def _number_paths(
    parent: NDArray[np.int32],
    label: NDArray[np.int32],
    texts: NDArray[np.bool_],
    numbers: dict[tuple[int, int], int],
) -> NDArray[np.int64]:
    """Number the tag paths: two nodes are compared only if their parents have the same path."""
    ways: list[int] = []
    for above, own in zip(parent.tolist(), np.where(texts[label], -1, label).tolist(), strict=True):
        way = (ways[above] if above >= 0 else -1, own)
        ways.append(numbers.setdefault(way, len(numbers)))
    own_ways = np.array(ways, np.int64)
    return np.stack([np.where(parent >= 0, own_ways[parent], -1), own_ways], axis=1)


def _map_rows(trees: _Trees) -> tuple[list[Pairs], bool]:
    runs, exact, waiting = [_run(0, 0, 1)], True, [_below(trees, 0, 0)]
    while waiting:
        rows = _trim(trees, waiting.pop(), runs)
        if not rows.of_x or not rows.of_y:
            continue
        xs, ys = _children(trees, rows)
        if len(xs) == len(ys) == 1 and trees.one.label[xs[0]] == trees.two.label[ys[0]]:
            # Nothing is cheaper than this pair.
            runs.append(_run(int(xs[0]), int(ys[0]), 1))
            waiting.append(_below(trees, int(xs[0]), int(ys[0])))
        elif _bytes(trees, rows) <= trees.max_bytes:
            runs.append(_compare(trees, rows))
        else:
            exact = False
            waiting += _divide(trees, rows, runs)
    return runs, exact


def _run(x: int, y: int, count: int) -> Pairs:
    return np.stack([np.arange(x, x + count), np.arange(y, y + count)], axis=1).astype(np.int32)


def _below(trees: _Trees, x: int, y: int) -> _Rows:
    one, two = trees.one.first_child, trees.two.first_child
    return _Rows(x, y, range(one[x], one[x + 1]), range(two[y], two[y + 1]))


def _children(trees: _Trees, rows: _Rows) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    of_x, of_y = rows.of_x, rows.of_y
    return trees.one.children[of_x.start : of_x.stop], trees.two.children[of_y.start : of_y.stop]


def _trim(trees: _Trees, rows: _Rows, runs: list[Pairs]) -> _Rows:
    """Pair equal children at both ends, as some cheapest mapping does."""
    xs, ys = _children(trees, rows)
    same = _leading(trees.one.subtree_class[xs], trees.two.subtree_class[ys])
    if same:
        runs.append(_run(int(xs[0]), int(ys[0]), int(trees.one.end[xs[same - 1]] - xs[0])))
    xs, ys = xs[same:], ys[same:]
    tail = _leading(trees.one.subtree_class[xs][::-1], trees.two.subtree_class[ys][::-1])
    if tail:
        count = int(trees.one.end[xs[-1]] - xs[-tail])
        runs.append(_run(int(xs[-tail]), int(ys[-tail]), count))
    of_x, of_y = rows.of_x[same:], rows.of_y[same:]
    return rows._replace(of_x=of_x[: len(of_x) - tail], of_y=of_y[: len(of_y) - tail])


def _leading(one: NDArray[np.int32], two: NDArray[np.int32]) -> int:
    most = min(len(one), len(two))
    other = one[:most] != two[:most]
    return int(other.argmax()) if other.any() else most


def _spans(trees: _Trees, rows: _Rows) -> tuple[int, int, int, int]:
    """First node, and one past the last node, of the subtrees of each row."""
    xs, ys = _children(trees, rows)
    return int(xs[0]), int(trees.one.end[xs[-1]]), int(ys[0]), int(trees.two.end[ys[-1]])


def _bytes(trees: _Trees, rows: _Rows) -> int:
    """Upper bound on the memory of comparing two rows."""
    if len(rows.of_x) == len(rows.of_y) == 1:
        return 0  # one cell: nothing below a pair with different labels is compared
    start, stop, start_two, stop_two = _spans(trees, rows)
    if (stop - start) * (stop_two - start_two) * (CELL + COMPARISON) <= trees.max_bytes:
        return 0
    one, two = trees.way_one[start:stop], trees.way_two[start_two:stop_two]
    inner = np.diff(trees.one.first_child)[start:stop] > 0
    inner_two = np.diff(trees.two.first_child)[start_two:stop_two] > 0
    return CELL * _meetings(one[:, 0], two[:, 0]) + COMPARISON * _meetings(
        one[inner, 1], two[inner_two, 1]
    )


def _meetings(one: NDArray[np.int64], two: NDArray[np.int64]) -> int:
    """Number of pairs of equal numbers."""
    if not len(one) or not len(two):
        return 0
    low, count = min(one.min(), two.min()), max(one.max(), two.max()) + 1
    return int(np.dot(*(np.bincount(ways - low, minlength=count - low) for ways in (one, two))))


def _compare(trees: _Trees, rows: _Rows) -> Pairs:
    start, _, start_two, _ = _spans(trees, rows)
    xs, ys = _children(trees, rows)
    one, two = _pruned_tree(trees.one, rows.x, xs, -1), _pruned_tree(trees.two, rows.y, ys, -2)
    pairs = top_down_distance(one, two, costs=trees.costs, mapping=True).mapping
    assert pairs is not None, "there is no threshold"
    # The first pair is that of the parents.
    return (pairs[1:] + np.array([start - 1, start_two - 1])).astype(np.int32)


def _pruned_tree(tree: ClassedTree, node: int, own: NDArray[np.int32], number: int) -> ClassedTree:
    """A tree of a node with some of its children; `number` is the class of the node."""
    start, stop = int(own[0]), int(tree.end[own[-1]])
    below = tree.children[tree.first_child[start] : tree.first_child[stop]]
    starts = tree.first_child[start : stop + 1] - tree.first_child[start] + len(own)
    classes = np.concatenate([[number], tree.subtree_class[start:stop]])
    return ClassedTree(
        label=np.concatenate([tree.label[node : node + 1], tree.label[start:stop]]),
        end=(np.concatenate([[stop], tree.end[start:stop]]) - start + 1).astype(np.int32),
        subtree_class=classes.astype(np.int32),
        first_child=np.concatenate([[0], starts]).astype(np.int32),
        children=(np.concatenate([own, below]) - start + 1).astype(np.int32),
    )


def _divide(trees: _Trees, rows: _Rows, runs: list[Pairs]) -> list[_Rows]:
    """Divide two rows that are too long to be compared as a whole."""
    xs, ys = _children(trees, rows)
    places = common_places(trees.one.subtree_class[xs], trees.two.subtree_class[ys])
    if places:
        for i, j in places:
            runs.append(_run(int(xs[i]), int(ys[j]), int(trees.one.end[xs[i]] - xs[i])))
        return _gaps(rows, places)
    i, j = _holder(trees.one.end[xs] - xs), _holder(trees.two.end[ys] - ys)
    if i >= 0 and j >= 0 and trees.one.label[xs[i]] == trees.two.label[ys[j]]:
        runs.append(_run(int(xs[i]), int(ys[j]), 1))
        return [*_gaps(rows, [(i, j)]), _below(trees, int(xs[i]), int(ys[j]))]
    i, j = (len(xs) + 1) // 2, (len(ys) + 1) // 2
    return [
        rows._replace(of_x=rows.of_x[:i], of_y=rows.of_y[:j]),
        rows._replace(of_x=rows.of_x[i:], of_y=rows.of_y[j:]),
    ]


def _gaps(rows: _Rows, places: list[tuple[int, int]]) -> list[_Rows]:
    ends = [(-1, -1), *places, (len(rows.of_x), len(rows.of_y))]
    return [
        rows._replace(of_x=rows.of_x[i + 1 : k], of_y=rows.of_y[j + 1 : m])
        for (i, j), (k, m) in pairwise(ends)
    ]


def _holder(sizes: NDArray[np.int32]) -> int:
    """Index of the child whose subtree holds more than half of a row's nodes; -1 for none."""
    place = int(sizes.argmax())
    return place if 2 * sizes[place] > sizes.sum() else -1


def common_places(one: NDArray[np.int32], two: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Pairs of indices of values that occur once in each row: the most that keep their order."""
    values, first, counts = np.unique(one, return_index=True, return_counts=True)
    others, second, times = np.unique(two, return_index=True, return_counts=True)
    _, i, j = np.intersect1d(values[counts == 1], others[times == 1], return_indices=True)
    places = zip(first[counts == 1][i].tolist(), second[times == 1][j].tolist(), strict=True)
    return _rising(sorted(places))


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Longest subsequence of pairs that increases on both sides, by patience sorting."""
    lowest: list[int] = []
    tips: list[int] = []
    before = [-1] * len(pairs)
    for k, (_, value) in enumerate(pairs):
        pile = bisect_left(lowest, value)
        before[k] = tips[pile - 1] if pile else -1
        lowest[pile : pile + 1] = [value]
        tips[pile : pile + 1] = [k]
    chosen, k = [], tips[-1] if tips else -1
    while k >= 0:
        chosen.append(pairs[k])
        k = before[k]
    return chosen[::-1]
