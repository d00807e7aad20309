"""Pictures of a page outside its article: logos, advertisements, buttons, counters."""

from __future__ import annotations

from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ...features.article.surroundings import PICTURES
from ...features.blocks import TextBlocks
from ...features.images import image_address
from ...features.links import link_mask
from ...renderer.snapshot import Snapshot
from ...renderer.tree import subtree_mask
from .roles import ROLES

__all__ = ["other_pictures"]

OF_ARTICLE = np.isin(
    ROLES,
    ("title", "kicker", "standfirst", "byline", "dateline", "caption", "credit", "pull-quote"),
)
"""bool, shape (len(ROLES),): roles, besides those of the text, of blocks that an article's pictures
are among."""


def other_pictures(
    page: TextBlocks, roles: NDArray[np.int8], kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Pictures of an article's page outside the article: bool, shape (n,).

    A picture belongs to the article if it is the one that the page declares, or if it is between
    two of the article's blocks or next to one. A linked picture must be both between and next to
    them, since advertisements and logos are amid other content or at the ends.

    Parameters
    ----------
    page
        The page's b blocks.
    roles, kept
        int8 and bool, shape (b,): role of each block, and whether it is in the text.
    """
    snapshot = page.snapshot
    pictures = np.flatnonzero(snapshot.with_tag(*PICTURES))
    linked = subtree_mask(link_mask(snapshot), snapshot.end)[pictures]
    of_article = kept | OF_ARTICLE[roles]
    following = np.searchsorted(page.first, pictures)
    before = np.append(0, np.cumsum(of_article))[following]
    is_between = (before > 0) & (before < of_article.sum())
    # With an additional block at both ends.
    around = np.concatenate([[False], of_article, [False]])
    is_next = around[following] | around[following + 1]
    outside = pictures[~np.where(linked, is_between & is_next, is_between | is_next)]
    other = np.zeros(len(snapshot), bool)
    other[outside[~_is_declared(snapshot, outside)]] = True
    return other


def _is_declared(snapshot: Snapshot, pictures: NDArray[np.intp]) -> NDArray[np.bool_]:
    """bool, shape (k,): pictures with the file name of the picture that the page declares."""
    declared = _file_name(snapshot.page.meta_value("og:image", "twitter:image"))
    names = [_file_name(image_address(snapshot, node)) for node in pictures.tolist()]
    return np.array([bool(name) and name == declared for name in names], bool)


def _file_name(address: str | None) -> str:
    try:
        return urlsplit(address or "").path.rpartition("/")[2]
    except ValueError:
        return ""
