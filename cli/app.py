"""The command line: one app, and a module per group of commands, loaded when called."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import MioloError, StorageError
from ..extensions import extensions, load_extension
from ..version import __version__
from .console import error_text, print_error, print_note, without_collection

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = {
    "extract": (
        "extract",
        "Extract the articles of pages as text, Markdown, HTML, JSON and more.",
    ),
    "render": ("extract", "Save the snapshot, screenshot and PDF of a page."),
    "inspect": ("inspect", "Write a report on a page, two pages side by side, or a learned site."),
    "compare": ("inspect", "Show what changed between two pages or captures."),
    "batch": ("batch", "Extract many pages into a folder; run it again to resume."),
    "crawl": ("batch", "Visit the pages of a site and save them with their articles."),
    "links": (
        "links",
        "List the links, feeds and sitemaps of a page, or the pages that these list.",
    ),
    "status": (
        "collection",
        "Show the state of a collection: pages, failures, hosts, times and sizes.",
    ),
    "export": (
        "collection",
        "Export a collection as Parquet tables with a data card, or its labels in other formats.",
    ),
    "similar": (
        "collection",
        "List pages with nearly the same text, within and across collections.",
    ),
    "label": (
        "label",
        "Label a site's nodes as template or content, or label the roles of blocks by hand.",
    ),
    "learn": ("learn", "Learn a site from saved pages, and draw what was learned on one."),
    "drift": (
        "learn",
        "Count the further pages that match a site's patterns, and note it in the site file.",
    ),
    "train": ("train", "Train a model on labelled nodes or on pages labelled by hand."),
    "evaluate": ("evaluate", "Score methods and other extractors on pages with known articles."),
    "serve": ("serve", "Serve the HTTP API and the web page that shows extractions."),
    "mcp": (
        "serve",
        "Serve extract, screenshot, links and compare as MCP tools over standard input and output.",
    ),
    "methods": ("inspect", "List the extraction methods, by group, and the pictures of `inspect`."),
    "install": (
        "doctor",
        "Install Chromium, from Playwright or from the system's packages, unless one works.",
    ),
    "doctor": ("doctor", "Check what is installed and what is missing."),
}
"""Module and description of each command, so that the help need not import the modules."""

ENTRY_POINTS = "miolo.commands"


INTERRUPTED = 130

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

EXIT_CODES = [
    ("0", "Success."),
    ("1", "A page of a batch failed, or a file could not be read or written."),
    ("2", "An option, a name or a setting is invalid."),
    ("3", "Chromium was not found."),
    (
        "4-9",
        "A page was not rendered: 5 invalid address or HTTP error, 6 not HTML, 7 timeout.",
    ),
    ("10", "A Miolo file is damaged, or is of another kind."),
    ("13", "An optional dependency is not installed; the message names it."),
    ("16-17", "Another run is writing to the folder, or results cannot be written."),
    ("20", "The address is private or leads to a private address."),
    ("27", "No text was found on the page."),
    (str(INTERRUPTED), "Interrupted with Ctrl-C."),
]
"""Short meanings of the exit codes; docs/command-line.md lists all of them."""


class Commands(Mapping[str, Any]):
    """Commands by name, those of installed packages last, each imported when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name, cls=_LightCommand)(self._function(name))
        return typer.main.get_command(single)

    def __iter__(self) -> Iterator[str]:
        return iter((*COMMANDS, *self._extensions()))

    def __len__(self) -> int:
        return len(COMMANDS) + len(self._extensions())

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS or name in self._extensions()

    def about(self, name: str) -> str:
        """Description of a command; of another package's, which is not imported, the package."""
        if name in COMMANDS:
            return COMMANDS[name][1]
        package = self._extensions()[name].dist
        return "Command of another package." if package is None else f"From {package.name}."

    def _function(self, name: str) -> Callable[..., None]:
        with without_collection():
            if name in COMMANDS:
                return getattr(import_module(f".{COMMANDS[name][0]}", __package__), name)
            try:
                return load_extension(self._extensions()[name], FunctionType)
            except ValueError as error:
                raise typer.BadParameter(str(error)) from error

    def _extensions(self) -> Mapping[str, EntryPoint]:
        """Commands of other packages. Miolo's own commands cannot be overridden."""
        points = extensions(ENTRY_POINTS)
        return {name: point for name, point in points.items() if name not in COMMANDS}


def _process(parameter: Any, context: Any, value: Any) -> Any:
    """The value of a parameter of a command, converted and checked.

    Typer converts by pydantic, which takes longer to import than a page to extract. Texts, names
    from a list and defaults do not need it.
    """
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None or parameter.required:
        return type(parameter).process_value(parameter, context, value)
    is_list = parameter.multiple or parameter.nargs == -1
    kind, parser = descriptor.annotation, descriptor.parameter_info.parser
    if value is None:
        value = () if is_list else None
    elif is_list and kind == list[str] and parser is None:
        value = list(value)
    elif parser is not None and not is_list:
        value = parser(value)
    elif not _is_converted(kind, value, context.get_parameter_source(parameter.name)):
        return type(parameter).process_value(parameter, context, value)
    callback = parameter.callback
    return value if callback is None else callback(context, parameter, value)


def _is_converted(kind: Any, value: Any, source: Any) -> bool:
    if kind is str or source.name == "DEFAULT":
        return isinstance(kind, type) and isinstance(value, kind)
    return False


def _light(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        vars(parameter)["process_value"] = partial(_process, parameter)
    return parameters


class _LightCommand(TyperCommand):
    """A command whose parameters convert simple values by `_process`."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _light(super().get_params(ctx))


class _LazyGroup(TyperGroup):
    """A group whose commands are imported when they are called."""

    commands: Commands  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Commands()

    def get_params(self, ctx: Any) -> list[Any]:
        return _light(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands.about(name)) for name in self.commands])
        with formatter.section("Exit codes"):
            formatter.write_dl(EXIT_CODES)
        formatter.write_paragraph()
        formatter.write_text(
            "docs/command-line.md describes the commands and lists all exit codes."
        )


app = typer.Typer(
    cls=_LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich takes a fifth of a second to import
    help=(
        "Render web pages in headless Chromium, extract the article and explain every block that "
        "is kept or left out."
    ),
)


def run() -> None:
    """Run the command line and exit with the code that matches the outcome."""
    debug = "--debug" in sys.argv
    if not debug:
        warnings.showwarning = lambda message, *_, **__: print_note(str(message))
    try:
        app(prog_name="miolo")
    except MioloError as error:
        if debug:
            raise
        print_error(error_text(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        if debug:
            raise
        if error.errno in DISK_FULL:
            print_error("no space is left for files: free some, or write to another disk")
            sys.exit(StorageError.exit_code)
        print_error(f"{error.filename or 'I/O error'}: {error.strerror or error}")
        sys.exit(1)


def _version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"miolo {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
