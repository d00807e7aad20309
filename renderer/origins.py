"""Addresses of the web, and the origins that they belong to."""

from __future__ import annotations

from urllib.parse import urlsplit

__all__ = ["WEB", "origin_of"]

WEB = ("http", "https")


def origin_of(url: str) -> str | None:
    """Scheme, host and port of an address; None for what is not of the web.

    Examples
    --------
    >>> origin_of("https://example.org:8443/story?page=2")
    'https://example.org:8443'
    >>> origin_of("data:text/plain,hello")
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}" if parts.scheme in WEB else None
