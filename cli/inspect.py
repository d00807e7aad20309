"""`miolo inspect`, `compare` and `methods`: reports, pictures and comparisons of pages."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import MioloError
from ..extract.options import ExtractOptions
from ..output.write.terminal import printable
from ..renderer.options import RenderOptions
from . import page_sources
from . import shared_options as shared
from .console import print_error, print_note, print_rows
from .page_sources import typed_source

if TYPE_CHECKING:
    from ..debug.comparison.compare import Comparison
    from ..output.page_result import PageResult
    from ..renderer.page.snapshot import Snapshot

__all__ = [
    "compare",
    "compare_sources",
    "comparison_json",
    "inspect",
    "inspect_pair_sources",
    "methods",
]

# First bytes of the files that `Site.save` writes.
SITE_START = b'{\n "format": "miolo-site"'


@shared.with_page_options
@shared.with_extract_options
def inspect(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            callback=typed_source,
            help="URL, HTML or MHTML file, snapshot, learned site, or - for stdin.",
        ),
    ],
    options: RenderOptions,
    extract: ExtractOptions,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="OTHER",
            callback=lambda text: text and typed_source(text),
            help="A second page, to show what changed.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write; report.html, or the picture's name, by default."
        ),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            help="Write this picture in place of the report; `miolo methods` lists the pictures of "
            "installed packages."
        ),
    ] = None,
    site: shared.SiteFile = None,
    model: shared.ModelFile = None,
    archive: shared.ArchiveFile = None,
    hide_overlays: shared.HideOverlays = True,
) -> None:
    """Write a report on a page, two pages side by side, or a learned site."""
    options = replace(shared.with_screenshot(options), hide_overlays=hide_overlays)
    if picture is not None:
        if other is not None or site or model:
            raise typer.BadParameter("--picture is for one SOURCE, without --site and --model")
        page_sources.run_to_exit_code(draw_source(source, options, picture, output, archive))
        return
    output = output or Path("report.html")
    if other is not None:
        if site or model:
            raise typer.BadParameter("--site and --model are for one page, not for two")
        page_sources.check_one_stdin(source, other)
        page_sources.run_to_exit_code(inspect_pair_sources(source, other, options, output, archive))
    elif is_site_file(source):
        inspect_learned(Path(source), output)
    else:
        extract = page_sources.with_learned(extract, site, model)
        page_sources.run_to_exit_code(inspect_source(source, options, extract, output, archive))


def is_site_file(source: str) -> bool:
    """Whether a source is a file that `miolo learn` has written."""
    path = Path(source)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SITE_START)) == SITE_START


def inspect_learned(path: Path, output: Path) -> None:
    """Write the report of a learned site."""
    from ..debug.reports.html_reports import html_report_of_site
    from ..models.site import Site

    output.write_text(html_report_of_site(Site.load(path), path.stem), encoding="utf-8")
    print_note(f"report of {path} written to {output}")


async def draw_source(
    source: str, options: RenderOptions, name: str, output: Path | None, archive: Path | None
) -> int:
    """Write a picture of a page or of a learned site."""
    from ..debug.pictures.picture_registry import find_picture
    from ..models.site import Site

    try:
        picture = find_picture(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    of_site = is_site_file(source)
    if of_site != (picture.subject == "site"):
        wanted = "a site file written by `miolo learn`" if picture.subject == "site" else "a page"
        raise typer.BadParameter(f"the picture {name!r} is drawn of {wanted}")
    subject = (
        Site.load(source) if of_site else await page_sources.load_source(source, options, archive)
    )
    output = output or Path(name.partition(":")[0] + picture.suffix)
    output.write_text(picture.draw(subject, picture.options), encoding="utf-8")
    print_note(f"picture {name} of {source} written to {output}")
    return 0


async def inspect_source(
    source: str,
    options: RenderOptions,
    extract: ExtractOptions,
    output: Path,
    archive: Path | None = None,
) -> int:
    """Write the report of a source."""
    from ..debug.reports.html_reports import html_report
    from ..extract.job import Artefact

    def write(result: PageResult) -> None:
        assert result.snapshot is not None
        output.write_text(html_report(result.snapshot, result.unwrap()), encoding="utf-8")

    async with page_sources.lazy_renderer(options, archive) as renderer:
        source_options = await page_sources.named_options(renderer, source, options)
        job = page_sources.page_job(
            source, source_options, extract=extract, artefacts=(Artefact("report", write),)
        )
        result = await page_sources.extract_job(job, renderer)
    page_sources.print_warnings(result.unwrap(), source)
    print_note(f"report of {result.url} written to {output}")
    return 0


@shared.with_page_options
def compare(
    before: shared.Source,
    after: shared.Source,
    options: RenderOptions,
    form: shared.TextFormat = "text",
    output: shared.OutputFile = None,
) -> None:
    """Show what changed between two pages or captures."""
    page_sources.check_one_stdin(before, after)
    page_sources.run_to_exit_code(compare_sources(before, after, options, form, output))


async def compare_sources(
    before: str, after: str, options: RenderOptions, form: str, output: Path | None
) -> int:
    """Print what changed between two sources, as lines or as one JSON object."""
    from ..debug.comparison.compare import compare_snapshots

    pages = await _load_pair(before, after, options)
    comparison = compare_snapshots(*pages)
    _log(comparison)
    lines = [comparison_json(*pages, comparison)] if form == "json" else comparison.lines()
    text = "".join(f"{line}\n" for line in lines)
    if output:
        output.write_text(text, encoding="utf-8", errors="replace")
    else:
        print(
            printable(text.encode("utf-8", "replace").decode()), end="", file=sys.stdout, flush=True
        )
    return 0


async def inspect_pair_sources(
    before: str, after: str, options: RenderOptions, output: Path, archive: Path | None = None
) -> int:
    """Write the report of two sources, side by side."""
    from ..debug.comparison.compare import compare_snapshots
    from ..debug.reports.compare_report import html_report_of_pair

    pages = await _load_pair(before, after, options, archive)
    comparison = compare_snapshots(*pages)
    _log(comparison)
    output.write_text(html_report_of_pair(*pages, comparison), encoding="utf-8")
    print_note(f"report of {' and '.join(page.page.url for page in pages)} written to {output}")
    return 0


def comparison_json(before: Snapshot, after: Snapshot, comparison: Comparison) -> str:
    """A comparison as one line of JSON, without the mapping, which is as long as the pages."""
    pages = [
        {"url": page.page.url, "time": page.page.time, "content_hash": page.page.content_hash}
        for page in (before, after)
    ]
    data = {
        "before": pages[0],
        "after": pages[1],
        "distance": comparison.distance,
        "similarity": comparison.similarity,
        "nodes": comparison.nodes,
        "changes": [asdict(change) for change in comparison.changes],
        "warnings": [asdict(warning) for warning in comparison.warnings],
    }
    return json.dumps(data, ensure_ascii=False)


async def _load_pair(
    before: str, after: str, options: RenderOptions, archive: Path | None = None
) -> tuple[Snapshot, Snapshot]:
    pages = []
    async with page_sources.lazy_renderer(options, archive) as renderer:
        for source in (before, after):
            try:
                pages.append(await page_sources.load_page(renderer, source, options))
            except MioloError:
                print_error(f"{source} cannot be compared")
                raise
    return pages[0], pages[1]


def _log(comparison: Comparison) -> None:
    for line in _summary(comparison):
        print_note(line)


def _summary(comparison: Comparison) -> Iterator[str]:
    for warning in comparison.warnings:
        yield f"{warning.message} ({warning.code})"
    yield (
        f"{len(comparison.changes):,} changes; {comparison.distance:,} nodes apart, "
        f"similarity {comparison.similarity:.3f}"
    )


def methods() -> None:
    """List the extraction methods, by group, and the pictures of `inspect`."""
    from ..debug.pictures.picture_registry import list_pictures
    from ..extract.methods.registry import grouped_methods

    for place, (group, members) in enumerate(grouped_methods().items()):
        if place:
            typer.echo()
        typer.echo(f"{group}:")
        for name, method in members.items():
            needs = " (needs --site)" if method.needs_site else ""
            print_rows(f"  {name:<18} {method.about}{needs}")
            for variant in method.variants:
                print_rows(f"    {name}:{variant}")
    pictures = list_pictures()
    if pictures:
        typer.echo("\npictures for `miolo inspect --picture`:")
    for name, about in pictures.items():
        print_rows(f"  {name:<18} {about}")
