"""Smoothing against exhaustive search and dense tables, and its properties."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.templates.smoothing import objective, smooth
from smoothing_oracles import cubic, dense_minima, dense_numpy, exhaustive
from strategies import parents

PENALTIES = ("edge", "min")
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


def check(parent, x, w, c, penalty):
    """Smooth, and check that the result is feasible, has only given values and the stated cost."""
    done = smooth(parent, x, w, c, penalty)
    below = parent >= 0
    assert (done.scores[parent[below]] <= done.scores[below]).all()
    assert np.isin(done.scores, x).all()
    assert done.objective == objective(parent, x, done.scores, w, c, penalty)
    return done


@pytest.mark.parametrize("penalty", PENALTIES)
@given(tree=trees(max_size=5), c=COSTS)
def test_no_other_smoothing_is_cheaper(tree, c, penalty):
    best = exhaustive(*tree, c, penalty)
    assert check(*tree, c, penalty).objective == pytest.approx(best, abs=1e-9)


@given(trees(), COSTS)
def test_sparse_and_dense_and_cubic_agree(tree, c):
    ours = check(*tree, c, "edge").objective
    for other in (dense_numpy, cubic):
        assert ours == pytest.approx(other(*tree, c), abs=1e-9)


@given(trees(), COSTS)
def test_minima_agree_with_plain_tables(tree, c):
    ours = check(*tree, c, "min").objective
    assert ours == pytest.approx(dense_minima(*tree, c), abs=1e-9)


@given(trees(), COSTS)
def test_the_weaker_penalty_costs_no_more(tree, c):
    assert check(*tree, c, "min").objective <= check(*tree, c, "edge").objective + 1e-9


@pytest.mark.parametrize("penalty", PENALTIES)
@given(tree=trees())
def test_monotone_scores_do_not_change(tree, penalty):
    parent, x, w = tree
    for node, above in enumerate(parent):
        x[node] = max(x[node], x[above]) if above >= 0 else x[node]
    done = check(parent, x, w, 0.0, penalty)
    assert (done.scores == x).all()
    assert done.objective == 0


@pytest.mark.parametrize("penalty", PENALTIES)
@given(tree=trees(scores=st.just(0.3)), c=COSTS)
def test_constant_scores_do_not_change(tree, c, penalty):
    done = check(*tree, c, penalty)
    assert (done.scores == 0.3).all()
    assert done.objective == 0


@given(trees())
def test_a_large_penalty_leaves_one_value(tree):
    parent, x, w = tree
    done = check(parent, x, w, len(x) * w.max(), "edge")
    assert len(set(done.scores)) == 1
    best = min((w * np.abs(x - value)).sum() for value in x)
    assert done.objective == pytest.approx(best)


@pytest.mark.parametrize("penalty", PENALTIES)
@given(tree=trees(max_size=30))
def test_the_cost_grows_and_is_concave_in_the_penalty(tree, penalty):
    costs = [check(*tree, c, penalty).objective for c in np.linspace(0, 1, 9)]
    steps = np.diff(costs)
    assert (steps >= -1e-9).all()
    assert (np.diff(steps) <= 1e-9).all()


@given(trees())
def test_higher_penalties_give_fewer_differences(tree):
    def differences(c):
        y, below = check(*tree, c, "edge").scores, tree[0] >= 0
        return int((y[below] != y[tree[0][below]]).sum())

    counts = [differences(c) for c in (0.0, 0.001, 0.01, 0.1, 0.3, 1.0)]
    assert counts == sorted(counts, reverse=True)


@given(trees(), COSTS, st.sampled_from([0.5, 2.0, 4.0]), st.sampled_from([-1.0, 0.0, 2.0]))
def test_costs_follow_scale_and_shift(tree, c, scale, shift):
    parent, x, w = tree
    plain = check(parent, x, w, c, "edge").objective
    moved = smooth(parent, scale * x + shift, w, scale * c).objective
    assert moved == pytest.approx(scale * plain, abs=1e-9)
    heavier = check(parent, x, scale * w, scale * c, "edge").objective
    assert heavier == pytest.approx(scale * plain, abs=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
@given(tree=trees(), c=COSTS, power=st.integers(-60, 60))
def test_scaling_does_not_change_the_choice(tree, c, power, penalty):
    # Powers of two change no significant digit, so that even ties are broken the same way.
    parent, x, w = tree
    scale, plain = 2.0**power, check(*tree, c, penalty).scores
    assert (check(parent, scale * x, w, scale * c, penalty).scores == scale * plain).all()
    assert (check(parent, x, scale * w, scale * c, penalty).scores == plain).all()


def test_extreme_weights_and_penalties_are_smoothed():
    for w, c in ((1e-300, 1e300), (5e-324, 1.0), (1e300, 5e-324)):
        check(np.array([-1, 0, 0]), np.array([0.9, 0.1, 0.2]), np.full(3, w), c, "edge")


@given(st.lists(SCORES, min_size=2, max_size=12))
def test_a_twin_counts_as_twice_the_weight(x):
    # Without a penalty, nothing makes twins differ, so that they act as one node.
    star, w = [-1] + [0] * (len(x) - 1), np.ones(len(x))
    w[-1] = 2
    twice = smooth(star, x, w, 0.0).objective
    assert smooth([*star, 0], [*x, x[-1]], c=0.0).objective == pytest.approx(twice, abs=1e-9)


@given(trees(), COSTS)
def test_a_node_that_agrees_with_its_parent_costs_nothing(tree, c):
    parent, x, w = tree
    done = check(parent, x, w, c, "edge")
    more = (np.append(parent, 0), np.append(x, done.scores[0]), np.append(w, 1.0))
    assert check(*more, c, "edge").objective == pytest.approx(done.objective, abs=1e-9)


@given(st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=12), COSTS, st.randoms())
def test_the_order_of_children_is_irrelevant(pairs, c, chance):
    def costs(pairs):
        parent = [-1] + [above for i in range(len(pairs)) for above in (0, 2 * i + 1)]
        x = np.array([0.5, *(value for pair in pairs for value in pair)])
        return [smooth(np.array(parent), x, c=c, penalty=p).objective for p in PENALTIES]

    assert costs(pairs) == pytest.approx(costs(chance.sample(pairs, len(pairs))), abs=1e-9)


@given(st.lists(SCORES, min_size=1, max_size=25))
def test_an_unpenalised_chain_costs_as_much_as_its_medians(scores):
    x, n = np.array(scores), len(scores)

    def median(first, last):
        return np.sort(x[first : last + 1])[(last - first) // 2]

    # The minimax formula of isotonic regression, with lower medians.
    y = [max(min(median(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    done = check(np.arange(n) - 1, x, np.ones(n), 0.0, "edge")
    assert done.objective == pytest.approx(np.abs(x - y).sum(), abs=1e-9)


def test_equality_with_the_parent_is_preferred_then_the_smallest_value():
    parent = np.array([-1, 0])
    # Equal values cost a loss of 0.1, different ones a penalty of just over 0.1.
    assert smooth(parent, [0.2, 0.3], c=0.1 + 1e-12).scores.tolist() == [0.2, 0.2]
    assert smooth(np.array([-1, 0, 0]), [0.1, 0.2, 0.3], c=9).scores.tolist() == [0.2, 0.2, 0.2]
    assert smooth(np.array([-1, 0]), [0.1, 0.2], c=9).scores.tolist() == [0.1, 0.1]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("c", [0.0, 0.01, 1e6])
def test_ten_thousand_levels(c, penalty):
    chance = np.random.default_rng(1)
    check(np.arange(10_000) - 1, chance.random(10_000), np.ones(10_000), c, penalty)


def test_numba_is_not_imported_before_it_is_needed():
    code = "import sys, miolo.models.templates.smoothing; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_trees_of_a_forest_are_independent():
    one = smooth([-1, 0], [0.9, 0.1])
    both = smooth([-1, 0, -1, 2], [0.9, 0.1, 0.9, 0.1])
    assert both.scores.tolist() == one.scores.tolist() * 2
    assert smooth([], []).objective == 0


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
        (([-1], [0.5], None, 0.1, "node"), "'edge' or 'min'"),
    ],
)
def test_invalid_input_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        smooth(*arguments)
