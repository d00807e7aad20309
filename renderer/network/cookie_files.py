"""Cookies of a user's browser, read from files.

The supported files are those that browser extensions, curl and Playwright write. A message about a
damaged file gives the number of the line and never its content.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Any

from ...errors import ArchiveError
from ...untrusted_json import parse_json
from .cookie_checks import LATEST_EXPIRY, check_storage_state, cookie_fault

__all__ = ["read_cookies", "read_storage_state"]

# Prefix of a line with an HttpOnly cookie; such a line is not a comment.
HTTP_ONLY = "#HttpOnly_"

SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None", "no_restriction": "None"}

MAX_FILE = 32 << 20


def read_cookies(path: str | Path) -> tuple[Mapping[str, Any], ...]:
    """Read a file of cookies: in Netscape's format (cookies.txt) or in JSON.

    Parameters
    ----------
    path
        The file. Its JSON is either a list of cookies, as browser extensions write it, or
        Playwright's storage state, of which only the cookies are read.

    Returns
    -------
    Cookies as `RenderOptions.cookies` takes them.

    Raises
    ------
    ArchiveError
        The file has neither format.
    OSError
        The file cannot be opened.
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
    lines = enumerate(text.splitlines(), 1)
    return tuple(_from_line(path, n, line) for n, line in lines if _has_cookie(line))


def read_storage_state(path: str | Path) -> dict[str, Any]:
    """Read a storage state as Playwright saves it: cookies and local storage.

    Raises
    ------
    ArchiveError
        The file is not a storage state.
    OSError
        The file cannot be opened.
    """
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


def _has_cookie(line: str) -> bool:
    return bool(line.strip()) and (not line.startswith("#") or line.startswith(HTTP_ONLY))


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
        raise ArchiveError(f"line {number} of {path} has an invalid time of expiry") from None
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
    if fault := cookie_fault(cookie):
        raise ArchiveError(f"line {number} of {path} {fault}")
    return cookie


def _from_json(path: Path, number: int, row: Any) -> Mapping[str, Any]:
    """Convert a cookie of Playwright's or a browser extension's form to Playwright's form."""
    if not isinstance(row, dict) or not all(isinstance(row.get(n), str) for n in ("name", "value")):
        raise ArchiveError(f"cookie {number} of {path} has no name or no value")
    cookie: dict[str, Any] = {"name": row["name"], "value": row["value"]}
    domain, url = row.get("domain"), row.get("url")
    if isinstance(domain, str) and domain:
        host = domain.lstrip(".")
        is_host_only = row.get("hostOnly", not domain.startswith("."))
        cookie |= {"domain": host if is_host_only else f".{host}", "path": row.get("path") or "/"}
    elif isinstance(url, str) and url:
        cookie["url"] = url
    else:
        raise ArchiveError(f"cookie {number} of {path} has neither a domain nor a url")
    expires = row.get("expires", row.get("expirationDate"))
    if isinstance(expires, (int, float)) and not isinstance(expires, bool):
        try:
            cookie["expires"] = _expiry(expires)
        except ValueError:
            raise ArchiveError(f"cookie {number} of {path} has an invalid time of expiry") from None
    for name in ("secure", "httpOnly"):
        if row.get(name):
            cookie[name] = True
    same_site = SAME_SITE.get(str(row.get("sameSite")).lower())
    if same_site and (same_site != "None" or cookie.get("secure")):
        cookie["sameSite"] = same_site
    if fault := cookie_fault(cookie):
        raise ArchiveError(f"cookie {number} of {path} {fault}")
    return cookie


def _expiry(seconds: float) -> float:
    """The time of expiry as Playwright takes it, in which -1 is the end of the session."""
    if not abs(seconds) < inf:
        raise ValueError
    return min(seconds, LATEST_EXPIRY) if seconds > 0 else -1
