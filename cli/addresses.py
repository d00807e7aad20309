"""Sources and addresses as command-line arguments."""

from __future__ import annotations

import typer

from ..renderer.written_addresses import whole_source as typed_source

__all__ = ["typed_address", "typed_source", "typed_sources"]


def typed_sources(texts: list[str] | None) -> list[str] | None:
    """Read each source; see `miolo.renderer.written_addresses.whole_source`."""
    return texts and [typed_source(text) for text in texts]


def typed_address(text: str) -> str:
    """Read an address, which may lack its scheme.

    Raises
    ------
    typer.BadParameter
        The text is not an address.
    """
    address = typed_source(text)
    if not address.lower().startswith(("http://", "https://")):
        raise typer.BadParameter(f"{text!r} is not an http or https URL")
    return address
