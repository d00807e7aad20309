"""The separator node: the first ancestor of a long text that only links surround.

NCE, section 3.1. For a page there is a node whose children of low link density are the
article; it is found by climbing from the first long text until going up once more would
take in links rather than text.
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
        Alpha 0: characters of a text that starts a climb.
    min_chars
        Alpha 1: characters of the separator's subtree.
    min_link_density
        Alpha 2: link density above which what surrounds a node is links.
    min_sibling_chars
        Alpha 3: characters that what surrounds a node has at least.
    literal
        Read condition 4 with the subscripts as printed, under which it always holds.
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
        1: not a paragraph; 2: long enough; 3: what its parent adds is mostly links;
        4: at most one sibling is text. The root fails 3, since it has no parent.

    Notes
    -----
    The printed difference of two subtrees is their intersection; the figure and the prose
    need the difference of the node sets. Siblings are counted once a parent, so all nodes
    together take linear time.
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
    """The separator node, or None where no ancestor of any long text fits.

    Parameters
    ----------
    parent
        int32, shape (n,).
    leaf_chars
        int64, shape (n,): characters of text nodes, 0 elsewhere.
    fits
        bool, shape (n,): nodes that fulfil the conditions.
    returned
        bool, shape (n,): nodes that would be returned as children of the separator; a node
        is passed over if its child on the way from the long text is none of them.
    rule
        The thresholds.
    """
    climbed = np.zeros(len(parent), bool)
    for leaf in np.flatnonzero(leaf_chars >= max(rule.min_leaf_chars, 1)).tolist():
        child, node = leaf, int(parent[leaf])
        # An ancestor that another leaf has reached without success is not tried again.
        while node >= 0 and not climbed[child]:
            if fits[node] and returned[child]:
                return node
            climbed[child] = True
            child, node = node, int(parent[node])
    return None
