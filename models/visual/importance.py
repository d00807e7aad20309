"""Which block of a page is its article; VIPS segments pages and leaves that open.

In the spirit of block importance (Song, Liu, Wen and Ma, *Learning block importance models
for Web pages*, WWW 2004): a block is worth more the more text outside of links it holds, and
the nearer to the middle of the page it lies. Nothing is learned here.

::

    worth(text)  = chars - link_cost * chars in links - line_cost
    worth(leaf)  = sum over its texts, positive ones times `central_shares`
    worth(block) = sum over its children; of columns, the best one's alone

The worth of a wrapper is less than that of the article in it by every menu and byline that it
has beside, and that of a section less by all the other sections: the article has the most.
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
        Cost of each text, in characters: menus and bylines are shorter.
    margin
        A block is taken for a child of it that is worth less by this share at most: what
        else it holds is then a name here and a notice there.
    """

    link_cost: float = 2
    line_cost: float = 15
    margin: float = 0.05


@dataclass(frozen=True, eq=False)
class Worth:
    """What the b blocks of a page are worth as its article.

    Attributes
    ----------
    own
        float64, shape (b,): of the leaves; 0 for the others.
    whole
        float64, shape (b,): of the blocks with all that is in them.
    best
        The smallest block with the most, or nearly. The page itself if nothing is worth
        anything.
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
    tree
        The blocks of the page.
    leaf
        int, shape (t,): the leaf that each of t texts is in; a text is a paragraph, a
        heading or a cell.
    chars, links
        int, shape (t,): its characters, and those of them in links.
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
            # In preorder from the end the last child comes first.
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
