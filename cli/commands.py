"""What `miolo extract`, `render` and `inspect` do; each returns its exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from ..collect.workers.child import end_within
from ..debug.pictures.block_tree import draw_blocks
from ..debug.pictures.picture import annotated_screenshot
from ..debug.reports.page_report import html_report
from ..errors import MissingScreenshotError, UnknownMethodError
from ..extract.job import Artefact, PageJob
from ..extract.job_run import CallingThread, extract_page
from ..extract.methods.registry import METHODS, method_named
from ..extract.output.extraction import Extraction
from ..extract.output.formats import format_result
from ..extract.output.options import WriteOptions
from ..extract.output.page_result import PageResult
from ..extract.pagination import FollowOptions
from ..extract.sources import is_saved
from ..models.site import Site
from ..models.visual.vips import VIPSOptions, vips
from ..renderer.archives.open_archive import save_archive
from ..renderer.browser.chromium import runs_as_root
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer
from ..renderer.snapshot import Snapshot
from .console import print_error
from .options import MethodOptions
from .sources import lazy_renderer, load_page, named_options, page_job

__all__ = [
    "Outputs",
    "chosen_method",
    "draw_source",
    "extract_sources",
    "inspect_source",
    "render_source",
]


@dataclass(frozen=True)
class Chosen:
    """The method asked for, with its site and its model."""

    how: MethodOptions
    site: Site | None
    model: Any

    def job(self, source: str, options: RenderOptions, **more: Any) -> PageJob:
        """The job of a source."""
        how = self.how
        return page_job(
            source,
            options,
            methods=(how.method,),
            preset=how.preset,
            include=how.include,
            exclude=how.exclude,
            site=self.site,
            model=self.model,
            **more,
        )


def chosen_method(how: MethodOptions, site: Path | None, model: Path | None) -> Chosen:
    """The method asked for, with its site and its model read from files.

    Raises
    ------
    UnknownMethodError
        There is no method of this name, or a model is given and the method uses none. It is
        raised before a browser starts.
    ArchiveError
        A file is damaged, or of another kind.
    """
    model_type = method_named(how.method).model_type
    if model and model_type is None:
        others = " and ".join(name for name, each in METHODS.items() if each.model_type)
        raise UnknownMethodError(f"--model is used by the methods {others}, not by {how.method}")
    known_site = Site.load(site) if site else None
    return Chosen(how, known_site, model_type.load(model) if model and model_type else None)


GRACE_SECONDS = 120.0
"""Time beyond a page's deadline after which the process is ended, whatever holds it up: the first
use of a method compiles, and an article goes on at other pages."""

# Formats whose outputs are parted by themselves: by lines, or by the elements around them.
LINES = frozenset(("json", "chunks", "csv", "tei", "html"))

DEFAULT_SEPARATOR = "\n---\n"


@dataclass(frozen=True)
class Outputs:
    """What is written of the sources, and where.

    Attributes
    ----------
    form, writing
        One of `FORMATS`, and how it is written.
    output
        A file; standard output without.
    screenshot
        A file for the picture.
    separator
        Line between two outputs; by default an empty line, three hyphens and an empty line for
        formats that people read, and none for the others.
    """

    form: str
    writing: WriteOptions = field(default_factory=WriteOptions)
    output: Path | None = None
    screenshot: Path | None = None
    separator: str | None = None

    def separator_line(self) -> str | None:
        """The line between two outputs; None for none."""
        if self.separator is not None:
            return self.separator
        return None if self.form in LINES else DEFAULT_SEPARATOR

    def open(self) -> AbstractContextManager[TextIO]:
        """The file to write."""
        if self.output is None:
            return nullcontext(sys.stdout)
        return self.output.open("w", encoding="utf-8")


async def _extract(job: PageJob, renderer: Renderer) -> PageResult:
    """Do a job in this thread; code that never returns is ended with the process."""
    end_within(None if job.deadline is None else job.deadline + GRACE_SECONDS)
    try:
        return await extract_page(job, renderer, executor=CallingThread())
    finally:
        end_within(None)


async def extract_sources(
    sources: Sequence[str],
    options: RenderOptions,
    chosen: Chosen,
    outputs: Outputs,
    follow: bool = False,
    archive: Path | None = None,
) -> int:
    """Extract every source; one that fails is reported and does not stop the others.

    With `follow` the pages that an article goes on at are joined to it. With an archive pages
    come from there alone, and without sources all of its pages are extracted.
    """
    _warn_of_root(sources)
    code = 0
    screenshot, separator = outputs.screenshot, outputs.separator_line()
    options = replace(options, screenshot=screenshot is not None)
    written = False
    with outputs.open() as sink:
        async with lazy_renderer(options, archive) as renderer:
            if renderer.replay is not None:
                sources = sources or list(renderer.replay.pages())
            for number, source in enumerate(sources, 1):
                picture = screenshot and _number(screenshot, number, len(sources))
                artefacts = [Artefact("written", partial(_format, outputs))]
                if picture:
                    artefacts.append(Artefact("picture", partial(_draw, picture)))
                job = chosen.job(
                    source,
                    await named_options(renderer, source, options),
                    follow=FollowOptions() if follow else None,
                    artefacts=tuple(artefacts),
                )
                result = await _extract(job, renderer)
                if result.error is not None:
                    error = result.error
                    print_error(f"{source}: {error}" if len(sources) > 1 else str(error))
                    code = error.exit_code
                    continue
                _tell_warnings(result.unwrap(), source)
                if written and separator is not None:
                    print(separator, file=sink)
                print(result.artefacts["written"], file=sink, flush=True)
                written = True
    return code


def _format(outputs: Outputs, result: PageResult) -> str:
    return format_result(result, outputs.form, outputs.writing)


def _draw(path: Path, result: PageResult) -> None:
    assert result.snapshot is not None
    path.write_bytes(annotated_screenshot(result.snapshot, result.unwrap()))


async def render_source(
    source: str,
    options: RenderOptions,
    output: Path,
    screenshot: Path | None,
    archive: Path | None = None,
    record: Path | None = None,
) -> int:
    """Save the snapshot of a source, and on request all that it took to render it."""
    options = replace(options, screenshot=screenshot is not None)
    if record:
        snapshot = await _record(source, options, archive, record)
    else:
        snapshot = await _one(source, options, archive)
    snapshot.save(output)
    if screenshot:
        screenshot.write_bytes(_picture(snapshot))
    print_error(f"{len(snapshot):,} nodes of {snapshot.page.url} saved to {output}")
    return 0


async def _record(
    source: str, options: RenderOptions, archive: Path | None, record: Path
) -> Snapshot:
    _warn_of_root([source])

    def save(result: PageResult) -> None:
        save_archive(record, list(result.exchanges))

    # What a page was answered with is worth most where it failed.
    artefacts = (Artefact("archive", save, of_failures=True),)
    async with lazy_renderer(options, archive) as renderer:
        named = await named_options(renderer, source, options)
        job = page_job(source, named, record=True, keep_snapshot=True, artefacts=artefacts)
        result = (await _extract(job, renderer)).raise_for_error()
    assert result.snapshot is not None
    return result.snapshot


async def inspect_source(
    source: str,
    options: RenderOptions,
    chosen: Chosen,
    output: Path,
    archive: Path | None = None,
) -> int:
    """Write the report of a source."""

    def write(result: PageResult) -> None:
        assert result.snapshot is not None
        output.write_text(html_report(result.snapshot, result.unwrap()), encoding="utf-8")

    _warn_of_root([source])
    options = replace(options, screenshot=True)
    async with lazy_renderer(options, archive) as renderer:
        named = await named_options(renderer, source, options)
        job = chosen.job(source, named, artefacts=(Artefact("report", write),))
        result = await _extract(job, renderer)
    _tell_warnings(result.unwrap(), source)
    print_error(f"report of {result.url} written to {output}")
    return 0


async def draw_source(source: str, options: RenderOptions, coherence: int, output: Path) -> int:
    """Draw the visual blocks of a source."""
    snapshot = await _one(source, replace(options, screenshot=True))
    tree = vips(snapshot, VIPSOptions(pdoc=coherence))
    output.write_bytes(draw_blocks(snapshot, tree))
    print_error(f"{len(tree.leaves)} blocks of {snapshot.page.url} drawn to {output}")
    return 0


async def _one(source: str, options: RenderOptions, archive: Path | None = None) -> Snapshot:
    _warn_of_root([source])
    async with lazy_renderer(options, archive) as renderer:
        return await load_page(renderer, source, options)


def _picture(snapshot: Snapshot) -> bytes:
    if snapshot.screenshot is None:
        raise MissingScreenshotError(
            "the snapshot holds no screenshot: render the page again with one"
        )
    return snapshot.screenshot


def _number(path: Path, number: int, total: int) -> Path:
    """``page.png`` for one source, ``page-1.png`` and so on for several."""
    return path if total == 1 else path.with_stem(f"{path.stem}-{number}")


def _tell_warnings(extraction: Extraction, source: str) -> None:
    for warning in extraction.warnings:
        print_error(f"{source}: {warning.message} ({warning.code})")


def _warn_of_root(sources: Sequence[str]) -> None:
    if runs_as_root() and not all(map(is_saved, sources)):
        print_error(
            "running as root, so Chromium has no sandbox; trust no page, or use another user"
        )
