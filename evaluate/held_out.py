"""Models and sites learned without the page that they judge: folds, and a site's other posts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from ..errors import MioloError
from ..extract.learn_site import learn_site
from ..models.article.model import Reader
from ..models.site import Site
from ..renderer.page.snapshot import Snapshot
from .case import Case
from .site_sets import SiteCases
from .systems import OfPage

MAX_LEARNED = 50
"""Maximum number of posts from which a site is learned."""

ENOUGH = 10
"""Number of other posts from which on a site is learned once for all its judged posts."""

PARTS = 5
"""Number of folds of the judged posts if there are fewer other posts than `ENOUGH`."""


def out_of_fold(
    cases: Sequence[Case], number: Sequence[int], train: Callable[[Sequence[Case]], Any]
) -> OfPage:
    """A model for each page, trained on the pages of the other folds.

    `train` is called at most once per fold, when a page of the fold is read.
    """
    fold_of = {(case.set, case.id): fold for case, fold in zip(cases, number, strict=True)}

    @cache
    def model(fold: int) -> Any:
        return train([case for case in cases if fold_of[case.set, case.id] != fold])

    return lambda case: model(fold_of[case.set, case.id])


def learned_from(site: SiteCases, case: Case) -> tuple[Case, ...]:
    """Posts from which the site of a judged post is learned."""
    if len(site.others) >= ENOUGH:
        return site.others[:MAX_LEARNED]
    part = site.judged.index(case) % PARTS
    rest = [post for place, post in enumerate(site.judged) if place % PARTS != part]
    return (*rest, *site.others)[:MAX_LEARNED]


def site_inputs(sites: Sequence[SiteCases], model: OfPage | None = None) -> OfPage:
    """The site of each judged post, learned at its first use.

    `model` reads the pages from which a site is learned, on which the shipped reader was trained.
    """
    by_name = {site.judged[0].set: site for site in sites if site.judged}

    @lru_cache(maxsize=PARTS)
    def learn(posts: tuple[Case, ...], model: Reader | None) -> Site:
        return learn_site(_snapshots(posts), model=model)

    def site(case: Case) -> Site:
        posts = learned_from(by_name[case.set], case)
        return learn(posts, model(case) if model else None)

    return site


def _snapshots(posts: Sequence[Case]) -> Iterator[Snapshot]:
    """Snapshots of the posts; missing and damaged ones are skipped."""
    for post in posts:
        try:
            if post.saved.exists():
                yield Snapshot.load(post.saved)
        except MioloError:
            continue
