"""The rules of NCE: separator node, comment area, headline.

Source: the *News Content Extractor* chapter, section 3. `docs/nce.md` lists what the chapter leaves
open and where it contradicts itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from ..features.counts import TextCounts, link_density

COMPONENT = 3
"""Minimum number of similar texts that mark a comment area."""

MIN_LENGTH_RATIO = 0.5
"""Minimum ratio of the shorter of two similar texts to the longer one. Not in the source: texts of
very different lengths match by chance (2.2 % of random pairs)."""


@dataclass(frozen=True)
class NCEOptions:
    """Parameters of NCE, with the chapter's symbols and defaults."""

    min_leaf_chars: int = 200
    """Alpha 0 = 200: minimum length of a text at which the search starts."""
    min_chars: int = 600
    """Alpha 1 = 600: minimum characters of the separator's subtree."""
    min_link_density: float = 0.1
    """Alpha 2 = 0.1, a density (the chapter's table swaps the descriptions of alpha 2 and 3), from
    which the surroundings of a node count as links."""
    min_sibling_chars: int = 0
    """Alpha 3 = 0: minimum characters of these surroundings."""
    min_comment_chars: int = 30
    max_comment_chars: int = 120
    """Alpha 4 = 30 and alpha 5 = 120: length of the texts in the comment graph."""
    max_distance: int = 5
    """Alpha 6 = 5: maximum distance between two joined texts, in positions."""
    min_common: float = 0.8
    """Alpha 7 = 0.8: minimum ratio of the longest common subsequence to the shorter text."""
    title_words: tuple[int, int] | None = None
    """Alpha 8 = 4, as (minimum, maximum) words. It is an upper bound in the chapter's text and a
    minimum in its table. A maximum of 4 words excludes almost every headline, so the default is (4,
    20), with the maximum of the RTDM dissertation, and (1, 4) if `literal`."""
    min_title_overlap: float = 0.7
    """Alpha 9 = 0.7: minimum share of the title's words, with multiplicity, that also occur in the
    body."""
    max_link_density: float = 0.4
    """tr = 0.4: maximum link density of a child of the separator that is kept."""
    chars_per_repetition: int = 1000
    """Not in the source: an area that begins with a repetition contains comments only if similar
    texts recur, on average, at least once per this number of characters."""
    literal: bool = False
    """Whether to follow the chapter as published. Characters are code points, condition 4 has the
    printed subscripts, and leaves are single text nodes. There is no second attempt with shorter
    texts. Titles have one to four words, and the title element is a candidate. Comment removal has
    no safeguard, and layers over the page get no special treatment."""

    @property
    def words_of_title(self) -> tuple[int, int]:
        """Minimum, at least 1, and maximum number of words of a title."""
        low, high = self.title_words or ((1, 4) if self.literal else (4, 20))
        return max(1, low), high


def separator_conditions(
    parent: NDArray[np.int32],
    is_paragraph: NDArray[np.bool_],
    counts: TextCounts,
    options: NCEOptions,
) -> NDArray[np.bool_]:
    """Conditions 1 to 4 on the separator for all nodes: bool, shape (n, 4).

    1: the node is not a paragraph; 2: it is long enough; 3: what its parent adds is mostly links;
    4: at most one sibling is text. The root fails 3, since it has no parent.

    The difference of two subtrees, as printed, is their intersection; the figure and the prose
    require the difference of the node sets. Siblings are counted once per parent, so the total
    time is linear in the number of nodes.
    """
    low, least, chars = options.min_link_density, options.min_sibling_chars, counts.chars
    above = np.where(parent >= 0, parent, 0)
    rest = chars[above] - chars
    rest_density = link_density(counts.link_chars[above] - counts.link_chars, rest)
    # With the subscripts as printed, condition 4 always holds.
    min_chars, max_density = (low, least) if options.literal else (least, low)
    is_text = (chars > min_chars) & (counts.density() < max_density)
    texts_below = np.zeros(len(parent), np.int64)
    np.add.at(texts_below, above[1:], is_text[1:])
    return np.stack(
        [
            ~is_paragraph,
            chars >= options.min_chars,
            (parent >= 0) & (rest_density >= low) & (rest >= least),
            texts_below[above] - is_text <= 1,
        ],
        axis=1,
    )


def find_separator(
    parent: NDArray[np.int32],
    leaf_chars: NDArray[np.int64],
    fits: NDArray[np.bool_],
    returned: NDArray[np.bool_],
    min_leaf_chars: int,
) -> int | None:
    """The separator node: the first ancestor of a long text that is surrounded only by links.

    It is found by climbing from the first long text until the next step up would add links rather
    than text. None if no ancestor of any long text fits.

    `leaf_chars`: int64, shape (n,): characters of text nodes, 0 elsewhere. `fits`: bool, shape
    (n,): nodes that satisfy the conditions. `returned`: bool, shape (n,): nodes that would be
    returned as children of the separator. A node is skipped if its child on the path from the long
    text is not one of them.
    """
    climbed = np.zeros(len(parent), bool)
    for leaf in np.flatnonzero(leaf_chars >= max(min_leaf_chars, 1)).tolist():
        child, node = leaf, int(parent[leaf])
        # Ancestors that a climb from another leaf has rejected are not tried again.
        while node >= 0 and not climbed[child]:
            if fits[node] and returned[child]:
                return node
            climbed[child] = True
            child, node = node, int(parent[node])
    return None


def first_repetition(texts: Sequence[str], options: NCEOptions) -> tuple[int, ...] | None:
    """Where comments begin: the first component of similar short texts close to each other.

    Bylines of comments repeat ("reported by … on …"). Each text is compared with the texts before
    it. The first component to reach three texts is returned, as positions in ascending order, in
    its final extent; with `literal`, as it is when it reaches that size. None without one.
    """
    leader = list(range(len(texts)))
    members = [[i] for i in leader]
    first: int | None = None
    for q, text in enumerate(texts):
        for p in range(max(0, q - options.max_distance), q):
            a, b = leader[p], leader[q]
            if a == b or not _are_similar(texts[p], text, options):
                continue
            # The smaller component is moved, or a hostile page would take quadratic time.
            if len(members[a]) < len(members[b]):
                a, b = b, a
            for member in members[b]:
                leader[member] = a
            members[a] += members[b]
        component = members[leader[q]]
        if first is None and len(component) >= COMPONENT:
            if options.literal:
                return tuple(sorted(component))
            first = component[0]
    return None if first is None else tuple(sorted(members[leader[first]]))


def _are_similar(a: str, b: str, options: NCEOptions) -> bool:
    shorter, longer = sorted((len(a), len(b)))
    if not options.literal and shorter < MIN_LENGTH_RATIO * longer:
        return False
    return LCSseq.similarity(a, b) >= options.min_common * shorter


def best_headline(
    candidates: Iterable[tuple[int, list[str], int]], body: list[str], options: NCEOptions
) -> tuple[int, float] | None:
    """The longest candidate whose words recur in the body, and the share of its words that do.

    Candidates are (node, words, characters) in document order, and `body` has the words of the
    body. Ties in length go to the last candidate, which is the closest to the body.
    """
    # All words are case-folded in one call, since no word contains a line break.
    bag = Counter("\n".join(body).casefold().split("\n"))
    best: tuple[int, float] | None = None
    longest = 0
    low, high = options.words_of_title
    for node, words, chars in candidates:
        if not low <= len(words) <= high or chars < longest:
            continue
        common = (Counter(word.casefold() for word in words) & bag).total() / len(words)
        if common >= options.min_title_overlap:
            best, longest = (node, common), chars
    return best
