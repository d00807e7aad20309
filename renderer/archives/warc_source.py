"""Reads WARC files (ISO 28500), plain or with a gzip member for each record, by file offset.

A file may be larger than memory: records are scanned one after the other, and bodies are read when
they are requested. An incomplete last record, as a killed crawl leaves it, is skipped.
"""

from __future__ import annotations

import io
import logging
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import ArchiveError
from .archive import Entry, RequestEntry
from .decoding import MAX_BODY_BYTES, decode_body
from .exchange import Exchange, moment, plain_headers, whole_url
from .warc import need_warcio

__all__ = ["BLOCK", "RecordStream", "WarcSource", "open_record"]

# A record that claims to be longer than this is treated as damaged.
MAX_RECORD_BYTES = 8 << 30

ANSWERS = ("response", "revisit", "resource")
CODE = re.compile(r"[1-5]\d\d")

# Errors that zlib and warcio's parsers raise for damaged data.
BROKEN = (ValueError, TypeError, AttributeError, zlib.error)


class WarcSource:
    """Exchanges of a file, or of byte ranges of a file that are each a WARC.

    Raises
    ------
    MissingDependencyError
        warcio is not installed.
    """

    def __init__(self, path: Path, stretches: list[tuple[int, int]] | None = None) -> None:
        need_warcio()
        self._name = path.name
        self._file = path.open("rb")
        self._end = path.stat().st_size
        self._stretches = [(0, self._end)] if stretches is None else stretches

    def entries(self) -> Iterator[Entry | RequestEntry]:
        """All requests and responses of http and https URLs."""
        for start, stop in self._stretches:
            place: int | None = start
            while place is not None and place < stop:
                entry, place = self._look(place, stop, first=place == start)
                if entry is not None:
                    yield entry

    def read(self, place: int) -> Exchange:
        """The exchange at a place, with its body."""
        raw = open_record(self._file, place, self._end)
        try:
            record = _parse(raw)
            encodings, body = _sent_body(record)
        except (EOFError, *BROKEN) as error:
            raise self._damage_error(place, error) from None
        return _exchange(record, decode_body(body, encodings))

    def pages(self) -> tuple[str, ...]:
        """Empty: WARC files do not record which responses are pages."""
        return ()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _look(
        self, place: int, stop: int, *, first: bool
    ) -> tuple[Entry | RequestEntry | None, int | None]:
        """A record's entry, and the offset of the next record; None if the record is incomplete."""
        raw = open_record(self._file, place, stop)
        try:
            record = _parse(raw)
            sent_body = _sent_body(record) if record.rec_type == "request" else ("", b"")
            _drain(record)
            following = raw.end()
            return _entry(record, place, sent_body), following
        except (EOFError, *BROKEN) as error:
            if raw.is_torn and not first:
                return None, None
            raise self._damage_error(place, error) from None

    def _damage_error(self, place: int, error: BaseException) -> ArchiveError:
        where = f"{self._name} is not a WARC file, or damaged, at byte {place:,}"
        message = " ".join(str(error).split())[:200]
        return ArchiveError(f"{where} ({message or 'it ends there'})")


def _parse(raw: RecordStream) -> Any:
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.recordloader import ArcWarcRecordLoader
    from warcio.statusandheaders import StatusAndHeadersParserException

    # warcio warns about every URL that contains a space.
    logging.getLogger("warcio.recordloader").setLevel(logging.ERROR)
    loader = ArcWarcRecordLoader(verify_http=False, arc2warc=False)
    try:
        record = loader.parse_record_stream(raw, known_format="warc")
    except (ArchiveLoadFailed, StatusAndHeadersParserException) as error:
        raise ValueError(error) from None
    if raw.is_torn:
        raise EOFError  # the file ends within the headers, even if they parse
    if record.length is None or record.length > MAX_RECORD_BYTES:
        raise ValueError("a record has no valid length")
    return record


def _drain(record: Any) -> None:
    while record.raw_stream.read(BLOCK):
        pass
    if record.raw_stream.limit:
        raise EOFError


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
    if http_headers is None:
        status, headers = 200, (("Content-Type", record.content_type or ""),)
    else:
        code = http_headers.get_statuscode()
        status, headers = (
            int(code) if CODE.fullmatch(code) else 0,
            plain_headers(http_headers.headers),
        )
    return Exchange(
        url=whole_url(record.rec_headers.get_header("WARC-Target-URI")),
        status=status,
        headers=headers,
        body=body,
        time=moment(record.rec_headers.get_header("WARC-Date") or ""),
    )


# Bounded streams of one record of a WARC file, plain or a gzip member of its own.

BLOCK = 1 << 16

GZIP = b"\x1f\x8b"

# Real headers are far shorter, and no writer puts so many line ends after a record.
MAX_HEADER_BYTES = 1 << 20
MAX_LINE_ENDS = 64


class RecordStream(io.BufferedReader):
    """The bytes of a record, with a limit on the length of its headers."""

    def __init__(self, raw: _Plain) -> None:
        super().__init__(raw)
        self._raw = raw
        self._position = 0
        self._header_bytes = 0

    @property
    def is_torn(self) -> bool:
        """Whether the file ended where more data was expected."""
        return self._raw.is_torn

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
        for _ in range(MAX_LINE_ENDS):
            if self.peek(1)[:1] not in (b"\r", b"\n"):
                break
            self.read(1)
        return self._raw.end(self._position)


class _Plain(io.RawIOBase):
    """A byte range of an open file; closing it leaves the file open."""

    def __init__(self, file: BinaryIO, stop: int) -> None:
        self._file = file
        self._start = file.tell()
        self._left = stop - self._start
        self.is_torn = False

    def readable(self) -> bool:
        return True

    def read_compressed(self, max_bytes: int) -> bytes:
        data = self._file.read(min(max_bytes, self._left))
        self._left -= len(data)
        self.is_torn = not data
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read_compressed(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def end(self, position: int) -> int:
        return self._start + position


class _Member(_Plain):
    """One gzip member, decompressed as it is read, with its checksum verified."""

    def __init__(self, file: BinaryIO, stop: int) -> None:
        super().__init__(file, stop)
        self._unzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._unpacked_bytes = 0

    def readinto(self, buffer: Any) -> int:
        while not self._unzip.eof:
            compressed = self._unzip.unconsumed_tail or self.read_compressed(BLOCK)
            if self.is_torn:
                raise EOFError
            data = self._unzip.decompress(compressed, len(buffer))
            if data:
                buffer[: len(data)] = data
                self._unpacked_bytes += len(data)
                return len(data)
        return 0

    def end(self, position: int) -> int:
        if position != self._unpacked_bytes or self.readinto(bytearray(1)):
            raise ValueError("records share a gzip member: `warcio recompress` parts them")
        return self._file.tell() - len(self._unzip.unused_data)


def open_record(file: BinaryIO, place: int, stop: int) -> RecordStream:
    """Open the record at an offset of a file; nothing from offset `stop` on is read."""
    file.seek(place)
    is_compressed = file.read(2) == GZIP
    file.seek(place)
    return RecordStream(_Member(file, stop) if is_compressed else _Plain(file, stop))
