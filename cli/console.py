"""The terminal that the commands write to."""

from __future__ import annotations

import typer

from ..output.terminal import printable_line, printable_rows

__all__ = ["print_error", "print_rows"]


def print_error(message: str) -> None:
    """One line on standard error, whatever a page put into the message."""
    typer.echo(f"miolo: {printable_line(message)}", err=True)


def print_rows(text: str, *, err: bool = False) -> None:
    """Lines of a table, whatever a page or a file put into them."""
    typer.echo(printable_rows(text), err=err)
