"""From probabilities of blocks to the text of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LEAST",
    "LEAST_OF_OTHERS",
    "best_selection",
    "expected_f1",
    "group_means",
    "other_stories",
    "without_copies",
]

LEAST, LEAST_OF_OTHERS = 0.2, 0.1
"""Probability below which no block is text, as a page of menus has none; on pages of other kinds
than articles, what is their own is less certain."""

STORY_HEADING = 3
"""Lowest level of the heading of a story."""

MAIN_SHARE = 0.2
"""Minimum share of the text in the ``article`` element of the title. With less, this is a head."""

LONG = 8
"""Least words of a block that can be a copy: short lines do repeat."""

REFRAIN = 3
"""Times from which on a text that is shown within one element is a part of it, and no copy."""


def best_selection(
    probability: NDArray[np.float64], words: NDArray[np.float64], least: float = LEAST
) -> NDArray[np.bool_]:
    """The selection of blocks whose expected F1, by words, is highest.

    With probabilities p and words w, taking the blocks from a threshold on gives an expected F1 of
    about 2 sum(w p) over the blocks taken, divided by sum(w) over these plus sum(w p) over all
    blocks. The best threshold is half of the F1 that it reaches: one half on a page where all is
    certain, and less on a doubtful page, so that this is not left empty; but never below `least`.

    Parameters
    ----------
    probability
        float64, shape (b,): that a block belongs to the text.
    words
        float64, shape (b,): words of each block.
    least
        Probability below which no block is selected. With 0 something is selected wherever a block
        with words has a probability above 0.

    Returns
    -------
    bool, shape (b,).

    References
    ----------
    Lipton, Elkan and Naryanaswamy, "Optimal thresholding of classifiers to maximize F1 measure",
    ECML PKDD 2014.
    """
    mass = words * probability
    if not mass.sum() > 0:
        return np.zeros(len(words), bool)
    order = np.argsort(-probability, kind="stable")
    expected = 2 * np.cumsum(mass[order]) / (np.cumsum(words[order]) + mass.sum())
    return probability >= max(expected.max() / 2, least)


def expected_f1(
    probability: NDArray[np.float64], words: NDArray[np.float64], kept: NDArray[np.bool_]
) -> float:
    """Expected F1 of a selection of blocks by words, in [0, 1]; 0 without words.

    The ratio of expectations is taken, as in Ye et al., "Optimizing F-measure: a tale of two
    approaches", ICML 2012, section 3.
    """
    total = float(words[kept].sum() + (words * probability).sum())
    return 2 * float((words * probability)[kept].sum()) / total if total else 0.0


def group_means(
    probability: NDArray[np.float64], words: NDArray[np.float64], group: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Mean probability of each block's group: the entries of a list are text, or none is.

    Parameters
    ----------
    probability
        float64, shape (b,): that a block belongs to the text.
    words
        float64, shape (b,): words of each block. Their root is its weight.
    group
        int64, shape (b,): number of each block's group; the numbers are 0 and all that follow.

    Returns
    -------
    float64, shape (b,).
    """
    weight = np.sqrt(words + 1)
    means = np.bincount(group, weight * probability) / np.bincount(group, weight)
    return means[group]


def other_stories(
    article: NDArray[np.int32],
    level: NDArray[np.float32],
    title: int,
    probability: NDArray[np.float64],
    words: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Blocks of the stories that follow the article of a page.

    Many pages go on with the next story, which looks like an article as well. It is another one
    where its ``article`` element follows that of the title and has a heading before its text.

    Parameters
    ----------
    article
        int32, shape (b,): outermost ``article`` element around each block, -1 for none.
    level
        float32, shape (b,): level of the heading that a block is in, more than 6 for none.
    title
        Block of the title, -1 for none.
    probability
        float64, shape (b,): that a block belongs to the text.
    words
        float64, shape (b,): words of each block.

    Returns
    -------
    bool, shape (b,).
    """
    other = np.zeros(len(article), bool)
    if title < 0 or article[title] < 0:
        return other
    is_text = probability >= 0.5
    mass = words * is_text
    if mass[article == article[title]].sum() < MAIN_SHARE * mass.sum():
        return other
    for element in np.unique(article[is_text & (article > article[title])]):
        inside = article == element
        first = int(np.argmax(inside & is_text))
        other |= inside & (inside & (level <= STORY_HEADING))[: first + 1].any()
    return other


def without_copies(
    texts: Sequence[str],
    words: NDArray[np.float64],
    chosen: NDArray[np.bool_],
    hidden: NDArray[np.bool_],
    parent: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """The selection without the second copies of a text.

    A page may hold its article twice: hidden, as a dump, or in a second rendering. A copy is a
    block of `LONG` words or more with the text of another chosen block, which is hidden while the
    other is shown, or which stands beside a copy of another text. A line that occurs several times
    within one text is none, nor is one that one element shows `REFRAIN` times. Of two copies the
    one that is shown is kept, else the first.

    Parameters
    ----------
    texts
        Of b blocks in document order.
    words
        float64, shape (b,): their words.
    chosen
        bool, shape (b,): blocks of the text.
    hidden
        bool, shape (b,): blocks that are not painted, or whose names say so.
    parent
        int32, shape (b,): the element around each block's own.
    """
    kept = chosen.copy()
    places = np.flatnonzero(chosen).tolist()
    # The copy of a text that stays: the first that is shown, else the first.
    stays: dict[str, int] = {}
    times = Counter((texts[place], parent[place]) for place in places if not hidden[place])
    for place in sorted(places, key=lambda place: (bool(hidden[place]), place)):
        stays.setdefault(texts[place], place)
    rank = {place: number for number, place in enumerate(places)}
    for number, place in enumerate(places):
        first = stays[texts[place]]
        is_refrain = times[texts[place], parent[place]] >= REFRAIN and not hidden[place]
        if first == place or words[place] < LONG or is_refrain:
            continue
        kept[place] = not (
            (hidden[place] and not hidden[first])
            or any(_continues(places, texts, number, rank[first], step) for step in (-1, 1))
        )
    return kept


def _continues(places: list[int], texts: Sequence[str], one: int, other: int, step: int) -> bool:
    """Whether another text that stands beside one chosen block stands beside the other, too."""
    beside = one + step, other + step
    if min(beside) < 0 or max(beside) >= len(places) or one in beside:
        return False
    return texts[places[beside[0]]] == texts[places[beside[1]]] != texts[places[one]]
