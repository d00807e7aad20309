"""Smoothing against exhaustive search and dense tables."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.templates.smoothing import smooth
from smoothing_oracles import cubic, dense_numpy, exhaustive, objective
from strategies import parents

COSTS = st.sampled_from([0.0, 0.001, 0.01, 0.1, 0.3, 1.0])
# Values that repeat, and values that do not.
SCORES = st.one_of(
    st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.floats(0, 1).map(lambda v: round(v, 6))
)


@st.composite
def trees(draw, max_size=60, scores=SCORES):
    parent = draw(parents(max_size=max_size))
    size = len(parent)
    x = draw(st.lists(scores, min_size=size, max_size=size))
    w = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.3]), min_size=size, max_size=size))
    return np.array(parent), np.array(x), np.array(w)


def cost(parent, x, w, c):
    """Smooth, check that the result is feasible and has only given values, and return its cost."""
    y = smooth(parent, x, w, c)
    below = parent >= 0
    assert (y[parent[below]] <= y[below]).all()
    assert np.isin(y, x).all()
    return objective(parent, x, y, w, c)


@given(tree=trees(max_size=5), c=COSTS)
def test_no_other_smoothing_is_cheaper(tree, c):
    assert cost(*tree, c) == pytest.approx(exhaustive(*tree, c), abs=1e-9)


@given(trees(), COSTS)
def test_sparse_and_dense_and_cubic_agree(tree, c):
    for other in (dense_numpy, cubic):
        assert cost(*tree, c) == pytest.approx(other(*tree, c), abs=1e-9)


@given(tree=trees(), c=COSTS, power=st.integers(-60, 60))
def test_scaling_does_not_change_the_choice(tree, c, power):
    # Powers of two change no significant digit, so that even ties are broken the same way.
    parent, x, w = tree
    scale, plain = 2.0**power, smooth(*tree, c)
    assert (smooth(parent, scale * x, w, scale * c) == scale * plain).all()
    assert (smooth(parent, x, scale * w, scale * c) == plain).all()


def test_extreme_weights_and_penalties_are_smoothed():
    for w, c in ((1e-300, 1e300), (5e-324, 1.0), (1e300, 5e-324)):
        cost(np.array([-1, 0, 0]), np.array([0.9, 0.1, 0.2]), np.full(3, w), c)


def test_equality_with_the_parent_is_preferred_then_the_smallest_value():
    # Equal values cost a loss of 0.1, different ones a penalty of just over 0.1.
    assert smooth([-1, 0], [0.2, 0.3], c=0.1 + 1e-12).tolist() == [0.2, 0.2]
    assert smooth([-1, 0, 0], [0.1, 0.2, 0.3], c=9).tolist() == [0.2, 0.2, 0.2]
    assert smooth([-1, 0], [0.1, 0.2], c=9).tolist() == [0.1, 0.1]


@pytest.mark.parametrize("c", [0.0, 0.01, 1e6])
def test_ten_thousand_levels(c):
    chance = np.random.default_rng(1)
    cost(np.arange(10_000) - 1, chance.random(10_000), np.ones(10_000), c)


def test_numba_is_not_imported_before_it_is_needed():
    code = "import sys, miolo.models.templates.smoothing; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_trees_of_a_forest_are_independent():
    one = smooth([-1, 0], [0.9, 0.1])
    both = smooth([-1, 0, -1, 2], [0.9, 0.1, 0.9, 0.1])
    assert both.tolist() == one.tolist() * 2
    assert smooth([], []).tolist() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([-1, 0], [0.5]), "same length"),
        (([-1, 5], [0.5, 0.5]), "preorder"),
        (([0, -1], [0.5, 0.5]), "preorder"),
        (([-1, 0, 0, 1], [0.5] * 4), "preorder"),
        (([-2], [0.5]), "preorder"),
        (([-1.5], [0.5]), "integers"),
        (([-1], [np.nan]), "finite"),
        (([-1], [0.5], [0.0]), "positive"),
        (([-1], [0.5], None, -1.0), "at least 0"),
    ],
)
def test_invalid_input_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        smooth(*arguments)
