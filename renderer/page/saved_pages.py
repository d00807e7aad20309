"""Pages that browsers and other programs saved as HTML, with the addresses that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .snapshot import Frame, Snapshot

__all__ = ["named_address", "with_address"]

# Number of characters at the start of a page in which a program names itself and the address.
START_CHARS = 64 << 10

# Comments of SingleFile, of Chromium and Internet Explorer, and of monolith.
SAVED = re.compile(
    r"\s*(?:page saved with|archive processed by|saved from)\b.{0,200}?(https?://[^\s\"'<>]+)",
    re.I | re.S,
)


def named_address(html: str | bytes) -> str:
    """Address that a saved page names in a comment of the program that saved it; "" without one.

    Examples
    --------
    >>> named_address("<html><!-- Page saved with SingleFile url: https://example.org/ --><p>")
    'https://example.org/'
    >>> named_address("<!-- saved from url=(0022)https://example.org/a -->")
    'https://example.org/a'
    >>> named_address("<p>Page saved with SingleFile: https://example.org/</p>")
    ''
    """
    start = html[:START_CHARS]
    text = start if isinstance(start, str) else start.decode("utf-8", "replace")
    for comment in _comments(text):
        if saved := SAVED.match(comment):
            return saved[1]
    return ""


def _comments(text: str) -> Iterator[str]:
    """Contents of the comments. A pattern would look for the end of each unclosed one anew."""
    end = 0
    while (start := text.find("<!--", end)) >= 0 and (stop := text.find("-->", start + 4)) >= 0:
        yield text[start + 4 : stop]
        end = stop + 3


def with_address(snapshot: Snapshot, url: str) -> Snapshot:
    """The snapshot of a saved page at the address that it names, where its links belong."""
    page = replace(snapshot.page, url=url)
    if not snapshot.frames:
        return replace(snapshot, page=page)
    top, *others = snapshot.frames
    base = url if top.base_url == top.url else top.base_url
    return replace(snapshot, page=page, frames=(Frame(url, base), *others))
