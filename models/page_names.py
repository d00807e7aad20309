"""Names that identify a page: hashes of its content and of its URL."""

from __future__ import annotations

from ..features.hashes import text_hash
from ..renderer.network.origins import site_of
from ..renderer.page.snapshot import NOWHERE, Snapshot


def page_names(snapshot: Snapshot) -> frozenset[int]:
    """64-bit names of a page; two captures that share a name are captures of the same page."""
    address = address_name(snapshot.page.url)
    content = text_hash(snapshot.page.content_hash)
    return frozenset((content,) if address is None else (content, address))


def address_name(url: str) -> int | None:
    """64-bit name of a URL; None if the URL belongs to no site."""
    if site_of(url) is None or url == NOWHERE:
        return None
    # A fragment that starts with `/` is the route of a single-page application; any other
    # fragment is a position on the page.
    return text_hash(url if "#/" in url else url.partition("#")[0])
