"""Top-down tree distances at unit costs: RTDM's restricted one, and the plain one.

Source: the RTDM dissertation, chapters 2 and 3, after Selkow 1977 and Reis, Golgher, Silva
and Laender, *Automatic web news extraction using tree edit distance*, WWW 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from .subtree_classes import ClassedTree

__all__ = ["Compared", "Restriction", "top_down_distance"]

Restriction = Literal["restricted", "plain"]


@dataclass(frozen=True)
class Compared:
    """What a comparison came to.

    Attributes
    ----------
    distance
        Nodes deleted, inserted and relabelled; infinity where it is above the threshold.
    cells
        Cells of all matrices that were filled: the work done.
    """

    distance: float
    cells: int


def top_down_distance(
    one: ClassedTree,
    two: ClassedTree,
    restriction: Restriction = "restricted",
    *,
    threshold: float = float("inf"),
    by_class: bool = True,
) -> Compared:
    """Least number of nodes to delete, insert and relabel, from the root down.

    Parameters
    ----------
    one, two
        Trees of one collection (of one `SubtreeClasses`).
    restriction
        ``"plain"`` (mu, Selkow): nodes are paired only where their parents are.
        ``"restricted"`` (nu, RTDM): what is below a relabelled node is not paired either.
    threshold
        Distances above it are only told to be so, which takes less time.
    by_class
        Whether identical subtrees are told by their class. It changes the time alone.

    Notes
    -----
    Departs from figure 3.3 of the dissertation where that contradicts its text: it deletes
    and inserts proper descendants alone, which makes leaves free, and lets the descendants
    of two inner nodes of different labels vanish.

    Each pair of nodes is compared at most once, so there are at most ``n1 n2`` cells; the
    rows of all open comparisons together are no longer than the second tree and its depth.
    """
    if restriction not in get_args(Restriction):
        raise ValueError(f"restriction is 'restricted' or 'plain', not {restriction!r}")
    # Loaded when first used: Numba takes half a second to import.
    from .top_down_kernel import compare

    plain = restriction == "plain"
    found: Any = compare(*_arrays(one), *_arrays(two), plain, float(threshold), by_class)
    return Compared(float(found[0]), int(found[1]))


def _arrays(tree: ClassedTree):
    return tree.label, tree.end, tree.subtree_class, tree.first_child, tree.children
