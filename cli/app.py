"""The command line: one app, and a module per group of commands, loaded when called."""

from __future__ import annotations

import sys
from collections import UserDict
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import MioloError
from ..version import __version__
from .console import error_text, print_error

__all__ = ["COMMANDS", "app", "run"]

COMMANDS = {
    "extract": (
        "extract",
        "Take the article out of pages, as text, Markdown, HTML, JSON and more.",
    ),
    "render": ("extract", "Save the snapshot of a page, its screenshot and its PDF."),
    "inspect": ("inspect", "Write a report of a page, of two side by side, or of a learned site."),
    "compare": ("inspect", "Show what changed between two pages or captures."),
    "blocks": ("inspect", "Draw the visual blocks of a page over its screenshot."),
    "batch": ("batch", "Extract many pages into a folder; run again, it resumes."),
    "crawl": ("batch", "Visit the pages of a site, and save them and their articles."),
    "links": (
        "links",
        "List the links of a page, its feeds and its site's sitemaps, or the pages these list.",
    ),
    "status": (
        "collection",
        "Show the state of a collection: pages, failures, hosts, time, bytes.",
    ),
    "export": (
        "collection",
        "Write a collection as Parquet tables with a data card, or its labels in other forms.",
    ),
    "similar": (
        "similar",
        "List pages whose texts are nearly the same, within and across collections.",
    ),
    "label": (
        "learn",
        "Label the nodes of a site's pages as template or content, or by hand the roles of blocks.",
    ),
    "learn": ("learn", "Learn a site from saved pages: templates, wrappers, repetition."),
    "drift": ("learn", "Count the further pages that a learned site's patterns take."),
    "train": ("train", "Train a model on labelled nodes or on pages labelled by hand."),
    "evaluate": ("evaluate", "Score methods and other extractors on pages with known articles."),
    "serve": ("serve", "Serve extraction over HTTP, and a web page to look at it."),
    "mcp": (
        "mcp",
        "Serve extract, screenshot, links and compare as MCP tools on standard input and output.",
    ),
    "methods": ("methods", "List the extraction methods by group."),
    "install": ("doctor", "Install a Chromium: Playwright's own, or the system's."),
    "doctor": ("doctor", "Check what is installed and what is missing."),
}
"""Module and description of each command, so that the help need not import the modules."""


INTERRUPTED = 130

EXIT_CODES = [
    ("0", "All went well."),
    ("1", "A page of a batch failed, or a file could not be read or written."),
    ("2", "An option, a name or a setting does not exist."),
    ("3", "There is no Chromium."),
    (
        "4-9",
        "A page was not rendered: 5 no address or an HTTP error, 6 no page, 7 out of time.",
    ),
    ("10", "A file of Miolo's is damaged, or of another kind."),
    ("13", "Something optional is not installed; the message names it."),
    ("16-17", "Another run writes to the folder, or the disk is full."),
    ("20", "The address is private, or leads to one."),
    (str(INTERRUPTED), "Ctrl-C."),
]
"""Short meanings of the exit codes; docs/rendering.md lists all of them."""


class Commands(UserDict[str, Any]):
    """Commands by name, each imported when it is looked up."""

    def __init__(self) -> None:
        super().__init__(COMMANDS)

    def __getitem__(self, name: str) -> Any:
        module, _ = COMMANDS[name]
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(getattr(import_module(f".{module}", __package__), name))
        return typer.main.get_command(single)


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they are called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])
        with formatter.section("Exit codes"):
            formatter.write_dl(EXIT_CODES)


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich takes a fifth of a second to import
    help="Render web pages in headless Chromium, take out the article, show why.",
)


def run() -> None:
    """Run the command line and exit with the code that matches the outcome."""
    debug = "--debug" in sys.argv
    try:
        app()
    except MioloError as error:
        if debug:
            raise
        print_error(error_text(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader (such as `head`) has closed the pipe; nothing may be written on exit.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if debug:
            raise
        print_error(f"{error.filename or 'input or output'}: {error.strerror or error}")
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
