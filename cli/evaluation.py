"""Implementation of `miolo evaluate`."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..collect.batch.files import file_of
from ..errors import MissingSiteError, UnknownMethodError
from ..evaluate.case import Case, Reads
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
from ..models.article.roles import DEFAULT_PRESET, Preset, role_set
from ..models.article.training import TrainingOptions, group_folds
from ..renderer.options import RenderOptions
from .console import counted, print_note, print_rows, progress
from .page_sources import load_model

# Posts of each site to learn from.
POSTS = 12


@dataclass(frozen=True)
class Teaching:
    """What a reader learns from in addition to the pages of the other folds.

    Pages without labels in the folder are labelled by their text. The number of folds is by domain;
    0 means one fold per domain or site.
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
) -> OfPage:
    """For each page, a reader trained without any page of the same domain or site."""
    number = group_folds([case.group for case in cases_to_judge], teaching.folds).tolist()
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

    return out_of_fold(cases_to_judge, number, train)


@dataclass(frozen=True)
class Corpus:
    """The pages to evaluate on; the command's options describe the fields."""

    pages: tuple[Path, ...]
    sites: Path | None
    only: tuple[str, ...] | None
    posts: int | None
    with_site: bool
    kind: str | None
    limit: int | None
    scripts: bool | None
    seconds: float
    cache: Path
    collection: Path | None = None
    labels: Path | None = None
    exam: bool = False
    preset: Preset = DEFAULT_PRESET

    @property
    def is_labelled_collection(self) -> bool:
        """Whether the pages are those of a collection, with its labels as the truth."""
        return self.collection is not None and not self.pages

    def rendering(self) -> tuple[RenderOptions, str]:
        """Rendering options, and the suffix of the folders of snapshots rendered with them."""
        default = SITE_OPTIONS if self.sites else PAGE_OPTIONS
        return chosen_options(default, self.scripts, self.seconds)


@dataclass(frozen=True)
class OutputOptions:
    """Where figures are written; the command's options describe the fields."""

    form: str
    output: Path | None
    report: Path | None
    worst: int
    confusion: Path | None = None


@dataclass(frozen=True)
class Material:
    """The pages to evaluate on, and all posts of their sites."""

    cases: list[Case]
    sites: list[SiteCases]


def split(names: str | None) -> tuple[str, ...]:
    """Split a comma-separated list of names and remove duplicates."""
    return tuple(dict.fromkeys(names.split(","))) if names else ()


def evaluate_corpus(
    corpus: Corpus,
    methods: Sequence[str],
    peers: Sequence[str],
    reads: Sequence[Reads],
    output_options: OutputOptions,
    teaching: Teaching | Path | None = None,
) -> None:
    """Render missing pages, compute missing answers, score them and print the results.

    `teaching` says how models are trained out of fold, or is the file of a trained one, which is
    judged beside the shipped one. A method or peer that cannot be used is an error before anything
    is rendered.
    """
    names = methods or (() if peers else (DEFAULT_METHOD,))
    _refuse(names, corpus.with_site, output_options)
    others = peer_systems(peers, reads)
    material = _material(corpus)
    file = teaching if isinstance(teaching, Path) else None
    models = {} if isinstance(teaching, Path) else _models(corpus, material, names, teaching)
    judging = next(iter(models.values()), None)
    site = site_inputs(material.sites, judging) if corpus.with_site else None
    own = own_systems(names, site, models, corpus.preset)
    if file is not None:
        own += _with_file(names, file, corpus.preset, material.cases)
    systems: list[System] = [*own, *others]
    run = _judge(corpus, material, systems)
    figures = summary(run)
    reader = next((each for each in own if _reads_roles(each.method)), None)
    if reader and (corpus.labels or corpus.is_labelled_collection):
        roles = judge_roles(reader, material.cases)
        figures["roles"] = roles.figures()
        if output_options.confusion:
            output_options.confusion.write_text(confusion_picture(roles), encoding="utf-8")
            print_note(f"confusion matrix of roles written to {output_options.confusion}")
    _log(figures, output_options)
    if output_options.report:
        _report(run, own[0], corpus.rendering()[0], output_options)


def _models(
    corpus: Corpus, material: Material, names: Sequence[str], teaching: Teaching | None
) -> dict[str, OfPage]:
    """Models that replace the shipped ones of learned methods, which were trained on all pages."""
    trained = [name for name in names if _reads_roles(name)]
    if teaching is None or not trained:
        return {}
    inputs = readers_out_of_fold(material.cases, teaching, corpus.cache, TrainingOptions())
    return dict.fromkeys(trained, inputs)


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
    """Miolo's methods as systems, with models that replace the shipped ones, by the method's name.

    A method that can use what was learned about the sites, but does not need it, is judged with and
    without it.
    """
    systems = []
    for name in names:
        method, model = find_method(name), models.get(name)
        systems.append(OwnMethod(name, name, site if method.needs_site else None, model, preset))
        if method.uses_site and site:
            systems.append(OwnMethod(f"{name}+site", name, site, model, preset))
    return systems


def _refuse(names: Sequence[str], with_site: bool, output_options: OutputOptions) -> None:
    for name in names:
        if find_method(name).needs_site and not with_site:
            raise MissingSiteError(f"{name} needs a learned site: use --sites with --with-site")
    if output_options.report and not names:
        raise UnknownMethodError("--report shows the first method of --methods: name at least one")
    if output_options.confusion and not any(map(_reads_roles, names)):
        raise UnknownMethodError("--confusion shows the roles of auto: add it to --methods")


def _reads_roles(name: str) -> bool:
    return find_method(name).model_type is Reader


def _material(corpus: Corpus) -> Material:
    _, suffix = corpus.rendering()
    if corpus.sites is None:
        if corpus.with_site:
            raise MissingSiteError("--with-site needs complete sites: use --sites")
        text = role_set(corpus.preset)
        if corpus.collection is not None and not corpus.pages:
            cases, blind = collection_cases(corpus.collection, corpus.kind, corpus.limit)
            print_note(
                f"{blind} of {counted(len(cases), 'page')} labelled without suggestions; on the "
                "others, labellers who accept suggestions agree with the shipped model"
            )
            return Material([case.with_text_of(text) for case in cases], [])
        cases = page_cases(
            corpus.pages,
            corpus.cache,
            kinds=(corpus.kind,) if corpus.kind else None,
            limit=corpus.limit,
            suffix=suffix,
            labels=corpus.labels,
            exam=corpus.exam if corpus.labels else None,
            log=print_note,
        )
        return Material([_keep(case.with_text_of(text), corpus.collection) for case in cases], [])
    sites = site_cases(
        corpus.sites,
        corpus.cache,
        only=corpus.only,
        posts=corpus.posts,
        suffix=suffix,
        log=print_note,
    )
    return Material([post for site in sites for post in site.judged], sites)


def _keep(case: Case, collection: Path | None) -> Case:
    """A page with its snapshot from a collection, if that has one for the page's address."""
    if collection is None or not case.url:
        return case
    file = file_of(collection, "snapshots", case.url, ".miolo")
    return replace(case, saved=file, collection=collection) if file.exists() else case


def _judge(corpus: Corpus, material: Material, systems: Sequence[System]) -> JudgedRun:
    cases = material.cases
    needed = list(cases)
    if corpus.with_site:
        for site in material.sites:
            needed += [post for case in site.judged for post in learned_from(site, case)]
    missing = [case for case in dict.fromkeys(needed) if not case.saved.exists()]
    options, _ = corpus.rendering()
    if missing and any(system.reads == "rendered" for system in systems):
        with progress("rendering", len(missing)) as advance:
            asyncio.run(render_missing(missing, options, log=print_note, advance=advance))
    with progress("extracting", len(cases)) as advance:
        results = run_systems(
            cases, systems, seconds=corpus.seconds, log=print_note, advance=advance
        )
    with progress("scoring", len(cases) * len(systems)) as advance:
        return judge(cases, results, advance)


def _report(
    run: JudgedRun, system: OwnMethod, options: RenderOptions, output_options: OutputOptions
) -> None:
    assert output_options.report is not None
    worst = worst_cases(run, output_options.worst)
    with progress("drawing", len(worst)) as advance:
        shots = asyncio.run(
            draw_cases(
                worst,
                options,
                lambda case, page: picture_of(system, case, page),
                advance,
            )
        )
    output_options.report.write_text(write_worst(run, worst, shots), encoding="utf-8")
    print_note(f"the {len(worst)} worst cases of {system.name} written to {output_options.report}")


def _log(figures: dict, output_options: OutputOptions) -> None:
    if output_options.form == "json":
        text = json.dumps(figures)
    else:
        text = table(figures)
        if "roles" in figures:
            text += "\n\n" + role_table(figures["roles"])
    if output_options.output:
        output_options.output.write_text(f"{text}\n", encoding="utf-8")
    else:
        print_rows(text)
