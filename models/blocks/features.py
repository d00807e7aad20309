"""What a block holds, counted: words, links, images, lists and the like.

Source: Debnath, Mitra, Pal and Giles, *Automatic identification of informative sections of Web
pages* (IEEE TKDE 17(9), 2005), the features of a block: text, text tags, lists, tables, links,
objects, frames, forms, scripts, style sheets. Content Extractor's vector begins with the same
counts (X-CEX thesis, section 3.5.2). Departures: text that is linked is counted apart as well,
and images, which the paper has among the objects, have a column of their own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import BlockSet
from ...features.counts import TextCounts, count_texts
from ...features.links import link_mask
from ...renderer.snapshot import Snapshot

__all__ = ["HTML_FEATURES", "html_features"]

TAGS: dict[str, tuple[str, ...]] = {
    "text tags": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "lists": ("ul", "ol", "dl", "menu"),
    "tables": ("table",),
    "images": ("img", "picture", "svg", "canvas"),
    "objects": ("object", "embed", "applet", "audio", "video"),
    "frames": ("iframe", "frame"),
    "forms": ("form", "input", "select", "textarea", "button"),
    "scripts": ("script", "noscript"),
    "styles": ("style", "link"),
}

HTML_FEATURES = ("words", "linked words", "links", *TAGS)
"""Columns of `html_features`, in order."""


def html_features(
    snapshot: Snapshot, blocks: BlockSet, counts: TextCounts | None = None
) -> NDArray[np.float64]:
    """Count what the blocks of a page hold; linear in its nodes.

    Parameters
    ----------
    snapshot
        The page.
    blocks
        Its blocks. A node counts for the one that it belongs to, a block's own root included.
    counts
        Words of the page, from `count_texts`; by default those of `readable_texts`.

    Returns
    -------
    float64, shape (blocks, features), whole numbers; columns as in `HTML_FEATURES`. Words
    are all words of the block, the linked ones among them.
    """
    counts = counts or count_texts(snapshot)
    columns = [
        np.where(snapshot.is_text, counts.words, 0),
        np.where(snapshot.is_text, counts.link_words, 0),
        link_mask(snapshot),
        *(snapshot.with_tag(*tags) for tags in TAGS.values()),
    ]
    table = np.zeros((len(blocks), len(HTML_FEATURES)))
    inside = blocks.of >= 0
    for place, column in enumerate(columns):
        np.add.at(table[:, place], blocks.of[inside], column[inside])
    return table
