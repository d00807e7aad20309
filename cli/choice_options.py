"""Options of commands; kinds whose values are names, paths that exist, or files to write."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import typer

from ..names import unknown_name


def option(default: Any, help: str, *flags: str, **settings: Any) -> Any:
    """An option with a default, as the default of a parameter."""
    return typer.Option(default, *flags, help=help, **settings)


def choice(names: Iterable[str], *flags: str, help: str) -> Any:
    """An option whose value is one of some names, which may be the members of an enumeration.

    For any other value, one is suggested.
    """
    members = {str(name): name for name in names}

    def read(value: str) -> str:
        check_names([value], members)
        return members[value]

    return typer.Option(
        *flags,
        parser=read,
        metavar=f"[{'|'.join(members)}]",
        autocompletion=lambda: list(members),
        help=help,
    )


def existing_file(*flags: str, help: str) -> Any:
    """An option whose value is the path of a file."""
    return typer.Option(*flags, exists=True, dir_okay=False, help=help)


def existing_folder(*flags: str, help: str) -> Any:
    """An option whose value is the path of a folder."""
    return typer.Option(*flags, exists=True, file_okay=False, help=help)


def written_file(*flags: str, help: str) -> Any:
    """An option whose value is the path of a file to write, the folder of which must exist."""
    return typer.Option(*flags, dir_okay=False, callback=check_folder, help=help)


def check_folder(file: Path | None) -> Path | None:
    """Reject a file whose folder does not exist, before anything is computed for it."""
    if file is not None and not file.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {file.parent}: create it first")
    return file


def check_names(values: Collection[str], names: Collection[str]) -> None:
    """Reject values that a list of names lacks; the message has the closest or all of them."""
    for value in values:
        if value not in names:
            raise typer.BadParameter(unknown_name("choice", value, names))
