"""`miolo methods`: list the extraction methods, and the pictures of `miolo inspect`."""

from __future__ import annotations

import typer

from .console import print_rows

__all__ = ["methods"]


def methods() -> None:
    """List the extraction methods, by group, and the pictures of `inspect`."""
    from ..debug.pictures.picture_registry import list_pictures
    from ..extract.methods.registry import grouped_methods

    for place, (group, members) in enumerate(grouped_methods().items()):
        if place:
            typer.echo()
        typer.echo(f"{group}:")
        for name, method in members.items():
            needs = " (needs --site)" if method.needs_site else ""
            print_rows(f"  {name:<18} {method.about}{needs}")
            for variant in method.variants:
                print_rows(f"    {name}:{variant}")
    pictures = list_pictures()
    if pictures:
        typer.echo("\npictures for `miolo inspect --picture`:")
    for name, about in pictures.items():
        print_rows(f"  {name:<18} {about}")
