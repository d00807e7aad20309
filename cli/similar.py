"""`miolo similar`: pages whose texts are nearly the same."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from .console import print_note, print_rows
from .options import TextForm, TextFormat

__all__ = ["similar"]


def similar(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", exists=True, file_okay=False, help="Collections."),
    ],
    min_similarity: Annotated[
        float,
        typer.Option(min=0.1, max=0.99, help="Minimum share of five-word sequences in common."),
    ] = 0.8,
    form: TextFormat = TextForm.text,
) -> None:
    """List pages with nearly the same text, within and across collections."""
    from ..collect.collections.collection import Collection
    from ..collect.collections.similar import similar_pages

    collections = [Collection(folder, log=print_note) for folder in folders]
    for pair in similar_pages(collections, min_similarity):
        if form is TextForm.json:
            row = asdict(pair) | {
                "collection": str(folders[pair.collection]),
                "earlier_collection": str(folders[pair.earlier_collection]),
            }
            typer.echo(json.dumps(row, ensure_ascii=False))
        else:
            print_rows(f"{pair.similarity:.2f}\t{pair.url}\t{pair.earlier_url}")
