"""Isotonic smoothing of scores on a tree.

Source: Chakrabarti, Kumar and Punera, *Page-level template detection via isotonic
smoothing*, WWW 2007, and the template-detection report, which repeats it in O(n³).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...renderer.page.tree import is_preorder
from ..compiled import compiled

# Changes of slope below this are rounding errors, not pieces.
TINY = 1e-12


def smooth(parent: ArrayLike, scores: ArrayLike, c: float = 0.01) -> NDArray[np.float64]:
    """Scores closest to the given ones such that no node exceeds any of its children.

    Minimises ``sum |y - x| + c * penalties`` subject to ``y[parent[i]] <= y[i]``: a node
    is template only to the extent that all its parts are. The penalty is paid for every node whose
    value differs from its parent's.

    Parameters
    ----------
    parent
        int, shape (n,): parents in preorder; -1 for roots. Several trees are smoothed
        independently.
    scores
        float, shape (n,): x.
    c
        Penalty, at least 0.

    Returns
    -------
    The optimum y that, from the roots down, keeps the parent's value where possible and otherwise
    takes the smallest value. It is exact up to rounding in sums, and each value is one of the given
    scores.

    Raises
    ------
    ValueError
        The arrays differ in length or do not meet the definitions above.

    Notes
    -----
    The time is about O(n · depth · log n): each subtree's cost as a function of its root's value is
    piecewise linear with few pieces, whereas the source tabulates it for all pairs of values.

    The source may also mean a penalty for every node below all its children. Its results imply the
    one here: with c = 1 all nodes became template, which is impossible with the other.
    """
    parents, x = np.asarray(parent, np.int64), np.asarray(scores, np.float64)
    if x.ndim != 1 or parents.shape != x.shape:
        raise ValueError("parent and scores must be one-dimensional and of the same length")
    if not (np.isfinite(x).all() and np.isfinite(c) and c >= 0):
        raise ValueError("scores and c must be finite, and c at least 0")
    if not is_preorder(parents.tolist()):
        raise ValueError("nodes must be in preorder: each parent is the last node or above it")
    if not len(x):
        return x
    values, y = np.unique(x), _smooth_edges(parents, x, float(c))
    # A compiled dense table is faster up to some 1,000 nodes, but needs memory for every score.
    right = np.minimum(np.searchsorted(values, y), len(values) - 1)
    left = np.maximum(right - 1, 0)
    # Each break point equals a score up to rounding.
    return values[np.where(y - values[left] <= values[right] - y, left, right)]


# The cost ``f`` of a subtree as a function of its root's value, and its cost ``g`` as a function of
# the parent's value, are continuous and piecewise linear between the least and the greatest score.
# If ``M(v)`` is the least ``f`` at or right of ``v``, then ``g = min(f, c + M)``: keep the parent's
# value, or pay the penalty and take the best value above it. A function is represented by its value
# and slope at the left end and a list of (abscissa, change of slope). All lists share one stack: in
# reverse preorder, the lists of a node's children are on top when the node is processed.


@compiled
def _smooth_edges(parent, scores, c):
    """Optimal values, float64, shape (n,), up to rounding; see `smooth`."""
    n = len(scores)
    low, high = scores.min(), scores.max()
    value, slope = np.zeros(n), np.zeros(n)  # of the sum of the children's g, at the left end
    pieces, lists = np.zeros(n, np.int64), np.zeros(n, np.int64)  # of children, on the stack
    stack_x, stack_d, top = np.empty(1024), np.empty(1024), 0
    # Intervals in which a node departs from its parent's value, and the value that it takes
    # there: rows of (left, right, target).
    gaps, used = np.empty((1024, 3)), 0
    first, best = np.zeros(n + 1, np.int64), np.empty(n)
    for i in range(n - 1, -1, -1):
        count = pieces[i]
        base = top - count
        if top + 1 > len(stack_x):
            stack_x, stack_d = _enlarge(stack_x), _enlarge(stack_d)
        x = scores[i]
        value[i] += x - low
        slope[i] += 1.0 if x <= low else -1.0
        if x > low:
            stack_x[top], stack_d[top] = x, 2.0
            top += 1
        _sort(stack_x[base:top], stack_d[base:top], lists[i])
        px, pf, ps = _points(stack_x[base:top], stack_d[base:top], low, high, value[i], slope[i])
        gx, gs, g_low, intervals, best[i] = _clip(px, pf, ps, c)
        top = base
        first[i] = used
        while used + len(intervals) > len(gaps):
            gaps = np.concatenate((gaps, np.empty_like(gaps)))
        gaps[used : used + len(intervals)] = intervals
        used += len(intervals)
        p = parent[i]
        if p >= 0:
            while top + len(gx) > len(stack_x):
                stack_x, stack_d = _enlarge(stack_x), _enlarge(stack_d)
            added = _push(stack_x, stack_d, top, gx, gs)
            top += added
            pieces[p] += added
            lists[p] += 1
            value[p] += g_low
            slope[p] += gs[0]
    return _follow_gaps(parent, first, used, gaps, best)


@compiled
def _enlarge(array):
    return np.concatenate((array, np.empty_like(array)))


@compiled
def _sort(xs, ds, lists):
    """Sort a node's break points; into a single sorted list, one new point is only inserted."""
    if lists <= 1:
        for k in range(len(xs) - 1, 0, -1):
            if xs[k - 1] <= xs[k]:
                break
            xs[k - 1], xs[k] = xs[k], xs[k - 1]
            ds[k - 1], ds[k] = ds[k], ds[k - 1]
        return
    order = np.argsort(xs, kind="mergesort")
    xs[:], ds[:] = xs[order], ds[order]


@compiled
def _points(xs, ds, low, high, value, slope):
    """Break points of f including both ends, its values there, and the slopes between them."""
    px, pf, ps = np.empty(len(xs) + 2), np.empty(len(xs) + 2), np.empty(len(xs) + 1)
    px[0], pf[0], ps[0] = low, value, slope
    last = 0
    for k in range(len(xs)):
        if xs[k] >= high:
            break  # a change of slope at the right end has no effect
        if xs[k] > px[last]:
            px[last + 1] = xs[k]
            pf[last + 1] = pf[last] + ps[last] * (xs[k] - px[last])
            ps[last + 1] = ps[last]
            last += 1
        ps[last] += ds[k]
    px[last + 1] = high
    pf[last + 1] = pf[last] + ps[last] * (high - px[last])
    return px[: last + 2], pf[: last + 2], ps[: last + 1]


@compiled
def _clip(px, pf, ps, c):
    """Clip f, from the right, to at most c above its minimum at or right of each point.

    Returns the starts and slopes of the pieces of g, its value at the left end, the open
    intervals where f is clipped with the best value for each, and the best value overall.
    """
    pieces = len(ps)
    starts, slopes, piece_count = np.empty(3 * pieces), np.empty(3 * pieces), 0
    gaps, gap_count = np.empty((pieces + 1, 3)), 0
    least, target = pf[-1], px[-1]
    gap_end = -1.0
    in_gap = False
    for k in range(pieces - 1, -1, -1):
        limit = c + least
        left, right = pf[k], pf[k + 1]
        if right > limit and not in_gap:
            gap_end, in_gap = px[k + 1], True
        if left > limit and right > limit:
            starts[piece_count], slopes[piece_count] = px[k], 0.0
            piece_count += 1
        elif left > limit:
            cross = min(max(px[k + 1] + (limit - right) / ps[k], px[k]), px[k + 1])
            starts[piece_count], slopes[piece_count] = cross, ps[k]
            starts[piece_count + 1], slopes[piece_count + 1] = px[k], 0.0
            piece_count += 2
            gap_end, in_gap = cross, True
        elif right > limit:
            cross = min(max(px[k] + (limit - left) / ps[k], px[k]), px[k + 1])
            starts[piece_count], slopes[piece_count] = cross, 0.0
            starts[piece_count + 1], slopes[piece_count + 1] = px[k], ps[k]
            piece_count += 2
            gaps[gap_count] = (cross, gap_end, target)
            gap_count += 1
            in_gap = False
        else:
            starts[piece_count], slopes[piece_count] = px[k], ps[k]
            piece_count += 1
            if in_gap:
                gaps[gap_count] = (px[k + 1], gap_end, target)
                gap_count += 1
                in_gap = False
        if left <= least:
            least, target = left, px[k]
    if in_gap:
        gaps[gap_count] = (-np.inf, gap_end, target)
        gap_count += 1
    g_low = min(pf[0], c + least)
    return starts[:piece_count][::-1], slopes[:piece_count][::-1], g_low, gaps[:gap_count], target


@compiled
def _push(stack_x, stack_d, top, starts, slopes):
    """Push the changes of slope onto the stack and return their number."""
    added, before = 0, slopes[0]
    for k in range(1, len(starts)):
        change = slopes[k] - before
        if abs(change) > TINY * (1 + abs(before)):
            stack_x[top + added], stack_d[top + added] = starts[k], change
            added += 1
            before = slopes[k]
    return added


@compiled
def _follow_gaps(parent, first, used, gaps, best):
    """Values from the roots down: the parent's value, except where a node departs from it."""
    n = len(parent)
    y = np.empty(n)
    for i in range(n):
        if parent[i] < 0:
            y[i] = best[i]
            continue
        y[i] = y[parent[i]]
        # Rows are ordered by node, from the last to the first.
        stop = first[i - 1] if i else used
        for k in range(first[i], stop):
            if gaps[k, 0] < y[parent[i]] < gaps[k, 1]:
                y[i] = gaps[k, 2]
    return y
