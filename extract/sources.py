"""Sources of pages: addresses, files, HTML and snapshots."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import NavigationError
from ..renderer.snapshot import NOWHERE, Snapshot

__all__ = [
    "HTML",
    "Source",
    "check_file",
    "is_saved",
    "parse_source",
    "source_url",
]


@dataclass(frozen=True)
class HTML:
    """HTML to render as if it had come from an address.

    Attributes
    ----------
    content
        Text, or bytes whose encoding is detected.
    url
        The address.
    """

    content: str | bytes = field(repr=False)
    url: str = NOWHERE


Source = str | Path | HTML | Snapshot
"""An address, a file with HTML or a saved snapshot, HTML, or a snapshot. A string is always an
address, never the name of a file."""


def parse_source(text: str) -> str | Path:
    """Interpret user input as an address or as the path of a file."""
    is_address = "://" in text or text.startswith(("data:", "about:"))
    return text if is_address else Path(text)


def source_url(source: Source) -> str:
    """Address or path that identifies a source in reports."""
    if isinstance(source, HTML):
        return source.url
    return source.page.url if isinstance(source, Snapshot) else str(source)


def check_file(path: Path, requested_url: str) -> None:
    """Raise an error if a file does not exist.

    Raises
    ------
    NavigationError
        The file does not exist.
    """
    try:
        there, is_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError):  # not a valid file name, for example because it is too long
        there = is_folder = False
    if is_folder:
        message = f"{requested_url!r} is a folder; its files can be given as sources"
        raise NavigationError(message, url=requested_url)
    if not there:
        raise NavigationError(
            f"{requested_url!r} is neither a file nor an address that starts with http:// or "
            "https://",
            url=requested_url,
        )


def is_saved(source: str | Path) -> bool:
    """Whether a source is a saved snapshot, which needs no browser."""
    path = Path(source)
    try:
        return path.is_file() and zipfile.is_zipfile(path)
    except (OSError, ValueError):  # not a valid file name, for example because it is too long
        return False
