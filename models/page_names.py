"""Names that identify a page: its content and its address."""

from __future__ import annotations

from ..features.hashes import text_hash
from ..features.links import site_of
from ..renderer.snapshot import NOWHERE, Snapshot

__all__ = ["address_name", "page_names"]


def page_names(snapshot: Snapshot) -> frozenset[int]:
    """64-bit names of a page; two captures with a name in common are of one page."""
    address = address_name(snapshot.page.url)
    content = text_hash(snapshot.page.content_hash)
    return frozenset((content,) if address is None else (content, address))


def address_name(url: str) -> int | None:
    """64-bit name of an address; None for one that is of no site."""
    if site_of(url) is None or url == NOWHERE:
        return None
    # Behind a `#/` scripts find their route; any other fragment is a place on the page.
    return text_hash(url if "#/" in url else url.partition("#")[0])
