"""`Exchange`: a request and its response; functions that decide when two requests are equal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote, urldefrag, urlsplit, urlunsplit

from ...patterns import lazy_re
from .origins import PORTS, joined_host, plain_host

REDIRECTS = frozenset((301, 302, 303, 307, 308))

# Headers that describe the transfer of a body; exchanges hold decoded bodies.
TRANSFER = frozenset(("content-encoding", "content-length", "transfer-encoding"))

PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml"))

# Cache-busting parameters that scripts add, recognised by their name, or by a value that is a Unix
# time of these decades (in seconds or ms) or a result of `Math.random()`.
BUSTERS = frozenset(
    "_ cb cachebust cachebuster nocache no_cache rand random rnd t timestamp ts".split()
)
BUSTING = lazy_re(r"1[5-9]\d{8}(?:\d{3})?|0?\.\d{6,}")


# URLs in the form in which browsers request them; their ports are rare.
REQUESTED = lazy_re(r"https?://[a-z0-9.-]+/[!-\"$-~]*")
PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))


@dataclass(frozen=True)
class Exchange:
    """A request and its response; the request that follows a redirect is another exchange."""

    url: str  # requested, without its fragment
    status: int
    # As the server sent them, except those that describe the transfer of the body.
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""  # decoded
    method: str = "GET"
    posted: bytes = b""  # the data sent with the request
    # As in the header `Sec-Fetch-Dest`: `document` for the main document, `iframe`, `style`,
    # `script`, `image`, `font`, `empty` for what scripts fetch; "" if unknown.
    dest: str = ""
    time: str = ""  # of the response: ISO 8601, UTC, with microseconds; "" if unknown

    def header(self, name: str) -> str:
        """The first value of a header; "" if it is absent."""
        return next((v for n, v in self.headers if n.lower() == name.lower()), "")

    @property
    def mime(self) -> str:
        """MIME type of the body, without its parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def is_page(self) -> bool:
        """Whether the body is the main document of a page, as far as is known."""
        is_html = self.method == "GET" and self.status == 200 and self.mime in PAGE_TYPES
        return is_html and self.dest in ("", "document")


def plain_headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Headers without those that describe the transfer of a body."""
    return tuple((name, value) for name, value in headers if name.lower() not in TRANSFER)


def plain_text(text: str) -> str:
    """A text without unpaired surrogates, which JSON may have and no file or database accepts."""
    return text.encode("utf-8", "replace").decode()


def whole_url(url: str) -> str:
    """A URL without its fragment, which is never sent to a server."""
    try:
        return urldefrag(url).url if "#" in url else url
    except ValueError:
        return url


def requested_url(url: str) -> str:
    """A URL as a browser requests it, so that URLs as other programs write them are found.

    >>> requested_url("HTTP://Example.org:80")
    'http://example.org/'
    >>> requested_url("https://example.org/caf\u00e9 menu#top")
    'https://example.org/caf%C3%A9%20menu'
    """
    url = whole_url(url)
    if REQUESTED.fullmatch(url):
        return url
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, plain_host(parts.hostname or ""), parts.port
    except ValueError:
        return url
    if scheme not in PORTS or not host:
        return url
    user = parts.netloc.rpartition("@")[0]
    place = joined_host(host, None if port == PORTS[scheme] else port)
    netloc = f"{user}@{place}" if user else place
    path = quote(parts.path, safe=PRINTABLE) or "/"
    return urlunsplit((scheme, netloc, path, quote(parts.query, safe=PRINTABLE), ""))


def bare_url(url: str) -> str:
    """A URL without its fragment and its cache-busting parameters.

    >>> bare_url("https://example.org/news?page=2&_=1715680000123")
    'https://example.org/news?page=2'
    """
    try:
        parts = urlsplit(whole_url(url))
    except ValueError:
        return url
    pairs = (pair.partition("=") for pair in parts.query.split("&") if pair)
    kept = [f"{name}{sign}{value}" for name, sign, value in pairs
            if name.lower() not in BUSTERS and not BUSTING.fullmatch(value)]  # fmt: skip
    return parts._replace(query="&".join(kept)).geturl()


def digest(posted: bytes) -> str:
    """SHA-256 of the data sent with a request, hexadecimal; "" if there is none."""
    return hashlib.sha256(posted).hexdigest() if posted else ""


def now() -> str:
    """The current time in the format of exchanges."""
    return moment(datetime.now(UTC).isoformat())


def moment(text: str) -> str:
    """An ISO 8601 time in the format of exchanges; "" if it is invalid.

    >>> moment("2024-05-14T12:00:00+02:00")
    '2024-05-14T10:00:00.000000Z'
    """
    try:
        parsed = datetime.fromisoformat(text)
        zoned = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        plain = zoned.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return ""
    return plain.isoformat(timespec="microseconds") + "Z"


@dataclass(frozen=True)
class Entry:
    """Index data of a response."""

    place: int  # in its source
    exchange: Exchange  # without the body
    payload: str = ""  # digest of the body, by which a revisit has that of another response
    is_revisit: bool = False
    id: str = ""  # set, like `request`, in files that store requests separately
    request: str = ""


@dataclass(frozen=True)
class RequestEntry:
    """A request that a file stores apart from its response; `answer` is the response's ID."""

    id: str
    answer: str
    method: str
    posted: bytes
    dest: str
