"""BTE (body text extraction): the segment of a page with the most words and the fewest tags.

Sources: Finn, Kushmerick and Smyth, *Fact or fiction: content classification for digital
libraries* (DELOS 2001), as described in the X-CEX thesis, section 3.1.1, equation 3.1. The
variant with many segments follows Pinto et al., *QuASM: a system for question answering using
semi-structured data* (JCDL 2002). A page is a sequence of words and tags. The segment that
maximises the number of words inside it plus the number of tags outside it is the segment of
greatest sum if a word counts 1 and a tag -1: the two objectives differ by the total number of
tags, which is constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from miolo.renderer.page.snapshot import Snapshot
from numpy.typing import NDArray

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
        bool, shape (t,): whether the token is a tag.
    worth
        int64, shape (t,): what the token adds to the sum of a segment that contains it.
    """

    node: IntArray
    tag: NDArray[np.bool_]
    worth: IntArray


def page_tokens(snapshot: Snapshot, words: IntArray, worth: IntArray) -> Tokens:
    """Words and tags of a page in markup order.

    Parameters
    ----------
    words
        int64, shape (n,): number of words of each text node; entries of elements are ignored.
    worth
        int64, shape (n,): what each word of a text node and each of the two tags of an element
        counts. The tags of elements of worth 0 are omitted.
    """
    nodes = np.arange(len(snapshot))
    opened = nodes[~snapshot.is_text & (worth != 0)]
    token_nodes = np.repeat(nodes, np.where(snapshot.is_text, words, 0))
    node = np.concatenate([opened, token_nodes, opened])
    # End tags precede whatever begins after their elements; the deepest comes first.
    place = np.concatenate([opened, token_nodes, snapshot.end[opened]])
    depth = np.concatenate(
        [np.ones(len(opened) + len(token_nodes), np.int64), -snapshot.depth[opened]]
    )
    node = node[np.lexsort((depth, place))]
    return Tokens(node, ~snapshot.is_text[node], worth[node].astype(np.int64))


def best_segment(worth: IntArray) -> slice:
    """The segment of greatest sum; ties go to the longest segment, then to the first.

    Parameters
    ----------
    worth
        int64, shape (t,): what each token counts.

    Returns
    -------
    slice
        Empty if no token counts more than 0.

    Notes
    -----
    One linear scan over prefix sums: among the segments that end at a given token, the one
    that begins at the first minimum of the prefix sums before it has the greatest sum, and is
    the longest with that sum.
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
    """Tokens in flat parts of the curve of tags, which form any number of segments.

    Parameters
    ----------
    tag
        bool, shape (t,): which tokens are tags.
    window
        Number of tokens of the window centred on each token. Windows are truncated at the ends
        of the sequence.
    slope
        A window is flat if its share of tags is at most this multiple of the share in the
        whole sequence.

    Returns
    -------
    bool, shape (t,)
    """
    tags = np.concatenate([[0], np.cumsum(tag)])
    place = np.arange(len(tag))
    low = np.maximum(place - window // 2, 0)
    high = np.minimum(place + (window + 1) // 2, len(tag))
    # Multiplied out to avoid rounding, so that equal shares compare equal.
    return (tags[high] - tags[low]) * len(tag) <= slope * tags[-1] * (high - low)
