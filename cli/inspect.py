"""`miolo inspect`, `compare` and `methods`: reports, pictures and comparisons of pages."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import MioloError
from ..extract.options import ExtractOptions
from ..output.write.terminal import printable
from ..renderer.options import RenderOptions
from . import page_sources
from . import shared_options as shared
from .choice_options import option, written_file
from .console import counted, print_error, print_note, print_rows

if TYPE_CHECKING:
    from ..debug.comparison.compare import Comparison
    from ..output.page_result import PageResult
    from ..renderer.page.snapshot import Snapshot

SITE_START = b'{\n "format": "miolo-site"'  # first bytes of the files that `Site.save` writes


@shared.with_page_options
@shared.with_extract_options
def inspect(
    options: RenderOptions,
    extract: ExtractOptions,
    source: str | None = shared.source_argument(
        "URL, HTML or MHTML file, snapshot, learned site, or - for stdin.", default=None
    ),
    other: str | None = shared.source_argument(
        "A second page, to show what changed.", "OTHER", default=None
    ),
    output: Path | None = written_file(
        "File to write; report.html, or the picture's name, by default.", "--output", "-o"
    ),
    picture: str | None = option(
        None,
        "Write this picture in place of the report; `miolo methods` lists the pictures of "
        "installed packages.",
    ),
    site: Path | None = shared.SITE_FILE,
    model: Path | None = shared.MODEL_FILE,
    archive: Path | None = shared.ARCHIVE_FILE,
    hide_overlays: bool = shared.hide_overlays_option(True),
    connect: str | None = shared.CONNECT_TO,
) -> None:
    """Write a report on a page, two pages side by side, or a learned site."""
    from ..debug.reports.compare_report import html_report_of_pair
    from ..debug.reports.html_reports import html_report_of_site
    from ..models.site import Site

    if source is None and connect is None:
        raise typer.BadParameter("SOURCE is missing; it is optional only with --connect")
    if connect is not None and (other or picture or archive):
        raise typer.BadParameter("--connect is for one tab, without OTHER, --picture and --archive")
    source = source or ""
    page_sources.report_unused(options, filter(None, (source, other)), connect)
    is_drawn = options.browser == "always"
    options = replace(options, screenshot=is_drawn, hide_overlays=is_drawn and hide_overlays)
    if picture is not None:
        if other is not None or site or model:
            raise typer.BadParameter("--picture is for one SOURCE, without --site and --model")
        _draw(source, options, picture, output, archive)
        return
    output = output or Path("report.html")
    if other is not None:
        if site or model:
            raise typer.BadParameter("--site and --model are for one page, not for two")
        pages, comparison = _compare(source, other, options, archive)
        report = html_report_of_pair(*pages, comparison)
        subject = " and ".join(page.page.url for page in pages)
    elif connect is None and is_site_file(source):
        report, subject = html_report_of_site(Site.load(source)), source
    else:
        extract = page_sources.with_learned(extract, site, model)
        report, subject = asyncio.run(_report(source, options, extract, archive, connect))
    output.write_text(report, encoding="utf-8")
    print_note(f"report of {subject} written to {output}")


def is_site_file(source: str) -> bool:
    """Whether a source is a file that `miolo learn` has written."""
    path = Path(source)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SITE_START)) == SITE_START


def _draw(
    source: str, options: RenderOptions, name: str, output: Path | None, archive: Path | None
) -> None:
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
        Site.load(source)
        if of_site
        else asyncio.run(page_sources.load_source(source, options, archive))
    )
    output = output or Path(name.partition(":")[0] + picture.suffix)
    output.write_text(picture.draw(subject, picture.options), encoding="utf-8")
    print_note(f"picture {name} of {source} written to {output}")


async def _report(
    source: str,
    options: RenderOptions,
    extract: ExtractOptions,
    archive: Path | None,
    connect: str | None,
) -> tuple[str, str]:
    """The report of a page or of a tab of the user's own browser, and its address."""
    from ..debug.reports.html_reports import html_report
    from ..extract.job import Artefact

    def write(result: PageResult) -> str:
        assert result.snapshot is not None
        return html_report(result.snapshot, result.unwrap())

    tab = await page_sources.connected_tab(connect, source, options)
    async with page_sources.lazy_renderer(options, archive, "" if tab else source) as renderer:
        fields = {"extract": extract, "artefacts": (Artefact("report", write),)}
        job = await page_sources.typed_job(renderer, source, options, tab, **fields)
        result = await page_sources.extract_job(job, renderer)
    page_sources.print_warnings(result.unwrap(), source)
    return result.artefacts["report"], result.url or source


@shared.with_page_options
def compare(
    options: RenderOptions,
    before: str = shared.source_argument(),
    after: str = shared.source_argument(),
    form: str = shared.TEXT_FORMAT,
    output: Path | None = shared.OUTPUT_FILE,
) -> None:
    """Show what changed between two pages or captures."""
    page_sources.report_unused(options, (before, after), None)
    pages, comparison = _compare(before, after, options)
    lines = [comparison_json(*pages, comparison)] if form == "json" else comparison.lines()
    text = "".join(f"{line}\n" for line in lines)
    if output:
        output.write_text(text, encoding="utf-8", errors="replace")
    else:
        valid = text.encode("utf-8", "replace").decode()
        print(printable(valid), end="", file=sys.stdout, flush=True)


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


def _compare(
    before: str, after: str, options: RenderOptions, archive: Path | None = None
) -> tuple[tuple[Snapshot, Snapshot], Comparison]:
    """Two pages and what changed between them, which is summarized on standard error."""
    from ..debug.comparison.compare import compare_snapshots

    async def load() -> tuple[Snapshot, Snapshot]:
        source = before
        async with page_sources.lazy_renderer(options, archive) as renderer:
            try:
                first = await page_sources.load_page(renderer, before, options)
                source = after
                return first, await page_sources.load_page(renderer, after, options)
            except MioloError:
                print_error(f"{source} cannot be compared")
                raise

    page_sources.check_one_stdin(before, after)
    pages = asyncio.run(load())
    comparison = compare_snapshots(*pages)
    for warning in comparison.warnings:
        print_note(f"{warning.message} ({warning.code})")
    print_note(
        f"{counted(len(comparison.changes), 'change')}; {comparison.distance:,} nodes apart, "
        f"similarity {comparison.similarity:.3f}"
    )
    return pages, comparison


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
