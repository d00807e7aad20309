"""Trees in arrays, tested against naive loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from miolo.renderer.page.tree import (
    child_lists,
    innermost,
    is_preorder,
    nearest_marked,
    preorder,
    subtree_mask,
    subtree_sums,
    tree_shape,
)
from strategies import parents


def descendants(parents, node):
    below = {node}
    for other, parent in enumerate(parents):
        if parent in below:
            below.add(other)
    return below


@given(parents())
def test_a_subtree_is_a_slice(parents):
    end, depth = tree_shape(parents)
    for node in range(len(parents)):
        assert descendants(parents, node) == set(range(node, end[node]))
        assert depth[node] == (0 if parents[node] < 0 else depth[parents[node]] + 1)


@given(parents())
def test_the_children_of_a_node_are_those_that_name_it(parents):
    nodes = range(len(parents))
    assert child_lists(parents) == [[c for c in nodes if parents[c] == node] for node in nodes]
    assert is_preorder(parents)


@given(st.lists(st.integers(-2, 6), max_size=7))
def test_trees_are_in_document_order_if_every_subtree_is_a_slice(parents):
    expected = all(-1 <= above < node for node, above in enumerate(parents))
    for node in range(len(parents)):
        below = descendants(parents, node)
        expected = expected and below == set(range(node, node + len(below)))
    assert is_preorder(parents) == expected


@given(parents(), st.data())
def test_sums_and_masks_are_those_of_descendants(parents, data):
    n = len(parents)
    values = data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    roots = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    end = np.asarray(tree_shape(parents)[0], np.int32)
    sums = subtree_sums(np.asarray(values), end)
    mask = subtree_mask(np.asarray(roots), end)
    for node in range(n):
        assert sums[node] == sum(values[i] for i in descendants(parents, node))
        assert mask[node] == any(node in descendants(parents, r) for r in range(n) if roots[r])


@given(parents(), st.data())
def test_the_nearest_marked_node_is_found_by_climbing(parents, data):
    n = len(parents)
    marked = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    arrays = np.asarray(parents, np.int32), np.asarray(marked, bool)
    nearest, own = nearest_marked(*arrays), innermost(*arrays)
    for node in range(n):
        above = parents[node]
        while above >= 0 and not marked[above]:
            above = parents[above]
        assert nearest[node] == above
        assert own[node] == (node if marked[node] else above)


@given(parents(), st.randoms())
def test_preorder_puts_shuffled_nodes_in_order(parents, random):
    # Nodes are renumbered, but siblings keep their order among themselves.
    order = list(range(len(parents)))
    depth = tree_shape(parents)[1]
    order.sort(key=lambda node: (depth[node], node))
    number = {node: place for place, node in enumerate(order)}
    shuffled = [number[parents[n]] if parents[n] >= 0 else -1 for n in order]
    assert [order[place] for place in preorder(shuffled)] == list(range(len(parents)))
