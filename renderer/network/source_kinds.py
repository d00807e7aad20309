"""Recognises what a file or a response is, and says what the user can do if it is not a page.

Files, standard input, HTML that was sent and responses of servers get the same sentence.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from functools import cache
from mimetypes import MimeTypes
from pathlib import Path

from ...errors import NotHTMLError
from ...patterns import lazy_re


@dataclass(frozen=True)
class SourceKind:
    """A kind of content that is not a page."""

    noun: str
    advice: str


GIVE_PAGE = "give the address of the page that shows it"
UNPACK = "unpack it, and give the files in it"
LIST = (
    "`miolo links` lists its pages; `miolo crawl` visits those of an address, and `miolo batch` "
    "those of a file"
)

PDF = SourceKind("a PDF (application/pdf)", "convert it to HTML, for example with pdftohtml")
PICTURE = SourceKind("a picture", GIVE_PAGE)
MEDIA = SourceKind("a recording", GIVE_PAGE)
OFFICE = SourceKind("a document of a word processor or the like", "export it as HTML")
WEBARCHIVE = SourceKind(
    "a Safari web archive", "convert it with `textutil -convert html` on macOS, or save it as MHTML"
)
PACKED = SourceKind("a compressed file", UNPACK)
JSON = SourceKind("JSON data", GIVE_PAGE)
FEED = SourceKind("a feed", LIST)
SITEMAP = SourceKind("a sitemap", LIST)
MHTML = SourceKind("a saved page (MHTML)", "download it, and give the file")
EMPTY = SourceKind("empty", "save or download it again")
BINARY = SourceKind("a binary file", "give the address of a page, or a file with HTML")
DOWNLOAD = SourceKind("a download", "give the address of a page")

LISTINGS = (FEED, SITEMAP)  # kinds of content that list pages

# First bytes of files (WHATWG MIME Sniffing, 6 and 7, and the formats' own specifications).
SIGNATURES = (
    (rb"%PDF-", PDF),
    (
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP|II\*\x00|MM\x00\*|\x00\x00\x01\x00",
        PICTURE,
    ),
    (rb"....ftyp(?:avif|avis|heic|heix|mif1|msf1)", PICTURE),
    (rb"....ftyp|ID3|OggS|fLaC|\x1a\x45\xdf\xa3|RIFF....(?:WAVE|AVI )", MEDIA),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|\{\\rtf", OFFICE),
    (rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|mimetype|word/|xl/|ppt/)", OFFICE),
    (
        rb"\x1f\x8b|PK\x03\x04|BZh[1-9]|\xfd7zXZ\x00|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x28\xb5\x2f\xfd",
        PACKED,
    ),
    (rb"bplist00.*WebMainResource", WEBARCHIVE),
    (rb"\x7fELF|bplist00|SQLite format 3\x00", BINARY),
)
SIGNED = tuple((lazy_re(pattern, re.S), kind) for pattern, kind in SIGNATURES)

BYTES = "application/octet-stream"

TYPES = (
    (r"application/pdf", PDF),
    (r"image/.*", PICTURE),
    (r"(?:audio|video)/.*", MEDIA),
    (r"application/(?:rtf|msword|epub\+zip|vnd\.(?:ms-|openxmlformats|oasis).*)", OFFICE),
    (r"application/x-webarchive", WEBARCHIVE),
    (r"application/(?:rss|atom|rdf)\+xml", FEED),
    (r"application/(?:.*\+)?json", JSON),
    (r"message/rfc822|multipart/related|application/x-mimearchive", MHTML),
    (r"application/(?:x-)?(?:zip|gzip|bzip2|xz|zstd|7z-compressed|rar|tar)", PACKED),
    (BYTES, DOWNLOAD),
)
TYPED = tuple((lazy_re(pattern, re.I), kind) for pattern, kind in TYPES)

ROOTS = {
    "rss": FEED, "feed": FEED, "rdf": FEED, "rdf:rdf": FEED,
    "urlset": SITEMAP, "sitemapindex": SITEMAP, "svg": PICTURE,
}  # fmt: skip
"""Kinds of XML documents that are no pages, by the names of their roots."""

START_BYTES = 64 << 10  # number of bytes that decide what a file is

# What may come before the root of an XML document, and the name of the root.
BEFORE_ROOT = lazy_re(rb"\s+|<\?.*?\?>|<!--.*?-->|<!doctype[^>\[]*>", re.I | re.S)
ROOT = lazy_re(rb"<([a-z][\w:.-]{0,60})", re.I)

SVG_END = lazy_re(rb"</svg>\s*\Z", re.I)

# The first key of an object, or the first object of an array.
JSON_START = lazy_re(rb'(?:\xef\xbb\xbf)?\s*+(?:\[\s*+)?\{\s*+"[^"<>\n]{0,200}"\s*:')

# A program may print data before its page.
MARKUP = lazy_re(rb"<(?:!doctype|html|head|body)\b", re.I)

# Byte order marks of UTF-16, in which every other byte of a Latin text is null.
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF8_MARK = b"\xef\xbb\xbf"

GZIP = b"\x1f\x8b"
ZIP_START = b"PK\x03\x04"
WARC_NAMES = (".warc", ".warc.gz", ".arc", ".arc.gz")

# The first line of an ARC record: URL, IP address, time, type and length.
ARC_LINE = rb"[a-z]{2,12}:[^ \r\n]{1,8192} [0-9a-fA-F.:]{1,45} \d{14} [^ \r\n]{0,200} \d{1,12}\r?\n"
RECORD = lazy_re(rb"WARC/\d|" + ARC_LINE)

RECORD_BYTES = 9 << 10  # how far the start of a record reaches into its file
MAX_HEADER_BYTES = 64 << 10  # the headers of a part of MHTML are far shorter

HEADER = lazy_re(rb"[!-9;-~]+:")
MIME_HEADER = lazy_re(
    rb"^(?:mime-version:|content-type:\s*(?:multipart/|text/html|message/))", re.I | re.M
)
BLANK_LINE = lazy_re(rb"\r?\n[ \t]*\r?\n")


def source_kind(content: bytes) -> SourceKind | None:
    """The kind of content that is certainly no page, by its first bytes; None for any other.

    >>> source_kind(b"%PDF-1.7").noun
    'a PDF (application/pdf)'
    >>> source_kind(b'<?xml version="1.0"?><rss version="2.0">').noun
    'a feed'
    >>> source_kind(b"<p>a page")
    """
    start = content[:START_BYTES]
    for pattern, kind in SIGNED:
        if pattern.match(start):
            return kind
    root = _root(start)
    if root == "plist" and b"WebMainResource" in start:
        return WEBARCHIVE
    # A page without its first elements may begin with a drawing.
    if root in ROOTS and (root != "svg" or len(content) > START_BYTES or SVG_END.search(start)):
        return ROOTS[root]
    if JSON_START.match(start) and not MARKUP.search(start):
        return JSON
    is_marked_up = start.lstrip(b"\xef\xbb\xbf \t\r\n\f\0").startswith(b"<")
    has_null = b"\0" in start[:1024] and not (is_marked_up or start.startswith(UTF16_MARKS))
    return BINARY if has_null else None


def is_packed(start: bytes, signature: bytes) -> bool:
    """Whether content is a compressed file, no document, that begins with a signature."""
    return start.startswith(signature) and source_kind(start) is PACKED


def _root(start: bytes) -> str:
    """Name of the first element in lower case; "" if there is none."""
    place = len(UTF8_MARK) if start.startswith(UTF8_MARK) else 0
    while before := BEFORE_ROOT.match(start, place):
        place = before.end()
    root = ROOT.match(start, place)
    return root[1].decode("ascii", "replace").lower() if root else ""


def not_a_page(what: str, kind: SourceKind, url: str = "") -> NotHTMLError:
    """The error for content that is not a page; `what` names it in the message."""
    error = NotHTMLError(f"{what} is {kind.noun}, not a page: {kind.advice}", url=url or what)
    error.lists_pages = kind in LISTINGS
    return error


def type_kind(mime: str, url: str = "") -> SourceKind:
    """The kind of a MIME type that no page has, or of the URL's file name if it says nothing."""
    kind = _typed(mime) or SourceKind(mime, GIVE_PAGE)
    if kind is DOWNLOAD:
        return _typed(_names().guess_type(url)[0] or "") or kind
    return kind


@cache
def _names() -> MimeTypes:
    """Types by the names of files, which take some time to read."""
    names = MimeTypes()
    names.add_type("application/x-webarchive", ".webarchive")
    return names


def _typed(mime: str) -> SourceKind | None:
    return next((kind for pattern, kind in TYPED if pattern.fullmatch(mime)), None)


def check_content(content: str | bytes, what: str, url: str = "") -> None:
    """Raise an error if content is certainly no page; `what` names it in the message."""
    start = content[:START_BYTES]
    kind = source_kind(start.encode("utf-8", "replace") if isinstance(start, str) else start)
    if kind is not None:
        raise not_a_page(what, kind, url)


def check_not_empty(content: str | bytes, what: str, url: str = "") -> None:
    """Raise a `NotHTMLError` if content is empty or only white space."""
    if not content.strip():
        raise not_a_page(what, EMPTY, url)


def is_archive(path: Path, start: bytes) -> bool:
    """Whether a file is most likely a web archive, by its first bytes or its members in a ZIP."""
    if not start.startswith(ZIP_START):
        return (
            is_record(start)
            or is_mhtml(start)
            or (is_har(start) and b'"log"' in _unpacked_start(start))
        )
    try:
        with zipfile.ZipFile(path) as archive:
            return any(n.lower().endswith((".har", *WARC_NAMES)) for n in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def is_archive_file(path: Path) -> bool:
    """Whether a file exists and is most likely a web archive; see `is_archive`."""
    try:
        with path.open("rb") as file:
            return is_archive(path, file.read(START_BYTES))
    except (OSError, ValueError):  # whoever reads it reports the cause
        return False


def is_har(start: bytes) -> bool:
    """Whether a file may be a HAR, which is JSON, by its first bytes."""
    return _unpacked_start(start, START_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def is_record(start: bytes) -> bool:
    """Whether bytes, unpacked if they are a gzip member, start a record of a WARC or an ARC."""
    return RECORD.match(_unpacked_start(start)) is not None


def _unpacked_start(start: bytes, max_bytes: int = RECORD_BYTES) -> bytes:
    """The first bytes of a file, unpacked if they are compressed."""
    if not start.startswith(GZIP):
        return start
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(start, max_bytes)
    except zlib.error:
        return b""


def is_mhtml(content: str | bytes) -> bool:
    """Whether a page is MHTML, by its beginning: headers of an e-mail that has a page."""
    start = content[:MAX_HEADER_BYTES]
    start = start.encode("utf-8", "replace") if isinstance(start, str) else start
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if start.startswith(b"<"):
        return False  # as nearly every page
    head = BLANK_LINE.split(start, maxsplit=1)[0]
    if not MIME_HEADER.search(head):
        return False
    lines = head.split(b"\n")
    # The last line may be incomplete.
    return all(line[:1] in b" \t\r" or HEADER.match(line) for line in lines[:-1] or lines)
