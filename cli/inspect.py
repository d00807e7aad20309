"""`miolo inspect`, `compare` and `blocks`: reports, comparisons and visual blocks of pages."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import MioloError
from ..output.terminal import printable
from ..renderer.options import RenderOptions
from .addresses import typed_source
from .console import print_error, print_note
from .options import (
    ArchiveFile,
    HideOverlays,
    MethodOptions,
    ModelFile,
    OutputFile,
    SiteFile,
    Source,
    TextForm,
    TextFormat,
    with_method_options,
    with_page_options,
    with_screenshot,
)
from .sources import (
    MethodChoice,
    check_one_stdin,
    chosen_method,
    extract_job,
    lazy_renderer,
    load_page,
    load_source,
    named_options,
    print_warnings,
    run_to_exit_code,
)

if TYPE_CHECKING:
    from ..debug.comparison.compare import Comparison
    from ..output.page_result import PageResult
    from ..renderer.snapshot import Snapshot

__all__ = [
    "blocks",
    "compare",
    "compare_sources",
    "comparison_json",
    "inspect",
    "inspect_pair_sources",
]


# First bytes of the files that `Site.save` writes.
SITE_START = b'{\n "format": "miolo-site"'


@with_page_options
@with_method_options
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
    how: MethodOptions,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="OTHER",
            callback=lambda text: text and typed_source(text),
            help="A second page, to show what changed.",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Report file to write.")] = Path(
        "report.html"
    ),
    site: SiteFile = None,
    model: ModelFile = None,
    archive: ArchiveFile = None,
    hide_overlays: HideOverlays = True,
) -> None:
    """Write a report on a page, two pages side by side, or a learned site."""
    options = replace(with_screenshot(options), hide_overlays=hide_overlays)
    if other is not None:
        if site or model:
            raise typer.BadParameter("--site and --model are for one page, not for two")
        check_one_stdin(source, other)
        run_to_exit_code(inspect_pair_sources(source, other, options, output, archive))
    elif is_site_file(source):
        inspect_learned(Path(source), output, how.method)
    else:
        chosen = chosen_method(how, site, model)
        run_to_exit_code(inspect_source(source, options, chosen, output, archive))


def is_site_file(source: str) -> bool:
    """Whether a source is a file that `miolo learn` has written."""
    path = Path(source)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SITE_START)) == SITE_START


def inspect_learned(path: Path, output: Path, method: str) -> None:
    """Write the report of a learned site, or of its style tree."""
    from ..debug.reports.site_report import html_report_of_site, html_report_of_style_tree
    from ..extract.methods.learned import Learned
    from ..extract.methods.registry import find_method
    from ..models.site import Site
    from ..models.templates.style_importance import StylePages

    site = Site.load(path)
    learns = find_method(method).site_parts.items()
    parts = [name for name, new in learns if isinstance(new(None), StylePages)]
    if parts:
        pages = Learned(site).part(parts[0], StylePages)
        report = html_report_of_style_tree(pages, title=path.stem)
    else:
        report = html_report_of_site(site, path.stem)
    output.write_text(report, encoding="utf-8")
    print_note(f"report of {path} written to {output}")


async def inspect_source(
    source: str,
    options: RenderOptions,
    chosen: MethodChoice,
    output: Path,
    archive: Path | None = None,
) -> int:
    """Write the report of a source."""
    from ..debug.reports.page_report import html_report
    from ..extract.job import Artefact

    def write(result: PageResult) -> None:
        assert result.snapshot is not None
        output.write_text(html_report(result.snapshot, result.unwrap()), encoding="utf-8")

    async with lazy_renderer(options, archive) as renderer:
        source_options = await named_options(renderer, source, options)
        job = chosen.job(source, source_options, artefacts=(Artefact("report", write),))
        result = await extract_job(job, renderer)
    print_warnings(result.unwrap(), source)
    print_note(f"report of {result.url} written to {output}")
    return 0


@with_page_options
def compare(
    before: Source,
    after: Source,
    options: RenderOptions,
    form: TextFormat = TextForm.text,
    output: OutputFile = None,
) -> None:
    """Show what changed between two pages or captures."""
    check_one_stdin(before, after)
    run_to_exit_code(compare_sources(before, after, options, form.value, output))


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
    async with lazy_renderer(options, archive) as renderer:
        for source in (before, after):
            try:
                pages.append(await load_page(renderer, source, options))
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


@with_page_options
def blocks(
    source: Source,
    options: RenderOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="SVG file to write.")] = Path(
        "blocks.svg"
    ),
    coherence: Annotated[
        int,
        typer.Option(
            min=1, max=10, help="Permitted degree; higher values divide the page further."
        ),
    ] = 8,
) -> None:
    """Draw the visual blocks of a page over its screenshot."""
    run_to_exit_code(draw_source(source, options, coherence, output))


async def draw_source(source: str, options: RenderOptions, coherence: int, output: Path) -> int:
    """Draw the visual blocks of a source."""
    from ..debug.pictures.block_tree import draw_blocks
    from ..models.visual.vips import VIPSOptions, vips

    snapshot = await load_source(source, with_screenshot(options))
    tree = vips(snapshot, VIPSOptions(pdoc=coherence))
    output.write_text(draw_blocks(snapshot, tree), encoding="utf-8")
    print_note(f"{len(tree.leaves)} blocks of {snapshot.page.url} written to {output}")
    return 0
