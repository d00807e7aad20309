"""Distances of labelled ordered trees, and the mappings behind them.

Source: the RTDM dissertation, chapters 2 and 3. A mapping is a set of pairs of nodes, one from
each tree, that pairs no node twice and preserves the order of siblings and of ancestors. Its cost
is that of its relabelled pairs and of the nodes that it leaves unpaired. The kinds differ in the
mappings that they allow. Each allows fewer than the one before, so their distances increase::

    general <= alignment <= constrained <= top-down <= restricted <= n1 + n2 - 1

Bottom-up is not in this sequence: it is a share in [0, 1], and its mapping preserves no order.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from miolo.models.trees.costs import TreeCosts, pair_costs
from miolo.models.trees.subtree_classes import ClassedTree
from miolo.models.trees.top_down import TreeComparison, top_down_distance
from numpy.typing import NDArray

__all__ = ["DISTANCES", "Distance", "tree_distance"]

Distance = Literal["general", "alignment", "constrained", "top-down", "restricted", "bottom-up"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)
"""Kinds of distance; see `tree_distance`."""


def tree_distance(
    one: ClassedTree,
    two: ClassedTree,
    kind: Distance = "restricted",
    *,
    costs: TreeCosts | None = None,
    threshold: float = float("inf"),
    by_class: bool = True,
    mapping: bool = False,
) -> TreeComparison:
    """Distance of two trees, and the mapping behind it.

    Parameters
    ----------
    one, two
        Trees of one collection (of one `SubtreeClasses`).
    kind
        ``"restricted"`` (nu, RTDM): parents of paired nodes are paired and have equal labels.
        ``"top-down"`` (mu, Selkow): parents of paired nodes are paired. ``"constrained"`` (beta,
        Zhang): disjoint subtrees are mapped to disjoint subtrees. ``"alignment"`` (alpha, Jiang,
        Wang and Zhang): both trees can be embedded in one. ``"general"`` (delta, Tai): any
        mapping. ``"bottom-up"`` (rho, Valiente): the share of nodes outside identical subtrees.
    costs
        Costs of the edit operations, 1 each by default. Not allowed for bottom-up, which counts
        nodes.
    threshold
        Distances above this are returned as infinity; the top-down kinds then take less time.
    by_class
        Whether the top-down kinds recognise identical subtrees by their class. This only affects
        the time, and which of several cheapest mappings is found.
    mapping
        Whether to recover the mapping.

    Raises
    ------
    ValueError
        The kind is unknown or the costs are invalid.

    Notes
    -----
    The top-down kinds fill at most ``n1 n2`` cells, and on pages of one template about as
    many as there are nodes. The others are suitable for pages of some thousand nodes; alignment
    is slow on nodes with hundreds of children.
    """
    if kind in ("top-down", "restricted"):
        rules = {"restricted": kind == "restricted", "by_class": by_class, "mapping": mapping}
        return top_down_distance(one, two, costs=costs, threshold=threshold, **rules)
    distance, cells, pairs = _find(one, two, kind, costs, mapping)
    if distance > threshold:
        return TreeComparison(float("inf"), cells)
    return TreeComparison(distance, cells, pairs)


def _find(
    one: ClassedTree, two: ClassedTree, kind: Distance, costs: TreeCosts | None, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    # Algorithms are imported lazily: Numba takes half a second to import.
    if kind == "bottom-up":
        from .bottom_up import bottom_up

        if costs is not None:
            raise ValueError("the bottom-up distance counts nodes and accepts no costs")
        return bottom_up(one, two, mapping)
    node_costs = pair_costs(one, two, costs or TreeCosts())
    match kind:
        case "general":
            from .general import general

            return general(one, two, node_costs, mapping)
        case "alignment":
            from .alignment import alignment

            return alignment(one, two, node_costs, mapping)
        case "constrained":
            from .constrained import constrained_distance

            return constrained_distance(one, two, node_costs, mapping)
    raise ValueError(f"the distance must be one of {', '.join(DISTANCES)}, not {kind!r}")
