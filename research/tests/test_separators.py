"""Separators against a count of pixel rows, and on mirrored and shuffled blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo_research.vips.separators import PoolLook, Weighing, find_gaps, weigh_gaps

NO_RULES = np.zeros((0, 4))
WIDTH = 60

intervals = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 8)).map(lambda pair: (pair[0], sum(pair))),
    min_size=1,
    max_size=12,
)


@st.composite
def pools(draw, max_size=8):
    """Blocks of a few sizes, colours and fonts on a small page."""
    corner = st.tuples(st.integers(0, 40), st.integers(0, 60))
    side = st.tuples(st.integers(1, 20), st.integers(1, 30))
    drawn = draw(st.lists(st.tuples(corner, side), min_size=2, max_size=max_size))
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in drawn]
    count = len(boxes)

    def column(*values):
        return np.array(draw(st.lists(st.sampled_from(values), min_size=count, max_size=count)))

    return PoolLook(
        np.array(boxes, np.float64),
        column(0xFFFFFFFF, 0x000000FF).astype(np.uint32),
        column(0.0, 16.0, 24.0),
        column(400.0, 700.0),
    )


def by_pixels(blocks):
    """Gaps between blocks, found pixel by pixel; their width is 0 where blocks touch."""
    runs: list[list[int]] = []
    for x in range(max(b for _, b in blocks)):
        if any(a < x < b for a, b in blocks):
            continue
        pixel_is_empty = not any(a < x <= b for a, b in blocks)
        if runs and runs[-1][1] == x - 1 and pixel_is_empty:
            runs[-1][1] = x
        else:
            runs.append([x, x])
    first = min(a for a, _ in blocks)
    return [(start, stop) for start, stop in runs if start > first]


def gaps_along(look, across):
    axis = int(across)
    return find_gaps(look.box[:, axis], look.box[:, axis + 2])


def weights_of(look, across, rules=NO_RULES):
    return weigh_gaps(gaps_along(look, across), look, across, rules, Weighing())


@given(intervals)
def test_gaps_match_a_count_of_pixels(blocks):
    blocks = [(a, max(b, a + 1)) for a, b in blocks]
    low, high = np.array(blocks, np.float64).T
    gaps = find_gaps(low, high)
    assert list(zip(gaps.start.tolist(), gaps.stop.tolist(), strict=True)) == by_pixels(blocks)


@given(intervals)
def test_slabs_count_the_gaps_before_a_block(blocks):
    blocks = [(a, max(b, a + 1)) for a, b in blocks]
    low, high = np.array(blocks, np.float64).T
    gaps = find_gaps(low, high)
    before = [sum(stop <= a for stop in gaps.stop.tolist()) for a, _ in blocks]
    assert gaps.slab.tolist() == before


@given(intervals, st.floats(0, 6))
def test_more_tolerated_overlap_gives_more_gaps(blocks, overlap):
    low, high = np.array(blocks, np.float64).T
    assert len(find_gaps(low, high, overlap)) >= len(find_gaps(low, high))


def test_overlapping_lines_have_a_gap_of_zero_width():
    gaps = find_gaps(np.array([0.0, 18.0]), np.array([20.0, 38.0]), overlap=4)
    assert gaps.start.tolist() == gaps.stop.tolist() == [19.0]
    assert not len(find_gaps(np.array([0.0, 18.0]), np.array([20.0, 38.0]), overlap=1))


def test_no_blocks_have_no_gaps():
    assert len(find_gaps(np.zeros(0), np.zeros(0))) == 0


@given(pools(), st.booleans())
def test_mirrored_pages_have_the_same_weights(look, across):
    left, top, right, bottom = look.box.T
    mirrored = replace(look, box=np.column_stack([WIDTH - right, top, WIDTH - left, bottom]))
    expected = weights_of(look, across)
    assert weights_of(mirrored, across).tolist() == expected[:: 1 if across else -1].tolist()


@given(pools(), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_blocks_is_irrelevant(look, across, random):
    order = list(range(len(look.box)))
    random.shuffle(order)
    shuffled = PoolLook(look.box[order], look.backdrop[order], look.size[order], look.weight[order])
    one, other = gaps_along(look, across), gaps_along(shuffled, across)
    assert one.start.tolist() == other.start.tolist()
    assert one.slab[order].tolist() == other.slab.tolist()
    assert weights_of(look, across).tolist() == weights_of(shuffled, across).tolist()


@given(pools(), st.booleans())
def test_weights_are_not_negative_and_grow_with_the_distance(look, across):
    weights = weights_of(look, across)
    assert (weights >= 0).all()
    axis = int(across)
    gaps = gaps_along(look, across)
    # Each block moves by 30 pixels for each gap before it.
    apart = look.box.copy()
    apart[:, [axis, axis + 2]] += 30 * gaps.slab[:, None]
    assert (weights_of(replace(look, box=apart), across) >= weights).all()


def two(gap=20.0, **changes):
    """Two blocks, one above the other."""
    look = PoolLook(
        np.array([[0, 0, 100, 50], [0, 50 + gap, 100, 100 + gap]], np.float64),
        np.array([0xFFFFFFFF] * 2, np.uint32),
        np.array([16.0, 16.0]),
        np.array([400.0, 400.0]),
    )
    return replace(look, **{name: np.array(value) for name, value in changes.items()})


@pytest.mark.parametrize(
    ("heavier", "lighter"),
    [
        (two(gap=60), two(gap=10)),
        (two(backdrop=[0xFFFFFFFF, 0xEEEEEEFF]), two()),
        (two(size=[16.0, 24.0]), two()),
        (two(weight=[700.0, 400.0]), two()),
        # A heading is closer to the text below it than to the text above it.
        (two(size=[16.0, 24.0]), two(size=[24.0, 16.0])),
        (two(box=[[0, 0, 100, 50], [30, 70, 90, 120]]), two()),
    ],
)
def test_each_cue_makes_a_separator_heavier(heavier, lighter):
    assert weights_of(heavier, True) > weights_of(lighter, True)


def test_a_rule_makes_its_separator_heavier_and_no_other():
    look = two()
    inside, beside = np.array([[0, 59, 100, 61.0]]), np.array([[300, 59, 400, 61.0]])
    assert weights_of(look, True, inside) == weights_of(look, True) + Weighing().rule
    assert weights_of(look, True, beside) == weights_of(look, True)
    assert weights_of(look, True, inside + 30) == weights_of(look, True)
