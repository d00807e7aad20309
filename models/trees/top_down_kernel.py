"""The compiled part of `miolo.models.trees.top_down`, with a stack instead of recursion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled import compiled, record_type

COMPARISON = record_type(
    # The pair, and the runs of their children that are aligned.
    *((name, np.int64) for name in ("x", "y", "first_x", "last_x", "first_y", "last_y")),
    # Its number, its current cell, and the offsets of its matrix row and of its decisions.
    *((name, np.int64) for name in ("number", "row", "column", "start", "kept")),
    # The cell above and to the left; the minimum of the row so far; the maximum useful
    # distance, and that of the comparison it waits for.
    *((name, np.float64) for name in ("corner", "least", "limit", "most")),
)

KEPT = record_type(
    *((name, np.int32) for name in ("x", "y", "first_x", "last_x", "first_y", "last_y")),
    ("kept", np.int64),
)
"""Data of a comparison that are kept to trace the mapping; there may be millions of them."""

# Decisions of cells that did not open a comparison; others store that comparison's number.
DELETE, INSERT, AT_ONCE = -1, -2, -3

# No answer yet.
NOTHING = -1.0


class Rules(NamedTuple):
    """How two trees are compared; see `miolo.models.trees.top_down.top_down`."""

    plain: bool
    by_class: bool
    trims: bool
    keeps: bool
    least: float
    change: float
    threshold: float


@compiled(nogil=True)
def compare(one, two, rules):
    """Distance, number of cells filled, table of comparisons, and the decision of each cell.

    A comparison of two nodes aligns their children, one row of its matrix at a time. If two
    children have to be compared in turn, it pauses at that cell until the comparison above it on
    the stack is finished. The tables are filled if the rules require them.
    """
    most = min(height(one), height(two)) + 2
    stack = np.zeros(most, COMPARISON)
    rows = np.empty(len(two) + most + 1)
    table, done = np.zeros(16, KEPT), np.empty(16, np.int32)
    opened, used, cells = 0, 0, 0
    answer = _trivial_distance(one, two, one[0], two[0], rules)
    if answer != NOTHING:
        answer = answer if answer <= rules.threshold else np.inf
        return answer, cells, table[:0], done[:0]
    _open(stack[0], one, two, 0, 0, rules, 0, rows)
    stack[0].limit = rules.threshold
    depth = 0
    while depth >= 0:
        now = stack[depth]
        if rules.keeps and now.row == 0:
            now.number, now.kept = opened, used
            table, done = with_capacity(table, opened), with_capacity(done, used + _area(now))
            _keep(table[opened], now)
            opened, used = opened + 1, used + _area(now)
        if answer == NOTHING and now.column == _width(now):
            if not _next_row(now, one, rows):
                answer = _result(now, one, two, rows)
                depth -= 1
                continue
            cells += _width(now)
        b = _fill_row(now, one, two, rules, rows, done, answer, stack[depth + 1].number)
        answer = NOTHING
        if b >= 0:
            a = now.first_x + now.row - 1
            depth += 1
            _open(stack[depth], one, two, a, b, rules, now.start + _width(now) + 1, rows)
            stack[depth].limit = now.most
    return answer, cells, table[:opened], done[:used]


@compiled
def _keep(row, now):
    row.x, row.y, row.kept = now.x, now.y, now.kept
    row.first_x, row.last_x = now.first_x, now.last_x
    row.first_y, row.last_y = now.first_y, now.last_y


@compiled(inline="always")
def _fill_row(now, one, two, rules, rows, done, answer, number):
    """Fill the row from the current cell on.

    Stops at a cell whose two children have to be compared first, and returns that child of the
    second tree; returns -1 at the end of the row. `answer` is the result of the comparison for the
    current cell, and `number` is the number of that comparison.
    """
    a = one[now.first_x + now.row - 1]
    corner, limit, begin, end = now.corner, now.limit, now.column, now.last_y - now.first_y
    stopped = -1
    for column in range(begin, end):
        b = two[now.first_y + column]
        cell = now.start + column + 1
        best, did = rows[cell] + a.whole, DELETE
        if rows[cell - 1] + b.whole < best:
            best, did = rows[cell - 1] + b.whole, INSERT
        if answer == NOTHING:
            answer = np.inf
            apart = rules.least * abs(a.count - b.count)
            if rules.by_class and a.subtree_class != b.subtree_class:
                apart = max(apart, rules.change)
            if corner <= limit and corner + apart < best:
                answer, number = _trivial_distance(one, two, a, b, rules), AT_ONCE
                if answer == NOTHING:
                    now.column, now.corner = column, corner
                    now.most = min(limit, best) - corner
                    stopped = now.first_y + column
                    break
        if corner + answer < best:
            best, did = corner + answer, number
        if rules.keeps:
            done[now.kept + (now.row - 1) * end + column] = did
        corner, rows[cell] = rows[cell], best
        now.least = min(now.least, best)
        answer = NOTHING
    if stopped < 0:
        now.column = end
    return stopped


@compiled(inline="always")
def _next_row(now, one, rows):
    """Go to the next child of the first tree; False after the last or if the limit is exceeded."""
    more = now.row < now.last_x - now.first_x and (now.row == 0 or now.least <= now.limit)
    if more:
        now.corner, now.column = rows[now.start], 0
        rows[now.start] += one[now.first_x + now.row].whole
        now.least = rows[now.start]
        now.row += 1
    return more


@compiled(inline="always")
def _result(now, one, two, rows):
    """Result of a comparison: the last cell, or infinity if it exceeds the limit."""
    answer = rows[now.start + _width(now)] + _swap(one[now.x], two[now.y])
    return np.inf if answer > now.limit or (now.row and now.least > now.limit) else answer


@compiled(inline="always")
def _open(now, one, two, x, y, rules, start, rows):
    """Begin a comparison: the first row of its matrix inserts the children of `y`."""
    now.x, now.y, now.start, now.row = x, y, start, 0
    now.first_x, now.last_x = one[x].first, one[x].last
    now.first_y, now.last_y = two[y].first, two[y].last
    if rules.by_class and rules.trims:
        _trim(now, one, two)
    now.column = now.last_y - now.first_y
    rows[start] = 0.0
    for k in range(now.column):
        rows[start + k + 1] = rows[start + k] + two[now.first_y + k].whole


@compiled
def _trim(now, one, two):
    """Exclude equal children at both ends, since some cheapest alignment pairs them."""
    while min(now.last_x - now.first_x, now.last_y - now.first_y) > 0:
        if one[now.first_x].subtree_class == two[now.first_y].subtree_class:
            now.first_x, now.first_y = now.first_x + 1, now.first_y + 1
        elif one[now.last_x - 1].subtree_class == two[now.last_y - 1].subtree_class:
            now.last_x, now.last_y = now.last_x - 1, now.last_y - 1
        else:
            break


@compiled(inline="always")
def _trivial_distance(one, two, a, b, rules):
    """Distance of two subtrees if it needs no matrix, else `NOTHING`."""
    answer = NOTHING
    if rules.by_class and a.subtree_class == b.subtree_class:
        answer = 0.0
    elif (a.label != b.label and not rules.plain) or a.count == 1 or b.count == 1:
        answer = a.whole - a.own + b.whole - b.own + _swap(a, b)
    elif a.count == 2 and b.count == 2:
        # Usually an element around a text; a matrix of one cell would take longer.
        c, d = one[a.first], two[b.first]
        answer = _swap(a, b) + min(_swap(c, d), c.own + d.own)
    return answer


@compiled(inline="always")
def _swap(a, b):
    return a.swap + b.swap if a.label != b.label else 0.0


@compiled(inline="always")
def _width(now):
    return now.last_y - now.first_y


@compiled(inline="always")
def _area(now):
    return (now.last_x - now.first_x) * (now.last_y - now.first_y)


@compiled
def with_capacity(array, count):
    """The array if it is longer than `count`, else a copy that is, and at least twice as long."""
    if count < len(array):
        return array
    longer = np.empty(max(2 * len(array), count + 1), array.dtype)
    longer[: len(array)] = array
    return longer


@compiled
def height(tree):
    """Number of levels below the root."""
    depth = np.zeros(len(tree), np.int64)
    # Parents precede their children in this order as well.
    for place in range(len(tree)):
        depth[tree[place].first : tree[place].last] = depth[place] + 1
    return depth.max()


@compiled(nogil=True)
def trace(one, two, table, done, plain):
    """Pairs of the mapping by node numbers, from the tables that `compare` kept."""
    pairs = np.empty((min(len(one), len(two)), 2), np.int32)
    if not len(table):
        return pairs[: _pair(one, two, 0, 0, pairs, 0, plain)]
    pair_count, waiting = 0, [np.int64(0)]
    while waiting:
        now = table[waiting.pop()]
        x, y = one[now.x], two[now.y]
        pairs[pair_count] = x.node, y.node
        pair_count += 1
        for k in range(now.first_x - x.first):
            pair_count = _pair(one, two, x.first + k, y.first + k, pairs, pair_count, plain)
        for k in range(x.last - now.last_x):
            pair_count = _pair(one, two, now.last_x + k, now.last_y + k, pairs, pair_count, plain)
        row, column, width = now.last_x - now.first_x, _width(now), _width(now)
        while row and column:
            did = done[now.kept + (row - 1) * width + column - 1]
            row -= did != INSERT
            column -= did != DELETE
            if did == AT_ONCE:
                a, b = now.first_x + row, now.first_y + column
                pair_count = _pair(one, two, a, b, pairs, pair_count, plain)
            elif did >= 0:
                waiting.append(did)
    return pairs[:pair_count]


@compiled
def _pair(one, two, x, y, pairs, pair_count, plain):
    """Pair two nodes that needed no comparison, together with their paired descendants."""
    a, b = one[x], two[y]
    count = a.count if a.subtree_class == b.subtree_class else 1
    if count == 1 and a.count == 2 and b.count == 2 and (plain or a.label == b.label):
        c, d = one[a.first], two[b.first]
        count += _swap(c, d) < c.own + d.own
    for k in range(count):
        pairs[pair_count + k] = a.node + k, b.node + k
    return pair_count + count


# Similarities of many pairs of trees.


@compiled(nogil=True)
def fill_pairs(nodes, labels, start, first, second, floor, similarity):
    """Fill in the similarities of pairs of trees.

    `nodes` contains the concatenated trees, `labels` the sorted labels of each, and `start` the
    offset of each in both.
    """
    for k in range(len(first)):
        i, j = first[k], second[k]
        one, labels_one = nodes[start[i] : start[i + 1]], labels[start[i] : start[i + 1]]
        two, labels_two = nodes[start[j] : start[j + 1]], labels[start[j] : start[j + 1]]
        total = len(one) + len(two)
        limit = (1 - floor) * total
        if _least_distance(labels_one, labels_two) > limit:
            continue
        distance = compare(one, two, Rules(False, True, True, False, 1.0, 1.0, limit))[0]
        if distance <= limit:
            similarity[k] = 1 - distance / total


@compiled
def _least_distance(one, two):
    """Lower bound of the distance from the sizes and the sorted labels of two trees."""
    i, j, common = 0, 0, 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            i, j, common = i + 1, j + 1, common + 1
        elif one[i] < two[j]:
            i += 1
        else:
            j += 1
    # Each node of the larger tree beyond the common labels costs at least one operation.
    return max(len(one), len(two)) - common
