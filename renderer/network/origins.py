"""Web URLs and their origins, and headers that are for one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from ...errors import NavigationError
from ...patterns import lazy_re

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

WEB = ("http", "https")
PORTS = {"http": 80, "https": 443}

PROXY_PORTS = {**PORTS, "socks4": 1080, "socks5": 1080}
"""Default ports of the schemes that the user's own proxy may have."""

# A name, an IPv4 address, or an IPv6 address without brackets.
HOST = lazy_re(r"[\w-]+(\.[\w-]+)*|[0-9a-f.]*:[0-9a-f.]*:[0-9a-f.:]*", re.ASCII)

SCHEMES = (*WEB, "data", "about")

# Not parsed with `urllib`, which rejects some URLs that a browser opens.
ORIGIN = lazy_re(r"https?://[^/?#\\]*", re.IGNORECASE)


def origin_of(url: str) -> str | None:
    """Scheme, host and port of a URL; None unless its scheme is http or https."""
    match = ORIGIN.match(url)
    return match[0].lower() if match else None


def plain_origin(url: str) -> str | None:
    """Origin of an http or https URL as a browser writes it; None for any other URL.

    >>> plain_origin("HTTPS://jo@M\u00fcnchen.example:443/")
    'https://xn--mnchen-3ya.example'
    """
    end = _end(url)
    if end is None:
        return None
    scheme, host, port = end
    return f"{scheme}://{joined_host(host, None if port == PORTS[scheme] else port)}"


def joined_host(host: str, port: int | None = None) -> str:
    """A host and a port as in a URL, which has an IPv6 address in brackets."""
    host = f"[{host}]" if ":" in host else host
    return host if port is None else f"{host}:{port}"


def host_of(url: str) -> str:
    """Host name of a URL in lower case; "" unless its scheme is http or https."""
    parts = split_url(url)
    return plain_host(parts.hostname or "") if parts.scheme in WEB else ""


def port_of(url: str) -> int | None:
    """Port of an http or https URL, which may be that of its scheme; None for any other URL."""
    end = _end(url)
    return end and end[2]


def split_url(url: str) -> SplitResult:
    """Parts of an address; all of them are empty if it is not valid."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def site_of(url: str) -> str | None:
    """Registrable domain of an http(s) address (its host where it has none), else None.

    >>> site_of("https://news.example.co.uk/story"), site_of("http://127.0.0.1:8080/")
    ('example.co.uk', '127.0.0.1')
    """
    parts = split_url(url)
    host = parts.hostname
    return _registrable(host) if parts.scheme in WEB and host else None


def learned_name(url: str) -> str | None:
    """The name under which the site of an address is learned: that of `site_of`, with its port.

    >>> learned_name("https://news.example.org/a"), learned_name("http://localhost:8000/")
    ('example.org', 'localhost:8000')
    """
    site, port = site_of(url), port_of(url)
    return site if not site or port in (None, *PORTS.values()) else joined_host(site, port)


@lru_cache(maxsize=4096)
def _registrable(host: str) -> str:
    if host.replace(".", "").isdecimal() or ":" in host:
        return host  # an IP address has no registrable domain
    name = ".".join(map(_decode_label, host.split(".")))
    top = name.rpartition(".")[2]
    if not top:
        return host
    is_listed = f"\n{top}\n" in _suffix_list() or f".{top}\n" in _suffix_list()
    private = _suffixes(top if is_listed else "").privatesuffix(name)
    return ".".join(host.split(".")[-1 - private.count(".") :]) if private else host


def _decode_label(label: str) -> str:
    """A label of a host name, decoded from Punycode."""
    try:
        return label.encode().decode("idna") if label.startswith("xn--") else label
    except UnicodeError:
        return label


@cache
def _suffixes(top: str) -> PublicSuffixList:
    """The public suffixes below a listed top-level domain; parsing all takes longer than a page."""
    from publicsuffixlist import PublicSuffixList

    lines = [line for line in _suffix_list().splitlines() if line.rpartition(".")[2] == top]
    # Adding every entry of the list in Punycode would take most of the time.
    return PublicSuffixList(lines, accept_encoded_idn=False)


@cache
def _suffix_list() -> str:
    from publicsuffixlist import PSLFILE

    return Path(PSLFILE).read_text("utf-8")


def is_host_name(name: str) -> bool:
    """Whether a text is the name or the address of a host, without scheme, port and wildcards."""
    return HOST.fullmatch(plain_host(name.lstrip("."))) is not None


def is_host_within(host: str, name: str) -> bool:
    """Whether a host is the named one or a subdomain of it."""
    name = plain_host(name.lstrip("."))
    return host == name or host.endswith(f".{name}")


def is_for_host(url: str, home: str) -> bool:
    """Whether what is meant for the host of `home` may be sent to `url`.

    Both must have the same scheme, host and port. The only exception is that `url` may use https
    where `home` uses http, both on their default ports.
    """
    one, other = _end(url), _end(home)
    if one is None or other is None or one[1] != other[1]:
        return False
    is_upgrade = (other[0], other[2], one[0], one[2]) == ("http", 80, "https", 443)
    return one == other or is_upgrade


def _end(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an http or https URL."""
    host = host_of(url)
    try:
        parts = urlsplit(url)
        scheme = parts.scheme.lower()
        return (scheme, host, parts.port or PORTS[scheme]) if host else None
    except ValueError:
        return None


def check_address(url: str, schemes: tuple[str, ...] = SCHEMES) -> None:
    """Refuse a URL that no page can have."""
    try:
        scheme = urlsplit(url).scheme.lower() if isinstance(url, str) else ""
    except ValueError:
        raise NavigationError(f"{url!r} is not a valid address", url=url) from None
    if scheme not in schemes:
        raise NavigationError(
            f"{url!r} is not an address of a page: it must start with http:// or https://", url=url
        )


def plain_host(host: str) -> str:
    """A host name in the form used for comparison: lower case, IDNA, without a trailing dot.

    As in browsers, IDNA is processed without transition (UTS #46): "straße" is not "strasse".
    """
    plain = host.lower().removesuffix(".")
    if plain.isascii():
        return plain
    import idna

    with suppress(UnicodeError):
        return idna.encode(plain, uts46=True).decode("ascii")
    # IDNA 2008 excludes symbols, which browsers accept in names.
    with suppress(UnicodeError):
        return plain.encode("idna").decode("ascii")
    return plain


def whole_proxy(proxy: str) -> str:
    """URL of a user's proxy; if it has no scheme, http is assumed, as in Playwright."""
    return proxy if "://" in proxy else f"http://{proxy}"


@dataclass(frozen=True)
class OwnHeaders:
    """The user's own headers, such as an authorization, for the host of a URL and no other."""

    headers: Mapping[str, str] = field(repr=False)
    home: str

    def for_url(self, url: str) -> dict[str, str]:
        """The headers to send with a request for a URL; none if it goes to another host."""
        return dict(self.headers) if is_for_host(url, self.home) else {}

    def origins(self) -> tuple[str, ...]:
        """Origins that the headers are for; headers for http may also be sent over https."""
        origin = plain_origin(self.home)
        if origin is None:
            return ()
        return tuple(dict.fromkeys((origin, origin.replace("http:", "https:", 1))))
