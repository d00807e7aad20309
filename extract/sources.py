"""Sources of pages: what a person gives, read as an address, a file, HTML or a snapshot."""

from __future__ import annotations

import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import NavigationError
from ..names import check_type
from ..patterns import lazy_re
from ..renderer.network.source_kinds import START_BYTES, check_not_empty, is_archive, is_packed
from ..renderer.network.written_addresses import ADDRESS, whole_source
from ..renderer.page.snapshot import NOWHERE, Snapshot


@dataclass(frozen=True)
class HTML:
    """HTML to render as if it had come from an address."""

    content: str | bytes = field(repr=False)
    """Text, or bytes whose encoding is detected. A page as MHTML is read, too."""
    url: str = NOWHERE
    """The address; by default the one that a saved page names."""

    def __post_init__(self) -> None:
        check_type("HTML", self.content, str, bytes)


RESULTS = "results.jsonl"
"""File of a collection that has the texts of its pages."""

Source = str | Path | HTML | Snapshot
"""An address, a file (HTML, MHTML, an archive of one page or a saved snapshot), HTML, or a
snapshot. A string is always an address, never the name of a file; see `parse_source`."""

FILE = lazy_re(r"file:", re.I)
MARKUP = lazy_re(r"<(?:[a-z!?][^>]*)>", re.I | re.S)


def parse_source(text: str) -> str | Path | HTML:
    """Read what a person gives for a page.

    Parameters
    ----------
    text
        An address, with or without its scheme; the path or the ``file:`` URL of a file; or HTML.
        White space, quotation marks and angle brackets around it are left out.

    Examples
    --------
    >>> parse_source(' "example.org/story" ')
    'https://example.org/story'
    >>> parse_source("<p>A page.")
    HTML(url='https://page.invalid/')
    >>> parse_source("file:///tmp/a%20page.html") == Path("/tmp/a page.html")
    True
    """
    source = whole_source(text)
    if ADDRESS.match(source):
        return source
    return HTML(source) if not source or MARKUP.match(source) else Path(source)


def source_url(source: Source) -> str:
    """Address or path that identifies a source in reports."""
    if isinstance(source, HTML):
        return source.url
    return source.page.url if isinstance(source, Snapshot) else str(source)


def check_source(source: Source, requested_url: str) -> None:
    """Raise an error if a source is no address, or a file that does not exist or is empty."""
    if isinstance(source, str) and (FILE.match(source) or not ADDRESS.match(source)):
        raise NavigationError(
            f"{source!r} is not an address of a page; a file is given by its path, in Python as a "
            "`Path`, and HTML in Python as `HTML`",
            url=requested_url,
        )
    if isinstance(source, HTML):
        check_not_empty(source.content, "the HTML" if source.url == NOWHERE else source.url)
    elif isinstance(source, Path):
        check_file(source, requested_url)
        with suppress(OSError), source.open("rb") as file:  # whoever reads it reports the cause
            check_not_empty(file.read(START_BYTES), str(source), requested_url)


def check_file(path: Path, requested_url: str) -> None:
    """Raise an error if a file does not exist."""
    try:
        there, is_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError):  # not a valid file name, for example because it is too long
        there = is_folder = False
    if is_folder:
        files = "its files can be given as sources"
        if (path / RESULTS).exists():
            files = f"the texts of its pages are in {path / RESULTS}"
        message = f"{requested_url!r} is a folder; {files}"
        raise NavigationError(message, url=requested_url)
    if not there:
        raise NavigationError(
            f"{requested_url!r} is neither a file nor an address that starts with http:// or "
            "https://",
            url=requested_url,
        )


def is_saved(source: str | Path) -> bool:
    """Whether a source is a file that can only be a saved snapshot, which needs no browser.

    The name and the first bytes decide, so that a truncated or empty snapshot is one that cannot
    be read, not a page.
    """
    path = Path(source)
    try:
        if not path.is_file():
            return False
        if path.suffix == ".miolo":
            return True
        with path.open("rb") as file:
            start = file.read(START_BYTES)
        return is_packed(start, b"PK") and not is_archive(path, start) and _may_be_snapshot(path)
    except (OSError, ValueError):  # unreadable, or not a valid name, for example too long
        return False


def _may_be_snapshot(path: Path) -> bool:
    """Whether a ZIP has what every snapshot has, or is too damaged to know."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "meta.json" in archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError):
        return True
