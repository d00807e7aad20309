"""Sources and addresses as command-line arguments."""

from __future__ import annotations

import typer

from ..renderer.network.written_addresses import ADDRESS, whole_address
from ..renderer.network.written_addresses import whole_source as typed_source

__all__ = ["listed_source", "typed_address", "typed_source", "typed_sources"]


def listed_source(text: str, *, files: bool) -> str:
    """The address or file that a line of a list names.

    Whoever writes a list is not always the one who uses it, so a line names a file only if the list
    is trusted or the line can be nothing else.

    Parameters
    ----------
    text
        The line.
    files
        Whether the list is trusted, so that any line may name a file.

    Raises
    ------
    ValueError
        The line names neither; the message is the reason.
    """
    may_be_file = files or text.startswith(("./", "/"))
    source = typed_source(text) if may_be_file else whole_address(text)
    if _is_file_url(source):
        source = typed_source(source)
        # It is kept if it has no path, or the host of another machine.
        if _is_file_url(source):
            raise ValueError("a file: address without a path on this machine")
    elif not may_be_file and not ADDRESS.match(source):
        raise ValueError(
            "no address that starts with http:// or https://; paths of files start with ./ or /, "
            "or need --files"
        )
    return source


def _is_file_url(source: str) -> bool:
    return source[:5].lower() == "file:"


def typed_sources(texts: list[str] | None) -> list[str] | None:
    """Read each source; see `miolo.renderer.network.written_addresses.whole_source`."""
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
