"""A page as its server sent it: no script has run, and nothing was laid out."""

from __future__ import annotations

import re
from dataclasses import replace
from time import time

from .archives.exchange import PAGE_TYPES, Exchange
from .encoding import decode_html
from .network.answer import Answer, check_answer, seconds_asked
from .snapshot import Snapshot

__all__ = ["served_page"]

CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:+-]+)", re.IGNORECASE)


def served_page(requested_url: str, answer: Exchange) -> Snapshot | None:
    """The snapshot of what answered; None where it takes a browser to make a page of it.

    Some servers answer a browser and refuse all others, so that only one finds out whether a page
    is gone. A server that asks to be left alone is.

    Parameters
    ----------
    requested_url
        As it was asked for; the answer's is where that led.
    answer
        With its body.

    Raises
    ------
    NavigationError
        The status is one of an error, and it tells when to come back.
    NotHTMLError
        It is something other than a page.
    """
    reply = Answer(answer.status, answer.mime, seconds_asked(dict(answer.headers), time()))
    if reply.status == 200 or reply.retry_after is not None:
        check_answer(reply, requested_url)
    if reply.status != 200 or reply.mime not in PAGE_TYPES:
        return None
    charset = CHARSET.search(answer.header("content-type"))
    text = decode_html(answer.body, charset[1] if charset else "")
    snapshot = Snapshot.from_html(text, url=answer.url)
    facts = replace(snapshot.page, requested_url=requested_url, status=answer.status)
    return replace(snapshot, page=facts)
