"""The `bte` method: the segment of the page with the most words and the fewest tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import Reading, read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.features.blocks import displayed_inline
from miolo.features.links import link_mask
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_sums
from numpy.typing import NDArray

from .segments import Tokens, best_segment, flat_segments, page_tokens

__all__ = ["METHOD", "BTEOptions", "bte"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class BTEOptions:
    """Definition and weight of a token, and number of segments.

    Attributes
    ----------
    tags
        Elements whose tags count. ``"layout"``: painted elements that are links or are laid out as
        blocks. ``"all"``: all elements, as in the paper; the main text of a page with
        syntax-highlighted code then has more tags than words.
    linked_words
        Weight of a word inside a link; 1 in the paper.
    segments
        ``"one"`` segment, or ``"many"``: all flat parts of the curve (Pinto et al.).
    window, slope
        Parameters of the flat parts; see `flat_segments`. Half of the mean slope, which the paper
        uses as recalled, excludes most paragraphs of current pages.
    """

    tags: Literal["layout", "all"] = "layout"
    linked_words: int = 0
    segments: Literal["one", "many"] = "one"
    window: int = 50
    slope: float = 1.0

    def __post_init__(self) -> None:
        if self.window < 1 or self.slope < 0:
            raise ValueError("window must be at least 1, and slope must not be negative")

    @classmethod
    def literal(cls) -> BTEOptions:
        """Options as published: every tag is encoded as 1 and every word as 0."""
        return cls(tags="all", linked_words=1)


def bte(snapshot: Snapshot, options: BTEOptions | None = None) -> Selection:
    """Keep the texts that have most of their words in the segment.

    Parameters
    ----------
    options
        By default `BTEOptions()`.
    """
    options = options or BTEOptions()
    reading = read(snapshot)
    sizes = _sizes(reading)
    tokens = page_tokens(snapshot, sizes, _node_scores(reading, options))
    chosen = _choose(tokens, options)
    counts = np.bincount(tokens.node[chosen & ~tokens.tag], minlength=len(snapshot))
    inside, whole = subtree_sums(counts, snapshot.end), subtree_sums(sizes, snapshot.end)
    share = inside / np.maximum(whole, 1)
    return select(reading, share > 0.5, share, _reasons(snapshot, inside, whole))


def _sizes(reading: Reading) -> IntArray:
    """Words of each text. Symbols alone count as one word, or the segment would exclude them."""
    return np.where(reading.texts, np.maximum(reading.counts.words, 1), 0)


def _node_scores(reading: Reading, options: BTEOptions) -> IntArray:
    snapshot, counts = reading.snapshot, reading.counts
    worth = np.where(counts.link_words > 0, options.linked_words, 1)
    worth[counts.words == 0] = 0
    return np.where(snapshot.is_text, worth, -_tags(snapshot, options).astype(np.int64))


def _tags(snapshot: Snapshot, options: BTEOptions) -> NDArray[np.bool_]:
    """bool, shape (n,): elements whose tags are tokens."""
    if options.tags == "all":
        return ~snapshot.is_text
    return snapshot.visible & (~displayed_inline(snapshot) | link_mask(snapshot))


def _choose(tokens: Tokens, options: BTEOptions) -> NDArray[np.bool_]:
    """bool, shape (t,): tokens of the segments."""
    if options.segments == "many":
        return flat_segments(tokens.tag, options.window, options.slope)
    chosen = np.zeros(len(tokens.tag), bool)
    chosen[best_segment(tokens.worth)] = True
    return chosen


def _reasons(snapshot: Snapshot, inside: IntArray, whole: IntArray) -> Reasons:
    reasons = Reasons(len(snapshot), "no readable text")
    for node in np.flatnonzero(whole).tolist():
        sign = ">" if 2 * inside[node] > whole[node] else "≤"
        reasons.give(
            node, f"{inside[node]} of {whole[node]} words are in the segment ({sign} half)"
        )
    return reasons


METHOD = Method(
    lambda page, _, options: bte(page, options),
    "the segment with the most words and the fewest tags",
    "research baselines",
    BTEOptions(),
    {"literal": BTEOptions.literal()},
)
