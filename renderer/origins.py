"""Addresses of the web, and the origins that they belong to."""

from __future__ import annotations

import re

__all__ = ["WEB", "origin_of"]

WEB = ("http", "https")

# Not parsed by rules of Python's own: those refuse some of what a browser opens.
ORIGIN = re.compile(r"https?://[^/?#\\]*", re.IGNORECASE)


def origin_of(url: str) -> str | None:
    """Scheme, host and port of an address; None for what is not of the web.

    Examples
    --------
    >>> origin_of("https://example.org:8443/story?page=2")
    'https://example.org:8443'
    >>> origin_of("data:text/plain,hello")
    """
    found = ORIGIN.match(url)
    return found[0].lower() if found else None
