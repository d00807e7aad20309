"""Similarities and clusters: bounds, properties, and agreement with a plain reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.trees.subtree_classes import SubtreeClasses
from miolo.models.trees.top_down import top_down_distance
from miolo.models.wrappers.clusters import (
    LINKAGES,
    PackedTrees,
    cluster,
    cluster_trees,
    similarities,
)
from strategies import trees

collections = st.lists(trees(max_size=8), min_size=1, max_size=7)
linkages = pytest.mark.parametrize("linkage", LINKAGES)


def number(pages):
    subtree_classes = SubtreeClasses()
    return [subtree_classes.tree(*page) for page in pages]


@given(pages=collections, floor=st.floats(0, 1))
def test_similarity_is_one_minus_the_share_of_changed_nodes(pages, floor):
    page_trees = number(pages)
    matrix = similarities(PackedTrees.of(page_trees), np.arange(len(page_trees)), floor)
    for i, one in enumerate(page_trees):
        for j, two in enumerate(page_trees):
            exact = 1 - top_down_distance(one, two).distance / (len(one) + len(two))
            assert matrix[i, j] == matrix[j, i]
            if abs(exact - floor) > 1e-9:
                assert matrix[i, j] == (pytest.approx(exact) if exact > floor else 0)
            assert (matrix[i, j] == 1) == (pages[i] == pages[j])


@linkages
@given(pages=collections)
def test_every_page_is_in_one_cluster_numbered_in_order(pages, linkage):
    clusters = cluster_trees(number(pages), linkage=linkage)
    assert len(clusters) == len(pages)
    assert list(dict.fromkeys(clusters.tolist())) == list(range(clusters.max() + 1))
    assert cluster_trees(number(pages), 0.0, linkage).max() == 0
    alone = cluster_trees(number(pages), 1.1, linkage)
    assert len(set(alone.tolist())) == len(pages)


def test_an_unknown_linkage_is_an_error():
    with pytest.raises(ValueError, match="average, complete, single"):
        cluster(np.eye(2), 0.8, "ward")  # pyright: ignore[reportArgumentType]
