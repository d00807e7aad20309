"""`miolo evaluate`: score methods and other extractors."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, cast

import typer

from ..models.article.roles import Preset, role_set
from .options import Figures, OutputFile

__all__ = ["evaluate"]


class Html(StrEnum):
    """The HTML that peers read."""

    raw = "raw"
    rendered = "rendered"
    both = "both"


def _names(value: str | None) -> str | None:
    if value is not None and not all(value.split(",")):
        raise typer.BadParameter("names with commas between them")
    return value


def evaluate(
    pages: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Pages <id>.html, truth <id>.json; repeatable."
        ),
    ] = None,
    sites: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Saved sites with their sites.json."),
    ] = None,
    only: Annotated[
        str | None, typer.Option(callback=_names, help="Names of sites, with commas; all without.")
    ] = None,
    posts: Annotated[int, typer.Option(min=0, help="Posts of a site; 0 for all.")] = 12,
    with_site: Annotated[
        bool, typer.Option("--with-site", help="Learn each site from its other posts.")
    ] = False,
    methods: Annotated[
        str | None, typer.Option(callback=_names, help="With commas; the default one without.")
    ] = None,
    peers: Annotated[
        str | None, typer.Option(callback=_names, help="Other extractors, with commas.")
    ] = None,
    html: Annotated[Html, typer.Option(help="What peers read.")] = Html.both,
    kind: Annotated[str | None, typer.Option("--type", help="Only pages of this type.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Pages of a set; 0 for all.")] = 0,
    scripts: Annotated[
        bool | None,
        typer.Option(
            "--scripts/--no-scripts", help="Scripts run on sites, and not on pages, by default."
        ),
    ] = None,
    deadline: Annotated[
        float, typer.Option(min=1, help="Seconds for a page, and for each answer.")
    ] = 30.0,
    cache: Annotated[Path, typer.Option(help="Keeps snapshots and answers.")] = Path(
        "miolo-evaluation"
    ),
    collection: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="With --pages: has snapshots by address."),
    ] = None,
    form: Annotated[Figures, typer.Option("--format", "-f", help="Form.")] = Figures.table,
    output: OutputFile = None,
    report: Annotated[
        Path | None, typer.Option(help="HTML page of the first method's worst cases.")
    ] = None,
    worst: Annotated[int, typer.Option(min=1, help="Cases in the report.")] = 20,
    labels: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Role labels <set>.jsonl.xz of --pages."),
    ] = None,
    exam: Annotated[
        bool, typer.Option("--exam", help="With --labels: the pages of the exam alone.")
    ] = False,
    preset: Annotated[str, typer.Option(help="Roles that count as the text.")] = "article",
    confusion: Annotated[
        Path | None, typer.Option(help="With --labels: SVG of the confusion of roles.")
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(min=0, help="Train auto out of fold, by domain; 0: one a domain or site."),
    ] = None,
    learn_pages: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="With --folds: further pages to learn from."
        ),
    ] = None,
    learn_sites: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="With --folds: sites to learn from."),
    ] = None,
) -> None:
    """Score methods and other extractors on pages with known articles."""
    from .evaluation import Corpus, OutputOptions, evaluate_corpus, split
    from .folding import Teaching

    if bool(pages) == bool(sites):
        raise typer.BadParameter("either --pages or --sites")
    role_set(preset)
    if (exam or confusion) and not labels:
        raise typer.BadParameter("--exam and --confusion need --labels")
    if labels and not pages:
        raise typer.BadParameter("--labels are of --pages")
    if collection and not pages:
        raise typer.BadParameter("--collection has the snapshots of --pages")
    corpus = Corpus(
        tuple(pages or ()),
        sites,
        split(only) or None,
        posts or None,
        with_site,
        kind,
        limit or None,
        scripts,
        deadline,
        cache,
        collection,
        labels,
        exam,
        cast(Preset, preset),
    )
    reads = ("raw", "rendered") if html is Html.both else (html.value,)
    output_options = OutputOptions(form.value, output, report, worst, confusion)
    learning = tuple(learn_pages or ()), learn_sites
    teaching = None if folds is None else Teaching(*learning, labels, folds)
    evaluate_corpus(corpus, split(methods), split(peers), reads, output_options, teaching)
