"""Options whose values are names from a list."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import typer

from ..names import unknown_name

__all__ = ["check_names", "choice"]


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


def check_names(values: Collection[str], names: Collection[str]) -> None:
    """Reject values that are not in a list of names; the message names the closest or all of
    them.
    """
    for value in values:
        if value not in names:
            raise typer.BadParameter(unknown_name("choice", value, names))
