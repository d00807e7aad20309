"""Options whose values are names from a list."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any, TypeVar

import typer

from ..names import unknown_name

__all__ = ["check_names", "choice"]

T = TypeVar("T", bound=StrEnum)


def choice(names: type[T], *flags: str, help: str) -> Any:
    """An option whose value is a member of an enumeration; for other values, one is suggested."""

    def read(value: str) -> T:
        check_names([value], [str(name) for name in names])
        return names(value)

    return typer.Option(
        *flags,
        parser=read,
        metavar=f"[{'|'.join(names)}]",
        autocompletion=lambda: list(map(str, names)),
        help=help,
    )


def check_names(values: Collection[str], names: Collection[str]) -> None:
    """Check values against a list of names.

    Raises
    ------
    typer.BadParameter
        One of the values is not in the list; the message names the closest or all of them.
    """
    for value in values:
        if value not in names:
            raise typer.BadParameter(unknown_name("choice", value, names))
