"""BTE: the stretch of a page with the most words and the fewest tags.

Sources: Finn, Kushmerick and Smyth, *Fact or fiction: content classification for digital
libraries* (DELOS 2001), by the X-CEX thesis, section 3.1.1, equation 3.1; the form with many
segments after Pinto et al., *QuASM: a system for question answering using semi-structured
data* (JCDL 2002). A page is a sequence of words and tags. The segment that maximises the
words in it and the tags outside of it is that of the greatest sum where a word counts 1 and
a tag -1: the two differ by the number of all tags.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..renderer.snapshot import Snapshot

__all__ = ["Tokens", "best_segment", "flat_segments", "page_tokens"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tokens:
    """A page as a sequence of t words and tags.

    Attributes
    ----------
    node
        int64, shape (t,): the text node of each word, the element of each tag.
    tag
        bool, shape (t,): it is a tag.
    worth
        int64, shape (t,): what it counts inside of the segment.
    """

    node: IntArray
    tag: NDArray[np.bool_]
    worth: IntArray


def page_tokens(snapshot: Snapshot, words: IntArray, worth: IntArray) -> Tokens:
    """Words and tags of a page, in the order of its markup.

    Parameters
    ----------
    snapshot
        The page.
    words
        int64, shape (n,): words of each text node; those of elements are not looked at.
    worth
        int64, shape (n,): what each word of a text node counts, and each of the two tags of
        an element. Elements of worth 0 are left out, as if they were not there.
    """
    nodes = np.arange(len(snapshot))
    opened = nodes[~snapshot.is_text & (worth != 0)]
    token_nodes = np.repeat(nodes, np.where(snapshot.is_text, words, 0))
    node = np.concatenate([opened, token_nodes, opened])
    # An end tag comes before whatever begins behind its element, the deepest one first.
    place = np.concatenate([opened, token_nodes, snapshot.end[opened]])
    depth = np.concatenate(
        [np.ones(len(opened) + len(token_nodes), np.int64), -snapshot.depth[opened]]
    )
    node = node[np.lexsort((depth, place))]
    return Tokens(node, ~snapshot.is_text[node], worth[node].astype(np.int64))


def best_segment(worth: IntArray) -> slice:
    """The segment of the greatest sum; the longest of several, the first of equally long ones.

    Parameters
    ----------
    worth
        int64, shape (t,): what each token counts.

    Returns
    -------
    slice
        Empty where no token counts more than 0.

    Notes
    -----
    One linear scan over prefix sums: of all segments that end at a token the one that begins
    at the first of the least sums before it has the greatest sum and is the longest such.
    """
    if not (worth > 0).any():
        return slice(0, 0)
    sums = np.concatenate([[0], np.cumsum(worth)])
    least = np.minimum.accumulate(sums)
    new = np.flatnonzero(np.diff(least, prepend=least[0] + 1) < 0)
    start = new[np.searchsorted(new, np.arange(len(sums)), side="right") - 1]
    best_sums = sums - least
    stops = np.flatnonzero(best_sums == best_sums.max())
    stop = stops[np.argmax(stops - start[stops])]
    return slice(int(start[stop]), int(stop))


def flat_segments(tag: NDArray[np.bool_], window: int, slope: float) -> NDArray[np.bool_]:
    """Tokens where the curve of tags is flat: as many segments as there are.

    Parameters
    ----------
    tag
        bool, shape (t,): what of the sequence is a tag.
    window
        Tokens of the window that slides over the sequence, each token in the middle of its
        own; at the ends of the sequence it is what there is of that.
    slope
        A window is flat if its share of tags is at most this part of the whole sequence's.

    Returns
    -------
    bool, shape (t,)
    """
    tags = np.concatenate([[0], np.cumsum(tag)])
    place = np.arange(len(tag))
    low = np.maximum(place - window // 2, 0)
    high = np.minimum(place + (window + 1) // 2, len(tag))
    # Multiplied out, so that equal shares are equal.
    return (tags[high] - tags[low]) * len(tag) <= slope * tags[-1] * (high - low)
