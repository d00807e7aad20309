"""Pages without a browser: as their server sends them, or as another program saved them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import BrowserRequiredError, PageWarning
from ...patterns import lazy_re
from ..network.source_kinds import check_content
from ..options import Limits
from .encoding import charset_of, decode_page
from .snapshot import Frame, Snapshot

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
    """The snapshot of a saved page at the address that it names, where its links belong."""
    page = replace(snapshot.page, url=url)
    if not snapshot.frames:
        return replace(snapshot, page=page)
    top, *others = snapshot.frames
    base = url if top.base_url == top.url else top.base_url
    return replace(snapshot, page=page, frames=(Frame(url, base), *others))
