"""Models trained out of fold, for `miolo evaluate --folds`."""

from __future__ import annotations

import asyncio
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...models.article.forest import Forest
from ...models.article.model import ArticleModel
from ...models.article.samples import Sample
from ...models.article.training import TrainingOptions, train_general
from ..evaluation.case import Case
from ..evaluation.folds import folds, out_of_fold
from ..evaluation.page_sets import page_cases
from ..evaluation.rendering import PAGE_OPTIONS, SITE_OPTIONS, render_missing
from ..evaluation.site_sets import site_cases
from ..evaluation.systems import Given
from ..train_article import Curriculum, label_cases, train_cases
from .app import complain
from .progress import progress

__all__ = ["Teaching", "models_out_of_fold", "teaching_cases"]

# Posts of a site that are learned from.
POSTS = 12

GENERAL_KINDS = ("article", "documentation", "service")
"""Types of the general pages that are learned from: those whose content is one text."""


@dataclass(frozen=True)
class Teaching:
    """What a model learns from beside the pages of the other folds.

    Attributes
    ----------
    pages, sites
        Whose conventions are learned: folders of pages, and a folder of sites.
    general
        Folders of pages of other conventions; of them those of `GENERAL_KINDS`.
    folds
        Folds by domain; 0 for one a domain or site.
    static
        Learn each page as plain HTML too.
    """

    pages: tuple[Path, ...] = ()
    sites: Path | None = None
    general: tuple[Path, ...] = ()
    folds: int = 10
    static: bool = False


def teaching_cases(teaching: Teaching, cache: Path) -> tuple[list[Case], list[Case]]:
    """Pages of the conventions, and general ones, rendered where they are not yet."""
    target = page_cases(teaching.pages, cache, tell=complain) if teaching.pages else []
    if teaching.sites:
        found = site_cases(teaching.sites, cache, posts=POSTS, tell=complain)
        target += [post for site in found for post in site.judged]
    general: list[Case] = []
    if teaching.general:
        general = page_cases(teaching.general, cache, kinds=GENERAL_KINDS, tell=complain)
    for options, on_site in ((SITE_OPTIONS, True), (PAGE_OPTIONS, False)):
        cases = [case for case in (*target, *general) if bool(case.site) is on_site]
        missing = [case for case in cases if not case.saved.exists()]
        if missing:
            with progress("rendering", len(missing)) as advance:
                asyncio.run(render_missing(missing, options, tell=complain, advance=advance))
    return target, general


def models_out_of_fold(
    judged: Sequence[Case], teaching: Teaching, cache: Path, options: TrainingOptions
) -> Given:
    """For each page a model that has seen no page of its domain or site."""
    number = folds(judged, teaching.folds)
    target, general = teaching_cases(teaching, cache)

    @functools.cache
    def curriculum() -> Curriculum:
        # A page may be judged and taught: it is labelled once, and held out by its group.
        taught = list(dict.fromkeys([*judged, *target]))
        return Curriculum(_labelled(taught, teaching), _labelled(general, teaching))

    @functools.cache
    def general_forest() -> Forest | None:
        apart = curriculum().without(page.group for page in curriculum().target)
        return train_general(apart.general, options) if apart.general else None

    def train(others: Sequence[Case]) -> ArticleModel:
        held_out = {case.group for case in judged} - {case.group for case in others}
        lessons = curriculum().without(held_out)
        return train_cases(lessons, options, {}, complain, general_forest())

    version = hashlib.sha256(repr((teaching, options)).encode()).hexdigest()[:16]
    return out_of_fold(judged, number, train, version)


def _labelled(cases: Sequence[Case], teaching: Teaching) -> tuple[Sample, ...]:
    with progress("labelling", len(cases)) as advance:
        return label_cases(cases, static=teaching.static, tell=complain, advance=advance)
