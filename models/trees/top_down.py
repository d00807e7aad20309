"""Top-down distances: nodes are paired only if their parents are.

Source: the RTDM dissertation, chapters 2 and 3, after Selkow 1977 and Reis, Golgher, Silva
and Laender, *Automatic web news extraction using tree edit distance*, WWW 2004.

Departures from figure 3.3 of the dissertation, where it contradicts its text: the figure only
charges for deleting and inserting proper descendants, so that leaves cost nothing, and ignores the
descendants of two inner nodes with different labels. One optimisation is added: equal children at
both ends of two rows are paired before their matrix is filled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .costs import PairCosts
from .subtree_classes import ClassedTree, tree_nodes

__all__ = ["Comparison", "top_down"]

Comparison = tuple[float, int, NDArray[np.int32] | None]
"""The distance, the number of cells filled, and the pairs of the mapping if requested."""


def top_down(
    one: ClassedTree,
    two: ClassedTree,
    costs: PairCosts | None,
    mapping: bool,
    *,
    restricted: bool,
    threshold: float,
    by_class: bool,
) -> Comparison:
    """Distance, number of cells filled, and the mapping if requested.

    Parameters
    ----------
    one, two
        Trees of one collection.
    costs
        Costs of their nodes; 1 each if None.
    mapping
        Whether to recover the mapping, at four bytes per cell.
    restricted
        Whether descendants of a relabelled node are left unpaired (nu, RTDM); otherwise the
        distance is Selkow's mu.
    threshold
        Distances above this are returned as infinity, which takes less time.
    by_class
        Whether identical subtrees are recognised by their class. It changes the time, and which
        of several cheapest mappings is found.

    Notes
    -----
    Each pair of nodes is compared at most once, so at most ``n1 n2`` cells are filled. The total
    length of the rows of all open comparisons is at most the size of the second tree plus its
    depth.
    """
    # Imported lazily: Numba takes half a second to import.
    from .top_down_kernel import Rules, compare, trace

    first, second = _sides(one, two, costs)
    rules = Rules(
        plain=not restricted,
        by_class=by_class,
        trims=costs is None or costs.uniform,
        keeps=mapping,
        least=1.0 if costs is None else costs.least,
        change=1.0 if costs is None else costs.least_change,
        threshold=float(threshold),
    )
    answer: Any = compare(first, second, rules)
    distance, cells, table, done = answer
    if not mapping or distance == np.inf:
        return float(distance), int(cells), None
    pairs: Any = trace(first, second, table, done, rules.plain)
    return float(distance), int(cells), pairs[np.argsort(pairs[:, 0])]


def _sides(
    one: ClassedTree, two: ClassedTree, costs: PairCosts | None
) -> tuple[NDArray[np.void], NDArray[np.void]]:
    if costs is None:
        return one.unit_nodes, two.unit_nodes
    return (
        tree_nodes(one, costs.remove, costs.swap_one),
        tree_nodes(two, costs.insert, costs.swap_two),
    )
