"""Reads MHTML (RFC 2557): one page with its resources in the format of an e-mail.

The standard library parses the headers. Its parser of bodies takes more than linear time, so bodies
are divided here, in one pass with limits on parts and nesting.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from functools import cached_property, lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, urljoin

from ...errors import ArchiveError
from ...patterns import lazy_re
from ..network.decoding import MAX_BODY_BYTES
from ..network.exchange import PAGE_TYPES, Entry, Exchange, whole_url
from ..network.source_kinds import BLANK_LINE, MAX_HEADER_BYTES, is_mhtml
from .arrays import NOWHERE
from .encoding import decode_html

MAX_FILE_BYTES = 512 << 20  # a file is held in memory while it is open

# No page has so many resources. Python takes quadratic time to find the parameters of a content
# type.
MAX_TYPE_CHARS = 1000
MAX_PARTS = 10_000

MAX_DEPTH = 16  # some programs nest frames, others the alternative text of a mail

ENCODED = lazy_re(r"(?:=\?[^?\s]{1,40}\?[qb]\?[^?\s]*\?=\s*)+", re.I)
CONTENT_ID = lazy_re(r"cid:([^\s\"'<>()\\]+)", re.I)
WEB = ("http://", "https://")
UNKNOWN = ("", "about:blank", NOWHERE)

# How Chromium marks shadow roots in MHTML; its parser reads this name in MHTML alone.
SHADOW_ROOT = lazy_re(r"(<template\b[^<>]*?\s)shadowmode=", re.I)

# The format keeps no headers of responses, and fonts need permission to be used across origins.
ANY_ORIGIN = ("Access-Control-Allow-Origin", "*")

parse_header = BytesHeaderParser().parsebytes


@dataclass(frozen=True)
class _Part:
    """A part without parts of its own: its headers, and where its body is."""

    headers: Message = field(repr=False)
    start: int
    stop: int

    @property
    def mime(self) -> str:
        return self.headers.get_content_type()

    @cached_property
    def location(self) -> str:
        """Address that the part came from; "" if it names none."""
        return _location(self.headers, "Content-Location")

    @cached_property
    def content_id(self) -> str:
        """Name by which other parts refer to this one; "" if it has none."""
        own = str(self.headers.get("Content-ID") or "").strip().removeprefix("<").removesuffix(">")
        # Chromium names the style sheets of style elements in their locations.
        return own or (self.location[4:] if self.location[:4].lower() == "cid:" else "")


class MhtmlSource:
    """The page and the resources of an MHTML file; `place` is that of the page among the parts.

    References to parts by their IDs (``cid:``), which Chromium cannot request, are replaced by
    addresses beside that of the page. Scripts have already run when such a page is saved, and
    browsers run none in it.
    """

    is_inert = True

    def __init__(self, data: bytes, name: str, url: str = "") -> None:
        self._data, self._name = data, name
        head, self._parts = _divide(data, name)
        # The page is the part that the headers name, or else the first HTML.
        pages = [place for place, part in enumerate(self._parts) if part.mime in PAGE_TYPES]
        if not pages:
            raise ArchiveError(f"{name} has no page: no part of it is HTML")
        start = str(head.get_param("start") or "").strip("<> ")
        started = [place for place in pages if start and self._parts[place].content_id == start]
        self.place = (started or pages)[0]
        page = self._parts[self.place]
        named = (_location(head, "Snapshot-Content-Location"), page.location,
                 _location(head, "Content-Location"))  # fmt: skip
        self._home = next(filter(None, named), "")
        self._is_web = self._home.lower().startswith(WEB)
        self.url = url or (whole_url(self._home) if self._is_web else NOWHERE)
        self._by_id = {
            part.content_id: self._address(place)
            for place, part in enumerate(self._parts)
            if part.content_id
        }

    def _address(self, place: int) -> str:
        """Address at which a part is served."""
        part, location = self._parts[place], self._parts[place].location
        if place == self.place:
            return self.url
        folder = self._home.rpartition("/")[0] + "/"
        if not location or location[:4].lower() == "cid:":
            name = f"cid:{part.content_id}" if part.content_id else f"part:{place}"
            location = quote(name, safe="")
        elif not self._is_web and location.startswith(folder):
            # Word processors name a folder on the author's disk.
            location = location.removeprefix(folder)
        try:
            return urljoin(self._home if self._is_web else self.url, location)
        except ValueError:
            return location

    def entries(self) -> Iterator[Entry]:
        """All parts, in order."""
        for place in range(len(self._parts)):
            yield Entry(place, self._exchange(place, b""))

    def read(self, place: int) -> Exchange:
        """The part at a place, with its body; HTML and style sheets are UTF-8."""
        part = self._parts[place]
        body = _decode(self._data[part.start : part.stop], part.headers)
        if len(body) > MAX_BODY_BYTES:
            raise ArchiveError(f"a part of {self._name} is longer than {MAX_BODY_BYTES:,} bytes")
        if part.mime in PAGE_TYPES or part.mime == "text/css":
            text = decode_html(body, str(part.headers.get_content_charset() or ""))
            text = CONTENT_ID.sub(self._link, text.removeprefix("\ufeff"))
            if part.mime != "text/css":
                text = SHADOW_ROOT.sub(r"\1shadowrootmode=", text)
            body = b"\xef\xbb\xbf" + text.encode("utf-8", "replace")
        return self._exchange(place, body)

    def _link(self, reference: re.Match[str]) -> str:
        """The address of a part in place of its ID; other IDs are kept."""
        name = reference[1]
        return self._by_id.get(name) or self._by_id.get(unquote(name)) or reference[0]

    def _exchange(self, place: int, body: bytes) -> Exchange:
        mime = self._parts[place].mime
        headers = (("Content-Type", mime), ANY_ORIGIN)
        dest = "document" if place == self.place else "iframe" if mime in PAGE_TYPES else ""
        return Exchange(self._address(place), 200, headers, body, dest=dest)

    def pages(self) -> tuple[str, ...]:
        """Address of the page."""
        return (self.url,)

    def close(self) -> None:
        """Release the content."""
        self._data, self._parts = b"", []


def open_mhtml(content: str | bytes, url: str = "") -> MhtmlSource | None:
    """The page and the resources of MHTML; None for content of another kind."""
    if not is_mhtml(content):
        return None
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    return MhtmlSource(data, "the MHTML", "" if url in UNKNOWN else url)


def mhtml_source(path: Path) -> MhtmlSource:
    """Open an MHTML file."""
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ArchiveError(f"{path.name} is larger than {MAX_FILE_BYTES:,} bytes")
    return MhtmlSource(data, path.name)


def _divide(data: bytes, name: str) -> tuple[Message, list[_Part]]:
    """The headers of a file, and its parts, in one pass over the lines that may delimit them."""
    head, start = _headers(data, 0, name)
    boundaries = [boundary] if (boundary := _boundary(head)) else []
    if not boundaries:
        return head, [_Part(head, start, len(data))]
    parts: list[_Part] = []
    opened: tuple[Message, int] | None = None
    count, position = 0, start
    while boundaries and (line := _delimiter(tuple(boundaries)).search(data, position)):
        position, level = line.end(), boundaries.index(line[1])
        if opened:
            parts.append(_Part(*opened, _end(data, opened[1], line.start())))
            opened = None
        is_last = bool(line[2])
        del boundaries[level + (not is_last) :]
        if is_last:
            continue
        headers, position = _headers(data, min(line.end() + 1, len(data)), name)
        if inner := _boundary(headers):
            boundaries.append(inner)
        else:
            opened = headers, position
        count += 1
        if count > MAX_PARTS or len(boundaries) > MAX_DEPTH:
            limits = f"{MAX_PARTS:,} parts, or parts nested in more than {MAX_DEPTH}"
            raise ArchiveError(f"{name} has more than {limits}")
    if opened:
        parts.append(_Part(*opened, len(data)))  # a truncated file
    return head, parts


@lru_cache(maxsize=64)
def _delimiter(boundaries: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """A line that is one of the open boundaries, and whether it ends the parts of that boundary."""
    names = b"|".join(map(re.escape, sorted(set(boundaries), key=len, reverse=True)))
    return re.compile(rb"^--(" + names + rb")(--)?[ \t\r]*$", re.M)


def _end(data: bytes, start: int, delimiter: int) -> int:
    """Where the body before a delimiter ends: the line break belongs to the delimiter."""
    stop = delimiter - 1 if data[delimiter - 1 : delimiter] == b"\n" else delimiter
    stop = stop - 1 if data[stop - 1 : stop] == b"\r" else stop
    return max(start, stop)


def _headers(data: bytes, start: int, name: str) -> tuple[Message, int]:
    """The headers at a place, and where their body starts."""
    if data[start : start + 1] == b"\n" or data[start : start + 2] == b"\r\n":
        return Message(), data.index(b"\n", start) + 1
    blank = BLANK_LINE.search(data, start, start + MAX_HEADER_BYTES)
    if blank is None and len(data) - start > MAX_HEADER_BYTES:
        raise ArchiveError(f"{name} has headers longer than {MAX_HEADER_BYTES:,} bytes")
    stop = blank.end() if blank else len(data)
    headers = parse_header(data[start:stop].lstrip(b"\xef\xbb\xbf \t\r\n"))
    if len(str(headers.get("Content-Type") or "")) > MAX_TYPE_CHARS:
        raise ArchiveError(f"{name} has a content type of more than {MAX_TYPE_CHARS:,} characters")
    return headers, stop


def _boundary(headers: Message) -> bytes:
    if headers.get_content_maintype() != "multipart":
        return b""
    return (headers.get_boundary() or "").encode("utf-8", "surrogateescape").rstrip()


def _location(headers: Message, name: str) -> str:
    """An address in a header, which may be encoded, and folded at any place."""
    value = str(headers.get(name) or "").strip()
    if ENCODED.fullmatch(value):
        with suppress(ValueError, LookupError):
            value = str(make_header(decode_header(value)))
    return "".join(value.split())


def _decode(body: bytes, headers: Message) -> bytes:
    """A body without its transfer encoding; what is damaged in it is skipped, as by browsers."""
    encoding = str(headers.get("Content-Transfer-Encoding") or "").strip().lower()
    if encoding == "quoted-printable":
        return quopri.decodestring(body)
    if encoding != "base64":
        return body
    digits = re.sub(rb"[^A-Za-z0-9+/]", b"", body.partition(b"=")[0])
    # A single digit at the end, left by a truncation, is less than a byte.
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))
