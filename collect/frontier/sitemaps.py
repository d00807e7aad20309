"""Pages that a site lists: XML and plain sitemaps, sitemap indexes, RSS and Atom feeds.

Whatever is read comes from a stranger: entities and external definitions are never expanded,
unpacking and entries are bounded, and a damaged file gives what stands before the damage.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import islice

import lxml.etree as etree

from ...extract.metadata.dates import iso_date
from .addresses import MAX_ADDRESS, normal_url
from .scope import Scope, may_be_page

__all__ = ["MAX_ENTRIES", "MAX_UNPACKED", "Sitemap", "sitemap_entries"]

MAX_UNPACKED = 50_000_000
"""Bytes of a sitemap; the rest is not read (sitemaps.org: 50 MB)."""

MAX_ENTRIES = 50_000
"""Entries of a sitemap; the rest is not read (sitemaps.org)."""

GZIP = b"\x1f\x8b"
ENTRIES = frozenset(["url", "sitemap", "item", "entry"])
# FeedBurner's addresses lead through its own; it keeps the site's beside them.
ADDRESSES = ("origlink", "loc", "link")
DATES = ("lastmod", "pubdate", "updated", "published", "date")
DECLARED = re.compile(
    rb"<\?xml[^>]*\bencoding\s*=\s*[\"']("
    # Other codecs of Python are no character sets, and some take quadratic time.
    rb"(?:iso|windows|cp|koi8|us-|ascii|latin|gb|big5|shift|euc|ks_c)[a-z0-9._-]*)",
    re.IGNORECASE,
)
FIELDS = frozenset(ADDRESSES + DATES)

CHUNK = 1 << 16
# An entry has a few elements; beyond this a file is made of something else.
MAX_ELEMENTS = 20 * MAX_ENTRIES


@dataclass(frozen=True)
class Sitemap:
    """What a sitemap or a feed lists.

    Attributes
    ----------
    pages
        Addresses in normal form, each once, and when each was changed, ISO 8601, or None.
    sitemaps
        Addresses of further sitemaps.
    """

    pages: tuple[tuple[str, str | None], ...] = ()
    sitemaps: tuple[str, ...] = ()


def sitemap_entries(body: bytes, url: str, scope: Scope | None = None) -> Sitemap:
    """Read a sitemap, a sitemap index, or a feed.

    Parameters
    ----------
    body
        As it came, gzip or not.
    url
        Where it came from.
    scope
        Addresses outside of it are left out; by default those of other sites than the
        sitemap's own. So are files that are no pages.

    Returns
    -------
    Empty for what is none of these.

    Raises
    ------
    MissingDependencyError
        ada-url is not installed.
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


def _unpack(body: bytes) -> bytes:
    """The text of a body, unpacked if it is gzip; of a torn one what there is."""
    if not body.startswith(GZIP):
        return body[:MAX_UNPACKED]
    parts, left = [], MAX_UNPACKED
    with gzip.GzipFile(fileobj=BytesIO(body)) as file, suppress(EOFError, OSError, zlib.error):
        while left > 0 and (part := file.read1(min(left, CHUNK))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def _lines(body: bytes) -> Iterator[tuple[str, str, str]]:
    """Addresses of a plain sitemap: one a line."""
    for line in body.decode("utf-8-sig", "replace").splitlines():
        if line.strip().lower().startswith(("http://", "https://")):
            yield "url", line, ""


def _tag(body: bytes) -> Sequence[tuple[str, str, str]]:
    """Kind, address and date of each entry of XML, whatever its namespaces."""
    text = _decode(body).lstrip()
    # Nobody's sitemap declares entities, and a parser that reports events expands them.
    if "<!ENTITY" in text:
        return ()
    target = _Entries()
    options = {"resolve_entities": False, "load_dtd": False, "no_network": True}
    parser = etree.XMLParser(target=target, recover=True, encoding="utf-8", **options)
    with suppress(etree.XMLSyntaxError, _LimitReached):
        etree.fromstring(text.encode("utf-8", "replace"), parser)
    return target.entries


def _decode(body: bytes) -> str:
    """Text by its byte order mark, by what it declares, or UTF-8."""
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
    """More elements or entries than are read."""


class _Entries:
    """Receiver of a parser's events, which keeps entries and builds no tree."""

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
        # A prefix that nobody declared is left where it stands.
        name = tag.rpartition("}")[2].rpartition(":")[2].lower()
        if not self._entry and name in ENTRIES:
            self._entry, self._entry_depth, self._fields = name, self._depth, {}
        elif self._entry and self._depth == self._entry_depth + 1:
            # Atom has links of several kinds; an article's own is the alternate one.
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
        """Result that the parser interface requires."""
