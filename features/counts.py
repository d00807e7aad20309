"""Text and link counts of all nodes at once, the page model that the methods share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..renderer.page.snapshot import Snapshot, cached_per_snapshot
from ..renderer.page.tree import subtree_mask, subtree_sums
from .links import intra_site_mask, link_mask
from .readable import readable_texts
from .words import count_texts_at_once

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TextCounts:
    """Counts over the subtrees of all nodes; each is int64, shape (n,)."""

    chars: IntArray
    link_chars: IntArray
    """Number of characters of counted text, and of the part of it inside links."""
    words: IntArray
    link_words: IntArray
    """The same for words."""

    def density(self) -> NDArray[np.float64]:
        """Link density of every subtree: linked characters over characters, in [0, 1]."""
        return link_density(self.link_chars, self.chars)


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of the nodes themselves and of their subtrees; int64, shape (n,) each."""

    text: TextCounts
    """Counts of text in the subtree."""
    own_words: IntArray
    own_link_words: IntArray
    """Words of a node's own text (for an element: of its text children)."""
    links: IntArray
    own_links: IntArray
    """Number of links in the subtree, and 1 where the node itself is a link."""
    intra_links: IntArray
    own_intra_links: IntArray
    """The same for links that stay on the site."""


def link_density(link_chars: IntArray, chars: IntArray) -> NDArray[np.float64]:
    """Linked share of characters; 0 where there are none."""
    return np.divide(link_chars, chars, out=np.zeros(len(chars)), where=chars > 0)


def count_texts(
    snapshot: Snapshot, counted: NDArray[np.bool_] | None = None, *, wide: bool = True
) -> TextCounts:
    """Count the text of all subtrees.

    `counted`: bool, shape (n,): text nodes to count; by default `readable_texts`. `wide`: Count
    characters by width; see `miolo.features.words`.
    """
    return _subtree_sums(snapshot, *_own_counts(snapshot, counted, wide), _in_links(snapshot))


@cached_per_snapshot
def _in_links(snapshot: Snapshot) -> NDArray[np.bool_]:
    return subtree_mask(link_mask(snapshot), snapshot.end)


def _subtree_sums(
    snapshot: Snapshot, chars: IntArray, words: IntArray, linked: NDArray[np.bool_]
) -> TextCounts:
    return TextCounts(
        chars=subtree_sums(chars, snapshot.end),
        link_chars=subtree_sums(chars * linked, snapshot.end),
        words=subtree_sums(words, snapshot.end),
        link_words=subtree_sums(words * linked, snapshot.end),
    )


def _own_counts(
    snapshot: Snapshot, counted: NDArray[np.bool_] | None, wide: bool
) -> tuple[IntArray, IntArray]:
    if counted is None:
        counted = readable_texts(snapshot)
    chars, words = (_widths if wide else _code_points)(snapshot)
    return chars * counted, words * counted


@cached_per_snapshot
def _widths(snapshot: Snapshot) -> tuple[IntArray, IntArray]:
    return _count(snapshot, wide=True)


@cached_per_snapshot
def _code_points(snapshot: Snapshot) -> tuple[IntArray, IntArray]:
    return _count(snapshot, wide=False)


def _count(snapshot: Snapshot, wide: bool) -> tuple[IntArray, IntArray]:
    """Characters and words of all text nodes; 0 for elements."""
    texts = snapshot.is_text.nonzero()[0]
    sums = np.zeros((2, len(snapshot)), np.int64)
    sums[:, texts] = count_texts_at_once([snapshot.text[i] for i in texts.tolist()], wide=wide)
    return sums[0], sums[1]


def count_nodes(snapshot: Snapshot) -> Counts:
    """Count texts and links of all nodes."""
    chars, words = _own_counts(snapshot, None, True)
    linked = _in_links(snapshot)
    links = link_mask(snapshot).astype(np.int64)
    intra = intra_site_mask(snapshot).astype(np.int64)
    return Counts(
        text=_subtree_sums(snapshot, chars, words, linked),
        own_words=_add_words_of_text_children(snapshot, words),
        own_link_words=_add_words_of_text_children(snapshot, words * linked),
        links=subtree_sums(links, snapshot.end),
        own_links=links,
        intra_links=subtree_sums(intra, snapshot.end),
        own_intra_links=intra,
    )


def _add_words_of_text_children(snapshot: Snapshot, words: IntArray) -> IntArray:
    own = words.copy()
    texts = snapshot.is_text.nonzero()[0]
    texts = texts[snapshot.parent[texts] >= 0]
    np.add.at(own, snapshot.parent[texts], words[texts])
    return own
