"""Readers trained out of fold, for `miolo evaluate --folds`."""

from __future__ import annotations

import asyncio
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..evaluate.case import Case
from ..evaluate.held_out import folds, out_of_fold
from ..evaluate.page_sets import page_cases
from ..evaluate.rendering import PAGE_OPTIONS, SITE_OPTIONS, render_missing
from ..evaluate.site_sets import site_cases
from ..evaluate.systems import MethodInputs
from ..evaluate.training.article_reader import kinds_of_pages, label_cases, train_cases
from ..models.article.model import Reader
from ..models.article.training import TrainingOptions
from .console import print_note, progress

__all__ = ["Teaching", "readers_out_of_fold", "teaching_cases"]

# Posts of each site to learn from.
POSTS = 12


@dataclass(frozen=True)
class Teaching:
    """What a reader learns from in addition to the pages of the other folds.

    Attributes
    ----------
    pages, sites
        Folders of pages, and a folder of sites.
    labels
        Folder of role labels of these pages; pages without labels are labelled by their text.
    folds
        Number of folds by domain; 0 for one fold per domain or site.
    """

    pages: tuple[Path, ...] = ()
    sites: Path | None = None
    labels: Path | None = None
    folds: int = 10


def teaching_cases(teaching: Teaching, cache: Path) -> list[Case]:
    """Pages to learn from, rendered if necessary; pages of an exam are excluded."""
    cases: list[Case] = []
    if teaching.pages:
        cases = page_cases(
            teaching.pages,
            cache,
            labels=teaching.labels,
            unlabelled=True,
            exam=False,
            log=print_note,
        )
    if teaching.sites:
        sites = site_cases(teaching.sites, cache, posts=POSTS, log=print_note)
        cases += [post for site in sites for post in site.judged]
    for options, on_site in ((SITE_OPTIONS, True), (PAGE_OPTIONS, False)):
        group = [case for case in cases if bool(case.site) is on_site]
        missing = [case for case in group if not case.saved.exists()]
        if missing:
            with progress("rendering", len(missing)) as advance:
                asyncio.run(render_missing(missing, options, log=print_note, advance=advance))
    return cases


def readers_out_of_fold(
    cases_to_judge: Sequence[Case], teaching: Teaching, cache: Path, options: TrainingOptions
) -> MethodInputs:
    """For each page, a reader trained without any page of the same domain or site."""
    number = folds(cases_to_judge, teaching.folds)
    further = teaching_cases(teaching, cache)

    @functools.cache
    def label_pages() -> list:
        # A page may be both judged and learned from: it is labelled once, and held out by group.
        cases = {(case.set, case.id): case for case in [*cases_to_judge, *further]}
        with progress("labelling", len(cases)) as advance:
            return label_cases(list(cases.values()), plain=True, report=print_note, advance=advance)

    def train(others: Sequence[Case]) -> Reader:
        held_out = {case.group for case in cases_to_judge} - {case.group for case in others}
        pages = [page for page in label_pages() if page.group not in held_out]
        reader = train_cases(pages, options, {}, print_note)
        # The shipped model of kinds was trained on the judged pages.
        return replace(reader, kinds=kinds_of_pages(pages))

    version = hashlib.sha256(repr((teaching, options)).encode()).hexdigest()[:16]
    return out_of_fold(cases_to_judge, number, train, version)
