"""Cookies and storage states of a user's browser: read from files, and checked.

No message quotes a value or the content of a line, which may be secret.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from pathlib import Path
from types import NoneType
from typing import Any
from urllib.parse import urlsplit

from ...errors import ArchiveError
from ...patterns import lazy_re
from ...untrusted_json import parse_json
from .origins import plain_origin

# Prefix of a line with an HttpOnly cookie; such a line is not a comment.
HTTP_ONLY = "#HttpOnly_"

SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None", "no_restriction": "None"}

MAX_FILE = 32 << 20

LATEST_EXPIRY = 253_402_300_799
"""The last time of expiry that Playwright accepts, the end of the year 9999."""

# Chromium refuses cookies with control characters, semicolons, "=" in the name, spaces around name
# or value, or more than this many bytes.
COOKIE_NAME = lazy_re(r"(?! )[^\x00-\x1f\x7f;=]*(?<! )")
COOKIE_VALUE = lazy_re(r"(?! )[^\x00-\x1f\x7f;]*(?<! )")
MAX_COOKIE = 4096


def read_cookies(path: str | Path) -> tuple[Mapping[str, Any], ...]:
    """Read a file of cookies: in Netscape's format (cookies.txt) or in JSON.

    Its JSON is either a list of cookies, as browser extensions write it, or Playwright's storage
    state, of which only the cookies are read. They are returned as `RenderOptions.cookies` takes
    them. A file of neither format is an `ArchiveError`.
    """
    path = Path(path)
    text = _read(path)
    if text.lstrip()[:1] in ("[", "{"):
        rows = _json(path, text)
        if isinstance(rows, dict):
            rows = rows.get("cookies")
        if not isinstance(rows, list):
            raise ArchiveError(f"{path} is not a list of cookies")
        return tuple(_from_json(path, number, row) for number, row in enumerate(rows, 1))
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    return tuple([_from_line(path, n, line) for n, line in lines
                  if not line.startswith("#") or line.startswith(HTTP_ONLY)])  # fmt: skip


def read_storage_state(path: str | Path) -> dict[str, Any]:
    """Read a storage state as Playwright saves it: cookies and local storage."""
    path = Path(path)
    state = _json(path, _read(path))
    if not isinstance(state, dict) or not isinstance(state.get("cookies"), list):
        raise ArchiveError(f"{path} is not a storage state of Playwright's")
    cookies = [_from_json(path, n, row) for n, row in enumerate(state["cookies"], 1)]
    state = {"cookies": cookies, "origins": state.get("origins", [])}
    try:
        check_storage_state(state)
    except ValueError as error:
        raise ArchiveError(f"{path}: {error}") from None
    return state


def _read(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise ArchiveError(f"{path} is larger than a file of cookies may be")
    # PowerShell redirects output to a file in UTF-16.
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_wide else "utf-8-sig", "replace")


def _json(path: Path, text: str) -> Any:
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise ArchiveError(f"{path} is not JSON") from None


def _from_line(path: Path, number: int, line: str) -> Mapping[str, Any]:
    """Read a line of seven tab-separated fields; the second is the flag for subdomains."""
    fields = line.removeprefix(HTTP_ONLY).split("\t")
    if len(fields) == 6:  # an editor has removed the tab before an empty value
        fields.append("")
    if len(fields) != 7:
        raise ArchiveError(f"line {number} of {path} is not a cookie in Netscape's format")
    domain, below, place, secure, expires, name, value = fields
    try:
        until = _expiry(float(expires or 0))
    except ValueError:
        until = inf  # which is no valid time
    host = domain.lstrip(".")
    cookie = {
        "name": name,
        "value": value,
        "domain": f".{host}" if below.upper() == "TRUE" else host,
        "path": place or "/",
        "secure": secure.upper() == "TRUE",
        "httpOnly": line.startswith(HTTP_ONLY),
        "expires": until,
    }
    return _checked(cookie, f"line {number} of {path}")


def _from_json(path: Path, number: int, row: Any) -> Mapping[str, Any]:
    """Convert a cookie of Playwright's or a browser extension's form to Playwright's form."""
    row = row if isinstance(row, dict) else {}
    cookie: dict[str, Any] = {name: row.get(name) for name in ("name", "value")}
    domain, url = row.get("domain"), row.get("url")
    if isinstance(domain, str) and domain:
        host = domain.lstrip(".")
        is_host_only = row.get("hostOnly", not domain.startswith("."))
        cookie |= {"domain": host if is_host_only else f".{host}", "path": row.get("path") or "/"}
    elif url:
        cookie["url"] = url
    expires = row.get("expires", row.get("expirationDate"))
    if isinstance(expires, (int, float)) and not isinstance(expires, bool):
        cookie["expires"] = _expiry(expires)
    cookie |= {name: True for name in ("secure", "httpOnly") if row.get(name)}
    same_site = SAME_SITE.get(str(row.get("sameSite")).lower())
    if same_site and (same_site != "None" or cookie.get("secure")):
        cookie["sameSite"] = same_site
    return _checked(cookie, f"cookie {number} of {path}")


def _checked(cookie: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    if fault := next(_faults(cookie), None):
        raise ArchiveError(f"{place} {fault}")
    return cookie


def _expiry(seconds: float) -> float:
    """The time of expiry as Playwright takes it, in which -1 is the end of the session."""
    if not abs(seconds) < inf:
        return inf
    return min(seconds, LATEST_EXPIRY) if seconds > 0 else -1


def check_cookies(cookies: Iterable[Any]) -> None:
    """Check cookies in Playwright's form."""
    if isinstance(cookies, Mapping):
        raise ValueError("must be a list of mappings, or a file")
    for number, cookie in enumerate(cookies, 1):
        if fault := next(_faults(cookie), None):
            raise ValueError(f"cookie {number} {fault}")


def _faults(cookie: Any) -> Iterator[str]:
    """Why Chromium would refuse a cookie; what a check reads is certain only after earlier ones."""
    if not has_strings(cookie, "name", "value"):
        yield "has no name or no value"
    if not (has_strings(cookie, "url") or has_strings(cookie, "domain", "path")):
        yield "has neither a url nor a domain and a path"
    if cookie.get("url") and (cookie.get("domain") or cookie.get("path")):
        yield "has both a url and a domain or a path"
    name, value = cookie["name"], cookie["value"]
    if not (COOKIE_NAME.fullmatch(name) and COOKIE_VALUE.fullmatch(value)):
        yield "has forbidden characters"
    if len(f"{name}{value}".encode("utf-8", "surrogatepass")) > MAX_COOKIE:
        yield f"has more than {MAX_COOKIE:,} bytes"
    url, domain, path = (cookie.get(part) or "" for part in ("url", "domain", "path"))
    if url and plain_origin(url) is None:
        yield "has a url that is not an http or https one"
    if not url and not (domain.strip(".") and path.startswith("/")):
        yield "has an empty domain or a path that does not begin with a slash"
    prefix = name.lower()
    is_secure = cookie.get("secure") or url.lower().startswith("https:")
    if prefix.startswith(("__secure-", "__host-")) and not is_secure:
        yield "has the prefix of a secure cookie, but is not secure"
    folder = urlsplit(url).path.rpartition("/")[0] + "/" if url else path
    if prefix.startswith("__host-") and (domain.startswith(".") or folder != "/"):
        yield "has the prefix __Host-, but is not for all paths of a single host"
    if cookie.get("sameSite") not in (None, "Strict", "Lax", "None"):
        yield "has a sameSite other than Strict, Lax and None"
    flags = (cookie.get("secure"), cookie.get("httpOnly"))
    if not all(isinstance(flag, (bool, NoneType)) for flag in flags):
        yield "has a secure or httpOnly that is neither true nor false"
    expires = -1 if cookie.get("expires") is None else cookie["expires"]
    is_number = isinstance(expires, (int, float)) and not isinstance(expires, bool)
    if not (is_number and (expires == -1 or 0 <= expires <= LATEST_EXPIRY)):
        yield "has an invalid time of expiry"


def has_strings(mapping: Any, *names: str) -> bool:
    """Whether a value is a mapping with a string for each of the names."""
    return isinstance(mapping, Mapping) and all(isinstance(mapping.get(n), str) for n in names)


def check_storage_state(state: Any) -> None:
    """Check a storage state of Playwright's: cookies and the local storage of origins."""
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
