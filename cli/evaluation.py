"""Implementation of `miolo evaluate`."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ..collect.batch.files import file_of
from ..errors import MissingSiteError, UnknownMethodError
from ..evaluate.case import Case
from ..evaluate.evaluation_run import run_systems
from ..evaluate.held_out import learned_from, out_of_fold, site_inputs
from ..evaluate.page_sets import collection_cases, page_cases
from ..evaluate.rendering import (
    PAGE_OPTIONS,
    SITE_OPTIONS,
    chosen_options,
    draw_cases,
    render_missing,
)
from ..evaluate.role_scores import confusion_picture, judge_roles, role_table
from ..evaluate.site_sets import SiteCases, site_cases
from ..evaluate.summary import JudgedRun, judge, summary, table
from ..evaluate.systems import OfPage, OwnMethod, System, peer_systems
from ..evaluate.training.adaptation import TRAINED_ON
from ..evaluate.training.article_reader import kinds_of_pages, label_cases, train_cases
from ..evaluate.worst import picture_of, worst_cases, write_worst
from ..extract.methods.registry import DEFAULT_METHOD, find_method
from ..models.article.model import Reader
from ..models.article.roles import Preset, role_set
from ..models.article.training import TrainingOptions, group_folds
from ..renderer.options import RenderOptions
from .console import counted, print_note, print_rows, progress
from .evaluation_options import Evaluation, split
from .page_sources import load_model


def run_evaluation(chosen: Evaluation) -> None:
    """Render missing pages, compute and score all answers, after refusing what cannot be used."""
    names = split(chosen.methods) or (() if chosen.peers else (DEFAULT_METHOD,))
    _refuse(names, chosen)
    others = peer_systems(split(chosen.peers), chosen.reads)
    cases, sites = _material(chosen)
    models: dict[str, OfPage] = {}
    if chosen.folds is not None:
        own_reader = readers_out_of_fold(cases, chosen.folds)
        models = {name: own_reader for name in names if _reads_roles(name)}
    site = site_inputs(sites, next(iter(models.values()), None)) if chosen.with_site else None
    preset = cast(Preset, chosen.preset)
    own = own_systems(names, site, models, preset)
    if chosen.model is not None:
        own += _with_file(names, chosen.model, preset, cases)
    run = _judge(chosen, cases, sites, [*own, *others])
    figures = summary(run)
    # With --model, the roles are those of the trained model, which follows the shipped one.
    reader = next((each for each in reversed(own) if _reads_roles(each.method)), None)
    if reader and (chosen.labels or chosen.labelled_collection):
        roles = judge_roles(reader, cases)
        figures["roles"] = {"system": reader.name, **roles.figures()}
        if chosen.confusion:
            chosen.confusion.write_text(confusion_picture(roles), encoding="utf-8")
            print_note(f"confusion matrix of roles written to {chosen.confusion}")
    _print_figures(figures, chosen)
    if chosen.report:
        _report(run, own[0], chosen, chosen.report)


def readers_out_of_fold(cases: Sequence[Case], folds: int) -> OfPage:
    """For each page, a reader trained without its domain or site; 0 folds are one for each."""

    @functools.cache
    def label_pages() -> list:
        with progress("labelling", len(cases)) as advance:
            return label_cases(cases, plain=True, report=print_note, advance=advance)

    def train(others: Sequence[Case]) -> Reader:
        held_out = {case.group for case in cases} - {case.group for case in others}
        pages = [page for page in label_pages() if page.group not in held_out]
        reader = train_cases(pages, TrainingOptions(), {}, print_note)
        # The shipped model of kinds was trained on the judged pages.
        return replace(reader, kinds=kinds_of_pages(pages))

    return out_of_fold(cases, group_folds([case.group for case in cases], folds).tolist(), train)


def _with_file(
    names: Sequence[str], file: Path, preset: Preset, cases: Sequence[Case]
) -> list[OwnMethod]:
    """The methods that accept a model, with that of a file."""
    able = [name for name in names if find_method(name).model_type is not None]
    if not able:
        raise UnknownMethodError(f"--model is not used by {', '.join(names)}")
    systems = []
    for name in able:
        model = load_model(file, name)
        trained_on = set(getattr(model, "provenance", {}).get(TRAINED_ON, ()))
        if seen := sum(case.id in trained_on for case in cases):
            print_note(
                f"{file.name} was trained on {seen} of {counted(len(cases), 'page')}, so its score "
                "is too good; `miolo train` prints its score on pages that it has not seen"
            )
        own = OwnMethod(
            f"{name}+{file.name}", name, model=lambda case, model=model: model, preset=preset
        )
        systems.append(own)
    return systems


def own_systems(
    names: Sequence[str],
    site: OfPage | None,
    models: Mapping[str, OfPage],
    preset: Preset,
) -> list[OwnMethod]:
    """Methods as systems; one that uses a site but does not need it counts with and without it."""
    systems = []
    for name in names:
        method, model = find_method(name), models.get(name)
        systems.append(OwnMethod(name, name, site if method.needs_site else None, model, preset))
        if method.uses_site and site:
            systems.append(OwnMethod(f"{name}+site", name, site, model, preset))
    return systems


def _refuse(names: Sequence[str], chosen: Evaluation) -> None:
    for name in names:
        if find_method(name).needs_site and not chosen.with_site:
            raise MissingSiteError(f"{name} needs a learned site: use --sites with --with-site")
    if chosen.with_site and chosen.sites is None:
        raise MissingSiteError("--with-site needs complete sites: use --sites")
    if chosen.report and not names:
        raise UnknownMethodError("--report shows the first method of --methods: name at least one")
    if chosen.confusion and not any(map(_reads_roles, names)):
        raise UnknownMethodError("--confusion shows the roles of auto: add it to --methods")


def _reads_roles(name: str) -> bool:
    return find_method(name).model_type is Reader


def _rendering(chosen: Evaluation) -> tuple[RenderOptions, str]:
    """Rendering options, and the suffix of the folders of snapshots rendered with them."""
    default = SITE_OPTIONS if chosen.sites else PAGE_OPTIONS
    return chosen_options(default, chosen.scripts, chosen.deadline)


def _material(chosen: Evaluation) -> tuple[list[Case], list[SiteCases]]:
    """The pages to evaluate on, and all posts of their sites."""
    _, suffix = _rendering(chosen)
    if chosen.sites is not None:
        sites = site_cases(
            chosen.sites,
            chosen.cache,
            only=split(chosen.only) or None,
            posts=chosen.posts or None,
            suffix=suffix,
            log=print_note,
        )
        return [post for site in sites for post in site.judged], sites
    if chosen.labelled_collection is not None:
        cases, blind = collection_cases(
            chosen.labelled_collection, chosen.kind, chosen.limit or None, print_note
        )
        print_note(
            f"{blind} of {counted(len(cases), 'page')} labelled without suggestions; on the "
            "others, labellers who accept suggestions agree with the shipped model"
        )
    else:
        cases = page_cases(
            chosen.pages or (),
            chosen.cache,
            kinds=(chosen.kind,) if chosen.kind else None,
            limit=chosen.limit or None,
            suffix=suffix,
            labels=chosen.labels,
            exam=chosen.exam if chosen.labels else None,
            log=print_note,
        )
        cases = [_keep(case, chosen.collection) for case in cases]
    return [case.with_text_of(role_set(chosen.preset)) for case in cases], []


def _keep(case: Case, collection: Path | None) -> Case:
    """A page with its snapshot from a collection, if that has one for the page's address."""
    if collection is None or not case.url:
        return case
    file = file_of(collection, "snapshots", case.url, ".miolo")
    return replace(case, saved=file, collection=collection) if file.exists() else case


def _judge(
    chosen: Evaluation, cases: list[Case], sites: list[SiteCases], systems: Sequence[System]
) -> JudgedRun:
    needed = list(cases)
    if chosen.with_site:
        for site in sites:
            needed += [post for case in site.judged for post in learned_from(site, case)]
    missing = [case for case in dict.fromkeys(needed) if not case.saved.exists()]
    if missing and any(system.reads == "rendered" for system in systems):
        options, _ = _rendering(chosen)
        with progress("rendering", len(missing)) as advance:
            asyncio.run(render_missing(missing, options, log=print_note, advance=advance))
    with progress("extracting", len(cases)) as advance:
        results = run_systems(
            cases, systems, seconds=chosen.deadline, log=print_note, advance=advance
        )
    with progress("scoring", len(cases) * len(systems)) as advance:
        return judge(cases, results, advance)


def _report(run: JudgedRun, system: OwnMethod, chosen: Evaluation, file: Path) -> None:
    worst = worst_cases(run, chosen.worst)
    options, _ = _rendering(chosen)
    with progress("drawing", len(worst)) as advance:
        shots = asyncio.run(
            draw_cases(worst, options, functools.partial(picture_of, system), advance)
        )
    file.write_text(write_worst(run, worst, shots), encoding="utf-8")
    print_note(f"the {len(worst)} worst cases of {system.name} written to {file}")


def _print_figures(figures: dict[str, Any], chosen: Evaluation) -> None:
    if chosen.form == "json":
        text = json.dumps(figures)
    else:
        text = table(figures)
        if "roles" in figures:
            text += "\n\n" + role_table(figures["roles"])
    if chosen.output:
        chosen.output.write_text(f"{text}\n", encoding="utf-8")
    else:
        print_rows(text)
