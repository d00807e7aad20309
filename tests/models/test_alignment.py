"""The alignment distance against its recursion, all mappings and the string edit distance."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mappings import UNIT, cheapest, compare, cost_of, is_aligned, prices, spelt, swap, total
from miolo.models.trees.alignment import alignment
from miolo.models.trees.constrained import constrained_distance
from miolo.models.trees.general import general
from rapidfuzz.distance import Levenshtein
from strategies import trees


def distance(one, two, prices=UNIT):
    return compare(alignment, one, two, prices, mapping=False)[0]


def recursion(one, two, prices):
    """The definition as a recursion over the last trees of two forests."""

    @cache
    def between(first, second):
        if not first or not second:
            return total(first, prices, 0) + total(second, prices, 1)
        (x, below_x), (y, below_y) = first[-1], second[-1]
        return min(
            between(below_x, below_y) + between(first[:-1], second[:-1]) + swap(prices, x, y),
            *(
                between(first[:k], second[:-1]) + between(first[k:], below_y) + prices[y][1]
                for k in range(len(first) + 1)
            ),
            *(
                between(first[:-1], second[:k]) + between(below_x, second[k:]) + prices[x][0]
                for k in range(len(second) + 1)
            ),
        )

    return between((spelt(one)[0],), (spelt(two)[0],))


@settings(deadline=None, max_examples=60)
@given(one=trees(), two=trees())
def test_the_distance_matches_the_recursion(one, two):
    assert distance(one, two) == recursion(one, two, UNIT)


@settings(deadline=None, max_examples=60)
@given(one=trees(), two=trees(), prices=prices)
def test_the_distance_matches_the_recursion_at_any_costs(one, two, prices):
    assert distance(one, two, prices) == pytest.approx(recursion(one, two, prices))


@settings(deadline=None, max_examples=60)
@given(one=trees(max_size=6), two=trees(max_size=6), prices=prices)
def test_no_mapping_of_its_kind_is_cheaper(one, two, prices):
    assert distance(one, two) == cheapest(one, two, is_aligned)
    expected = cheapest(one, two, is_aligned, prices)
    assert distance(one, two, prices) == pytest.approx(expected)


@settings(deadline=None)
@given(one=trees(max_size=16), two=trees(max_size=16), prices=prices)
def test_the_mapping_costs_the_distance(one, two, prices):
    for chosen in (UNIT, prices):
        cost, cells, pairs = compare(alignment, one, two, chosen)
        assert is_aligned(pairs.tolist(), one[0], two[0])
        assert cost_of(pairs.tolist(), one, two, chosen) == pytest.approx(cost)
        assert (cost, cells, None) == compare(alignment, one, two, chosen, mapping=False)


@settings(deadline=None)
@given(one=trees(), two=trees())
def test_the_distance_is_symmetric_and_zero_for_equal_trees(one, two):
    assert distance(one, one) == 0
    assert (distance(one, two) == 0) == (one == two)
    assert distance(one, two) == distance(two, one)


@settings(deadline=None)
@given(trees(max_size=25), trees(max_size=25))
def test_the_distance_is_between_the_general_and_the_constrained(one, two):
    min_size = compare(general, one, two, mapping=False)[0]
    assert (
        min_size <= distance(one, two) <= compare(constrained_distance, one, two, mapping=False)[0]
    )


def test_mappings_that_insertions_cannot_align_cost_more():
    one = [-1, 0, 1, 1, 0], ["e", "d", "a", "b", "c"]
    two = [-1, 0, 0, 2, 2], ["e", "a", "d", "b", "c"]
    assert compare(general, one, two, mapping=False)[0] == 2
    assert distance(one, two) == 4


@settings(deadline=None)
@given(one=st.text("abc", max_size=12), two=st.text("abc", max_size=12))
def test_on_stars_and_chains_the_distance_is_the_string_edit_distance(one, two):
    stars = [([-1] + [0] * len(leaves), ["d", *leaves]) for leaves in (one, two)]
    chains = [(list(range(-1, len(line))), ["d", *line]) for line in (one, two)]
    assert distance(*stars) == distance(*chains) == Levenshtein.distance(one, two)


def test_a_thousand_levels():
    chain = list(range(-1, 999))
    one, two = (chain, ["a"] * 1000), (chain, ["a"] * 999 + ["b"])
    cost, _, pairs = compare(alignment, one, two)
    assert (cost, len(pairs)) == (1, 1000)


def test_ten_thousand_levels_against_a_few():
    deep, flat = (list(range(-1, 9999)), ["a"] * 10_000), ([-1, 0, 1, 0], ["a"] * 4)
    for one, two in ((deep, flat), (flat, deep)):
        cost, _, pairs = compare(alignment, one, two)
        assert (cost, len(pairs)) == (9998, 3)
