"""Write a man page for each command from its help: ``python docs/man_pages.py build/man``."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from miolo.cli.app import COMMANDS, EXIT_CODES, Commands, app
from miolo.version import __version__


def escape(text: str) -> str:
    """Text as roff takes it: no line begins a request, and hyphens stay hyphens."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in ".'" else line for line in plain.splitlines())


def section(name: str, rows: list[tuple[str, str]]) -> list[str]:
    """A section of names and what they mean."""
    lines = [f".SH {name}"] if rows else []
    for term, about in rows:
        lines += [".TP", f".B {escape(term)}", escape(about)]
    return lines


def head(name: str, about: str, synopsis: str) -> list[str]:
    """The beginning of a page."""
    title = f'.TH {name.upper()} 1 "" "miolo {__version__}" "Miolo"'
    names = [".SH NAME", f"{escape(name)} \\- {escape(about)}"]
    return [title, *names, ".SH SYNOPSIS", escape(synopsis)]


def command_page(name: str) -> str:
    """The page of a command."""
    command = Commands()[name]
    context = typer.Context(command, info_name=f"miolo {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    rows = [row for each in command.get_params(context) if (row := each.get_help_record(context))]
    lines = head(f"miolo-{name}", COMMANDS[name][1].rstrip("."), f"miolo {name} {usage}")
    lines += [".SH DESCRIPTION", escape(command.help or ""), *section("OPTIONS", rows)]
    return "\n".join(lines) + "\n"


def main_page() -> str:
    """The page of the program."""
    lines = head("miolo", (app.info.help or "").rstrip("."), "miolo COMMAND [OPTIONS]")
    rows = [(name, about) for name, (_, about) in COMMANDS.items()]
    lines += section("COMMANDS", rows) + section("EXIT STATUS", EXIT_CODES)
    return "\n".join(lines) + "\n"


def write(folder: Path) -> None:
    """Write all pages."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "miolo.1").write_text(main_page(), "utf-8")
    for name in COMMANDS:
        (folder / f"miolo-{name}.1").write_text(command_page(name), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "build/man"))
