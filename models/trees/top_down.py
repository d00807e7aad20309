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

from .costs import PairCosts
from .subtree_classes import ClassedTree, tree_nodes

__all__ = ["Comparison", "top_down"]

Comparison = tuple[float, int, NDArray[np.int32] | None]
"""The distance, the cells computed, and the pairs of a mapping where one is asked for."""


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
    """Distance, cells filled, and the mapping where it is requested.

    Parameters
    ----------
    one, two
        Trees of one collection.
    costs
        Of their nodes; 1 each without.
    mapping
        Whether to recover the mapping, at four bytes a cell.
    restricted
        What is below a relabelled node is not paired either (nu, RTDM); without, Selkow's
        mu.
    threshold
        Distances above it are returned as infinity, which takes less time.
    by_class
        Whether identical subtrees are recognised by their class. It changes the time, and which
        of several cheapest mappings is found.

    Notes
    -----
    Each pair of nodes is compared at most once, so there are at most ``n1 n2`` cells; the
    rows of all open comparisons together are no longer than the second tree and its depth.
    """
    # Loaded when first used: Numba takes half a second to import.
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
