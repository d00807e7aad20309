"""Wrappers: patterns for the templates of a site, learned from its pages.

Source: the RTDM dissertation, chapter 4: pages are clustered, the pages of a cluster are
composed into a pattern, and the body and the title are identified among the varying parts.
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
from .passages import MIN_BODY_WORDS, Passage, passages, title_of
from .patterns import Pattern, compose, promote

MAX_NODES = 20_000
"""Maximum nodes of a page's tree for learning wrappers and for matching them.

Two rows of this many children fill 400 million cells. Real pages have some thousand nodes; a
larger page is not treated as a page of any template.
"""


@dataclass(frozen=True)
class WrapperOptions:
    """How wrappers are learned."""

    similarity: float = 0.8
    linkage: Linkage = "average"
    """Threshold and linkage for pages that share a template; see `cluster_trees`. The threshold is
    80 % in the dissertation."""
    labels: tuple[Labels, ...] = ("classes", "tags")
    """How elements are labelled; see `page_tree`. Each kind of labels has its own wrappers, which
    are tried on a page in the given order. More specific labels align pages better; less specific
    ones accept more pages."""
    literal: bool = False
    """Merge wildcards and identify body and title by the dissertation's rules."""


@dataclass(frozen=True, eq=False)
class Wrapper:
    """The pattern of one template, and the position of body and title in it."""

    template: int
    """Number of the cluster of pages that it was learned from."""
    labels: Labels
    """How its elements are labelled."""
    pattern: Pattern
    """The pattern, which matches every page that it was learned from."""
    urls: tuple[str, ...]
    """URLs of these pages."""
    body: int | None = None
    title: int | None = None
    """Nodes of the pattern; None if unknown, and with the dissertation's rules, which choose anew
    on each page."""


@dataclass(frozen=True)
class Learning:
    """Result of learning."""

    wrappers: tuple[Wrapper, ...]
    """For each kind of labels, one wrapper for each cluster of two or more pages, in the order of
    their first pages."""
    alone: tuple[int, ...]
    """Indices of the pages that are similar to no other page or larger than `MAX_NODES`."""
    accepted: tuple[bool, ...] = field(repr=False)
    """For each page, whether the pattern of the pages before it already matched it."""


def learn_wrappers(
    pages: Mapping[Labels, Sequence[PageTree]],
    outlines: Sequence[Outline],
    urls: Sequence[str],
    options: WrapperOptions | None = None,
) -> Learning:
    """Learn the wrappers of a site.

    `pages`: Trees of m pages for each kind of labels in the options.
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
            pattern, pages_taken = _compose(group, literal=options.literal)
            accepted[members] |= pages_taken
            places = (None, None) if options.literal else _places(pattern, group)
            addresses = tuple(urls[i] for i in members)
            wrappers.append(Wrapper(template, labels, pattern, addresses, *places))
    alone = np.flatnonzero(sizes[clusters] == 1).tolist()
    return Learning(tuple(wrappers), tuple(alone), tuple(accepted.tolist()))


def _clusters(
    pages: Sequence[PageTree], outlines: Sequence[Outline], options: WrapperOptions
) -> NDArray[np.int32]:
    """Cluster of each page; a page that is too large has a cluster of its own."""
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
    """The wrapper that matches a page best, and the match; None if none does. See `best_match`."""
    if len(page) > MAX_NODES:
        return None
    pattern_match = best_match([wrapper.pattern for wrapper in wrappers], page, literal=literal)
    return None if pattern_match is None else (wrappers[pattern_match[0]], pattern_match[1])


def _compose(pages: Sequence[PageTree], *, literal: bool) -> tuple[Pattern, list[bool]]:
    """The pattern of some pages, and which of them it matched before learning from them."""
    classes = SubtreeClasses()
    pattern = Pattern.of_page(pages[0].parent, pages[0].labels)
    accepted = [False]
    for page in pages[1:]:
        accepted.append(match_pattern(pattern, page) is not None)
        if not accepted[-1]:
            other = Pattern.of_page(page.parent, page.labels)
            pattern = promote(compose(pattern, other, classes), literal=literal)
    return pattern, accepted


def _places(pattern: Pattern, pages: Sequence[PageTree]) -> tuple[int | None, int | None]:
    """Nodes of body and title: the body has the most words outside links over all pages.

    Not in the dissertation, which chooses anew on each page: a short article would lose its body,
    and a long menu could win.
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


def _passages(pattern: Pattern, page: PageTree) -> tuple[Passage, ...]:
    match = match_pattern(pattern, page)
    assert match is not None, "a pattern must match every page that it was made from"
    return passages(pattern, match, page)


def _title_place(fields: Sequence[Sequence[Passage]], body: int) -> int | None:
    """The heading before the body that is the title on most pages.

    Only headings are considered, since the date and the tags near a body also share words with it.
    """
    votes: Counter[int] = Counter()
    for page in fields:
        at = next((i for i, passage in enumerate(page) if passage.place == body), len(page))
        before = [passage for passage in page[:at] if passage.in_heading]
        title = title_of([*before, *page[at : at + 1]], len(before)) if at < len(page) else None
        if title is not None:
            votes[before[title].place] += 1
    return max(votes, key=lambda place: (votes[place], place), default=None)
