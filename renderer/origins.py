"""Addresses of the web, and the origins that they belong to."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ..errors import NavigationError

__all__ = ["WEB", "check_address", "origin_of"]

WEB = ("http", "https")

SCHEMES = (*WEB, "data", "about")

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


def check_address(url: str, schemes: tuple[str, ...] = SCHEMES) -> None:
    """Refuse what is no address of a page.

    Raises
    ------
    NavigationError
        The address has another scheme, or is none.
    """
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        scheme = ""
    if scheme not in schemes:
        raise NavigationError(
            f"{url!r} is not an address of a page: it must start with http:// or https://",
            url=url,
        )
