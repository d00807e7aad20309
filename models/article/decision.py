"""From probabilities of blocks to the text of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ...patterns import lazy_re

LEAST, LEAST_IN_DOUBT = 0.2, 0.1
"""Probability below which no block is text, since a page of menus has none. The second is for pages
whose own content is less certain: those that are not articles, and articles that would have no text
with the first."""

FIRM = 0.6
"""Minimum probability of a remark that the text of an article begins or ends with."""

CERTAIN = 0.45
"""Threshold of a page of which only single blocks are uncertain; see `best_threshold`."""

STORY_HEADING = 3
"""Largest level number of the heading of a story: ``h3``."""

LOWEST_LEVEL = 6
"""Largest level number of a heading: ``h6``."""

MAIN_SHARE = 0.2
"""Minimum share of the text in the ``article`` element of the title. With less, the element is only
the head of the article."""

MIN_STORY = 60
"""Minimum number of words of an article that another story follows in the same element."""

MANY_STORIES = 3
"""Number of further stories from which the first may be a smaller share of the page's text, if all
are signed above their headings."""

HEAD_BLOCKS = 3
"""Number of blocks above or below the heading of a story among which its byline or date is."""

LONG = 8
"""Minimum number of words of a block that can be a copy, since short lines do repeat."""

REFRAIN = 3
"""A text that is shown at least this many times within one element is not treated as a copy."""

START = 40
"""Number of characters by which a beginning of a text is found in others."""

PULLED = 12
"""Number of letters and digits of which every run in a pull quote occurs in the text."""

NO_LETTERS = lazy_re(r"[\W_]+")

MAX_DIGITS = 6
"""Maximum number of digits of the number of a line."""

LINE_NUMBERS = lazy_re(r"[\d\s.]+")


def best_threshold(
    probability: NDArray[np.float64], words: NDArray[np.float64], least: float = LEAST
) -> float:
    """The probability from which the selection of blocks has the highest expected F1 by words.

    With probabilities p and words w, selecting the blocks above a threshold gives an expected F1 of
    approximately 2 sum(w p) over the selected blocks, divided by sum(w) over these plus sum(w p)
    over all blocks. The best threshold is half of the F1 that it achieves (Lipton, Elkan and
    Naryanaswamy, "Optimal thresholding of classifiers to maximize F1 measure", ECML PKDD 2014). It
    is one half on a page where all blocks are certain, and lower on an uncertain page, so that the
    selection is not empty. It is never below `least`, and infinite if nothing is likely.
    """
    mass = words * probability
    if not mass.sum() > 0:
        return float("inf")
    order = np.argsort(-probability, kind="stable")
    expected = 2 * np.cumsum(mass[order]) / (np.cumsum(words[order]) + mass.sum())
    return max(float(expected.max()) / 2, least)


def expected_f1(
    probability: NDArray[np.float64], words: NDArray[np.float64], kept: NDArray[np.bool_]
) -> float:
    """Expected F1 of a selection of blocks by words, in [0, 1]; 0 without words.

    It is approximated by a ratio of expectations, as in Ye et al., "Optimizing F-measure: a tale of
    two approaches", ICML 2012, section 3.
    """
    total = float(words[kept].sum() + (words * probability).sum())
    return 2 * float((words * probability)[kept].sum()) / total if total else 0.0


def group_means(
    probability: NDArray[np.float64], words: NDArray[np.float64], group: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Mean probability of each block's group, since either all entries of a list are text or none.

    Parameters
    ----------
    words
        float64, shape (b,): number of words of each block. The weight of a block is the square root
        of this number plus 1.
    group
        int64, shape (b,): group number of each block; the numbers are consecutive from 0.

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
    """bool, shape (b,): blocks of the stories that follow the article of a page.

    Many pages continue with the next story, which also looks like an article. It is recognised as
    another story if its ``article`` element follows that of the title and has a heading before its
    text.

    Parameters
    ----------
    article
        int32, shape (b,): outermost ``article`` element around each block, -1 for none.
    level
        float32, shape (b,): level of the heading that a block is in, more than 6 for none.
    title
        Index of the title's block, -1 for none.
    """
    other = np.zeros(len(article), bool)
    if title < 0 or article[title] < 0:
        return other
    is_text = probability >= 0.5
    mass = words * is_text
    if mass[article == article[title]].sum() < MAIN_SHARE * mass.sum():
        return other
    elements, of = np.unique(article, return_inverse=True)
    first_text, first_heading = np.full((2, len(elements)), len(article))
    for first, chosen in ((first_text, is_text), (first_heading, level <= STORY_HEADING)):
        np.minimum.at(first, of[chosen], chosen.nonzero()[0])
    begins = (first_text < len(article)) & (first_heading <= first_text)
    return (begins & (elements > article[title]))[of]


def following_stories(
    texts: Sequence[str],
    level: NDArray[np.float32],
    is_head: NDArray[np.bool_],
    title: int,
    probability: NDArray[np.float64],
    words: NDArray[np.float64],
    *,
    moved: bool = False,
) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks from where the next story begins, if it is in no element of its own.

    It begins at a heading as high as the title, ``h1``, with other words, that has text before and
    after it and a byline or a date below it, or above it as the title has. If the page's address
    has changed to that of another story, any heading as high as the title begins it, and lower ones
    do with a byline.

    Parameters
    ----------
    level
        float32, shape (b,): level of the heading that a block is in, more than 6 for none.
    is_head
        bool, shape (b,): bylines and dates.
    title
        Index of the title's block, -1 for none.
    moved
        Whether the address has changed.
    """
    other = np.zeros(len(texts), bool)
    if title < 0 or level[title] > (STORY_HEADING if moved else 1):
        return other
    is_text = probability >= 0.5
    mass = np.cumsum(words * is_text)
    lowest = max(level[title], STORY_HEADING) if moved else level[title]
    # A live blog has no sign above its title, although its entries may have the time above theirs.
    is_above = _signed_from(title, is_head, is_text) < title
    starts = list[int]()
    for heading in (level <= lowest).nonzero()[0].tolist():
        before = mass[heading] - mass[title]
        if heading <= title or texts[heading] == texts[title] or before < MIN_STORY:
            continue
        start = _signed_from(heading, is_head, is_text) if is_above else heading
        is_signed = start < heading or is_head[heading + 1 : heading + 1 + HEAD_BLOCKS].any()
        if (is_signed or (moved and level[heading] <= level[title])) and mass[-1] > mass[heading]:
            starts.append(start)
    # The first of many stories may be a small share of the page.
    if not is_above or len(starts) < MANY_STORIES:
        starts = [each for each in starts if mass[each] - mass[title] >= MAIN_SHARE * mass[-1]]
    for start in starts[:1]:
        other[start:] = True
    return other


def _signed_from(heading: int, is_head: NDArray[np.bool_], is_text: NDArray[np.bool_]) -> int:
    """The first of the bylines and dates right above a heading; the heading if there are none."""
    start = heading
    for above in range(heading - 1, max(heading - HEAD_BLOCKS, 0) - 1, -1):
        if is_head[above]:
            start = above
        elif is_text[above]:
            break
    return start


def without_doubtful_ends(
    kept: NDArray[np.bool_], probability: NDArray[np.float64], remark: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """A selection that neither begins nor ends with a block that is likely a remark.

    Notes and offers between an article and the rest of its page look more like text than they are:
    of the last blocks with a probability of .5 to .6 on labelled pages, one in twelve is text.

    `remark`: float64, shape (b,): probability that each block is a note or a call to action.
    """
    doubtful = (probability < FIRM) & (remark >= (1 - probability) / 2)
    selection, places = kept.copy(), kept.nonzero()[0]
    for place in (*places[:1], *places[-1:]):
        selection[place] = not doubtful[place]
    return selection


def without_copies(
    texts: Sequence[str],
    words: NDArray[np.float64],
    chosen: NDArray[np.bool_],
    hidden: NDArray[np.bool_],
    parent: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """The selection without repeated copies of a text.

    A page may contain its article twice: hidden, as a dump, or in a second rendering. A copy is a
    block of `LONG` words or more with the same text as another chosen block. It must also be hidden
    while the other is shown, or be next to a copy of another text. A hidden block is also a copy if
    several shown blocks together have its text. A line that occurs several times within one text is
    not treated as a copy, nor is a line that one element shows `REFRAIN` times. Of two copies the
    one that is shown is kept, else the first.

    Parameters
    ----------
    hidden
        bool, shape (b,): blocks that are not painted, or whose names indicate that they are hidden.
    parent
        int32, shape (b,): the parent of each block's element.
    """
    kept = chosen.copy()
    places = chosen.nonzero()[0].tolist()
    # The copy to keep of each text: the first that is shown, else the first.
    stays: dict[str, int] = {}
    times = Counter((texts[place], parent[place]) for place in places if not hidden[place])
    for place in sorted(places, key=lambda place: (bool(hidden[place]), place)):
        stays.setdefault(texts[place], place)
    rank = {place: number for number, place in enumerate(places)}
    has_hidden = bool((chosen & hidden).any())
    shown = _Run([texts[place] for place in places if has_hidden and not hidden[place]])
    for number, place in enumerate(places):
        first = stays[texts[place]]
        if words[place] < LONG:
            continue
        if hidden[place] and (not hidden[first] or shown.has(texts[place])):
            kept[place] = False
        elif first != place and (hidden[place] or times[texts[place], parent[place]] < REFRAIN):
            kept[place] = not any(
                _continues(places, texts, number, rank[first], step) for step in (-1, 1)
            )
    return kept


def pulled_quotes(
    texts: Sequence[str], quote: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool, shape (b,): quotations of the page's own text, which a layout repeats in large letters.

    A quotation is one if every run of `PULLED` letters and digits of it occurs in the blocks of the
    text that are no quotations. Shorter quotations are none.
    """
    pulled = np.zeros(len(texts), bool)
    runs: dict[int, set[str]] = {}
    for place in (quote & kept).nonzero()[0].tolist():
        letters = _letters(texts[place])
        starts = [*range(0, len(letters) - PULLED, PULLED), len(letters) - PULLED]
        if len(letters) >= PULLED:
            runs[place] = {letters[start : start + PULLED] for start in starts}
    if not runs:
        return pulled
    wanted = frozenset().union(*runs.values())
    text = " ".join(_letters(texts[place]) for place in (kept & ~quote).nonzero()[0].tolist())
    found = wanted.intersection(text[at : at + PULLED] for at in range(len(text) - PULLED + 1))
    pulled[[place for place, parts in runs.items() if parts <= found]] = True
    return pulled


def _letters(text: str) -> str:
    return NO_LETTERS.sub("", text).casefold()


def headings_alone(
    level: NDArray[np.floating],
    heading: NDArray[np.integer],
    kept: NDArray[np.bool_],
    shows: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """bool, shape (b,): headings of the text whose sections have nothing of the text.

    A section ends at the next heading of the same or a higher level, of the text or not. On a page
    whose text consists of headings, these are its content.

    Parameters
    ----------
    level
        Floats, shape (b,): level of the heading that each block is, more than `LOWEST_LEVEL` for
        none.
    heading
        Integers, shape (b,): node of the heading that each block is in, -1 for none. A heading with
        a permanent link may have several blocks.
    shows
        bool, shape (b,): blocks that are followed by something without text, such as a picture,
        before the next block.
    """
    alone = np.zeros(len(level), bool)
    is_heading = level <= LOWEST_LEVEL
    if not (kept & ~is_heading).any():
        return alone
    # Whether the section that a heading of each level would begin here has text.
    has_text = [False] * (LOWEST_LEVEL + 1)
    places = (kept | is_heading).nonzero()[0][::-1]
    columns = (each[places].tolist() for each in (level, heading, kept, shows))
    last, is_empty = -1, False
    for place, rank, head, is_kept, is_shown in zip(places.tolist(), *columns, strict=True):
        if rank > LOWEST_LEVEL:
            has_text = [True] * len(has_text)
            continue
        if head < 0 or head != last:
            rank, last = int(rank), head
            if is_kept and is_shown:
                has_text = [True] * len(has_text)
            is_empty = not has_text[rank]
            has_text[rank:] = [False] * (len(has_text) - rank)
        alone[place] = is_kept and is_empty
    return alone


class _Run:
    """Texts of consecutive blocks, joined without their spaces."""

    def __init__(self, texts: Sequence[str]) -> None:
        parts = [_without_spaces(text) for text in texts]
        self._joined = "".join(parts)
        self._starts: dict[str, int] = {}
        for start in accumulate(map(len, parts[:-1]), initial=0):
            self._starts.setdefault(self._joined[start : start + START], start)

    def has(self, text: str) -> bool:
        """Whether the run has a text that begins where one of its blocks begins.

        Only the first block with the same beginning is tried, so that the time is linear.
        """
        part = _without_spaces(text)
        start = self._starts.get(part[:START])
        return start is not None and self._joined.startswith(part, start)


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def listings_between(
    texts: Sequence[str],
    is_pre: NDArray[np.bool_],
    candidate: NDArray[np.bool_],
    kept: NDArray[np.bool_],
    probability: NDArray[np.float64],
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Code listings between two blocks of the text, which refers to them.

    A listing has few features of text. It belongs to the text if the nearest blocks before and
    after it that are not listings both do. Line numbers do not.

    `is_pre`, `candidate`, `kept`: bool, shape (b,): blocks that are ``pre`` elements, blocks that
    can be such listings, and blocks of the text.

    bool, shape (b,): candidates between blocks of the text; and float64, shape (b,): the
    probabilities, where such a listing has the lower one of the two blocks around it.
    """
    listing = is_pre & candidate
    if not listing.any():
        return listing, probability
    places = np.arange(len(texts))
    before = np.maximum.accumulate(np.where(is_pre, -1, places))
    after = np.minimum.accumulate(np.where(is_pre, len(texts), places)[::-1])[::-1]
    # Places before the first block and after the last one refer to the added False.
    in_text = np.append(kept, False)
    listing &= in_text[before] & in_text[after]
    for place in listing.nonzero()[0].tolist():
        listing[place] = not LINE_NUMBERS.fullmatch(texts[place])
    around = np.minimum(probability[before], probability[after % len(texts)])
    return listing, np.where(listing, around, probability)


def line_numbers(texts: Sequence[str], is_pre: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks of the numbers of the lines of the listing that follows.

    They are consecutive, and as many as the listing has lines, or one more or less. A program may
    print consecutive numbers, too.

    Parameters
    ----------
    texts
        Texts of the blocks with their line breaks.
    is_pre
        bool, shape (b,): blocks that are ``pre`` elements.
    """
    numbers = np.zeros(len(texts), bool)
    for place in (is_pre[:-1] & is_pre[1:]).nonzero()[0].tolist():
        lines = texts[place].split()
        if len(lines) > 1 and len(lines[0]) <= MAX_DIGITS and lines[0].isdecimal():
            first = int(lines[0])
            of_listing = len(texts[place + 1].rstrip().splitlines())
            numbers[place] = abs(of_listing - len(lines)) <= 1 and all(
                line == str(number) for number, line in enumerate(lines, first)
            )
    return numbers


def _continues(places: list[int], texts: Sequence[str], one: int, other: int, step: int) -> bool:
    """Whether two chosen blocks are next to the same other text, on the side given by `step`."""
    beside = one + step, other + step
    if min(beside) < 0 or max(beside) >= len(places) or one in beside:
        return False
    return texts[places[beside[0]]] == texts[places[beside[1]]] != texts[places[one]]
