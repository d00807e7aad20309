"""The `style-tree` method: the important parts of the site style tree.

Source: Yi, Liu and Li, *Eliminating noisy information in Web pages for data mining*, KDD
2003. What all pages of a site present alike and with the same content is noise.
"""

from __future__ import annotations

import numpy as np
from miolo.errors import MissingSiteError
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_mask
from numpy.typing import NDArray

from .importance import StyleJudgement, StylePages

__all__ = ["METHOD", "style_tree"]


def style_tree(snapshot: Snapshot, pages: StylePages, threshold: float = 0.3) -> Selection:
    """Keep the nodes that are in no noisy subtree.

    Parameters
    ----------
    pages
        The learned pages of the site.
    threshold
        A node is noisy if its composite importance and that of all nodes below it are less than
        this. It is t in the source, which leaves it to the user.

    Raises
    ------
    MissingSiteError
        Fewer than two pages were learned.
    """
    if len(pages) < 2:
        raise MissingSiteError("the method style-tree needs a site learned from two or more pages")
    judgement = pages.judge(snapshot)
    # Content that no learned page has is also noise if it is in a noisy subtree.
    noisy = subtree_mask(judgement.highest < threshold, snapshot.end)
    return select(
        read(snapshot),
        ~noisy,
        np.where(noisy, 0, judgement.highest),
        _reasons(snapshot, judgement, noisy, threshold),
    )


def _reasons(
    snapshot: Snapshot, judgement: StyleJudgement, noisy: NDArray[np.bool_], threshold: float
) -> Reasons:
    reasons = Reasons(len(snapshot), "no counterpart on the learned pages")
    rounded = (np.round(each, 2) for each in (judgement.importance, judgement.highest))
    rows = np.stack([judgement.pages, *rounded, noisy], axis=1)
    kinds, of = np.unique(rows, axis=0, return_inverse=True)
    for number, (pages, importance, highest, noise) in enumerate(kinds.tolist()):
        reason = "no learned page has this structure here"
        if pages:
            sign = "<" if highest < threshold else "≥"
            reason = (
                f"importance {importance:.2f} on {pages:.0f} pages, "
                f"highest in the subtree {highest:.2f} {sign} {threshold:g}"
            )
        if noise and not (pages and highest < threshold):
            reason += ", in a noisy subtree"
        reasons.give(of.reshape(-1) == number, reason)
    return reasons


METHOD = Method(
    lambda page, learned, _: style_tree(page, learned.part("style-tree", StylePages)),
    "parts that the pages of the site do not all present alike",
    "research baselines",
    needs_site=True,
    site_parts={"style-tree": lambda _: StylePages()},
)
