"""Pages that a site lists: XML and text sitemaps, sitemap indexes, RSS and Atom feeds.

The files are untrusted: no entity is expanded, and their size and entries are bounded. A damaged
file yields the entries before the damage.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path

import lxml.etree as etree

from ...extract.metadata.dates import iso_date
from ...patterns import lazy_re
from ...renderer.network.source_kinds import LISTINGS, START_BYTES, source_kind
from .normal_urls import MAX_ADDRESS, normal_url
from .scope import Scope, may_be_page

MAX_UNPACKED = 50_000_000
"""Maximum number of unpacked bytes that are read of a sitemap (sitemaps.org: 50 MB)."""

MAX_ENTRIES = 50_000  # maximum number of entries that are read of a sitemap (sitemaps.org)

GZIP = b"\x1f\x8b"
ENTRIES = frozenset(["url", "sitemap", "item", "entry"])
# FeedBurner's links redirect through its own host; `origLink` holds the site's address.
ADDRESSES = ("origlink", "loc", "link")
DATES = ("lastmod", "pubdate", "updated", "published", "date")
DECLARED = lazy_re(
    rb"<\?xml[^>]*\bencoding\s*=\s*[\"']("
    # Python's other codecs are not character sets, and some take quadratic time.
    rb"(?:iso|windows|cp|koi8|us-|ascii|latin|gb|big5|shift|euc|ks_c)[a-z0-9._-]*)",
    re.IGNORECASE,
)
FIELDS = frozenset(ADDRESSES + DATES)

CHUNK = 1 << 16
# An entry has a few elements; a file with more than this many is not a listing.
MAX_ELEMENTS = 20 * MAX_ENTRIES


@dataclass(frozen=True)
class Sitemap:
    """Distinct pages of a sitemap or feed, in normal form, each with the time of its last change in
    ISO 8601 or None, and addresses of further sitemaps.
    """

    pages: tuple[tuple[str, str | None], ...] = ()
    sitemaps: tuple[str, ...] = ()


def sitemap_entries(body: bytes, url: str, scope: Scope | None = None) -> Sitemap:
    """Read a sitemap, a sitemap index, or a feed, compressed or not; other files list nothing.

    Addresses outside the scope are left out, by default those of sites other than the file's own,
    and files that are not pages as well.
    """
    scope, plain = scope or Scope(url), _unpack(body)
    entries = _tag(plain) if b"<" in plain[:400] else _lines(plain)
    pages: dict[str, str | None] = {}
    sitemaps: dict[str, None] = {}
    for kind, reference, modified in islice(entries, MAX_ENTRIES):
        address = normal_url(reference.strip(), url)
        if address is None or not scope.holds(address):
            continue
        if kind == "sitemap":
            sitemaps[address] = None
        elif may_be_page(address) and not pages.get(address):
            pages[address] = iso_date(modified) if modified else None
    return Sitemap(tuple(pages.items()), tuple(sitemaps))


async def read_listings(
    fetch: Callable[[str], Awaitable[tuple[str, bytes] | None]],
    files: Iterable[str],
    scope: Scope,
    max_files: int,
) -> list[Sitemap]:
    """Read sitemaps and feeds, and those that they name, by `fetch`: final address and body."""
    waiting, asked = list(files), set()
    listings: list[Sitemap] = []
    while waiting and len(asked) < max_files:
        url = waiting.pop(0)
        if url in asked:
            continue
        asked.add(url)
        response = await fetch(url)
        if response is not None:
            address, body = response
            listings.append(sitemap_entries(body, address, scope))
            waiting += listings[-1].sitemaps
    return listings


def is_listing_file(path: Path) -> bool:
    """Whether a file is a feed or a sitemap; a pipe, which can be read only once, is none."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return source_kind(file.read(START_BYTES)) in LISTINGS


def listing_of_file(path: Path) -> Sitemap:
    """Read a sitemap, a sitemap index, or a feed from a file; it may list pages of any site."""
    with path.open("rb") as file:
        return sitemap_entries(file.read(MAX_UNPACKED), "", Scope("", None))


def _unpack(body: bytes) -> bytes:
    """Unpack a body if it is gzip; a truncated or damaged one yields its readable beginning."""
    if not body.startswith(GZIP):
        return body[:MAX_UNPACKED]
    parts, left = [], MAX_UNPACKED
    with gzip.GzipFile(fileobj=BytesIO(body)) as file, suppress(EOFError, OSError, zlib.error):
        while left > 0 and (part := file.read1(min(left, CHUNK))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def _lines(body: bytes) -> Iterator[tuple[str, str, str]]:
    """Entries of a text sitemap, which has one address per line."""
    for line in body.decode("utf-8-sig", "replace").splitlines():
        if line.strip().lower().startswith(("http://", "https://")):
            yield "url", line, ""


def _tag(body: bytes) -> Sequence[tuple[str, str, str]]:
    """Kind, address and date of each entry of an XML file, regardless of namespaces."""
    text = _decode(body).lstrip()
    # Genuine sitemaps declare no entities, and a parser with a target would expand them.
    if "<!ENTITY" in text:
        return ()
    target = _Entries()
    options = {"resolve_entities": False, "load_dtd": False, "no_network": True}
    parser = etree.XMLParser(target=target, recover=True, encoding="utf-8", **options)
    with suppress(etree.XMLSyntaxError, _LimitReached):
        etree.fromstring(text.encode("utf-8", "replace"), parser)
    return target.entries


def _decode(body: bytes) -> str:
    """Decode text by its byte order mark or its declared encoding, or as UTF-8."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    declared = DECLARED.match(body.lstrip()[:200])
    try:
        return body.decode(
            declared.group(1).decode("ascii") if declared else "utf-8-sig", "replace"
        )
    except (LookupError, ValueError):
        return body.decode("utf-8-sig", "replace")


class _LimitReached(Exception):
    """The maximum number of elements or entries was reached."""


class _Entries:
    """Parser target that collects entries without building a tree."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, str]] = []
        self._elements = self._depth = self._entry_depth = 0
        self._entry = self._name = self._text = ""
        self._fields: dict[str, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS or len(self.entries) >= MAX_ENTRIES:
            raise _LimitReached
        self._depth += 1
        # The parser leaves an undeclared namespace prefix in the name.
        name = tag.rpartition("}")[2].rpartition(":")[2].lower()
        if not self._entry and name in ENTRIES:
            self._entry, self._entry_depth, self._fields = name, self._depth, {}
        elif self._entry and self._depth == self._entry_depth + 1:
            # Atom has several kinds of links; the alternate one leads to the article.
            href, rel = attributes.get("href", ""), attributes.get("rel", "alternate")
            if name == "guid" and attributes.get("isPermaLink", "true") == "true":
                name = "link"
            self._name, self._text = name, href if name == "link" and rel == "alternate" else ""

    def data(self, text: str) -> None:
        if self._name in FIELDS and self._depth == self._entry_depth + 1:
            self._text += text[: MAX_ADDRESS + 1 - len(self._text)]

    def end(self, tag: str) -> None:
        if self._entry and self._depth == self._entry_depth + 1:
            if self._name in FIELDS and self._text.strip():
                self._fields.setdefault(self._name, self._text.strip())
            self._name = ""
        elif self._entry and self._depth == self._entry_depth:
            address = next((self._fields[name] for name in ADDRESSES if name in self._fields), "")
            date = next((self._fields[name] for name in DATES if name in self._fields), "")
            if address:
                self.entries.append((self._entry, address, date))
            self._entry = ""
        self._depth -= 1

    def close(self) -> None:
        """Return nothing; the parser interface requires this method."""
