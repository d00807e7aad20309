"""The best region against an exhaustive search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.templates.model import SURE, best_region
from strategies import parents


@st.composite
def scored_trees(draw):
    parent = np.array(draw(parents(max_size=12)))
    # Without its root, a tree is a forest.
    parent = parent if len(parent) == 1 or draw(st.booleans()) else parent[1:] - 1
    scores = draw(st.lists(st.floats(0, 1), min_size=len(parent), max_size=len(parent)))
    return np.maximum(parent, -1), np.array(scores)


def ancestors(parent, node):
    nodes = []
    while parent[node] >= 0:
        node = parent[node]
        nodes.append(node)
    return nodes


@given(scored_trees())
def test_no_other_region_is_more_likely(tree):
    parent, scores = tree
    sure = np.clip(scores, SURE, 1 - SURE)
    odds = np.log((1 - sure) / sure)
    totals = []
    for node in range(len(parent)):
        below = [i for i in range(len(parent)) if i == node or node in ancestors(parent, i)]
        totals.append(sum(odds[i] for i in {*below, *ancestors(parent, node)}))
    best = best_region(parent, scores)
    assert (0.0 if best < 0 else totals[best]) == pytest.approx(max(0.0, *totals), abs=1e-6)
