"""Costs of the edit operations on the nodes of a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .subtree_classes import ClassedTree

Cost = float | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeCosts:
    """Costs of the three edit operations; 1 each by default."""

    remove: Cost = 1.0
    insert: Cost = 1.0
    """A number, or float64 of shape (labels,), indexed by the number of the node's label."""
    relabel: Cost = 1.0
    """A number, or float64 of shape (labels,): changing a node's label costs the mean of the two
    labels' values; keeping it costs nothing."""


@dataclass(frozen=True, eq=False)
class PairCosts:
    """Costs of the nodes of two trees; float64."""

    remove: NDArray[np.float64]
    """Shape (n1,): cost of removing each node of the first tree."""
    insert: NDArray[np.float64]
    """Shape (n2,): cost of inserting each node of the second tree."""
    swap_one: NDArray[np.float64]
    swap_two: NDArray[np.float64]
    """Shapes (n1,) and (n2,): relabelling ``x`` to a different label of ``y`` costs ``swap_one[x] +
    swap_two[y]``."""
    least: float
    """Minimum cost of removing or inserting any node."""
    least_change: float
    """Minimum cost of any edit operation."""
    uniform: bool
    """Whether removing or inserting any node costs the same."""


def pair_costs(one: ClassedTree, two: ClassedTree, costs: TreeCosts) -> PairCosts:
    """Costs of two trees, node by node.

    Raises `ValueError`: a cost is negative or not finite, or a label has none.
    """
    remove, insert = _node_costs(costs.remove, one), _node_costs(costs.insert, two)
    least = float(min(remove.min(), insert.min()))
    swap_one, swap_two = (_node_costs(costs.relabel, tree) / 2 for tree in (one, two))
    return PairCosts(
        remove=remove,
        insert=insert,
        swap_one=swap_one,
        swap_two=swap_two,
        least=least,
        least_change=min(least, float(swap_one.min() + swap_two.min())),
        uniform=bool(least == max(remove.max(), insert.max())),
    )


def _node_costs(cost: Cost, tree: ClassedTree) -> NDArray[np.float64]:
    values = np.asarray(cost, np.float64)
    if values.ndim and len(values) <= tree.label.max():
        raise ValueError("a cost by label must have a value for each label of both trees")
    by_node = values[tree.label] if values.ndim else np.full(len(tree), values)
    if not (by_node >= 0).all() or not np.isfinite(by_node).all():
        raise ValueError("costs must be finite and not negative")
    return by_node
