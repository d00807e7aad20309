"""The general distance against its recursion, all mappings, strings and other libraries."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mappings import UNIT, cheapest, compare, cost_of, keeps_order, prices, spelt, swap
from miolo.models.trees.general import general
from rapidfuzz.distance import Levenshtein
from strategies import trees


def distance(one, two, prices=UNIT):
    return compare(general, one, two, prices, mapping=False)[0]


def recursion(one, two, prices):
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


@settings(deadline=None, max_examples=150)
@given(one=trees(), two=trees())
def test_the_distance_matches_the_recursion(one, two):
    assert distance(one, two) == recursion(one, two, UNIT)


@settings(deadline=None, max_examples=150)
@given(one=trees(max_size=8), two=trees(max_size=8), prices=prices)
def test_the_distance_matches_the_recursion_at_any_costs(one, two, prices):
    assert distance(one, two, prices) == pytest.approx(recursion(one, two, prices))


@settings(deadline=None)
@given(one=trees(max_size=6), two=trees(max_size=6), prices=prices)
def test_no_mapping_is_cheaper(one, two, prices):
    assert distance(one, two) == cheapest(one, two, keeps_order)
    expected = cheapest(one, two, keeps_order, prices)
    assert distance(one, two, prices) == pytest.approx(expected)


@settings(deadline=None)
@given(one=trees(max_size=25), two=trees(max_size=25), prices=prices)
def test_the_mapping_costs_the_distance(one, two, prices):
    for chosen in (UNIT, prices):
        cost, cells, pairs = compare(general, one, two, chosen)
        assert keeps_order(pairs.tolist(), one[0], two[0])
        assert cost_of(pairs.tolist(), one, two, chosen) == pytest.approx(cost)
        assert (cost, cells, None) == compare(general, one, two, chosen, mapping=False)
        assert cells >= len(one[0]) * len(two[0])


@settings(deadline=None)
@given(one=trees(), two=trees(), three=trees())
def test_the_distance_is_a_metric(one, two, three):
    assert distance(one, one) == 0
    assert (distance(one, two) == 0) == (one == two)
    assert distance(one, two) == distance(two, one)
    assert distance(one, two) <= distance(one, three) + distance(three, two)


@settings(deadline=None)
@given(trees(), trees())
def test_the_distance_is_bounded_by_sizes_and_labels(one, two):
    sizes = len(one[0]), len(two[0])
    apart = sum(abs(one[1].count(label) - two[1].count(label)) for label in "abc")
    assert max(abs(sizes[0] - sizes[1]), apart / 2) <= distance(one, two) <= sum(sizes) - 1


@settings(deadline=None)
@given(one=st.text("abc", max_size=12), two=st.text("abc", max_size=12))
def test_on_stars_and_chains_the_distance_is_the_string_edit_distance(one, two):
    stars = [([-1] + [0] * len(leaves), ["d", *leaves]) for leaves in (one, two)]
    chains = [(list(range(-1, len(line))), ["d", *line]) for line in (one, two)]
    assert distance(*stars) == distance(*chains) == Levenshtein.distance(one, two)


@settings(deadline=None, max_examples=40)
@given(one=trees(max_size=40, labels="abcde"), two=trees(max_size=40, labels="abcde"))
@pytest.mark.parametrize("library", ["zss", "apted", "edist.ted"])
def test_other_libraries_agree(library, one, two):
    assert distance(one, two) == by_library(pytest.importorskip(library), one, two)


def by_library(library, one, two):
    first, second = spelt(one)[0], spelt(two)[0]
    if library.__name__ == "zss":

        def nodes(tree):
            return library.Node(tree[0], [nodes(child) for child in tree[1]])

        return library.simple_distance(nodes(first), nodes(second))
    if library.__name__ == "apted":
        read = pytest.importorskip("apted.helpers").Tree.from_text
        trees = read(brackets(first)), read(brackets(second))
        return library.APTED(*trees, library.Config()).compute_edit_distance()
    return library.standard_ted(one[1], below(one[0]), two[1], below(two[0]))


def brackets(tree):
    return "{" + tree[0] + "".join(map(brackets, tree[1])) + "}"


def below(parent):
    return [[child for child, p in enumerate(parent) if p == node] for node in range(len(parent))]


def test_three_thousand_levels():
    chain = list(range(-1, 2999))
    one, two = (chain, ["a"] * 3000), (chain, ["a"] * 2999 + ["b"])
    cost, cells, pairs = compare(general, one, two)
    assert (cost, cells, len(pairs)) == (1, 9_000_000, 3000)


COMBS = {
    "first children": [*range(-1, 499), *range(498, -1, -1)],
    "last children": [-1, *(node for node in range(0, 998, 2) for _ in range(2))],
}


@pytest.mark.parametrize("back", COMBS)
def test_combs_are_decomposed_along_their_backs(back):
    comb = COMBS[back], ["a"] * 999
    cost, cells, pairs = compare(general, comb, comb)
    assert (cost, len(pairs)) == (0, 999)
    assert cells < 3 * 999**2
