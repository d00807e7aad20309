"""Cookies of a user's browser, sent with the plain requests that each is meant for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

__all__ = ["cookie_jar"]


def cookie_jar(cookies: Iterable[Mapping[str, Any]]) -> CookieJar:
    """A jar of cookies in Playwright's form, each sent only where its domain and path allow.

    Cookies that are not ASCII are left out, since the client cannot send them.
    """
    strict = DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain)
    jar = CookieJar(policy=strict)
    for row in cookies:
        if f"{row['name']}{row['value']}".isascii():
            jar.set_cookie(_cookie(row))
    return jar


def _cookie(row: Mapping[str, Any]) -> Cookie:
    """Convert a cookie to that of the standard library."""
    parts = urlsplit(row.get("url") or "")
    domain = str(row.get("domain") or parts.hostname or "").lower()
    if "." not in domain:
        domain += ".local"  # how the library writes a host without a dot
    expires = row.get("expires", -1)
    return Cookie(
        version=0,
        name=row["name"],
        value=row["value"],
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=domain.startswith("."),
        domain_initial_dot=domain.startswith("."),
        path=row.get("path") or parts.path.rpartition("/")[0] + "/",
        path_specified=True,
        secure=bool(row.get("secure")) or parts.scheme == "https",
        expires=int(expires) if expires and expires > 0 else None,
        discard=False,
        comment=None,
        comment_url=None,
        rest={},
    )
