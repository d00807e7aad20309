"""Options and arguments as the defaults of a command's parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import typer

from ..names import unknown_name


def option(default: Any, help: str, *flags: str, **settings: Any) -> Any:
    """An option; it must be given if its default is an ellipsis."""
    return typer.Option(default, *flags, help=help, **settings)


def argument(default: Any, metavar: str, help: str, **settings: Any) -> Any:
    """An argument; it must be given if its default is an ellipsis."""
    return typer.Argument(default, metavar=metavar, help=help, **settings)


def choice(default: Any, names: Iterable[str], help: str, *flags: str) -> Any:
    """An option whose value is one of some names, which may be the members of an enumeration.

    For any other value, one is suggested.
    """
    members = {str(name): name for name in names}

    def read(value: str) -> str:
        check_names([value], members)
        return members[value]

    return option(
        default,
        help,
        *flags,
        parser=read,
        metavar=f"[{'|'.join(members)}]",
        autocompletion=lambda: list(members),
    )


def existing_file(help: str, *flags: str, default: Any = None) -> Any:
    """An option whose value is the path of a file."""
    return option(default, help, *flags, exists=True, dir_okay=False)


def existing_folder(help: str, *flags: str, default: Any = None) -> Any:
    """An option whose value is the path of a folder."""
    return option(default, help, *flags, exists=True, file_okay=False)


def written_file(help: str, *flags: str, default: str | None = None) -> Any:
    """An option whose value is the path of a file to write, the folder of which must exist."""
    path = None if default is None else Path(default)
    return option(path, help, *flags, dir_okay=False, callback=check_folder)


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
