"""Smoothing against exhaustive search and dense tables."""

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
    return np.array(parent), np.array(x)


def cost(parent, x, c):
    """Smooth, check that the result is feasible and has only given values, and return its cost."""
    y = smooth(parent, x, c)
    below = parent >= 0
    assert (y[parent[below]] <= y[below]).all()
    assert np.isin(y, x).all()
    return objective(parent, x, y, c)


@given(tree=trees(max_size=5), c=COSTS)
def test_no_other_smoothing_is_cheaper(tree, c):
    assert cost(*tree, c) == pytest.approx(exhaustive(*tree, c), abs=1e-9)


@given(trees(), COSTS)
def test_sparse_and_dense_and_cubic_agree(tree, c):
    for other in (dense_numpy, cubic):
        assert cost(*tree, c) == pytest.approx(other(*tree, c), abs=1e-9)


def test_equality_with_the_parent_is_preferred_then_the_smallest_value():
    # Equal values cost a loss of 0.1, different ones a penalty of just over 0.1.
    assert smooth([-1, 0], [0.2, 0.3], c=0.1 + 1e-12).tolist() == [0.2, 0.2]
    assert smooth([-1, 0, 0], [0.1, 0.2, 0.3], c=9).tolist() == [0.2, 0.2, 0.2]
    assert smooth([-1, 0], [0.1, 0.2], c=9).tolist() == [0.1, 0.1]


@pytest.mark.parametrize("c", [0.0, 0.01, 1e6])
def test_ten_thousand_levels(c):
    chance = np.random.default_rng(1)
    cost(np.arange(10_000) - 1, chance.random(10_000), c)
