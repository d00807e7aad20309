"""Matching against a plain recursion, and its invariants."""

from functools import cache
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.wrappers.matching import best_match, match_pattern
from miolo.models.wrappers.patterns import Kind, Pattern
from random_pages import RULES, learn, page_of, pages

rules = pytest.mark.parametrize("rules", RULES)
groups = st.lists(pages(), min_size=1, max_size=4)


def children(tree):
    return [
        [i for i, p in enumerate(tree.parent.tolist()) if p == node] for node in range(len(tree))
    ]


def least_cost(pattern, page):
    """Minimum number of optional wildcards left unused, over all ways to match."""
    below, above = children(pattern), children(page)

    @cache
    def node(a, b):
        if pattern.kind[a]:
            return 0
        same = pattern.labels[a] == page.labels[b]
        return rows(tuple(below[a]), tuple(above[b])) if same else inf

    @cache
    def rows(first, second):
        if not first:
            return inf if second else 0
        kind = Kind(pattern.kind[first[0]])
        if kind == Kind.PLAIN:
            return node(first[0], second[0]) + rows(first[1:], second[1:]) if second else inf
        max_size = len(second) if kind.many else min(1, len(second))
        ways = [rows(first[1:], second[count:]) for count in range(1, max_size + 1)]
        return min([*ways, 1 + rows(first[1:], second) if kind.optional else inf])

    return node(0, 0)


@rules
@given(group=groups, other=pages())
def test_a_pattern_is_matched_at_the_least_cost(group, other, rules):
    pattern = learn(group, rules)
    for page in (*group, other):
        match = match_pattern(pattern, page)
        assert (inf if match is None else match.cost) == least_cost(pattern, page)


@rules
@given(group=groups)
def test_every_node_is_matched_once_and_in_order(group, rules):
    pattern = learn(group, rules)
    for page in group:
        match = match_pattern(pattern, page)
        assert match is not None
        nodes = []
        for node, (first, last) in enumerate(match.spans.tolist()):
            if pattern.kind[node]:
                nodes += range(first, last)
            else:
                assert pattern.labels[node] == page.labels[first]
                nodes.append(first)
        assert nodes == list(range(len(page)))
        unused = [node for node in pattern.wildcards if len(set(match.spans[node].tolist())) == 1]
        assert len(unused) == match.cost


def spans(lines, *tags):
    pattern = Pattern.from_lines(lines)
    match = match_pattern(pattern, page_of([-1, *[0] * len(tags)], ["html", *tags]))
    return match and [tuple(match.spans[node].tolist()) for node in pattern.wildcards]


def test_earlier_wildcards_take_more_and_none_is_skipped_unnecessarily():
    assert spans(["html", " +", " +"], "a", "b", "c") == [(1, 3), (3, 4)]
    assert spans(["html", " ?", " ."], "a") == [(0, 0), (1, 2)]
    assert spans(["html", " ?", " ?"], "a") == [(1, 2), (0, 0)]
    assert spans(["html", " .", " *"], "a", "b", "c") == [(1, 2), (2, 4)]
    assert spans(["html", " .", " p", " *"], "b", "a") is None


def test_the_pattern_with_fewest_unused_wildcards_is_chosen_then_most_specific():
    page = page_of([-1, 0, 0], ["html", "p", "p"])
    lines = ["html", " *"], ["html", " p", " ?", " ?"], ["html", " p", " p"], ["html", " li"]
    patterns = [Pattern.from_lines(each) for each in lines]
    choice = best_match(patterns, page)
    assert choice is not None
    assert choice[0] == 2
    assert best_match(patterns[3:], page) is None
