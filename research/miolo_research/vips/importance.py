"""Choice of the block that is the article; VIPS segments pages but leaves that open.

Inspired by block importance (Song, Liu, Wen and Ma, *Learning block importance models for Web
pages*, WWW 2004): the worth of a block increases with its text outside links and with its proximity
to the middle of the page. Nothing is learned here.

::

    worth(text)  = chars - link_cost * chars in links - line_cost
    worth(leaf)  = sum over its texts, positive ones times `central_shares`
    worth(block) = sum over its children, or the best child if they are columns

The article has the highest worth: every menu and byline in a wrapper around it lowers the wrapper's
worth, and a section of it lacks the worth of the other sections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .block_tree import BlockTree
from .columns import central_shares, in_columns

__all__ = ["ImportanceOptions", "Worth", "block_worth"]


@dataclass(frozen=True)
class ImportanceOptions:
    """Parameters of `block_worth`.

    Attributes
    ----------
    link_cost
        Cost of a linked character.
    line_cost
        Cost of each text, in characters; texts of menus and bylines are shorter.
    margin
        A block is replaced by its only child whose worth is lower by at most this share: its
        other content is then negligible, such as a name or a notice.
    """

    link_cost: float = 2
    line_cost: float = 15
    margin: float = 0.05


@dataclass(frozen=True, eq=False)
class Worth:
    """Worth of the b blocks of a page as its article.

    Attributes
    ----------
    own
        float64, shape (b,): worth of each leaf; 0 for other blocks.
    whole
        float64, shape (b,): worth of each block with its descendants.
    best
        The smallest block with the highest worth within the margin; the page itself if no block
        has positive worth.
    """

    own: NDArray[np.float64]
    whole: NDArray[np.float64]
    best: int


def block_worth(
    tree: BlockTree,
    leaf: NDArray[np.integer],
    chars: NDArray[np.integer],
    links: NDArray[np.integer],
    options: ImportanceOptions | None = None,
) -> Worth:
    """Worth of all blocks.

    Parameters
    ----------
    leaf
        int, shape (t,): the leaf that contains each of t texts; a text is a paragraph, a
        heading or a cell.
    chars, links
        int, shape (t,): characters of each text, and those of them in links.
    options
        The parameters.
    """
    options = options or ImportanceOptions()
    worth = chars - options.link_cost * links - options.line_cost
    worth = np.where(worth > 0, worth * central_shares(tree)[leaf], worth)
    own = np.bincount(leaf, weights=worth, minlength=len(tree)).astype(np.float64)
    whole, columns = own.tolist(), in_columns(tree).tolist()
    for block in range(len(tree) - 1, 0, -1):
        above = int(tree.parent[block])
        if columns[above]:
            # In reverse preorder, the last child comes first.
            first = block + 1 == len(tree) or tree.end[block] == tree.end[above]
            whole[above] = whole[block] if first else max(whole[above], whole[block])
        else:
            whole[above] += whole[block]
    total = np.array(whole)
    fits = ~tree.layer & (total > 0)
    if not fits.any():
        return Worth(own, total, 0)
    most = float(total[fits].max())
    best = int(np.flatnonzero(fits & (total == most))[0])
    while True:
        below = tree.children(best)
        rest = [child for child in below if total[child] >= (1 - options.margin) * most]
        if len(rest) != 1 or tree.layer[rest[0]]:
            return Worth(own, total, best)
        best = rest[0]
