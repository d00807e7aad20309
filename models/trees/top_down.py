"""Top-down distances: nodes are paired only if their parents are.

Source: the RTDM dissertation, chapters 2 and 3, after Selkow 1977 and Reis, Golgher, Silva
and Laender, *Automatic web news extraction using tree edit distance*, WWW 2004.

Departures from figure 3.3 of the dissertation, where it contradicts its text: the figure only
charges for deleting and inserting proper descendants, so that leaves cost nothing, and ignores the
descendants of two inner nodes with different labels. One optimisation is added: equal children at
both ends of two rows are paired before their matrix is filled.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .costs import PairCosts, TreeCosts, pair_costs
from .subtree_classes import ClassedTree, tree_nodes
from .top_down_kernel import Rules, compare, trace


@dataclass(frozen=True, eq=False)
class TreeComparison:
    """Result of a comparison."""

    distance: float
    """Cost of the cheapest mapping; infinity if it is above the threshold."""
    cells: int
    """Number of matrix cells that were filled, a measure of the work."""
    mapping: NDArray[np.int32] | None = None
    """int32, shape (m, 2): paired nodes, in document order of the first tree; None if it was not
    requested or the distance is above the threshold."""


def top_down_distance(
    one: ClassedTree,
    two: ClassedTree,
    *,
    restricted: bool = True,
    costs: TreeCosts | None = None,
    threshold: float = float("inf"),
    by_class: bool = True,
    mapping: bool = False,
) -> TreeComparison:
    """Top-down distance of two labelled ordered trees, and the mapping behind it.

    A mapping is a set of pairs of nodes, one from each tree, that pairs no node twice and preserves
    the order of siblings and of ancestors. Its cost is that of its relabelled pairs and of the
    nodes that it leaves unpaired. Only nodes whose parents are paired are paired.

    Parameters
    ----------
    one, two
        Trees of one collection (of one `SubtreeClasses`).
    restricted
        Whether descendants of a relabelled node are left unpaired (nu, RTDM); otherwise the
        distance is Selkow's mu.
    costs
        Costs of the edit operations, 1 each by default.
    threshold
        Distances above this are returned as infinity, which takes less time.
    by_class
        Whether identical subtrees are recognised by their class. It changes the time, and which
        of several cheapest mappings is found.
    mapping
        Whether to recover the mapping, at four bytes per cell.

    Raises
    ------
    ValueError
        The costs are invalid.

    Notes
    -----
    Each pair of nodes is compared at most once, so at most ``n1 n2`` cells are filled, and on pages
    of one template about as many as there are nodes. The total length of the rows of all open
    comparisons is at most the size of the second tree plus its depth.
    """
    node_costs = None if costs is None else pair_costs(one, two, costs)
    first, second = _sides(one, two, node_costs)
    rules = Rules(
        plain=not restricted,
        by_class=by_class,
        trims=node_costs is None or node_costs.uniform,
        keeps=mapping,
        least=1.0 if node_costs is None else node_costs.least,
        change=1.0 if node_costs is None else node_costs.least_change,
        threshold=float(threshold),
    )
    form = _form(len(first) * len(second))
    distance, cells, table, done = getattr(compare, form)(first, second, rules)
    _work[form] += CALL + int(cells)
    if not mapping or distance == np.inf:
        return TreeComparison(float(distance), int(cells))
    pairs = getattr(trace, form)(first, second, table, done, rules.plain)
    return TreeComparison(float(distance), int(cells), pairs[np.argsort(pairs[:, 0])])


_work = Counter[str]()
"""Cells that this process has filled, by the form of the kernel."""

PATIENCE, CALL = 6_000, 5
"""Number of cells that Python fills in about the time in which Numba is loaded, and the cells that
it would fill in place of a call."""


def _form(most: int) -> str:
    """The form of the kernel for so many cells: Python's until Numba's has paid off."""
    is_loaded = _work["machine_code"] > 0
    fits = most <= PATIENCE - _work["in_python"]
    return "in_python" if fits and not is_loaded else "machine_code"


def _sides(
    one: ClassedTree, two: ClassedTree, costs: PairCosts | None
) -> tuple[NDArray[np.void], NDArray[np.void]]:
    if costs is None:
        return one.unit_nodes, two.unit_nodes
    return (
        tree_nodes(one, costs.remove, costs.swap_one),
        tree_nodes(two, costs.insert, costs.swap_two),
    )
