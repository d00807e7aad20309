"""Models trained out of fold, for `miolo evaluate --folds`."""

from __future__ import annotations

import asyncio
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...models.article.conventions import LESSONS, Convention
from ...models.article.forest import Forest
from ...models.article.model import ArticleModel
from ...models.article.training import TrainingOptions, learn_judge
from ..evaluation.case import Case
from ..evaluation.folds import folds, out_of_fold
from ..evaluation.page_sets import page_cases
from ..evaluation.rendering import PAGE_OPTIONS, SITE_OPTIONS, render_missing
from ..evaluation.site_sets import site_cases
from ..evaluation.systems import Given
from ..train_article import (
    Curriculum,
    general_forest,
    kinds_of_pages,
    label_cases,
    train_cases,
)
from .app import complain
from .progress import progress

__all__ = ["Teaching", "models_out_of_fold", "teaching_cases"]

# Posts of a site that are learned from.
POSTS = 12


@dataclass(frozen=True)
class Teaching:
    """What a model learns from beside the pages of the other folds.

    Attributes
    ----------
    pages, sites
        Folders of pages, and a folder of sites.
    folds
        Folds by domain; 0 for one a domain or site.
    static
        Learn each page as plain HTML too.
    """

    pages: tuple[Path, ...] = ()
    sites: Path | None = None
    folds: int = 10
    static: bool = False


def teaching_cases(teaching: Teaching, cache: Path) -> list[Case]:
    """Pages to learn from, rendered where they are not yet."""
    found = page_cases(teaching.pages, cache, tell=complain) if teaching.pages else []
    if teaching.sites:
        sites = site_cases(teaching.sites, cache, posts=POSTS, tell=complain)
        found += [post for site in sites for post in site.judged]
    for options, on_site in ((SITE_OPTIONS, True), (PAGE_OPTIONS, False)):
        cases = [case for case in found if bool(case.site) is on_site]
        missing = [case for case in cases if not case.saved.exists()]
        if missing:
            with progress("rendering", len(missing)) as advance:
                asyncio.run(render_missing(missing, options, tell=complain, advance=advance))
    return found


def models_out_of_fold(
    judged: Sequence[Case],
    teaching: Teaching,
    conventions: Sequence[Convention],
    cache: Path,
    options: TrainingOptions,
) -> Given:
    """For each page a model that has seen no page of its domain or site."""
    number = folds(judged, teaching.folds)
    # What no fold takes a page from is learned once.
    learn = functools.cache(learn_judge)
    target = teaching_cases(teaching, cache)

    @functools.cache
    def curriculum() -> Curriculum:
        # A page may be judged and taught: it is labelled once, and held out by its group.
        taught = list(dict.fromkeys([*judged, *target]))
        with progress("labelling", len(taught)) as advance:
            pages = label_cases(taught, static=teaching.static, tell=complain, advance=advance)
        return Curriculum(pages)

    @functools.cache
    def general() -> Forest | None:
        return general_forest(
            curriculum().without(case.group for case in judged), options, complain
        )

    def train(others: Sequence[Case]) -> ArticleModel:
        held_out = {case.group for case in judged} - {case.group for case in others}
        lessons = curriculum().without(held_out)
        model = train_cases(lessons, options, {}, complain, general(), conventions, learn)
        # The kinds that come with the package were learned from the judged pages.
        return replace(model, kinds=kinds_of_pages(lessons))

    version = hashlib.sha256(repr((teaching, options, LESSONS)).encode()).hexdigest()[:16]
    return out_of_fold(judged, number, train, version)
