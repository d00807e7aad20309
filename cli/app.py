"""The command line. Each command is a few lines over the library."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import MioloError
from ..extract.output.options import WriteOptions
from ..renderer.options import RenderOptions
from ..version import __version__
from .batching_app import batching
from .collecting_app import collecting
from .console import print_error, print_rows
from .evaluating_app import evaluating
from .learning_app import learning
from .options import (
    ArchiveFile,
    CompareForm,
    Form,
    MethodOptions,
    ModelFile,
    OutputFile,
    RecordFile,
    ScreenshotFile,
    SiteFile,
    Source,
    with_method_options,
    with_page_options,
    with_write_options,
)
from .serving_app import serving

__all__ = ["app", "run"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing the help takes a fifth of a second to load
    help="Render web pages in headless Chromium, take out the article, show why.",
)

app.add_typer(learning)
app.add_typer(evaluating)
app.add_typer(batching)
app.add_typer(collecting)
app.add_typer(serving)

INTERRUPTED = 130


def run() -> None:
    """Run the command line and end with the exit code of what happened."""
    debug = "--debug" in sys.argv
    try:
        app()
    except MioloError as error:
        if debug:
            raise
        print_error(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader (`head`) has had enough; nothing may be written on the way out.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if debug:
            raise
        print_error(f"{error.filename or 'input or output'}: {error.strerror or error}")
        sys.exit(1)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"miolo {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    pass


@app.command()
@with_page_options
@with_method_options
@with_write_options
def extract(
    options: RenderOptions,
    how: MethodOptions,
    writing: WriteOptions,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE", help="URLs, HTML files, snapshots, or - for stdin."),
    ] = None,
    form: Annotated[Form, typer.Option("--format", "-f", help="Output format.")] = Form.text,
    site: SiteFile = None,
    model: ModelFile = None,
    output: OutputFile = None,
    screenshot: ScreenshotFile = None,
    follow_pages: Annotated[
        bool, typer.Option("--follow-pages", help="Join the pages that an article goes on at.")
    ] = False,
    archive: ArchiveFile = None,
    separator: Annotated[
        str | None, typer.Option(help="Line between the outputs of several sources.")
    ] = None,
) -> None:
    """Take the article out of pages, as text, Markdown, HTML, JSON Lines, XML-TEI, CSV or chunks.

    With --archive and no SOURCE, out of all pages of the archive.
    """
    from .commands import Outputs, chosen_method, extract_sources

    if not sources and archive is None:
        raise typer.BadParameter("SOURCE is missing; only --archive goes without")
    chosen = chosen_method(how, site, model)
    outputs = Outputs(form.value, writing, output, screenshot, separator)
    _finish(extract_sources(sources or [], options, chosen, outputs, follow_pages, archive))


@app.command()
@with_page_options
def render(
    source: Source,
    options: RenderOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the snapshot.")] = Path(
        "page.miolo"
    ),
    screenshot: ScreenshotFile = None,
    archive: ArchiveFile = None,
    record: RecordFile = None,
) -> None:
    """Save a page's snapshot, with its screenshot where one is asked for."""
    from .commands import render_source

    _finish(render_source(source, options, output, screenshot, archive, record))


@app.command()
@with_page_options
@with_method_options
def inspect(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="URL, HTML file, saved snapshot, learned site, or - for stdin."
        ),
    ],
    options: RenderOptions,
    how: MethodOptions,
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="A second page, to see what changed.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the report.")] = Path(
        "report.html"
    ),
    site: SiteFile = None,
    model: ModelFile = None,
    archive: ArchiveFile = None,
) -> None:
    """Write a self-contained report: of a page, of two side by side, or of a learned site."""
    from .commands import chosen_method, inspect_source
    from .comparing import inspect_pair_sources
    from .learning import inspect_learned, is_site_file

    if other is not None:
        _finish(inspect_pair_sources(source, other, options, output))
    elif is_site_file(source):
        inspect_learned(Path(source), output, how.method)
    else:
        chosen = chosen_method(how, site, model)
        _finish(inspect_source(source, options, chosen, output, archive))


@app.command()
@with_page_options
def compare(
    before: Source,
    after: Source,
    options: RenderOptions,
    form: Annotated[
        CompareForm, typer.Option("--format", "-f", help="Output format.")
    ] = CompareForm.text,
    output: OutputFile = None,
) -> None:
    """Tell what changed between two pages, or between two captures of one."""
    from .comparing import compare_sources

    _finish(compare_sources(before, after, options, form.value, output))


@app.command()
@with_page_options
def blocks(
    source: Source,
    options: RenderOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG to write.")] = Path(
        "blocks.png"
    ),
    coherence: Annotated[
        int, typer.Option(min=1, max=10, help="Permitted degree; a higher one divides more.")
    ] = 8,
) -> None:
    """Draw the page's tree of visual blocks, and what separates them, over its screenshot."""
    from .commands import draw_source

    _finish(draw_source(source, options, coherence, output))


@app.command()
def methods() -> None:
    """List the extraction methods and their variants by group, the default one first."""
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


@app.command()
def install() -> None:
    """Get a Chromium: Playwright's own, or the system's."""
    from ..renderer.browser.chromium import install_chromium

    for step in install_chromium():
        typer.echo(step, err=True)
    from ..extract.methods.registry import METHODS
    from ..extract.warm_up import warm_up

    typer.echo("compiling what the methods take", err=True)
    for name, method in METHODS.items():
        if not method.needs_site:
            warm_up(name)
    doctor(browser_only=True)


@app.command()
def doctor(
    browser_only: Annotated[
        bool, typer.Option("--browser-only", help="Look for the browser alone.")
    ] = False,
) -> None:
    """Say what is there and what is missing."""
    import asyncio

    from .doctor import examine

    findings = asyncio.run(examine(browser_only=browser_only))
    for finding in findings:
        typer.echo(f"{'ok' if finding.ok else '!!'}  {finding.subject:<14} {finding.text}")
    if any(finding.fatal for finding in findings):
        raise typer.Exit(3)


def _finish(work: Coroutine[Any, Any, int]) -> None:
    """Run a command's work; its value is the exit code."""
    import asyncio

    code = asyncio.run(work)
    if code:
        raise typer.Exit(code)
