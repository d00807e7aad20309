"""The commands for what `miolo batch` and `miolo crawl` have written: status, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .evaluating_app import Figures

__all__ = ["collecting"]

collecting = typer.Typer()

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", exists=True, file_okay=False, help="A collection, or a folder of snapshots."
    ),
]


def _tables(value: str | None) -> str | None:
    names = {"results", "nodes", "blocks", "texts"}
    if value is not None and not set(value.split(",")) <= names:
        raise typer.BadParameter("results, nodes, blocks, texts, with commas")
    return value


@collecting.command()
def status(
    folder: Folder,
    watch: Annotated[
        float, typer.Option(min=0, help="Seconds to watch a run for, to tell its rate.")
    ] = 0.0,
    form: Annotated[Figures, typer.Option("--format", "-f", help="Form.")] = Figures.table,
) -> None:
    """Tell how a collection stands: states, failures, hosts, time and bytes; run or not."""
    from .collecting import tell_status

    tell_status(folder, watch, form.value)


@collecting.command()
def export(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", file_okay=False, help="Folder of the tables.")
    ],
    tables: Annotated[
        str | None,
        typer.Option(
            callback=_tables, help="results, nodes, blocks, texts, with commas; all without."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", help="Extract anew; without, as the run has extracted."),
    ] = None,
) -> None:
    """Write a collection as Parquet tables with a data card."""
    from .collecting import export_folder

    export_folder(folder, output, tables.split(",") if tables else None, method)
