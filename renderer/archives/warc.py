"""Writes exchanges as WARC records (ISO 28500), and reads WARC files and older ARC files.

Each record is written as a gzip member that can be appended to any ``.warc.gz``. Files that are
read are plain or have a gzip member for each record, and may be larger than memory: records are
scanned one after the other, and bodies are read by file offset when they are requested. A damaged
record is skipped, and so is an incomplete last one, as a killed crawl leaves it.
"""

from __future__ import annotations

import io
import logging
import zlib
from collections.abc import Iterable, Iterator, Sequence
from http.client import responses
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote, urlsplit

from ...errors import ArchiveError, MissingDependencyError
from ...patterns import lazy_re
from ..network.decoding import MAX_BODY_BYTES, decode_body
from ..network.exchange import Entry, Exchange, RequestEntry, moment, plain_headers, whole_url
from ..network.source_kinds import ARC_LINE, GZIP, RECORD, RECORD_BYTES, is_record

if TYPE_CHECKING:
    from warcio.warcwriter import WARCWriter

MAX_RECORD_BYTES = 8 << 30  # a record that claims to be longer than this is treated as damaged

ANSWERS = ("response", "revisit", "resource")
CODE = lazy_re(r"[1-5]\d\d")

# Errors that zlib and warcio's parsers raise for damaged data.
BROKEN = (ValueError, TypeError, AttributeError, zlib.error)

NEXT_RECORD = lazy_re(
    # gzip members with deflated data, whose further header bytes have few values
    rb"(?P<member>\x1f\x8b\x08[\x00-\x1f][\x00-\xff]{4}[\x00\x02\x04][\x00-\x0d\xff])"
    rb"|(?<=\n)(?:WARC/\d|" + ARC_LINE + b")"
)

WINDOW = 1 << 20  # how much of a file is searched at once

# Reading on after damage may cost this many bytes for each of the file, and these. A file that is
# made to look damaged at every byte would be read in quadratic time.
WASTE_SHARE, WASTE_BYTES = 2, 32 << 20

PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))


class _DamagedRecord(Exception):
    """A record cannot be read; the message says where and why. No caller of this module sees it."""


class WarcSource:
    """Exchanges of a file, or of byte ranges of a file that are each a WARC or an ARC.

    `spans` are the offsets at which the byte ranges begin and end, in the open `file` if it is not
    the one at `path`; it is closed with the source. `pages` are URLs that are listed elsewhere, and
    `damage` describes each record that was skipped.
    """

    def __init__(
        self,
        path: Path,
        spans: list[tuple[int, int]] | None = None,
        file: BinaryIO | None = None,
        pages: Sequence[str] = (),
    ) -> None:
        need_warcio()
        self.damage: list[str] = []
        self._pages = pages
        self._name = path.name
        self._file = path.open("rb") if file is None else file
        self._end = self._file.seek(0, io.SEEK_END)
        self._spans = [(0, self._end)] if spans is None else spans
        self._waste = WASTE_SHARE * self._end + WASTE_BYTES

    def entries(self) -> Iterator[Entry | RequestEntry]:
        """All requests and responses of http and https URLs."""
        damage = ""
        has_record = False
        for start, stop in self._spans:
            place: int | None = start
            while place is not None and place < stop:
                try:
                    entry, place = self._look(place, stop)
                except _DamagedRecord as error:
                    damage = damage or str(error)
                    self.damage.append(f"{self._name} is damaged {error}")
                    place = self._next_record(place + 1, stop)
                    continue
                has_record = True
                if entry is not None:
                    yield entry
        if damage and not has_record:
            raise self._unreadable(damage)

    def read(self, place: int) -> Exchange:
        """The exchange at a place, with its body."""
        raw = RecordStream(self._file, place, self._end)
        try:
            record = _parse(raw)
            encodings, body = _sent_body(record)
        except (EOFError, *BROKEN) as error:
            raise self._unreadable(_damage(place, error)) from None
        return _exchange(record, decode_body(body, encodings))

    def pages(self) -> Sequence[str]:
        """The pages that a WACZ lists: WARC files do not record which responses are pages."""
        return self._pages

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _look(self, place: int, stop: int) -> tuple[Entry | RequestEntry | None, int]:
        """A record's entry, and the offset of the next record."""
        raw = RecordStream(self._file, place, stop)
        try:
            record = _parse(raw)
            sent_body = _sent_body(record) if record.rec_type == "request" else ("", b"")
            while record.raw_stream.read(BLOCK):
                pass
            if record.raw_stream.limit:
                raise EOFError
            following = raw.end()
            return _entry(record, place, sent_body), following
        except (EOFError, *BROKEN) as error:
            self._note_waste(place, raw.cost)
            raise _DamagedRecord(_damage(place, error)) from None

    def _next_record(self, place: int, stop: int) -> int | None:
        """Offset of the next bytes that start a record; None if there are none."""
        while place < stop:
            # A start is recognised by the line break before it.
            self._file.seek(place - 1)
            window = self._file.read(min(WINDOW + RECORD_BYTES, stop - place + 1))
            for match in NEXT_RECORD.finditer(window, 1):
                if match.start() > WINDOW:
                    break
                start = place - 1 + match.start()
                if match["member"] is None:
                    return start
                self._note_waste(start, RECORD_BYTES)
                self._file.seek(start)
                if is_record(self._file.read(min(RECORD_BYTES, stop - start))):
                    return start
            place += WINDOW
        return None

    def _note_waste(self, place: int, count: int) -> None:
        self._waste -= count
        if self._waste < 0:
            raise ArchiveError(f"{self._name} is damaged at too many places, up to byte {place:,}")

    def _unreadable(self, damage: str) -> ArchiveError:
        return ArchiveError(f"{self._name} is not a WARC or ARC file, or damaged, {damage}")


def _damage(place: int, error: BaseException) -> str:
    """Where a record is damaged, and why it cannot be read."""
    message = " ".join(str(error).split())[:200]
    return f"at byte {place:,} ({message or 'it ends there'})"


def _parse(raw: RecordStream) -> Any:
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.recordloader import ArcWarcRecordLoader
    from warcio.statusandheaders import StatusAndHeadersParserException

    # warcio warns about every URL that contains a space.
    logging.getLogger("warcio.recordloader").setLevel(logging.ERROR)
    loader = ArcWarcRecordLoader(verify_http=False, arc2warc=True)
    start = raw.peek(RECORD_BYTES)
    form = "arc" if not start.startswith(b"WARC/") and RECORD.match(start) else "warc"
    try:
        record = loader.parse_record_stream(raw, known_format=form)
    except (ArchiveLoadFailed, StatusAndHeadersParserException) as error:
        raise ValueError(error) from None
    if raw.is_torn:
        raise EOFError  # the file ends within the headers, even if they parse
    if record.length is None or record.length > MAX_RECORD_BYTES:
        raise ValueError("a record has no valid length")
    return record


def _sent_body(record: Any) -> tuple[str, bytes]:
    """Content encoding of a body, and the body as stored, cut off just above the limit."""
    from warcio.limitreader import LimitReader

    encodings = ""
    if record.http_headers:
        encodings = record.http_headers.get_header("Content-Encoding") or ""
        record.http_headers.remove_header("Content-Encoding")
    stream = record.raw_stream
    # warcio holds a whole chunk in memory, whatever length it claims.
    record.raw_stream = LimitReader(stream, MAX_BODY_BYTES + 1)
    body = record.content_stream().read(MAX_BODY_BYTES + 1)
    record.raw_stream = stream
    return encodings, body


def _entry(record: Any, place: int, sent_body: tuple[str, bytes]) -> Entry | RequestEntry | None:
    headers = record.rec_headers
    url = headers.get_header("WARC-Target-URI") or ""
    if not url.lower().startswith(("http://", "https://")):
        return None
    name = headers.get_header("WARC-Record-ID") or ""
    other = headers.get_header("WARC-Concurrent-To") or ""
    if record.rec_type == "request" and record.http_headers:
        dest = record.http_headers.get_header("Sec-Fetch-Dest") or ""
        return RequestEntry(name, other, record.http_headers.protocol.upper(), sent_body[1], dest)
    if record.rec_type not in ANSWERS or headers.get_header("WARC-Segment-Number"):
        return None
    payload = headers.get_header("WARC-Payload-Digest") or ""
    again = record.rec_type == "revisit"
    return Entry(place, _exchange(record, b""), payload, again, name, other)


def _exchange(record: Any, body: bytes) -> Exchange:
    http_headers = record.http_headers
    status, headers = 200, (("Content-Type", record.content_type or ""),)
    if http_headers is not None:
        code = http_headers.get_statuscode()
        status = int(code) if CODE.fullmatch(code) else 0
        headers = plain_headers(http_headers.headers)
    return Exchange(
        url=whole_url(record.rec_headers.get_header("WARC-Target-URI")),
        status=status,
        headers=headers,
        body=body,
        time=moment(record.rec_headers.get_header("WARC-Date") or ""),
    )


BLOCK = 1 << 16  # bytes that are read at once

# Real headers are far shorter, and no writer puts so many line ends after a record.
MAX_HEADER_BYTES = 1 << 20
MAX_LINE_ENDS = 64


class RecordStream(io.BufferedReader):
    """The bytes of the record at an offset of a file, with a limit on the length of its headers.

    Nothing from offset `stop` on is read.
    """

    def __init__(self, file: BinaryIO, place: int, stop: int) -> None:
        self._raw = _Bytes(file, place, stop)
        super().__init__(self._raw)
        self._position = 0
        self._header_bytes = 0

    @property
    def is_torn(self) -> bool:
        """Whether the file ended where more data was expected."""
        return self._raw.is_torn

    @property
    def cost(self) -> int:
        """Number of bytes that were read and unpacked."""
        return self._raw.read_bytes + self._position

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read a line; consecutive lines together must not exceed the limit on headers."""
        max_bytes = min(size, MAX_HEADER_BYTES) if size and size > 0 else MAX_HEADER_BYTES
        line = super().readline(max_bytes)
        self._position += len(line)
        self._header_bytes += len(line)
        if self._header_bytes >= MAX_HEADER_BYTES:
            raise ValueError("a header is longer than a header can be")
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes of the body."""
        data = super().read(size)
        self._position += len(data)
        self._header_bytes = 0
        return data

    def tell(self) -> int:
        """Number of bytes read so far."""
        return self._position

    def end(self) -> int:
        """Offset in the file at which the next record begins."""
        for count in range(MAX_LINE_ENDS):
            following = self.peek(RECORD_BYTES)
            if following[:1] not in (b"\r", b"\n"):
                if following and not count and not RECORD.match(following):
                    raise ValueError("it does not end where it should")
                break
            self.read(1)
        return self._raw.end(self._position)


class _Bytes(io.RawIOBase):
    """A byte range of an open file, or a gzip member in it, whose checksum is verified."""

    def __init__(self, file: BinaryIO, start: int, stop: int) -> None:
        self._file, self._start, self._left = file, start, stop - start
        file.seek(start)
        is_compressed = file.read(len(GZIP)) == GZIP
        file.seek(start)
        self._unzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if is_compressed else None
        self._unpacked_bytes = 0
        self.read_bytes = 0
        self.is_torn = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        data = self._read_stored(size) if self._unzip is None else self._unpack(self._unzip, size)
        buffer[: len(data)] = data
        self._unpacked_bytes += len(data)
        return len(data)

    def _read_stored(self, max_bytes: int) -> bytes:
        data = self._file.read(min(max_bytes, self._left))
        self._left -= len(data)
        self.read_bytes += len(data)
        self.is_torn = not data
        return data

    def _unpack(self, unzip: Any, max_bytes: int) -> bytes:
        data = b""
        while not (data or unzip.eof):
            compressed = unzip.unconsumed_tail or self._read_stored(BLOCK)
            if self.is_torn:
                raise EOFError
            data = unzip.decompress(compressed, max_bytes)
        return data

    def end(self, position: int) -> int:
        if self._unzip is None:
            return self._start + position
        if position != self._unpacked_bytes or self.readinto(bytearray(1)):
            raise ValueError("records share a gzip member: `warcio recompress` parts them")
        return self._file.tell() - len(self._unzip.unused_data)


def need_warcio() -> None:
    """Check that warcio is installed."""
    try:
        import warcio  # noqa: F401
    except ImportError:
        raise MissingDependencyError.of_extra("a WARC file", "collect") from None


def warc_records(exchanges: Iterable[Exchange]) -> bytes:
    """WARC records of exchanges: a response and a request for each.

    Headers that describe the transfer of a body are not written, since bodies are decoded. Header
    values beyond ASCII are percent-encoded. Complete gzip members stay readable even if the data
    after them is lost.
    """
    need_warcio()
    from warcio.warcwriter import WARCWriter

    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True, warc_version="WARC/1.1")
    for exchange in exchanges:
        _write(writer, exchange)
    return buffer.getvalue()


def _write(writer: WARCWriter, exchange: Exchange) -> None:
    from warcio.statusandheaders import StatusAndHeaders

    def record(kind: str, body: bytes, head: Any, date: str = "") -> Any:
        return writer.create_warc_record(
            exchange.url,
            kind,
            io.BytesIO(body),
            length=len(body),  # without a length, warcio uses a temporary file
            http_headers=head,
            warc_headers_dict={"WARC-Date": date} if date else {},
        )

    line = f"{exchange.status} {responses.get(exchange.status, '')}".strip()
    length = ("Content-Length", str(len(exchange.body)))
    headers = [(_ascii(name), value) for name, value in exchange.headers]
    head = StatusAndHeaders(line, [*headers, length], protocol="HTTP/1.1")
    answer = record("response", exchange.body, head, exchange.time)
    parts = urlsplit(exchange.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [("Host", parts.netloc.rpartition("@")[2])]
    if exchange.dest:
        headers.append(("Sec-Fetch-Dest", exchange.dest))
    if exchange.posted:
        headers.append(("Content-Length", str(len(exchange.posted))))
    line = f"{_ascii(target)} HTTP/1.1"
    head = StatusAndHeaders(line, headers, protocol=_ascii(exchange.method))
    writer.write_request_response_pair(record("request", exchange.posted, head), answer)


def _ascii(text: str) -> str:
    """A text with its characters beyond ASCII percent-encoded, as those of header values are."""
    return text if text.isascii() else quote(text, safe=PRINTABLE, errors="replace")
