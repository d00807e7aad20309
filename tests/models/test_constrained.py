"""The constrained distance against its recursion, all mappings and the string edit distance."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mappings import (
    UNIT,
    cheapest,
    compare,
    cost_of,
    is_constrained,
    prices,
    spelt,
    swap,
    total,
)
from miolo.models.trees.constrained import constrained_distance
from miolo.models.trees.general import general
from rapidfuzz.distance import Levenshtein
from strategies import trees


def distance(one, two, prices=UNIT):
    return compare(constrained_distance, one, two, prices, mapping=False)[0]


def recursion(one, two, prices):
    """The definition as a recursion."""

    def removal(*forest):
        return total(forest, prices, 0)

    def insertion(*forest):
        return total(forest, prices, 1)

    @cache
    def of_trees(a, b):
        apart = prices[a[0]][0] + prices[b[0]][1]
        ways = [min(swap(prices, a[0], b[0]), apart) + of_forests(a[1], b[1])]
        ways += [insertion(b) + of_trees(a, child) - insertion(child) for child in b[1]]
        ways += [removal(a) + of_trees(child, b) - removal(child) for child in a[1]]
        return min(ways)

    @cache
    def of_forests(first, second):
        ways = [in_order(first, second)]
        ways += [insertion(*second) + of_forests(first, b[1]) - insertion(*b[1]) for b in second]
        ways += [removal(*first) + of_forests(a[1], second) - removal(*a[1]) for a in first]
        return min(ways)

    @cache
    def in_order(first, second):
        if not first or not second:
            return removal(*first) + insertion(*second)
        return min(
            in_order(first[:-1], second[:-1]) + of_trees(first[-1], second[-1]),
            in_order(first[:-1], second) + removal(first[-1]),
            in_order(first, second[:-1]) + insertion(second[-1]),
        )

    return of_trees(spelt(one)[0], spelt(two)[0])


@settings(deadline=None, max_examples=150)
@given(one=trees(), two=trees())
def test_the_distance_matches_the_recursion(one, two):
    assert distance(one, two) == recursion(one, two, UNIT)


@settings(deadline=None, max_examples=150)
@given(one=trees(), two=trees(), prices=prices)
def test_the_distance_matches_the_recursion_at_any_costs(one, two, prices):
    assert distance(one, two, prices) == pytest.approx(recursion(one, two, prices))


@settings(deadline=None, max_examples=60)
@given(one=trees(max_size=5), two=trees(max_size=5), prices=prices)
def test_no_mapping_of_its_kind_is_cheaper(one, two, prices):
    assert distance(one, two) == cheapest(one, two, is_constrained)
    expected = cheapest(one, two, is_constrained, prices)
    assert distance(one, two, prices) == pytest.approx(expected)


@settings(deadline=None)
@given(one=trees(max_size=16), two=trees(max_size=16), prices=prices)
def test_the_mapping_costs_the_distance(one, two, prices):
    for chosen in (UNIT, prices):
        cost, cells, pairs = compare(constrained_distance, one, two, chosen)
        assert is_constrained(pairs.tolist(), one[0], two[0])
        assert cost_of(pairs.tolist(), one, two, chosen) == pytest.approx(cost)
        assert (cost, cells, None) == compare(constrained_distance, one, two, chosen, mapping=False)
        assert cells <= 3 * len(one[0]) * len(two[0])


@settings(deadline=None)
@given(one=trees(), two=trees(), three=trees())
def test_the_distance_is_a_metric(one, two, three):
    assert distance(one, one) == 0
    assert (distance(one, two) == 0) == (one == two)
    assert distance(one, two) == distance(two, one)
    assert distance(one, two) <= distance(one, three) + distance(three, two)


@settings(deadline=None)
@given(trees(max_size=25), trees(max_size=25))
def test_the_distance_is_bounded(one, two):
    min_size = compare(general, one, two, mapping=False)[0]
    assert min_size <= distance(one, two) <= len(one[0]) + len(two[0]) - 1


@settings(deadline=None)
@given(one=st.text("abc", max_size=12), two=st.text("abc", max_size=12))
def test_on_stars_and_chains_the_distance_is_the_string_edit_distance(one, two):
    stars = [([-1] + [0] * len(leaves), ["d", *leaves]) for leaves in (one, two)]
    chains = [(list(range(-1, len(line))), ["d", *line]) for line in (one, two)]
    assert distance(*stars) == distance(*chains) == Levenshtein.distance(one, two)


def test_three_thousand_levels():
    chain = list(range(-1, 2999))
    one, two = (chain, ["a"] * 3000), (chain, ["a"] * 2999 + ["b"])
    cost, _, pairs = compare(constrained_distance, one, two)
    assert (cost, len(pairs)) == (1, 3000)


def test_ten_thousand_levels_against_a_few():
    deep, flat = (list(range(-1, 9999)), ["a"] * 10_000), ([-1, 0, 1, 0], ["a"] * 4)
    for one, two in ((deep, flat), (flat, deep)):
        cost, _, pairs = compare(constrained_distance, one, two)
        assert (cost, len(pairs)) == (9998, 3)
