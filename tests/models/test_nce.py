"""NCE's rules: the separator and the repetitions against slow references, and the headline."""

from itertools import pairwise

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.counts import TextCounts
from miolo.models.nce import NCEOptions, find_separator, separator_conditions
from miolo.renderer.page.tree import subtree_sums, tree_shape

RULES = [
    NCEOptions(20, 60),
    NCEOptions(20, 60, literal=True),
    NCEOptions(1, 1, 0.3, 10),
    NCEOptions(10_000, 60),
]


@st.composite
def pages(draw):
    """A tree whose leaves carry text, linked or not."""
    parents = draw(strategies.parents(min_size=2, max_size=20))
    n = len(parents)
    leaf = [node not in parents for node in range(n)]
    sizes = st.sampled_from([0, 5, 25, 70, 200])
    chars = [draw(sizes) if leaf[i] else 0 for i in range(n)]
    linked = [draw(st.booleans()) for _ in range(n)]
    paragraph = [draw(st.booleans()) and not leaf[i] for i in range(n)]
    return parents, chars, linked, paragraph


def counts_of(parents, chars, linked) -> TextCounts:
    end = np.asarray(tree_shape(parents)[0], np.int32)
    own, in_links = np.asarray(chars), np.asarray(chars) * np.asarray(linked)
    sums = [subtree_sums(values, end) for values in (own, in_links)]
    return TextCounts(sums[0], sums[1], sums[0], sums[1])


class Reference:
    """Conditions evaluated over sets of nodes."""

    def __init__(self, page, rule):
        self.parents, self.own, self.linked, self.paragraph = page
        self.rule = rule

    def nodes(self, root):
        return {i for i in range(len(self.parents)) if root in self.path(i)}

    def path(self, node):
        nodes = [node]
        while self.parents[nodes[-1]] >= 0:
            nodes.append(self.parents[nodes[-1]])
        return nodes

    def chars(self, nodes):
        return sum(self.own[i] for i in nodes)

    def density(self, nodes):
        total = self.chars(nodes)
        return sum(self.own[i] for i in nodes if self.linked[i]) / total if total else 0

    def fits(self, t):
        rule, parent = self.rule, self.parents[t]
        if parent < 0 or self.paragraph[t] or self.chars(self.nodes(t)) < rule.min_chars:
            return False
        around = self.nodes(parent) - self.nodes(t)
        if self.density(around) < rule.min_link_density:
            return False
        if self.chars(around) < rule.min_sibling_chars:
            return False
        chars, density = rule.min_sibling_chars, rule.min_link_density
        if rule.literal:
            chars, density = density, chars
        siblings = [s for s, p in enumerate(self.parents) if p == parent and s != t]
        textual = [
            s
            for s in siblings
            if self.chars(self.nodes(s)) > chars and self.density(self.nodes(s)) < density
        ]
        return len(textual) <= 1

    def separator(self, returned):
        for leaf, size in enumerate(self.own):
            if size < max(1, self.rule.min_leaf_chars):
                continue
            path = self.path(leaf)
            for child, node in pairwise(path):
                if self.fits(node) and returned[child]:
                    return node
        return None


@pytest.mark.parametrize("rule", RULES)
@given(page=pages(), data=st.data())
def test_conditions_and_climb_equal_the_reference(rule, page, data):
    parents, chars, _, paragraph = page
    n = len(parents)
    returned = np.asarray(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    fits = separator_conditions(
        np.asarray(parents, np.int32), np.asarray(paragraph), counts_of(*page[:3]), rule
    ).all(axis=1)
    reference = Reference(page, rule)
    assert fits.tolist() == [reference.fits(t) for t in range(n)]
    arrays = np.asarray(parents, np.int32), np.asarray(chars, np.int64), fits, returned
    assert find_separator(*arrays, rule.min_leaf_chars) == reference.separator(returned)
