"""Checks of cookies and storage states in Playwright's form.

The messages quote no values, which may be secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any
from urllib.parse import urlsplit

from .origins import plain_origin

__all__ = ["LATEST_EXPIRY", "check_cookies", "check_storage_state", "cookie_fault", "has_strings"]

LATEST_EXPIRY = 253_402_300_799
"""The last time of expiry that Playwright accepts, the end of the year 9999."""

# Chromium refuses cookies with control characters, semicolons, "=" in the name, spaces around name
# or value, or more than this many bytes.
COOKIE_NAME = re.compile(r"(?! )[^\x00-\x1f\x7f;=]*(?<! )")
COOKIE_VALUE = re.compile(r"(?! )[^\x00-\x1f\x7f;]*(?<! )")
MAX_COOKIE = 4096


def check_cookies(cookies: Iterable[Any]) -> None:
    """Check cookies in Playwright's form.

    Raises
    ------
    ValueError
        One of them cannot be sent.
    """
    if isinstance(cookies, (str, Mapping)):
        raise ValueError("must be a list of mappings; read_cookies reads a file")
    for number, cookie in enumerate(cookies, 1):
        if fault := cookie_fault(cookie):
            raise ValueError(f"cookie {number} {fault}")


def cookie_fault(cookie: Any) -> str | None:
    """Why Playwright or Chromium would refuse a cookie, such as "has no name or no value"."""
    if not has_strings(cookie, "name", "value"):
        return "has no name or no value"
    if not (has_strings(cookie, "url") or has_strings(cookie, "domain", "path")):
        return "has neither a url nor a domain and a path"
    if cookie.get("url") and (cookie.get("domain") or cookie.get("path")):
        return "has both a url and a domain or a path"
    return _content_fault(cookie) or _place_fault(cookie) or _attribute_fault(cookie)


def _content_fault(cookie: Mapping[str, Any]) -> str | None:
    name, value = cookie["name"], cookie["value"]
    if not (COOKIE_NAME.fullmatch(name) and COOKIE_VALUE.fullmatch(value)):
        return "has forbidden characters"
    if len(f"{name}{value}".encode("utf-8", "surrogatepass")) > MAX_COOKIE:
        return f"has more than {MAX_COOKIE:,} bytes"
    return None


def _place_fault(cookie: Mapping[str, Any]) -> str | None:
    url, domain, path = (cookie.get(name) or "" for name in ("url", "domain", "path"))
    if url and plain_origin(url) is None:
        return "has a url that is not an http or https one"
    if not url and not (domain.strip(".") and path.startswith("/")):
        return "has an empty domain or a path that does not begin with a slash"
    return _prefix_fault(cookie, url, domain, path)


def _prefix_fault(cookie: Mapping[str, Any], url: str, domain: str, path: str) -> str | None:
    name = cookie["name"].lower()
    is_secure = cookie.get("secure") or url.lower().startswith("https:")
    if name.startswith(("__secure-", "__host-")) and not is_secure:
        return "has the prefix of a secure cookie, but is not secure"
    folder = urlsplit(url).path.rpartition("/")[0] + "/" if url else path
    if name.startswith("__host-") and (domain.startswith(".") or folder != "/"):
        return "has the prefix __Host-, but is not for all paths of a single host"
    return None


def _attribute_fault(cookie: Mapping[str, Any]) -> str | None:
    if cookie.get("sameSite") not in (None, "Strict", "Lax", "None"):
        return "has a sameSite other than Strict, Lax and None"
    flags = (cookie.get("secure"), cookie.get("httpOnly"))
    if not all(isinstance(flag, (bool, NoneType)) for flag in flags):
        return "has a secure or httpOnly that is neither true nor false"
    expires = -1 if cookie.get("expires") is None else cookie["expires"]
    is_number = isinstance(expires, (int, float)) and not isinstance(expires, bool)
    if not (is_number and (expires == -1 or 0 <= expires <= LATEST_EXPIRY)):
        return "has an invalid time of expiry"
    return None


def has_strings(mapping: Any, *names: str) -> bool:
    """Whether a value is a mapping with a string for each of the names."""
    return isinstance(mapping, Mapping) and all(isinstance(mapping.get(n), str) for n in names)


def check_storage_state(state: Any) -> None:
    """Check a storage state of Playwright's: cookies and the local storage of origins.

    Raises
    ------
    ValueError
        Chromium could not restore it.
    """
    if not isinstance(state, Mapping):
        raise ValueError("must be a mapping of cookies and origins, or a file")
    check_cookies(state.get("cookies") or ())
    origins: Any = state.get("origins") or ()
    if not isinstance(origins, (list, tuple)):
        raise ValueError("the origins must be a list")
    for number, origin in enumerate(origins, 1):
        if not has_strings(origin, "origin") or plain_origin(origin["origin"]) is None:
            raise ValueError(f"origin {number} is not an http or https origin")
        items = origin.get("localStorage")
        if not isinstance(items, (list, tuple)) or not all(
            has_strings(item, "name", "value") for item in items
        ):
            raise ValueError(f"origin {number} has no localStorage, a list of names and values")
        if not isinstance(origin.get("indexedDB", []), (list, tuple)):
            raise ValueError(f"origin {number} has an indexedDB that is not a list")
