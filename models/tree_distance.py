"""Distances of labelled ordered trees, and the mappings behind them.

Source: the RTDM dissertation, chapters 2 and 3. A mapping is a set of pairs of nodes, one
of each tree, that pairs no node twice and keeps the order of siblings and of ancestors; it
costs its relabelled pairs and the nodes that it leaves out. The kinds differ in the mappings
that they allow, each fewer than the one before, so that their distances only grow::

    top-down <= restricted <= n1 + n2 - 1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .subtree_classes import ClassedTree
from .top_down import top_down
from .tree_costs import TreeCosts, pair_costs

__all__ = ["DISTANCES", "Compared", "Distance", "tree_distance"]

Distance = Literal["top-down", "restricted"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)
"""Kinds of distance; see `tree_distance`."""


@dataclass(frozen=True, eq=False)
class Compared:
    """What a comparison came to.

    Attributes
    ----------
    distance
        Cost of the cheapest mapping; infinity where it is above the threshold.
    cells
        Cells of all matrices that were filled: the work done.
    mapping
        int32, shape (m, 2): paired nodes, in document order of the first tree; None where
        it was not asked for, or where the distance is above the threshold.
    """

    distance: float
    cells: int
    mapping: NDArray[np.int32] | None = None


def tree_distance(
    one: ClassedTree,
    two: ClassedTree,
    kind: Distance = "restricted",
    *,
    costs: TreeCosts | None = None,
    threshold: float = float("inf"),
    by_class: bool = True,
    mapping: bool = False,
) -> Compared:
    """Distance of two trees, and the mapping behind it.

    Parameters
    ----------
    one, two
        Trees of one collection (of one `SubtreeClasses`).
    kind
        ``"restricted"`` (nu, RTDM): pairs have paired parents of equal labels.
        ``"top-down"`` (mu, Selkow): pairs have paired parents.
    costs
        Of the edit operations; 1 each without.
    threshold
        Distances above it are only told to be so; where the kind allows, that is faster.
    by_class
        Whether the top-down kinds tell identical subtrees by their class. It changes the
        time alone, and which of several cheapest mappings is found.
    mapping
        Whether to recover the mapping.

    Raises
    ------
    ValueError
        There is no such kind, or the costs are none.
    """
    if kind not in DISTANCES:
        raise ValueError(f"a distance is one of {', '.join(DISTANCES)}, not {kind!r}")
    found = top_down(
        one,
        two,
        pair_costs(one, two, costs or TreeCosts()),
        mapping,
        restricted=kind == "restricted",
        threshold=threshold,
        by_class=by_class,
    )
    return Compared(*found)
