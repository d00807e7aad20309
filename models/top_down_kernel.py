"""The compiled part of `miolo.models.top_down`; its own stack in place of recursion."""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["compare"]


@numba.njit(cache=True, nogil=True)
def compare(
    label1, end1, class1, first1, children1, label2, end2, class2, first2, children2,
    plain, threshold, by_class,
):  # fmt: skip
    """Distance of two trees and the cells filled.

    A frame compares the children of a node `x` of the first tree with those of `y` of the
    second, one row of its matrix at a time. Where two children have to be compared in
    turn, the frame waits in the middle of a cell for the frame above it.
    """
    cells = 0
    known = _at_once(0, 0, label1, end1, class1, first1, label2, end2, class2, first2,
                     plain, by_class)  # fmt: skip
    if known >= 0:
        return (known if known <= threshold else np.inf), cells
    most = min(_height(first1, children1), _height(first2, children2)) + 2
    x, y = np.zeros(most, np.int64), np.zeros(most, np.int64)
    row, column, start = (
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
    )
    corner, limit = np.zeros(most), np.zeros(most)
    rows = np.empty(len(label2) + most + 1)
    depth, waiting, answer = 0, False, 0.0
    _begin(0, 0, 0, threshold, x, y, row, column, start, limit, rows, end2, first2, children2)
    while depth >= 0:
        first_x, last_x = first1[x[depth]], first1[x[depth] + 1]
        first_y, last_y = first2[y[depth]], first2[y[depth] + 1]
        at, width = start[depth], last_y - first_y
        if not waiting:
            column[depth] += 1
            if column[depth] > width or row[depth] == 0:
                row[depth] += 1
                column[depth] = 1
                if row[depth] > last_x - first_x:
                    answer = rows[at + width]
                    if label1[x[depth]] != label2[y[depth]]:
                        answer += 1
                    if answer > limit[depth]:
                        answer = np.inf
                    depth, waiting = depth - 1, True
                    continue
                corner[depth] = rows[at]
                child = children1[first_x + row[depth] - 1]
                rows[at] += end1[child] - child
        a = children1[first_x + row[depth] - 1]
        b = children2[first_y + column[depth] - 1]
        size_a, size_b = end1[a] - a, end2[b] - b
        cell = at + column[depth]
        best = min(rows[cell] + size_a, rows[cell - 1] + size_b)
        if waiting:
            waiting = False
            best = min(best, corner[depth] + answer)
        elif corner[depth] <= limit[depth] and corner[depth] + abs(size_a - size_b) < best:
            known = _at_once(a, b, label1, end1, class1, first1, label2, end2, class2, first2,
                             plain, by_class)  # fmt: skip
            if known < 0:
                left = min(limit[depth], best) - corner[depth]
                depth += 1
                _begin(depth, a, b, left, x, y, row, column, start, limit, rows,
                       end2, first2, children2)  # fmt: skip
                continue
            best = min(best, corner[depth] + known)
        cells += 1
        corner[depth] = rows[cell]
        rows[cell] = best
    return answer, cells


@numba.njit(cache=True)
def _at_once(a, b, label1, end1, class1, first1, label2, end2, class2, first2, plain, by_class):
    """Distance of two subtrees where no matrix is needed for it, else -1."""
    if by_class and class1[a] == class2[b]:
        return 0.0
    size_a, size_b = end1[a] - a, end2[b] - b
    differ = label1[a] != label2[b]
    if differ and not plain:
        return size_a + size_b - 1.0
    if first1[a] == first1[a + 1] or first2[b] == first2[b + 1]:
        return size_a + size_b - 2.0 + differ
    return -1.0


@numba.njit(cache=True)
def _begin(depth, a, b, left, x, y, row, column, start, limit, rows, end2, first2, children2):
    """Open a frame: the first row of its matrix inserts the children of `b`."""
    x[depth], y[depth], row[depth], column[depth], limit[depth] = a, b, 0, 0, left
    at = 0
    if depth:
        above = y[depth - 1]
        at = start[depth - 1] + first2[above + 1] - first2[above] + 1
    start[depth] = at
    rows[at] = 0.0
    for k in range(first2[b], first2[b + 1]):
        child = children2[k]
        rows[at + k - first2[b] + 1] = rows[at + k - first2[b]] + end2[child] - child


@numba.njit(cache=True)
def _height(first, children):
    """Levels of a tree below its root."""
    depth = np.zeros(len(first) - 1, np.int64)
    for node in range(len(first) - 1):
        for k in range(first[node], first[node + 1]):
            depth[children[k]] = depth[node] + 1
    return depth.max()
