"""The content region of a page: one node with its descendants and its ancestors.

The report labels its test pages by hand in this way: the node that contains the content, its
descendants and its ancestors are content, all other nodes are template. `best_region` returns
the most likely of all such regions. It is more reliable than a threshold: a single node is
uncertain, a region of hundreds is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_region"]

# Scores are clipped to [SURE, 1 - SURE], so that no single node decides.
SURE = 1e-3


def best_region(
    parent: NDArray[np.integer], scores: NDArray[np.float64], contrast: float = 0.0
) -> int:
    """Root of the most likely region of content; -1 if it is more likely that all is template.

    Parameters
    ----------
    parent
        int, shape (m,): tree or forest in preorder.
    scores
        float, shape (m,): probability that each node is template.
    contrast
        Multiple of the page's mean log odds of content, if positive, that is subtracted from the
        log odds of every node. A page of a kind not seen in training may look like content
        everywhere; its article is the part that does so more than the rest. With 0, scores are
        used unchanged; with 1, half of every page has to be template.

    Notes
    -----
    The log likelihood ratio of a region is the sum of log odds over its subtree and its
    ancestors. Both sums are computed for all nodes in one pass each. Ties go to the first node
    in document order.
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
