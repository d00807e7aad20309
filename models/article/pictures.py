"""Pictures of an article, as opposed to logos, advertisements, buttons and counters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...features.article.surroundings import PICTURES
from ...features.blocks import TextBlocks
from ...features.galleries import find_galleries
from ...features.links import image_address, link_mask
from ...features.words import count_words
from ...patterns import lazy_re
from ...renderer.network.origins import split_url
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import nearest_marked, subtree_mask, subtree_sums
from .roles import ROLES

SIZED = lazy_re(r"-\d{2,4}x\d{2,4}(?=\.\w{1,5}$)")

OF_ARTICLE = np.isin(
    ROLES,
    ("title", "kicker", "standfirst", "byline", "dateline", "caption", "credit", "pull-quote"),
)
"""bool, shape (len(ROLES),): roles, besides those of the text, of blocks that an article's pictures
are among."""

OF_PICTURE = np.isin(ROLES, ("caption", "credit"))
"""bool, shape (len(ROLES),): roles of texts that belong to a picture."""


MIN_CAPTION = 3
"""Minimum number of words of a caption; a position such as "1 / 6" has fewer."""

GALLERY = 4
"""Captions of slides are the article if they have more than this times its other characters."""

CONTROLS = ("button", "a", "label", "option", "summary")


def with_pictures(
    page: TextBlocks,
    roles: NDArray[np.int8],
    kept: NDArray[np.bool_],
    nodes: NDArray[np.bool_],
    *,
    is_article: bool = True,
) -> NDArray[np.bool_]:
    """Nodes of the text with all of its pictures and, on an article, no others: bool, shape (n,).

    A picture belongs to the article if it is the one that the page declares, or if it is between
    two of the article's blocks or next to one. A linked picture must be both between and next to
    them, since advertisements and logos are amid other content or at the ends. A picture whose
    caption is left out still belongs to the article. In the head of the article, so do the declared
    picture and those beside a caption.

    `roles`, `kept`: int8 and bool, shape (b,): role of each block, and whether it is in the text.
    `nodes`: bool, shape (n,): nodes of the text; elements without text belong to those around them.
    `is_article`: Whether pictures in other places are removed; on other pages, pictures are only
    added.
    """
    snapshot = page.snapshot
    pictures = snapshot.with_tag(*PICTURES).nonzero()[0]
    is_placed = _placed(page, pictures, kept | OF_ARTICLE[roles])
    of_head, of_caption = _around(page, pictures, OF_ARTICLE[roles], OF_PICTURE[roles])
    is_declared = _is_declared(snapshot, pictures, of_head | (nodes[pictures] & ~is_placed))
    of_head &= is_declared | _is_next(page, pictures, OF_PICTURE[roles])
    chosen = nodes.copy()
    if is_article:
        chosen[pictures] &= is_placed | is_declared
    chosen[pictures] |= is_placed & (of_caption | of_head)
    return chosen


def slides_of_article(
    page: TextBlocks, kept: NDArray[np.bool_], nodes: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Pictures and captions of the galleries of an article, of which all slides but one are hidden.

    bool, shape (n,): pictures of galleries of which the article has a picture. And bool, shape
    (b,): their captions, each text once, if the article hardly says anything else.
    """
    snapshot = page.snapshot
    pictures, captions = np.zeros(len(snapshot), bool), np.zeros(len(page), bool)
    texts = {page.texts[place] for place in kept.nonzero()[0].tolist()}
    for gallery in find_galleries(snapshot):
        if not nodes[list(gallery.pictures)].any():
            continue
        pictures[list(gallery.pictures)] = True
        for slide in gallery.slides:
            begin, end = np.searchsorted(page.first, [slide, snapshot.end[slide]]).tolist()
            for place in range(begin, end):
                text = page.texts[place]
                is_control = snapshot.tag_name(int(page.owner[place])) in CONTROLS
                if not is_control and count_words(text) >= MIN_CAPTION:
                    captions[place] = kept[place] or text not in texts
                    texts.add(text)
    others = int(
        page.chars[page.nodes][~captions[page.of[page.nodes]] & kept[page.of[page.nodes]]].sum()
    )
    own = int(page.chars[page.nodes][captions[page.of[page.nodes]]].sum())
    return pictures, captions if own > GALLERY * others else np.zeros(len(page), bool)


def _placed(
    page: TextBlocks, pictures: NDArray[np.intp], of_article: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool, shape (k,): pictures between or next to blocks of the article."""
    snapshot = page.snapshot
    linked = subtree_mask(link_mask(snapshot), snapshot.end)[pictures]
    following = np.searchsorted(page.first, pictures)
    before = np.append(0, np.cumsum(of_article))[following]
    is_between = (before > 0) & (before < of_article.sum())
    is_next = _is_next(page, pictures, of_article)
    return np.where(linked, is_between & is_next, is_between | is_next)


def _is_next(
    page: TextBlocks, pictures: NDArray[np.intp], chosen: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool, shape (k,): pictures whose preceding or following block is one of the chosen."""
    following = np.searchsorted(page.first, pictures)
    # With an additional block at both ends.
    around = np.concatenate([[False], chosen, [False]])
    return around[following] | around[following + 1]


def _around(
    page: TextBlocks, pictures: NDArray[np.intp], *chosen: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """For each choice of blocks, the pictures whose nearest element with text mostly holds them."""
    snapshot, end = page.snapshot, page.snapshot.end
    total = subtree_sums(page.chars, end)
    around = nearest_marked(snapshot.parent, total > 0)[pictures]
    # The block of a node without text is -1, which is the additional entry.
    own = [subtree_sums(page.chars * np.append(mask, False)[page.of], end) for mask in chosen]
    return [(around >= 0) & (2 * each >= total)[around] for each in own]


def _is_declared(
    snapshot: Snapshot, pictures: NDArray[np.intp], doubtful: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool, shape (k,): doubtful pictures with the file name of the one that the page declares."""
    is_declared = np.zeros(len(pictures), bool)
    declared = _file_name(snapshot.page.meta_value("og:image", "twitter:image"))
    if declared:
        addresses = (image_address(snapshot, node) for node in pictures[doubtful].tolist())
        is_declared[doubtful] = [_file_name(address) == declared for address in addresses]
    return is_declared


def _file_name(address: str | None) -> str:
    """The file name in an address, without the size that WordPress appends."""
    return SIZED.sub("", split_url(address or "").path.rpartition("/")[2])
