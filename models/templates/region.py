"""The one region of content: a node with all below it, and what leads to it.

The report labels its test pages so by hand: the node that holds the content, its
descendants and its ancestors are content, all others template. Of all such regions this
is the one that the scores favour most, which is more than a threshold can do: a node
alone is uncertain, a region of hundreds is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_region"]

# Scores are no surer than this, so that no single node decides.
SURE = 1e-3


def best_region(
    parent: NDArray[np.integer], scores: NDArray[np.float64], contrast: float = 0.0
) -> int:
    """Root of the most likely region of content, or -1 where all is rather template.

    Parameters
    ----------
    parent
        int, shape (m,): tree or forest in preorder.
    scores
        float, shape (m,): probability of each node to be template.
    contrast
        Part of the page's mean log odds of content, where that is positive, that is taken
        off every node's. A page of a kind never seen may look like content everywhere, and
        its article is what does so more than the rest. 0 takes scores at their word; at 1
        half of every page has to be template.

    Notes
    -----
    The likelihood of a region is a sum of log odds over its subtree and over its
    ancestors; both sums are had for all nodes in one pass each. Of equal ones the first
    in document order is taken.
    """
    sure = np.clip(scores, SURE, 1 - SURE)
    for_content = np.log((1 - sure) / sure)
    if len(scores):
        for_content -= contrast * max(0.0, float(for_content.mean()))
    below, above = for_content.tolist(), [0.0] * len(scores)
    parents = parent.tolist()
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            below[parents[node]] += below[node]
    for node, p in enumerate(parents):
        if p >= 0:
            above[node] = above[p] + float(for_content[p])
    total = np.add(below, above)
    best = int(np.argmax(total)) if len(total) else -1
    return best if best >= 0 and total[best] > 0 else -1
