"""Pages without a browser: as their server sends them, as given, or as a program saved them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from ...errors import (
    BrowserRequiredError,
    NavigationError,
    PageTimeoutError,
    PageWarning,
    TooLargeError,
)
from ...patterns import lazy_re
from ..network.source_kinds import START_BYTES, check_content, is_archive, is_mhtml
from ..options import Limits
from .encoding import charset_of, check_html, decode_page
from .snapshot import NOWHERE, Frame, Snapshot

if TYPE_CHECKING:
    from ..network.exchange import Exchange

AS_SERVED = PageWarning("as-served", "read as its server sent it, without a browser")

# Number of characters at the start of a page in which a program names itself and the address.
START_CHARS = 64 << 10

# Comments of SingleFile, of Chromium and Internet Explorer, and of monolith.
SAVED = lazy_re(
    r"\s*(?:page saved with|archive processed by|saved from)\b.{0,200}?(https?://[^\s\"'<>]+)",
    re.I | re.S,
)


def served_page(requested_url: str, answer: Exchange, limits: Limits | None = None) -> Snapshot:
    """The snapshot of a server's response."""
    from ..network.answer import Answer, check_answer, check_status

    head = Answer.from_headers(answer.status, answer.mime, dict(answer.headers))
    check_status(head, requested_url)
    check_content(answer.body, requested_url)  # says more than the type of the response
    check_answer(head, requested_url)
    if answer.status != 200 or answer.mime != "text/html":
        message = f"{requested_url} needs a browser: HTTP status {answer.status}, {answer.mime}"
        raise BrowserRequiredError(message, url=requested_url)
    page = decode_page(answer.body, charset_of(answer.header("content-type")))
    snapshot = Snapshot.from_html(page.text, url=answer.url, limits=limits)
    facts = replace(
        snapshot.page,
        requested_url=requested_url,
        status=head.status,
        etag=head.etag,
        last_modified=head.last_modified,
    )
    return replace(snapshot, page=facts).with_warnings(AS_SERVED, *page.warnings)


def parse_given_html(html: str | bytes, url: str, limits: Limits) -> Snapshot | None:
    """Snapshot of HTML; None for MHTML, whose page is read from an archive."""
    check_html(html)
    if is_mhtml(html):
        return None
    check_content(html, "the HTML" if url == NOWHERE else url, url)
    if url == NOWHERE:
        url = named_address(html) or url
    return _parse(html, url, limits)


def parse_given_file(path: Path, limits: Limits) -> Snapshot | None:
    """Snapshot of a file with HTML; None for a web archive."""
    start = read_start(path, START_BYTES)
    if is_archive(path, start):
        return None
    check_content(start, str(path))
    data = read_start(path, limits.response_bytes + 1)
    if len(data) > limits.response_bytes:
        raise TooLargeError(f"{path} is larger than {limits.response_bytes} bytes", url=str(path))
    snapshot = _parse(data, path.as_uri(), limits)
    return with_address(snapshot, named_address(start))


def read_start(path: Path, max_bytes: int) -> bytes:
    """The first bytes of a file."""
    try:
        with path.open("rb") as file:
            return file.read(max_bytes)
    except OSError as error:
        raise NavigationError(f"{path} cannot be read: {error}", url=str(path)) from error


def _parse(html: str | bytes, url: str, limits: Limits) -> Snapshot:
    started = monotonic()
    snapshot = Snapshot.from_html(html, url=url, limits=limits)
    if monotonic() - started > limits.seconds:
        raise PageTimeoutError(f"{url} could not be read in time", url=url)
    return snapshot


def named_address(html: str | bytes) -> str:
    """Address that a saved page names in a comment of the program that saved it; "" without one.

    >>> named_address("<html><!-- Page saved with SingleFile url: https://example.org/ --><p>")
    'https://example.org/'
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
    """The snapshot of a saved page at the address that it names, if any, where its links belong."""
    if not url:
        return snapshot
    top, *others = snapshot.frames
    base = url if top.base_url == top.url else top.base_url
    page = replace(snapshot.page, url=url)
    return replace(snapshot, page=page, frames=(Frame(url, base), *others))
