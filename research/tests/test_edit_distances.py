"""What the general, the constrained and the alignment distance of trees have in common.

Each is compared with its recursion, all mappings of its kind and the string edit distance.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mappings import (
    UNIT,
    cheapest,
    compare,
    cost_of,
    is_aligned,
    is_constrained,
    keeps_order,
    prices,
    spelt,
    swap,
    total,
)
from miolo_research.trees.alignment import alignment
from miolo_research.trees.constrained import constrained_distance
from miolo_research.trees.general import general
from rapidfuzz.distance import Levenshtein
from strategies import trees

ALLOWED = {general: keeps_order, constrained_distance: is_constrained, alignment: is_aligned}
each_kind = pytest.mark.parametrize("kind", ALLOWED, ids=lambda kind: kind.__name__)
each_metric = pytest.mark.parametrize("kind", [general, constrained_distance])


def distance(kind, one, two, prices=UNIT):
    return compare(kind, one, two, prices, mapping=False)[0]


def general_recursion(one, two, prices):
    """The definition as a recursion over the last roots of two forests."""

    @cache
    def between(first, second):
        if not first and not second:
            return 0
        ways = []
        if first:
            (x, below_x) = first[-1]
            ways.append(between(first[:-1] + below_x, second) + prices[x][0])
        if second:
            (y, below_y) = second[-1]
            ways.append(between(first, second[:-1] + below_y) + prices[y][1])
        if first and second:
            inside = between(below_x, below_y) + between(first[:-1], second[:-1])
            ways.append(inside + swap(prices, x, y))
        return min(ways)

    return between((spelt(one)[0],), (spelt(two)[0],))


def constrained_recursion(one, two, prices):
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


def alignment_recursion(one, two, prices):
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


RECURSIONS = {
    general: general_recursion,
    constrained_distance: constrained_recursion,
    alignment: alignment_recursion,
}


@each_kind
@given(one=trees(), two=trees())
def test_the_distance_matches_the_recursion(kind, one, two):
    assert distance(kind, one, two) == RECURSIONS[kind](one, two, UNIT)


@each_kind
@given(one=trees(max_size=8), two=trees(max_size=8), prices=prices)
def test_the_distance_matches_the_recursion_at_any_costs(kind, one, two, prices):
    expected = RECURSIONS[kind](one, two, prices)
    assert distance(kind, one, two, prices) == pytest.approx(expected)


@each_kind
@given(one=trees(max_size=6), two=trees(max_size=6), prices=prices)
def test_no_mapping_of_its_kind_is_cheaper(kind, one, two, prices):
    assert distance(kind, one, two) == cheapest(one, two, ALLOWED[kind])
    expected = cheapest(one, two, ALLOWED[kind], prices)
    assert distance(kind, one, two, prices) == pytest.approx(expected)


@each_kind
@given(one=trees(max_size=20), two=trees(max_size=20), prices=prices)
def test_the_mapping_costs_the_distance(kind, one, two, prices):
    for chosen in (UNIT, prices):
        cost, cells, pairs = compare(kind, one, two, chosen)
        assert ALLOWED[kind](pairs.tolist(), one[0], two[0])
        assert cost_of(pairs.tolist(), one, two, chosen) == pytest.approx(cost)
        assert (cost, cells, None) == compare(kind, one, two, chosen, mapping=False)


@each_kind
@given(one=trees(), two=trees())
def test_the_distance_is_symmetric_and_zero_for_equal_trees(kind, one, two):
    assert distance(kind, one, one) == 0
    assert (distance(kind, one, two) == 0) == (one == two)
    assert distance(kind, one, two) == distance(kind, two, one)


@each_metric
@given(one=trees(), two=trees(), three=trees())
def test_the_triangle_inequality_holds(kind, one, two, three):
    parts = distance(kind, one, three) + distance(kind, three, two)
    assert distance(kind, one, two) <= parts


@each_kind
@given(one=st.text("abc", max_size=12), two=st.text("abc", max_size=12))
def test_on_stars_and_chains_the_distance_is_the_string_edit_distance(kind, one, two):
    stars = [([-1] + [0] * len(leaves), ["d", *leaves]) for leaves in (one, two)]
    chains = [(list(range(-1, len(line))), ["d", *line]) for line in (one, two)]
    expected = Levenshtein.distance(one, two)
    assert distance(kind, *stars) == distance(kind, *chains) == expected


@pytest.mark.parametrize(
    ("kind", "size"), [(general, 3000), (constrained_distance, 3000), (alignment, 1000)]
)
def test_thousands_of_levels(kind, size):
    chain = list(range(-1, size - 1))
    one, two = (chain, ["a"] * size), (chain, ["a"] * (size - 1) + ["b"])
    cost, _, pairs = compare(kind, one, two)
    assert (cost, len(pairs)) == (1, size)


@pytest.mark.parametrize("kind", [constrained_distance, alignment])
def test_ten_thousand_levels_against_a_few(kind):
    deep, flat = (list(range(-1, 9999)), ["a"] * 10_000), ([-1, 0, 1, 0], ["a"] * 4)
    for one, two in ((deep, flat), (flat, deep)):
        cost, _, pairs = compare(kind, one, two)
        assert (cost, len(pairs)) == (9998, 3)


def test_mappings_that_insertions_cannot_align_cost_more():
    one = [-1, 0, 1, 1, 0], ["e", "d", "a", "b", "c"]
    two = [-1, 0, 0, 2, 2], ["e", "a", "d", "b", "c"]
    assert distance(general, one, two) == 2
    assert distance(alignment, one, two) == 4


@given(trees(max_size=16), trees(max_size=16))
def test_each_pair_of_nodes_takes_few_cells(one, two):
    pairs = len(one[0]) * len(two[0])
    assert compare(general, one, two, mapping=False)[1] >= pairs
    assert compare(constrained_distance, one, two, mapping=False)[1] <= 3 * pairs
