"""A page as its server sends it: no script has run, and nothing is laid out."""

from __future__ import annotations

import re
from dataclasses import replace

from ...errors import BrowserRequiredError, PageWarning
from ..network.answer import Answer, check_answer
from ..network.exchange import Exchange
from ..network.source_kinds import check_content
from ..options import Limits
from .encoding import decode_html
from .snapshot import Snapshot

__all__ = ["AS_SERVED", "served_page"]

AS_SERVED = PageWarning("as-served", "read as its server sent it, without a browser")

CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:+-]+)", re.IGNORECASE)


def served_page(requested_url: str, answer: Exchange, limits: Limits | None = None) -> Snapshot:
    """The snapshot of a server's response.

    Parameters
    ----------
    requested_url
        URL that was requested; the URL of `answer` is that after redirects.
    answer
        The response, with its body.
    limits
        Limits on the nodes and the depth of the snapshot.

    Raises
    ------
    NavigationError
        The status is an error status.
    NotHTMLError
        The response is something other than a page.
    BrowserRequiredError
        Only a browser can make a page of the response, such as of plain text.
    """
    head = Answer.from_headers(answer.status, answer.mime, dict(answer.headers))
    check_answer(head, requested_url)
    check_content(answer.body, requested_url)
    if answer.status != 200 or answer.mime != "text/html":
        message = f"{requested_url} needs a browser: HTTP status {answer.status}, {answer.mime}"
        raise BrowserRequiredError(message, url=requested_url)
    charset = CHARSET.search(answer.header("content-type"))
    text = decode_html(answer.body, charset[1] if charset else "")
    snapshot = Snapshot.from_html(text, url=answer.url, limits=limits)
    facts = replace(
        snapshot.page,
        requested_url=requested_url,
        status=head.status,
        etag=head.etag,
        last_modified=head.last_modified,
    )
    return replace(snapshot, page=facts).with_warnings(AS_SERVED)
