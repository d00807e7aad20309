"""The terminal that the commands write to."""

from __future__ import annotations

import typer

from ..extract.output.terminal import printable_line

__all__ = ["print_error"]


def print_error(message: str) -> None:
    """One line on standard error, whatever a page put into the message."""
    typer.echo(f"miolo: {printable_line(message)}", err=True)
