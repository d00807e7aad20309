"""What is taken for a page, and its snapshot."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import BrowserRequiredError, NavigationError
from ..renderer.archives.exchange import Exchange
from ..renderer.served import served_page
from ..renderer.snapshot import NOWHERE, PageWarning, Snapshot

__all__ = [
    "HTML",
    "Source",
    "check_file",
    "is_saved",
    "parse_source",
    "read_exchange",
    "source_url",
]

AS_SERVED = PageWarning("as-served", "read as its server sent it, without a browser")


@dataclass(frozen=True)
class HTML:
    """HTML to render as if it had come from an address.

    Attributes
    ----------
    content
        Text, or bytes of which the encoding is found out.
    url
        The address.
    """

    content: str | bytes = field(repr=False)
    url: str = NOWHERE


Source = str | Path | HTML | Exchange | Snapshot
"""An address; a file, of HTML or of a saved snapshot; HTML; what a server has answered, to be read
without a browser; or a snapshot. An address is never taken for a file."""


def parse_source(text: str) -> str | Path:
    """An address or, where it is none, a file, as people write either."""
    is_address = "://" in text or text.startswith(("data:", "about:"))
    return text if is_address else Path(text)


def source_url(source: Source) -> str:
    """What a source is asked for by."""
    if isinstance(source, HTML | Exchange):
        return source.url
    return source.page.url if isinstance(source, Snapshot) else str(source)


def read_exchange(exchange: Exchange, requested_url: str) -> Snapshot:
    """The page that a server answered with, as far as it is one without a browser.

    Raises
    ------
    BrowserRequiredError
        Only a browser can tell what it is.
    NavigationError, NotHTMLError
        It is an error that says when to come back, or something other than a page.
    """
    page = served_page(requested_url, exchange)
    if page is None:
        raise BrowserRequiredError(f"{requested_url} takes a browser", url=requested_url)
    return page.with_warnings(AS_SERVED)


def check_file(path: Path, requested_url: str) -> None:
    """Refuse a file that is not there.

    Raises
    ------
    NavigationError
        There is none of this name.
    """
    try:
        there = path.is_file()
    except (OSError, ValueError):  # no name of a file, such as one that is too long
        there = False
    if not there:
        raise NavigationError(
            f"{requested_url!r} is neither a file nor an address that starts with http:// or "
            "https://",
            url=requested_url,
        )


def is_saved(source: str | Path) -> bool:
    """Whether a source is a saved snapshot, for which no browser is needed."""
    path = Path(source)
    try:
        return path.is_file() and zipfile.is_zipfile(path)
    except (OSError, ValueError):  # no name of a file, such as one that is too long
        return False
