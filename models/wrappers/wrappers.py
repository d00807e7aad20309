"""Wrappers: from a pile of pages of one site to a pattern for each of its templates.

Source: the RTDM dissertation, chapter 4: pages are clustered, the pages of a cluster are
composed into a pattern, and the body and the title are identified among what varies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...features.outline import Outline
from ...features.page_tree import Labels, PageTree
from ..trees.subtree_classes import SubtreeClasses
from .clusters import Linkage, cluster_trees
from .matching import Match, best_match, match_pattern
from .passages import MIN_BODY_WORDS, TemplateField, passages, title_of
from .patterns import Pattern, compose
from .promotion import LITERAL, Promotion, promote

__all__ = [
    "MAX_NODES",
    "Learning",
    "Wrapper",
    "WrapperOptions",
    "learn_wrappers",
    "matching_wrapper",
]


MAX_NODES = 20_000
"""Nodes of a page's tree that wrappers are made from and tried on, at most.

Two rows of so many children fill 400 million cells. Real pages have some thousand nodes; one
that has more is not a page of any template.
"""


@dataclass(frozen=True)
class WrapperOptions:
    """How wrappers are learned.

    Attributes
    ----------
    similarity, linkage
        Of pages that share a template; see `cluster_trees`. The dissertation's 80 %.
    labels
        What labels elements; see `page_tree`. Each gives wrappers of its own, and a page is
        tried with those of the first, then of the second. More specific labels align pages
        better; plainer ones take more pages.
    literal
        Wildcards are merged, and body and title identified, by the dissertation's rules.
    """

    similarity: float = 0.8
    linkage: Linkage = "average"
    labels: tuple[Labels, ...] = ("classes", "tags")
    literal: bool = False


@dataclass(frozen=True, eq=False)
class Wrapper:
    """What one template's pages have in common, and where the news stands in it.

    Attributes
    ----------
    template
        Number of the cluster of pages that it was made from.
    labels
        What labels its elements.
    pattern
        Takes every page that it was made from.
    urls
        Those pages.
    body, title
        Nodes of the pattern where they stand; None where that is not known, and where the
        rules are the dissertation's, which choose on each page anew.
    """

    template: int
    labels: Labels
    pattern: Pattern
    urls: tuple[str, ...]
    body: int | None = None
    title: int | None = None


@dataclass(frozen=True)
class Learning:
    """Result of learning.

    Attributes
    ----------
    wrappers
        For each kind of labels, one for each cluster of two pages or more, in the order of
        their first pages.
    alone
        Places of the pages that are like no other, or larger than `MAX_NODES`.
    accepted
        For each page, whether the pattern made of the pages before it took it already.
    """

    wrappers: tuple[Wrapper, ...]
    alone: tuple[int, ...]
    accepted: tuple[bool, ...] = field(repr=False)


def learn_wrappers(
    pages: Mapping[Labels, Sequence[PageTree]],
    outlines: Sequence[Outline],
    urls: Sequence[str],
    options: WrapperOptions | None = None,
) -> Learning:
    """Learn the wrappers of a site.

    Parameters
    ----------
    pages
        Trees of m pages, labelled in each way that the options name.
    outlines, urls
        Outlines and addresses of the same pages.
    options
        See `WrapperOptions`.
    """
    options = options or WrapperOptions()
    clusters = _clusters(pages[options.labels[0]], outlines, options)
    sizes = np.bincount(clusters)
    accepted = np.zeros(len(urls), bool)
    wrappers: list[Wrapper] = []
    for labels in options.labels:
        for template in np.flatnonzero(sizes > 1).tolist():
            members = np.flatnonzero(clusters == template).tolist()
            group = [pages[labels][i] for i in members]
            pattern, pages_taken = _compose(group, LITERAL if options.literal else Promotion())
            accepted[members] |= pages_taken
            places = (None, None) if options.literal else _places(pattern, group)
            addresses = tuple(urls[i] for i in members)
            wrappers.append(Wrapper(template, labels, pattern, addresses, *places))
    alone = np.flatnonzero(sizes[clusters] == 1).tolist()
    return Learning(tuple(wrappers), tuple(alone), tuple(accepted.tolist()))


def _clusters(
    pages: Sequence[PageTree], outlines: Sequence[Outline], options: WrapperOptions
) -> NDArray[np.int32]:
    """Cluster of each page; a page that is too large has one of its own."""
    clusters = np.full(len(pages), -1, np.int32)
    fit = [i for i, page in enumerate(pages) if len(page) <= MAX_NODES]
    classes = SubtreeClasses()
    trees = [classes.tree(outlines[i].parent, outlines[i].labels) for i in fit]
    clusters[fit] = cluster_trees(trees, options.similarity, options.linkage)
    large = clusters < 0
    clusters[large] = clusters.max(initial=-1) + 1 + np.arange(large.sum())
    return clusters


def matching_wrapper(
    wrappers: Sequence[Wrapper], page: PageTree, *, literal: bool = False
) -> tuple[Wrapper, Match] | None:
    """The wrapper that takes a page best, and how; None where none does. See `best_match`."""
    if len(page) > MAX_NODES:
        return None
    pattern_match = best_match([wrapper.pattern for wrapper in wrappers], page, literal=literal)
    return None if pattern_match is None else (wrappers[pattern_match[0]], pattern_match[1])


def _compose(pages: Sequence[PageTree], rules: Promotion) -> tuple[Pattern, list[bool]]:
    """The pattern of some pages, and which of them it took before it had seen them."""
    classes = SubtreeClasses()
    pattern = Pattern.of_page(pages[0].parent, pages[0].labels)
    accepted = [False]
    for page in pages[1:]:
        accepted.append(match_pattern(pattern, page) is not None)
        if not accepted[-1]:
            other = Pattern.of_page(page.parent, page.labels)
            pattern = promote(compose(pattern, other, classes), rules)
    return pattern, accepted


def _places(pattern: Pattern, pages: Sequence[PageTree]) -> tuple[int | None, int | None]:
    """Where body and title stand: where most of the words outside of links do on all pages.

    Not in the dissertation, which chooses on each page anew: a short article would lose its
    body, and a long menu could win.
    """
    found_fields = [_passages(pattern, page) for page in pages]
    total: Counter[int] = Counter()
    for passage in (passage for page in found_fields for passage in page):
        total[passage.place] += passage.words - passage.linked_words
    if not total:
        return None, None
    body = max(total, key=lambda place: (total[place], -place))
    longest = max((p.words for page in found_fields for p in page if p.place == body), default=0)
    if longest <= MIN_BODY_WORDS:
        return None, None
    return body, _title_place(found_fields, body)


def _passages(pattern: Pattern, page: PageTree) -> tuple[TemplateField, ...]:
    match = match_pattern(pattern, page)
    assert match is not None, "a pattern takes every page that it was made from"
    return passages(pattern, match, page)


def _title_place(fields: Sequence[Sequence[TemplateField]], body: int) -> int | None:
    """The heading before the body that most pages would take for their title.

    Only a heading: near a body stand its date and its tags too, whose words are in it.
    """
    votes: Counter[int] = Counter()
    for page in fields:
        at = next((i for i, passage in enumerate(page) if passage.place == body), len(page))
        before = [passage for passage in page[:at] if passage.heads]
        title = title_of([*before, *page[at : at + 1]], len(before)) if at < len(page) else None
        if title is not None:
            votes[before[title].place] += 1
    return max(votes, key=lambda place: (votes[place], place), default=None)
