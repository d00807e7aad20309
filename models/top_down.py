"""Top-down distances: nodes are paired only where their parents are.

Source: the RTDM dissertation, chapters 2 and 3, after Selkow 1977 and Reis, Golgher, Silva
and Laender, *Automatic web news extraction using tree edit distance*, WWW 2004.

Departs from figure 3.3 of the dissertation where that contradicts its text: it deletes and
inserts proper descendants alone, which makes leaves free, and lets the descendants of two
inner nodes of different labels vanish. One cut more than there: equal children at both ends
of two rows are set apart before their matrix is filled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .subtree_classes import ClassedTree
from .tree_costs import PairCosts

__all__ = ["kernel_nodes", "top_down"]

Found = tuple[float, int, NDArray[np.int32] | None]


def top_down(
    one: ClassedTree,
    two: ClassedTree,
    costs: PairCosts,
    mapping: bool,
    *,
    restricted: bool,
    threshold: float,
    by_class: bool,
) -> Found:
    """Distance, cells filled, and the mapping where it is asked for.

    Parameters
    ----------
    one, two
        Trees of one collection.
    costs
        Of their nodes.
    mapping
        Whether to recover the mapping, at four bytes a cell.
    restricted
        What is below a relabelled node is not paired either (nu, RTDM); without, Selkow's
        mu.
    threshold
        Distances above it are only told to be so, which takes less time.
    by_class
        Whether identical subtrees are told by their class. It changes the time, and which
        of several cheapest mappings is found.

    Notes
    -----
    Each pair of nodes is compared at most once, so there are at most ``n1 n2`` cells; the
    rows of all open comparisons together are no longer than the second tree and its depth.
    """
    # Loaded when first used: Numba takes half a second to import.
    from .top_down_kernel import Rules, compare, trace

    sides = (
        kernel_nodes(one, costs.remove, costs.swap_one),
        kernel_nodes(two, costs.insert, costs.swap_two),
    )
    rules = Rules(
        plain=not restricted,
        by_class=by_class,
        trims=costs.uniform,
        keeps=mapping,
        least=costs.least,
        threshold=float(threshold),
    )
    answer: Any = compare(*sides, rules)
    distance, cells, table, done = answer
    if not mapping or distance == np.inf:
        return float(distance), int(cells), None
    pairs = trace(*sides, table, done)
    return float(distance), int(cells), pairs[np.argsort(pairs[:, 0])]


def kernel_nodes(
    tree: ClassedTree, own: NDArray[np.float64], swap: NDArray[np.float64]
) -> NDArray[np.void]:
    """The tree's nodes as the compiled functions want them: see `top_down_kernel.NODE`.

    Parameters
    ----------
    tree
        The tree.
    own, swap
        float64, shape (n,): what removing or inserting each node costs, and its part in the
        cost of another label.
    """
    from .top_down_kernel import NODE

    # The children of each node lie side by side, after those of the nodes before it.
    order = np.concatenate(([0], tree.children))
    total = np.concatenate(([0.0], np.cumsum(own)))
    nodes = np.zeros(len(tree), NODE)
    nodes["node"] = order
    nodes["size"] = (tree.end - np.arange(len(tree)))[order]
    nodes["label"] = tree.label[order]
    nodes["subtree_class"] = tree.subtree_class[order]
    nodes["first"] = 1 + tree.first_child[order]
    nodes["last"] = 1 + tree.first_child[order + 1]
    nodes["own"] = own[order]
    nodes["whole"] = (total[tree.end] - total[:-1])[order]
    nodes["swap"] = swap[order]
    return nodes
