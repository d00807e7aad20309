"""The separator node: the first ancestor of a long text that is surrounded only by links.

Source: NCE, section 3.1. The children of low link density of one node of the page are the
article. The node is found by climbing from the first long text until the next step up would
add links rather than text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..features.counts import TextCounts, link_density

__all__ = ["SeparatorRule", "find_separator", "separator_conditions"]


@dataclass(frozen=True)
class SeparatorRule:
    """Thresholds of the climb.

    Attributes
    ----------
    min_leaf_chars
        Alpha 0: minimum characters of a text from which a climb starts.
    min_chars
        Alpha 1: minimum characters of the separator's subtree.
    min_link_density
        Alpha 2: link density from which the surroundings of a node count as links.
    min_sibling_chars
        Alpha 3: minimum characters of the surroundings of a node.
    literal
        Apply condition 4 with the subscripts as printed, with which it always holds.
    """

    min_leaf_chars: int = 200
    min_chars: int = 600
    min_link_density: float = 0.1
    min_sibling_chars: int = 0
    literal: bool = False


def separator_conditions(
    parent: NDArray[np.int32],
    is_paragraph: NDArray[np.bool_],
    counts: TextCounts,
    rule: SeparatorRule,
) -> NDArray[np.bool_]:
    """Conditions 1 to 4 for all nodes, one column each.

    Returns
    -------
    bool, shape (n, 4)
        1: the node is not a paragraph; 2: it is long enough; 3: what its parent adds is mostly
        links; 4: at most one sibling is text. The root fails 3, since it has no parent.

    Notes
    -----
    The difference of two subtrees, as printed, is their intersection; the figure and the prose
    require the difference of the node sets. Siblings are counted once per parent, so the total
    time is linear in the number of nodes.
    """
    low, chars = rule.min_link_density, counts.chars
    above = np.where(parent >= 0, parent, 0)
    rest = chars[above] - chars
    rest_density = link_density(counts.link_chars[above] - counts.link_chars, rest)
    is_text = (chars > rule.min_sibling_chars) & (counts.density() < low)
    if rule.literal:
        is_text = (chars > rule.min_link_density) & (counts.density() < rule.min_sibling_chars)
    texts_below = np.zeros(len(parent), np.int64)
    np.add.at(texts_below, above[1:], is_text[1:])
    return np.stack(
        [
            ~is_paragraph,
            chars >= rule.min_chars,
            (parent >= 0) & (rest_density >= low) & (rest >= rule.min_sibling_chars),
            texts_below[above] - is_text <= 1,
        ],
        axis=1,
    )


def find_separator(
    parent: NDArray[np.int32],
    leaf_chars: NDArray[np.int64],
    fits: NDArray[np.bool_],
    returned: NDArray[np.bool_],
    rule: SeparatorRule,
) -> int | None:
    """The separator node, or None if no ancestor of any long text fits.

    Parameters
    ----------
    parent
        int32, shape (n,).
    leaf_chars
        int64, shape (n,): characters of text nodes, 0 elsewhere.
    fits
        bool, shape (n,): nodes that satisfy the conditions.
    returned
        bool, shape (n,): nodes that would be returned as children of the separator. A node is
        skipped if its child on the path from the long text is not one of them.
    """
    climbed = np.zeros(len(parent), bool)
    for leaf in np.flatnonzero(leaf_chars >= max(rule.min_leaf_chars, 1)).tolist():
        child, node = leaf, int(parent[leaf])
        # Ancestors that a climb from another leaf has rejected are not tried again.
        while node >= 0 and not climbed[child]:
            if fits[node] and returned[child]:
                return node
            climbed[child] = True
            child, node = node, int(parent[node])
    return None
