"""What is known of a page's site, learned from its other posts and never from the page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from ..errors import MioloError
from ..extract.learn_site import learn_site
from ..models.article.model import Reader
from ..models.site import Site
from ..renderer.snapshot import Snapshot
from .case import Case
from .site_sets import SiteCases
from .systems import MethodInputs

__all__ = ["learned_from", "sites_given"]

MAX_LEARNED = 50
"""Posts that a site is learned from, at most."""

ENOUGH = 10
"""Posts beside the judged ones from which a site is learned once, for all of these."""

PARTS = 5
"""Where there are fewer, judged posts are cut into so many parts; each is judged by the others."""


def learned_from(site: SiteCases, case: Case) -> tuple[Case, ...]:
    """Posts that the site of a judged post is learned from.

    Parameters
    ----------
    site
        All its posts.
    case
        One of the judged.
    """
    if len(site.others) >= ENOUGH:
        return site.others[:MAX_LEARNED]
    part = site.judged.index(case) % PARTS
    rest = [post for place, post in enumerate(site.judged) if place % PARTS != part]
    return (*rest, *site.others)[:MAX_LEARNED]


def sites_given(sites: Sequence[SiteCases], model: MethodInputs | None = None) -> MethodInputs:
    """For each judged post its site; learned when it is asked for, one after the other.

    Parameters
    ----------
    sites
        The sites.
    model
        What judges pages that are learned from, instead of the model that comes with the package:
        that has seen them.
    """
    by_name = {site.judged[0].set: site for site in sites if site.judged}

    @lru_cache(maxsize=PARTS)
    def learned(posts: tuple[Case, ...], model: Reader | None) -> Site:
        return learn_site(_snapshots(posts), model=model)

    def site(case: Case) -> Site:
        posts = learned_from(by_name[case.set], case)
        return learned(posts, model.value(case) if model else None)

    def version(case: Case) -> str:
        made_by = f" {model.version(case)}" if model else ""
        return f"site {digest(learned_from(by_name[case.set], case))}{made_by}"

    @cache
    def digest(posts: tuple[Case, ...]) -> str:
        kept = hashlib.sha256()
        for post in posts:
            kept.update(post.saved.read_bytes() if post.saved.exists() else b"")
        return kept.hexdigest()[:12]

    return MethodInputs(site, version)


def _snapshots(posts: Sequence[Case]) -> Iterator[Snapshot]:
    """Those that could be rendered and can be read."""
    for post in posts:
        try:
            if post.saved.exists():
                yield Snapshot.load(post.saved)
        except MioloError:
            continue
