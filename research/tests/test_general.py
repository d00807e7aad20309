"""The general distance against other libraries, and its number of cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from mappings import compare, spelt
from miolo_research.trees.general import general
from strategies import trees


@given(one=trees(max_size=40, labels="abcde"), two=trees(max_size=40, labels="abcde"))
@pytest.mark.parametrize("library", ["zss", "apted", "edist.ted"])
def test_other_libraries_agree(library, one, two):
    distance = compare(general, one, two, mapping=False)[0]
    assert distance == by_library(pytest.importorskip(library), one, two)


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
