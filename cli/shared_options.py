"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from ..extract.options import ExtractOptions
from ..models.article.roles import DEFAULT_PRESET, PRESETS
from ..models.site_folder import SiteFolder
from ..output.write_options import MIN_CHUNK_CHARS, WriteOptions
from ..renderer.options import OPTIONS, RenderOptions
from .choice_options import (
    argument,
    check_names,
    choice,
    existing_file,
    existing_folder,
    option,
    written_file,
)
from .page_sources import typed_source
from .render_options import convert_option, render_options

# The names of `miolo.output.formats.FORMATS`, and ``md`` for Markdown.
FORMS = ("text", "markdown", "md", "html", "json", "tei", "csv", "chunks")

TEXT_FORMAT = choice("text", ("text", "json"), "Output format.", "--format", "-f")
FIGURES_FORMAT = choice("table", ("table", "json"), "Output format.", "--format", "-f")


def source_argument(
    about: str = "URL, HTML or MHTML file, archive, snapshot, or - for stdin.",
    metavar: str = "SOURCE",
    default: Any = ...,
) -> Any:
    """A page as an argument."""
    return argument(default, metavar, about, callback=lambda text: text and typed_source(text))


SITE_FILE = existing_file("Site file written by `miolo learn`.", "--site")
SITE_FILES = existing_folder(
    "Folder of site files written by `miolo learn`; each page uses that of its host.", "--sites"
)
MODEL_FILE = existing_file("Model file written by `miolo train`.", "--model")
CONNECT_TO = option(
    None,
    "Read the active tab of your own browser at this debugging address or port, or the tab whose "
    "address contains SOURCE; nothing is changed in it.",
    "--connect",
    metavar="ADDRESS",
)
OUTPUT_FILE = written_file("Output file; standard output by default.", "--output", "-o")
SCREENSHOT_FILE = written_file(
    "Write a PNG of the page, with boxes when extracting.", "--screenshot"
)
PDF_FILE = written_file("Write a PDF of the page, or of the article when extracting.", "--pdf")
ARCHIVE_FILE = existing_file(
    "Load pages from this WARC, ARC, WACZ, HAR or MHTML file, not the network.", "--archive"
)


def hide_overlays_option(default: bool) -> Any:
    """Whether overlays are hidden."""
    about = "Hide overlays, such as consent dialogs, in screenshots."
    return option(default, about, "--hide-overlays/--show-overlays")


def with_page_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the rendering options to a command as `options`; those about the text if it extracts."""
    extracts = "method" in _signature(command).parameters
    left_out = [name for name, each in OPTIONS.items() if each.is_of_text and not extracts]
    return _add_parameters(command, "options", render_options, left_out)


def with_values(name: str, build: Callable[..., object]) -> Callable[..., Callable[..., None]]:
    """Add the parameters of `build` to a command, which receives its result by a name."""
    return lambda command: _add_parameters(command, name, build)


def _add_parameters(
    command: Callable[..., None],
    name: str,
    build: Callable[..., object],
    left_out: Collection[str] = (),
) -> Callable[..., None]:
    """Add the parameters of `build` that a command lacks; it receives the result as `name`.

    Those that it has or leaves out keep their defaults in the result.
    """
    own = [p for p in _signature(command).parameters.values() if p.name != name]
    replaced = {*(p.name for p in own), *left_out}
    every = list(_signature(build).parameters.values())
    shared = [p for p in every if p.name not in replaced]
    unset = {p.name: p.default.default for p in every if p.name in replaced}

    @functools.wraps(command)
    def wrapper(**values: Any) -> None:
        chosen = {p.name: values.pop(p.name) for p in shared}
        command(**{name: build(**unset, **chosen)}, **values)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own + shared]
    # What must be given is listed first in the help.
    parameters.sort(key=lambda p: getattr(p.default, "default", None) is not ...)
    wrapper.__dict__["__signature__"] = inspect.Signature(parameters)
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function, eval_str=True)


def with_screenshot(options: RenderOptions, is_requested: bool = True) -> RenderOptions:
    """Options with or without the screenshot, which requires that every page is rendered."""
    if is_requested and options.browser != "always":
        raise typer.BadParameter("screenshots need --browser always")
    return replace(options, screenshot=is_requested)


def element_labels(value: str) -> str:
    """Check one or more names of `miolo.features.page_tree.LABELS`, separated by commas."""
    check_names(value.split(","), ("classes", "tags", "looks"))
    return value


def _extract_options(
    method: str = option(
        "auto", "Extraction method; `miolo methods` lists them.", "--method", "-m"
    ),
    sites: Path | None = SITE_FILES,
    preset: str = option(DEFAULT_PRESET, f"Roles that count as the text: {', '.join(PRESETS)}."),
    include: list[str] | None = option(
        None, "A role to add to the preset. Repeatable.", metavar="ROLE"
    ),
    exclude: list[str] | None = option(
        None, "A role to remove from the preset. Repeatable.", metavar="ROLE"
    ),
) -> ExtractOptions:
    site = sites and SiteFolder(sites)
    return ExtractOptions(method, preset, _split_names(include), _split_names(exclude), site)


def _write_options(
    no_links: bool = option(False, "Write links as plain text.", "--no-links"),
    no_images: bool = option(False, "Omit images.", "--no-images"),
    front_matter: bool = option(
        False, "Start Markdown with the metadata as YAML.", "--front-matter"
    ),
    wrap: int = option(0, "Maximum characters per line of Markdown; 0 for no limit.", min=0),
    chunk_size: int = option(
        WriteOptions.chunk_size, "Maximum characters per chunk.", min=MIN_CHUNK_CHARS
    ),
    chunk_overlap: int = option(
        0, "Maximum characters repeated from the previous chunk, at most half of one.", min=0
    ),
) -> WriteOptions:
    values = not no_links, not no_images, front_matter, wrap, chunk_size, chunk_overlap
    return convert_option(WriteOptions, *values)


def _split_names(values: Sequence[str] | None) -> tuple[str, ...]:
    """Names from a repeated option, whose values may each hold several separated by commas."""
    names = (name.strip() for value in values or () for name in value.split(","))
    return tuple(name for name in names if name)


# Commands receive the extraction options as `extract`, and the output options as `writing`.
with_extract_options = with_values("extract", _extract_options)
with_write_options = with_values("writing", _write_options)
