"""Sources of pages: addresses, files, HTML and snapshots."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..errors import NavigationError
from ..names import check_type
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

    def __post_init__(self) -> None:
        check_type("HTML", self.content, str, bytes)


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


# The first bytes of a ZIP with members, such as a snapshot.
ZIP_START = b"PK\x03\x04"


def is_saved(source: str | Path) -> bool:
    """Whether a source is a file that can only be a saved snapshot, which needs no browser.

    The name and the first bytes decide, so that a truncated or empty snapshot is one that cannot
    be read, not a page.
    """
    path = Path(source)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return path.suffix == ".miolo" or file.read(len(ZIP_START)) == ZIP_START
    except (OSError, ValueError):  # unreadable, or not a valid name, for example too long
        return False
