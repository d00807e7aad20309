"""`miolo extract` and `render`: write the articles of pages, and their snapshots."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import quote

import typer

from ..errors import EmptyInputError, MioloError, MissingScreenshotError
from ..extract.options import ExtractOptions
from ..output.write_options import WriteOptions
from ..renderer.options import RenderOptions
from . import page_sources
from . import shared_options as shared
from .choice_options import argument, check_folder, choice, option, written_file
from .console import error_text, print_error, print_note
from .render_options import check_selector

if TYPE_CHECKING:
    from ..output.extraction import Extraction
    from ..output.page_result import PageResult
    from ..renderer.page.snapshot import Snapshot
    from ..renderer.renderer import Renderer

# Formats whose outputs need no separator: lines, or the enclosing elements, delimit them.
LINES = frozenset(("json", "chunks", "csv", "tei", "html"))

ILLUSTRATED = frozenset(("markdown", "html", "tei"))

DEFAULT_SEPARATOR = "\n---\n"


@dataclass(frozen=True)
class ArticlePictures:
    """Files for the pictures of a source: the page with boxes, the article alone, and its PDF."""

    page: Path | None = None
    article: Path | None = None
    pdf: Path | None = None

    @property
    def need_screenshot(self) -> bool:
        """Whether a screenshot of the page is needed."""
        return bool(self.page or self.article)

    def for_source(self, number: int, total: int) -> ArticlePictures:
        """The files of one source: ``page.png``, or ``page-1.png`` etc. for several sources."""
        if total == 1:
            return self
        files = (self.page, self.article, self.pdf)
        numbered = (path and path.with_stem(f"{path.stem}-{number}") for path in files)
        return ArticlePictures(*numbered)

    def draw(self, dark: bool, result: PageResult) -> None:
        """Write the PNGs."""
        from ..debug.pictures.crops import article_screenshot
        from ..debug.pictures.picture import annotated_screenshot

        assert result.snapshot is not None
        snapshot, extraction = result.snapshot, result.unwrap()
        if self.page:
            self.page.write_bytes(annotated_screenshot(snapshot, extraction, dark=dark))
        if self.article:
            self.article.write_bytes(article_screenshot(snapshot, extraction))

    async def print_article(
        self, extraction: Extraction, renderer: Renderer, options: RenderOptions
    ) -> int:
        """Write the PDF, if requested; an error is printed, and its exit code returned."""
        from ..extract.printing import print_article

        if self.pdf is None:
            return 0
        try:
            self.pdf.write_bytes(await print_article(extraction, renderer, options))
        except MioloError as error:
            print_error(f"{extraction.url}: {error}")
            return error.exit_code
        return 0


@dataclass
class Outputs:
    """Format and destination of the outputs of several sources, written one after the other.

    The file is opened for the first of them, so that an earlier file is kept if every source fails.
    """

    form: str
    writing: WriteOptions
    output: Path | None  # None for standard output
    pictures: ArticlePictures
    # Line between two outputs; by default an empty line, three hyphens and an empty line for
    # formats that people read, and none for the others.
    separator: str | None
    images: Path | None  # folder for the pictures of the articles; None to keep their addresses
    file: TextIO | None = None
    code: int = 0
    _columns: str = ""  # header of the CSV table that was written last

    def take(self, result: PageResult, source: str, *, is_only: bool) -> bool:
        """Print the error and warnings of a source, and return whether it has an output."""
        if result.error is not None:
            text = error_text(result.error)
            # Most messages name their source.
            print_error(text if is_only or source in text else f"{source}: {text}")
            self.code = result.error.exit_code
        if result.extraction is None:
            return False
        page_sources.print_warnings(result.extraction, source, result.error)
        return True

    def write(self, text: str, closing: ExitStack) -> None:
        """Write an output."""
        if self.file is None:
            path = self.output
            opened = nullcontext(sys.stdout) if path is None else path.open("w", encoding="utf-8")
            self.file = closing.enter_context(opened)
        elif self.separator is not None or self.form not in LINES:
            separator = self.separator
            print(DEFAULT_SEPARATOR if separator is None else separator, file=self.file)
        if self.form == "csv":
            text = self._rows(text)
        print(text, file=self.file, flush=True)

    def _rows(self, table: str) -> str:
        """A table without its header if it has the columns of the one before, so that both are one;
        another one begins after an empty line.
        """
        columns, _, rows = table.partition("\n")
        is_next, is_other = columns == self._columns, bool(self._columns)
        self._columns = columns
        return rows if is_next else f"\n{table}" if is_other else table


@shared.with_page_options
@shared.with_extract_options
@shared.with_write_options
def extract(
    options: RenderOptions,
    extract: ExtractOptions,
    writing: WriteOptions,
    sources: list[str] | None = argument(
        None,
        "SOURCE",
        "URLs, HTML or MHTML files, archives, snapshots, or - for stdin.",
        callback=lambda texts: texts and [*map(page_sources.typed_source, texts)],
    ),
    form: str = choice("text", shared.FORMS, "Output format.", "--format", "-f"),
    url: str | None = option(
        None,
        "URL that a single HTML file, or standard input, came from.",
        callback=lambda text: text and page_sources.typed_source(text),
    ),
    site: Path | None = shared.SITE_FILE,
    model: Path | None = shared.MODEL_FILE,
    output: Path | None = shared.OUTPUT_FILE,
    screenshot: Path | None = shared.SCREENSHOT_FILE,
    screenshot_article: Path | None = written_file("Write a PNG of the article only."),
    pdf: Path | None = shared.PDF_FILE,
    hide_overlays: bool = shared.hide_overlays_option(True),
    follow_pages: bool = option(
        False, "Append the pages on which an article continues.", "--follow-pages"
    ),
    archive: Path | None = shared.ARCHIVE_FILE,
    connect: str | None = shared.CONNECT_TO,
    separator: str | None = option(None, "Line between the outputs of several sources."),
    images: Path | None = option(
        None, "Folder to save the article's images in; links point to them.", file_okay=False
    ),
) -> None:
    """Extract the articles of pages as text, Markdown, HTML, JSON and more.

    With --archive and no SOURCE, all pages of the archive are extracted.
    """
    if not sources and archive is None and connect is None:
        message = "SOURCE is missing; it is optional only with --archive and --connect"
        raise typer.BadParameter(message)
    if connect is not None and (archive or url or follow_pages or len(sources or ()) > 1):
        raise typer.BadParameter("--connect is for one tab, without --archive, --url and others")
    if connect is not None and (screenshot or screenshot_article or pdf):
        raise typer.BadParameter("--connect takes no pictures: print or photograph the tab itself")
    if url is not None and not _is_base(url, sources or []):
        raise typer.BadParameter(
            "--url is for one HTML file or -, and must be an http or https URL"
        )
    page_sources.check_one_stdin(*(sources or []))
    page_sources.report_unused(options, sources or [], connect)
    if output is not None and any(_is_same_file(output, source) for source in sources or ()):
        raise typer.BadParameter("--output is a SOURCE, which would be overwritten")
    form = "markdown" if form == "md" else form
    if images is not None and (form not in ILLUSTRATED or not writing.images):
        raise typer.BadParameter(
            "--images needs --format markdown, html or tei, without --no-images"
        )
    extract = page_sources.with_learned(extract, site, model)
    pictures = ArticlePictures(screenshot, screenshot_article, pdf)
    outputs = Outputs(form, writing, output, pictures, separator, images)
    options = shared.with_screenshot(options, pictures.need_screenshot)
    options = replace(options, hide_overlays=hide_overlays)
    needs_loop = archive or connect or follow_pages or images or any(vars(pictures).values())
    if not needs_loop and options.browser == "never" and _are_given(sources or []):
        extract_given_sources(sources or [], options, extract, outputs, url)
    else:
        import asyncio

        work = extract_sources(
            sources or [], options, extract, outputs, follow_pages, archive, url, connect
        )
        asyncio.run(work)
    if outputs.code:
        raise typer.Exit(outputs.code)


def _is_base(url: str, sources: Sequence[str]) -> bool:
    """Whether `url` can be the address of the sources, which must then be one HTML file or -."""
    from ..extract.sources import is_saved, parse_source

    is_one_file = len(sources) == 1 and isinstance(parse_source(sources[0]), Path)
    return is_one_file and not is_saved(sources[0]) and url.startswith(("http://", "https://"))


def _are_given(sources: Sequence[str]) -> bool:
    """Whether the sources are files, HTML or standard input."""
    from ..extract.sources import parse_source

    return all(source == "-" or not isinstance(parse_source(source), str) for source in sources)


def _is_same_file(output: Path, source: str) -> bool:
    try:
        return output.samefile(source)
    except (OSError, ValueError):  # one of them is no file
        return False


def extract_given_sources(
    sources: Sequence[str],
    options: RenderOptions,
    extract: ExtractOptions,
    outputs: Outputs,
    url: str | None = None,
) -> None:
    """Extract sources that need neither a browser nor a network; see `extract_sources`."""
    with ExitStack() as closing:
        for source in sources:
            fields = _job_fields(extract, outputs)
            job = page_sources.page_job(source, options, url, **fields)
            result = page_sources.extract_given_job(job, options)
            if outputs.take(result, source, is_only=len(sources) == 1):
                outputs.write(result.artefacts["written"], closing)


def _job_fields(extract: ExtractOptions, outputs: Outputs) -> dict[str, Any]:
    """Fields of the job of a source, whose result has the output as an artefact."""
    from ..extract.job import Artefact, refuse_empty

    written = Artefact("written", partial(_format, outputs))
    return {"extract": extract, "artefacts": (written,), "keep_lazy": True, "check": refuse_empty}


async def extract_sources(
    sources: Sequence[str],
    options: RenderOptions,
    extract: ExtractOptions,
    outputs: Outputs,
    follow: bool = False,
    archive: Path | None = None,
    url: str | None = None,
    connect: str | None = None,
) -> None:
    """Extract every source; one that fails is reported and does not stop the others.

    With `follow`, the pages on which an article continues are joined to it. With an archive, pages
    come only from it, and without sources all of its pages. With `url`, the single source is HTML
    from that address; with `connect`, part of the address of a tab in the user's own browser.
    """
    tab = await page_sources.connected_tab(connect, "".join(sources), options)
    sources = sources if tab is None else [tab.page.url]
    with ExitStack() as closing:
        first = "" if tab is not None or not sources else sources[0]
        async with page_sources.lazy_renderer(options, archive, first) as renderer:
            from ..extract.job import Artefact
            from ..extract.pagination import FollowOptions

            follow_options = FollowOptions() if follow else None
            if renderer.replay is not None:
                sources = sources or list(renderer.replay.pages())
                if not sources:
                    raise EmptyInputError(f"{archive} has no pages")
            for number, source in enumerate(sources, 1):
                pictures = outputs.pictures.for_source(number, len(sources))
                fields = {"url": url, "follow": follow_options, **_job_fields(extract, outputs)}
                job = await page_sources.typed_job(renderer, source, options, tab, **fields)
                if pictures.need_screenshot:
                    draw = partial(pictures.draw, options.color_scheme == "dark")
                    job = replace(job, artefacts=(*job.artefacts, Artefact("pictures", draw)))
                result = await page_sources.extract_job(job, renderer)
                if not outputs.take(result, source, is_only=len(sources) == 1):
                    continue
                text = result.artefacts["written"]
                if outputs.images:
                    text = await _format_with_images(outputs, result, job.render)
                assert result.extraction is not None
                failed = await pictures.print_article(result.extraction, renderer, job.render)
                outputs.code = failed or outputs.code
                outputs.write(text, closing)


def _format(outputs: Outputs, result: PageResult) -> str:
    from ..output.formats import format_result

    return format_result(result, outputs.form, outputs.writing)


async def _format_with_images(outputs: Outputs, result: PageResult, options: RenderOptions) -> str:
    """Save the pictures of an article, and format it with links to them."""
    from ..output.saved_images import save_images

    assert outputs.images is not None
    assert result.extraction is not None
    saved = await save_images(result.extraction, outputs.images, options=options)
    for warning in saved.warnings:
        print_note(warning.message)
    base = outputs.output.parent if outputs.output else Path()
    paths = {
        url: quote(Path(os.path.relpath(outputs.images / name, base)).as_posix())
        for url, name in saved.files.items()
    }
    illustrated = replace(outputs, writing=replace(outputs.writing, image_paths=paths))
    import asyncio

    return await asyncio.to_thread(_format, illustrated, result)


def _check_record(value: Path | None) -> Path | None:
    from ..renderer.archives.open_archive import RECORD_NAMES

    if value and not value.name.lower().endswith(RECORD_NAMES):
        raise typer.BadParameter(f"the file name must end in {', '.join(RECORD_NAMES)}")
    return check_folder(value)


@shared.with_page_options
def render(
    options: RenderOptions,
    source: str | None = shared.source_argument(default=None),
    output: Path = written_file("Snapshot file to write.", "--output", "-o", default="page.miolo"),
    screenshot: Path | None = shared.SCREENSHOT_FILE,
    element: str | None = option(
        None,
        "CSS selector or XPath of the element to crop the screenshot to.",
        metavar="SELECTOR",
        callback=check_selector,
    ),
    hide_overlays: bool = shared.hide_overlays_option(False),
    pdf: Path | None = shared.PDF_FILE,
    archive: Path | None = shared.ARCHIVE_FILE,
    record: Path | None = option(
        None,
        "Record everything that the page loads in this .warc.gz, .wacz or .har file.",
        callback=_check_record,
    ),
    connect: str | None = shared.CONNECT_TO,
) -> None:
    """Save the snapshot, screenshot and PDF of a page."""
    if source is None and connect is None:
        raise typer.BadParameter("SOURCE is missing; it is optional only with --connect")
    if connect is not None and (screenshot or pdf or archive or record):
        raise typer.BadParameter("--connect saves only the snapshot of a tab")
    if element and not screenshot:
        raise typer.BadParameter("--element needs --screenshot")
    if pdf and options.browser != "always":
        raise typer.BadParameter("--pdf needs --browser always")
    page_sources.report_unused(options, [source or ""], connect)
    options = shared.with_screenshot(options, screenshot is not None)
    options = replace(options, hide_overlays=hide_overlays, pdf=pdf is not None)

    async def load() -> Snapshot:
        if tab := await page_sources.connected_tab(connect, source or "", options):
            return tab
        if record:
            return await _record(source or "", options, archive, record)
        return await page_sources.load_source(source or "", options, archive)

    import asyncio

    snapshot = asyncio.run(load())
    snapshot.save(output)
    if screenshot:
        screenshot.write_bytes(_picture(snapshot, element))
    if pdf:
        if snapshot.pdf is None:
            raise MissingScreenshotError("the snapshot has no PDF: render the page again")
        pdf.write_bytes(snapshot.pdf)
    print_note(f"{len(snapshot):,} nodes of {snapshot.page.url} saved to {output}")


def _picture(snapshot: Snapshot, element: str | None) -> bytes:
    """The screenshot of a page, or of the first element that a selector matches."""
    if snapshot.screenshot is None:
        raise MissingScreenshotError(
            "the snapshot has no screenshot: render the page again with a screenshot"
        )
    if element is None:
        return snapshot.screenshot
    from ..debug.pictures.crops import element_screenshot

    return element_screenshot(snapshot, element)


async def _record(
    source: str, options: RenderOptions, archive: Path | None, record: Path
) -> Snapshot:
    from ..extract.job import Artefact
    from ..renderer.archives.open_archive import save_archive

    def save(result: PageResult) -> None:
        save_archive(record, list(result.exchanges))

    # The recorded responses are most useful when the page failed.
    artefacts = (Artefact("archive", save, of_failures=True),)
    async with page_sources.lazy_renderer(options, archive, source) as renderer:
        return await page_sources.load_page(
            renderer, source, options, record=True, artefacts=artefacts
        )
