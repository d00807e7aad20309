"""Models and sites learned without the page that they judge: folds, and a site's other posts."""

from __future__ import annotations

import hashlib
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
from .systems import MethodInputs

MAX_LEARNED = 50
"""Maximum number of posts from which a site is learned."""

ENOUGH = 10
"""Number of other posts from which on a site is learned once for all its judged posts."""

PARTS = 5
"""Number of folds of the judged posts if there are fewer other posts than `ENOUGH`."""


def out_of_fold(
    cases: Sequence[Case],
    number: Sequence[int],
    train: Callable[[Sequence[Case]], Any],
    version: str = "",
) -> MethodInputs:
    """A model for each page, trained on the pages of the other folds.

    `train` is called at most once per fold, and only if answers are missing; `version` stands for
    its settings and additional pages.
    """
    place = {(case.set, case.id): fold for case, fold in zip(cases, number, strict=True)}
    models: dict[int, Any] = {}

    def others(fold: int) -> list[Case]:
        return [case for case, of in zip(cases, number, strict=True) if of != fold]

    def model(case: Case) -> Any:
        fold = place[case.set, case.id]
        if fold not in models:
            models[fold] = train(others(fold))
        return models[fold]

    digests = {
        fold: _hash("\n".join(f"{case.set}/{case.id}\n{case.text}" for case in others(fold)))
        for fold in set(place.values())
    }
    return MethodInputs(
        model, lambda case: f"{version} {digests[place[case.set, case.id]]}".strip()
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def learned_from(site: SiteCases, case: Case) -> tuple[Case, ...]:
    """Posts from which the site of a judged post is learned."""
    if len(site.others) >= ENOUGH:
        return site.others[:MAX_LEARNED]
    part = site.judged.index(case) % PARTS
    rest = [post for place, post in enumerate(site.judged) if place % PARTS != part]
    return (*rest, *site.others)[:MAX_LEARNED]


def site_inputs(sites: Sequence[SiteCases], model: MethodInputs | None = None) -> MethodInputs:
    """The site of each judged post, learned at its first use.

    `model` reads the pages from which a site is learned, on which the shipped reader was trained.
    """
    by_name = {site.judged[0].set: site for site in sites if site.judged}

    @lru_cache(maxsize=PARTS)
    def learn(posts: tuple[Case, ...], model: Reader | None) -> Site:
        return learn_site(_snapshots(posts), model=model)

    def site(case: Case) -> Site:
        posts = learned_from(by_name[case.set], case)
        return learn(posts, model.value(case) if model else None)

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
    """Snapshots of the posts; missing and damaged ones are skipped."""
    for post in posts:
        try:
            if post.saved.exists():
                yield Snapshot.load(post.saved)
        except MioloError:
            continue
