"""Normal form of addresses, so that each page has one address.

Addresses are parsed as in Chromium, by the WHATWG URL standard (`ada-url`). This module decides
what the standard leaves open: percent-encoding, tracking and session parameters, fragments. Two
spellings that may denote two pages are kept apart: http and https, hosts with and without ``www``,
paths with and without a trailing slash, and **query parameters in a different order**, since
servers may depend on their order (``?a=1&a=2``, steps of a route, signed addresses).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ...errors import MissingDependencyError
from ...patterns import lazy_re

if TYPE_CHECKING:
    from ada_url import URL

__all__ = ["MAX_ADDRESS", "normal_url", "without_tracking"]

MAX_ADDRESS = 2000
"""Maximum number of characters; longer addresses encode a session's state rather than a page."""

ESCAPE = lazy_re(r"%([0-9A-Fa-f]{2})?")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# Parameters that newsletters, advertisements and analytics append to links.
TRACKING = lazy_re(
    r"(?:utm|mtm|matomo|piwik|pk|itm|hsa|vero|oly_anon|oly_enc|fb_action|guce)_\w+|__hs\w+"
    r"|(?:fb|g|d|ms|y|ys|tw|tt|irg)clk?id|gclsrc|gbraid|wbraid|srsltid|sccid|wickedid|epik"
    r"|igsh(?:id)?|mc_[ce]id|mkt_tok|li_fat_id|_ga|_gl|_hs(?:enc|mi)|hsctatracking"
    r"|fb_(?:ref|source)|ns_(?:campaign|mchannel|source|linkname|fee)|at_(?:medium|campaign)"
    r"|__twitter_impression|soc_(?:src|trk)|xtor|cmpid|ocid|icid|guccounter|wt\.mc_id|dm_i|spm"
    r"|s_kwcid|ef_id"
)  # fmt: skip
SESSION = lazy_re(
    r"(?:j|php|asp|cgi)?sess(?:ion)?[-_]?id\w*|zenid|oscsid|cftoken|cfid|aspxautodetectcookiesupport"
)  # fmt: skip
# Ambiguous short names; they denote a session only if the value is a long token.
SHORT_SESSION = frozenset("s sid sess session xtcsid".split())
TOKEN = lazy_re(r"(?=.*\d)[0-9a-f]{16,}|(?=.*\d)(?=.*[a-z])[0-9a-z]{24,}", re.IGNORECASE)
IN_PATH = lazy_re(r";(?:j?sessionid|phpsessid|sid)=[^/;]*", re.IGNORECASE)


def normal_url(url: str, base: str | None = None) -> str | None:
    """The normal form of an address, or of a reference that is relative to a base.

    It is its own normal form. None is returned if the address is not an http(s) address, has no
    host, contains credentials, or is longer than `MAX_ADDRESS` characters before or after
    normalization. A base of more characters counts as unknown, because it is parsed again for every
    link of its page.

    Notes
    -----
    Scheme and host are in lower case, and the host is in its ASCII form without a trailing dot. A
    default port, dot segments, an empty query, and tracking and session parameters are dropped.
    Percent-encoded unreserved characters are decoded; other escapes are in upper case.

    A fragment is dropped unless it begins with ``!`` or ``/`` and has further characters. Scripts
    read such a fragment as the address of a separate page, and Miolo runs scripts.

    >>> normal_url("HTTP://Example.ORG:80/a/../%7Ejo?utm_source=x&b=2&a=1#top")
    'http://example.org/~jo?b=2&a=1'
    >>> normal_url("../b.html#!/two", "https://example.org/a/c/")
    'https://example.org/a/b.html#!/two'
    >>> normal_url("mailto:jo@example.org") is None
    True
    """
    if len(url) > MAX_ADDRESS:
        return None
    if base is not None and len(base) > MAX_ADDRESS:
        base = None
    try:
        read = _reader()(url, base=base)
        host, path, query, fragment = read.hostname, read.pathname, read.search, read.hash
        plain = read.protocol in ("http:", "https:") and not (read.username or read.password)
    except ValueError:
        # A document without an address of its own may still contain absolute links.
        return None if base is None else normal_url(url)
    if not plain or host.startswith(".") or ".." in host:
        return None
    port = f":{read.port}" if read.port else ""
    whole = _escape(path)
    path = IN_PATH.sub("", whole)
    kept = [part for part in _escape(query[1:]).split("&") if part and not _is_noise(part)]
    query = f"?{'&'.join(kept)}" if kept else ""
    fragment = _escape(fragment) if fragment[:2] in ("#!", "#/") and len(fragment) > 2 else ""
    normal = f"{read.protocol}//{host.removesuffix('.')}{port}{path}{query}{fragment}"
    if path != whole:
        return normal_url(normal)  # `..;sid=1` without its session parameter is a dot segment
    return normal if len(normal) <= MAX_ADDRESS else None


def without_tracking(url: str) -> str:
    """An address without the parameters that newsletters, advertisements and analytics append.

    >>> without_tracking("https://example.org/a?utm_source=x&id=1#top")
    'https://example.org/a?id=1#top'
    """
    head, _, rest = url.partition("?")
    query, mark, fragment = rest.partition("#")
    parameters = query.split("&")
    kept = [each for each in parameters if not TRACKING.fullmatch(each.partition("=")[0].lower())]
    if not query or "#" in head or len(kept) == len(parameters):
        return url
    return f"{head}{'?' if kept else ''}{'&'.join(kept)}{mark}{fragment}"


def _escape(text: str) -> str:
    return ESCAPE.sub(_normalise_escape, text) if "%" in text else text


def _normalise_escape(match: re.Match[str]) -> str:
    code = match.group(1)
    if code is None:
        return "%25"  # a lone "%", which decoded characters after it might turn into an escape
    character = chr(int(code, 16))
    return character if character in UNRESERVED else f"%{code.upper()}"


def _is_noise(parameter: str) -> bool:
    """Whether a parameter identifies the visitor or the referrer rather than the page."""
    name, _, value = parameter.partition("=")
    name = name.lower()
    if TRACKING.fullmatch(name) or SESSION.fullmatch(name):
        return True
    return name in SHORT_SESSION and TOKEN.fullmatch(value) is not None


@cache
def _reader() -> type[URL]:
    try:
        from ada_url import URL
    except ImportError:
        raise MissingDependencyError.of_extra("crawling", "collect") from None
    return URL
