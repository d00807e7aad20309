"""Scores against lists from which what matches is struck out one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.scoring import score_set, shingle_score, token_score
from miolo.features.words import words

TEXT = st.lists(st.sampled_from("a b c 北 d.".split()), max_size=14).map(" ".join)


def shingles(text: str) -> list[tuple[str, ...]]:
    tokens = words(text)
    if not tokens:
        return []
    return [tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3))]


def struck(truth: list, predicted: list) -> int:
    left, common = list(truth), 0
    for item in predicted:
        if item in left:
            left.remove(item)
            common += 1
    return common


@given(TEXT, TEXT)
def test_scores_equal_striking_out(truth, predicted):
    for score, parts in ((shingle_score, shingles), (token_score, words)):
        a, b = parts(truth), parts(predicted)
        found = score(truth, predicted)
        if a and b:
            assert found.precision == pytest.approx(struck(a, b) / len(b))
            assert found.recall == pytest.approx(struck(a, b) / len(a))
        else:
            assert found.precision == found.recall == float(not a and not b)
        assert found.exact == (sorted(a) == sorted(b))


@given(TEXT, TEXT)
def test_swapping_the_sides_swaps_precision_and_recall(a, b):
    one, other = shingle_score(a, b), shingle_score(b, a)
    assert (one.precision, one.recall) == (other.recall, other.precision)
    assert 0 <= one.f1 <= 1


def test_a_set_weighs_its_pages_alike():
    total = score_set([token_score("a b", "a b"), token_score("a", "b"), token_score("a", "")])
    assert (total.precision, total.recall, total.exact) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert total.f1 == pytest.approx(1 / 3)
    assert score_set([]).f1 == 0
