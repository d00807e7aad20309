"""Boosted trees as plain arrays, against scikit-learn's own."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from miolo.models.article.forest import Forest
from sklearn.ensemble import HistGradientBoostingClassifier


def rows(seed: int, count: int, wide: int) -> np.ndarray:
    """Rows with ties and with gaps."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, (count, wide)).astype(np.float32) / 3
    values[rng.random(values.shape) < 0.15] = np.nan
    return values


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(2, 9))
def test_sums_are_those_of_scikit_learn(seed: int, wide: int, leaves: int) -> None:
    values = rows(seed, 120, wide)
    labels = np.random.default_rng(seed).random(120) < 0.4
    estimator = HistGradientBoostingClassifier(
        max_iter=6, max_leaf_nodes=leaves, min_samples_leaf=3, random_state=0
    ).fit(values, labels)
    forest = Forest.of(estimator)
    unseen = np.concatenate([values, rows(seed + 1, 60, wide)])
    np.testing.assert_allclose(
        forest.log_odds(unseen), estimator.decision_function(unseen), atol=1e-6
    )
    sums, moved = forest.explained(unseen)
    np.testing.assert_array_equal(sums, forest.log_odds(unseen))
    start = forest.baseline[0] + forest.value[forest.roots].sum(dtype=float)
    np.testing.assert_allclose(start + moved.sum(axis=1), sums, atol=1e-5)


def test_a_column_that_no_tree_asks_moves_nothing() -> None:
    values = rows(0, 200, 3)
    values[:, 1] = 0
    labels = np.nan_to_num(values[:, 0]) > 0
    forest = Forest.of(
        HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(values, labels)
    )
    assert not forest.explained(values)[1][:, 1].any()
    assert forest.explained(values)[1][:, 0].any()


def test_arrays_come_back() -> None:
    values = rows(1, 100, 2)
    forest = Forest.of(
        HistGradientBoostingClassifier(max_iter=3, random_state=0).fit(values, values[:, 0] > 0)
    )
    again = Forest.from_arrays(forest.arrays("a"), "a")
    np.testing.assert_array_equal(again.log_odds(values), forest.log_odds(values))
    with pytest.raises(KeyError):
        Forest.from_arrays(forest.arrays("a"), "b")


def test_no_rows_are_no_rows() -> None:
    values = rows(2, 100, 2)
    forest = Forest.of(
        HistGradientBoostingClassifier(max_iter=3, random_state=0).fit(values, values[:, 0] > 0)
    )
    assert forest.log_odds(values[:0]).shape == (0,)


def walked(forest: Forest, row: np.ndarray) -> tuple[float, np.ndarray]:
    """The sum by walking down each tree, and what each column changed on the way."""
    total, moved = 0.0, np.zeros_like(row)
    for root in forest.roots.tolist():
        at = root
        while forest.feature[at] >= 0:
            x = row[forest.feature[at]]
            left = forest.missing_left[at] if np.isnan(x) else x <= forest.threshold[at]
            to = at + 1 if left else int(forest.right[at])
            moved[forest.feature[at]] += forest.value[to] - forest.value[at]
            at = to
        total += float(forest.value[at])
    return total, moved


@cache
def a_full_forest() -> Forest:
    """One whose trees have as many leaves as there are bits."""
    labels = np.random.default_rng(4).random(400) < 0.5
    estimator = HistGradientBoostingClassifier(
        max_iter=4, max_leaf_nodes=32, min_samples_leaf=2, random_state=0
    )
    return Forest.of(estimator.fit(rows(4, 400, 4), labels))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_sums_are_those_of_a_walk_from_each_root(seed: int, count: int) -> None:
    forest, unseen = a_full_forest(), rows(seed, count, 4)
    totals, moved = zip(*(walked(forest, row) for row in unseen), strict=True)
    found, changes = forest.explained(unseen)
    np.testing.assert_array_equal(found, forest.baseline[0] + np.array(totals))
    np.testing.assert_array_equal(forest.log_odds(unseen), found)
    np.testing.assert_array_equal(changes, moved)


@cache
def a_forest() -> Forest:
    values = rows(3, 300, 3)
    return Forest.of(
        HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=6, random_state=0).fit(
            values, np.nan_to_num(values[:, 0]) > 0
        )
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda f: replace(f, right=f.right + np.int32(1)),
        lambda f: replace(f, right=f.right - np.int32(1)),
        lambda f: replace(f, right=np.full_like(f.right, len(f.right) - 1)),
        lambda f: replace(f, right=np.full_like(f.right, len(f.right))),
        lambda f: replace(f, roots=f.roots[:-1]),
        lambda f: replace(f, roots=f.roots[1:]),
        lambda f: replace(f, roots=f.roots[::-1].copy()),
        lambda f: replace(f, roots=np.append(f.roots, np.int32(len(f.right)))),
        lambda f: replace(f, roots=f.roots[:0]),
        lambda f: replace(f, feature=np.zeros_like(f.feature)),
        lambda f: replace(f, feature=np.full_like(f.feature, -1)),
        lambda f: replace(f, value=np.full_like(f.value, np.nan)),
        lambda f: replace(f, value=f.value[1:]),
    ],
)
def test_what_is_no_tree_is_refused(damage) -> None:
    with pytest.raises(ValueError, match=r"tree|value"):
        Forest.from_arrays(damage(a_forest()).arrays("a"), "a")


def test_more_leaves_than_bits_are_refused() -> None:
    values = np.arange(400, dtype=np.float32).reshape(-1, 1)
    labels = np.arange(400) % 2
    estimator = HistGradientBoostingClassifier(
        max_iter=1, max_leaf_nodes=33, min_samples_leaf=1, max_bins=255, random_state=0
    ).fit(values, labels)
    with pytest.raises(ValueError, match="32 leaves"):
        Forest.of(estimator)
