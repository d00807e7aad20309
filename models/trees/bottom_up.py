"""The bottom-up distance of trees.

Source: the RTDM dissertation, chapter 2, after Valiente, *An efficient bottom-up distance
between trees*, SPIRE 2001.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .subtree_classes import ClassedTree

__all__ = ["bottom_up"]


def bottom_up(
    one: ClassedTree, two: ClassedTree, mapping: bool
) -> tuple[float, int, NDArray[np.int32] | None]:
    """Share of the larger tree outside the common forest of identical subtrees.

    Parameters
    ----------
    one, two
        Trees of one collection (of one `SubtreeClasses`).
    mapping
        Whether to return the pairs.

    Returns
    -------
    distance
        ``1 - f / max(n1, n2)``, where the forest has ``f`` nodes; in [0, 1], and 0 exactly
        for identical trees.
    cells
        0: there are no matrices.
    pairs
        int32, shape (m, 2): paired nodes in preorder of the first tree, or None.

    Notes
    -----
    Subtrees of the first tree look for an unpaired identical one in the second, the largest
    first; ``O(n1 + n2)``.

    The dissertation pairs two nodes if *and only if* their children are paired, which would
    pair all leaves; here a pair implies that of the children. The forest keeps neither the
    order of siblings nor, between its trees, of ancestors, so ``n1 + n2 - 2 f`` may be less
    than the general distance.
    """
    # Loaded when first used: Numba takes half a second to import.
    from .bottom_up_kernel import match_subtrees
    from .subtree_kernel import pairs_of

    partner: Any = match_subtrees(one.end, one.subtree_class, two.end, two.subtree_class)
    paired = int((partner >= 0).sum())
    larger = max(len(one), len(two))
    pairs: Any = pairs_of(partner) if mapping else None
    return (larger - paired) / larger, 0, pairs
