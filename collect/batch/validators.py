"""`Validators`: HTTP validators that show whether a page has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from ...errors import MioloError
from ...renderer.network.answer import Answer
from ...renderer.network.exchange import REDIRECTS, Exchange
from ...renderer.options import Limits
from ...renderer.page.served import AS_SERVED, served_page
from ...renderer.page.snapshot import Snapshot
from ..frontier.normal_urls import normal_url
from ..frontier.page_links import MAX_LINKS


@dataclass(frozen=True)
class Validators:
    """Headers ``ETag`` and ``Last-Modified`` of the response with a page, empty if missing, and a
    hash of its text and of the addresses in it, empty if unknown.
    """

    etag: str
    modified: str
    digest: str


GONE_STATUSES = frozenset((404, 410))  # HTTP statuses of a page that its server no longer has
GONE = Validators("", "", "gone")  # validators of a page that no longer exists


def response_validators(url: str, response: Exchange, limits: Limits) -> Validators:
    """Validators of the response to a plain request, by its bytes if it cannot be read."""
    try:
        digest = _digest(served_page(url, response, limits))
    except MioloError:
        digest = sha256(response.body).hexdigest()
    head = Answer.from_headers(response.status, response.mime, dict(response.headers))
    return Validators(head.etag, head.last_modified, digest)


def visit_validators(page: Snapshot, exchanges: Sequence[Exchange], limits: Limits) -> Validators:
    """Validators of a visited page's response; a rendered page without exchanges has no digest."""
    # A plain request follows only the redirects of the server, whatever the page's scripts open.
    documents = (each for each in exchanges if each.dest == "document")
    response = next((each for each in documents if each.status not in REDIRECTS), None)
    if response is not None:
        return response_validators(page.page.requested_url, response, limits)
    digest = _digest(page) if AS_SERVED in page.page.warnings else ""
    return Validators(page.page.etag, page.page.last_modified, digest)


def _digest(page: Snapshot) -> str:
    """Hash of a page's texts and addresses; other attributes often differ in every response."""
    parts = ("\0".join(filter(None, page.text)), "\0".join(_addresses(page)))
    return sha256("\1".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _addresses(page: Snapshot) -> Iterator[str]:
    """The first `MAX_LINKS` links and sources in normal form, without sessions that differ."""
    references = dict.fromkeys(
        (int(page.frame[node]), value)
        for name in ("href", "src")
        for node, value in page.attributes.with_attribute(name)
    )
    for frame, value in islice(references, MAX_LINKS):
        yield normal_url(value, page.frames[frame].base_url) or value
