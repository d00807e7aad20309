"""WARC files (ISO 28500), plain or with a gzip member for each record, read by places.

A file may be larger than memory: records are looked at one after the other, and bodies are read
when they are asked for. What a killed crawl left of its last record is passed over.
"""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import ArchiveError
from .archive import Asked, Entry
from .decoding import MAX_BODY_BYTES, decoded
from .exchange import Exchange, moment, plain_headers, whole_url
from .record_stream import BLOCK, RecordStream, open_record
from .warc import need_warcio

__all__ = ["WarcSource"]

# A record that claims, or unpacks to, more than this is a bomb.
MAX_RECORD_BYTES = 8 << 30

ANSWERS = ("response", "revisit", "resource")
CODE = re.compile(r"[1-5]\d\d")

# What damage comes as, from zlib and from warcio's parsers.
BROKEN = (ValueError, TypeError, AttributeError, zlib.error)


class WarcSource:
    """Exchanges of a file, or of stretches of a file that are each a WARC.

    Raises
    ------
    ExtraNeeded
        warcio is not installed.
    """

    def __init__(self, path: Path, stretches: list[tuple[int, int]] | None = None) -> None:
        need_warcio()
        self._name = path.name
        self._file = path.open("rb")
        self._end = path.stat().st_size
        self._stretches = [(0, self._end)] if stretches is None else stretches

    def entries(self) -> Iterator[Entry | Asked]:
        """All requests and answers of http and https addresses."""
        for start, stop in self._stretches:
            place: int | None = start
            while place is not None and place < stop:
                known, place = self._look(place, stop, first=place == start)
                if known is not None:
                    yield known

    def read(self, place: int) -> Exchange:
        """The answer at a place, with its body."""
        raw = open_record(self._file, place, self._end)
        try:
            record = _parsed(raw)
            encodings, body = _sent_body(record)
        except (EOFError, *BROKEN) as error:
            raise self._damaged(place, error) from None
        return _exchange(record, decoded(body, encodings))

    def pages(self) -> tuple[str, ...]:
        """WARC files do not tell."""
        return ()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _look(
        self, place: int, stop: int, *, first: bool
    ) -> tuple[Entry | Asked | None, int | None]:
        """A record's entry, and where the next begins; None where the file is torn."""
        raw = open_record(self._file, place, stop)
        try:
            record = _parsed(raw)
            sent = _sent_body(record) if record.rec_type == "request" else ("", b"")
            _drain(record)
            following = raw.end()
            return _entry(record, place, sent), following
        except (EOFError, *BROKEN) as error:
            if raw.torn and not first:
                return None, None
            raise self._damaged(place, error) from None

    def _damaged(self, place: int, error: BaseException) -> ArchiveError:
        where = f"{self._name} is no WARC file, or damaged, at byte {place:,}"
        told = " ".join(str(error).split())[:200]
        return ArchiveError(f"{where} ({told or 'it ends there'})")


def _parsed(raw: RecordStream) -> Any:
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.recordloader import ArcWarcRecordLoader
    from warcio.statusandheaders import StatusAndHeadersParserException

    # It warns of every address with a space in it.
    logging.getLogger("warcio.recordloader").setLevel(logging.ERROR)
    loader = ArcWarcRecordLoader(verify_http=False, arc2warc=False)
    try:
        record = loader.parse_record_stream(raw, known_format="warc")
    except (ArchiveLoadFailed, StatusAndHeadersParserException) as error:
        raise ValueError(error) from None
    if raw.torn:
        raise EOFError  # within the headers, whatever these seem to tell
    if record.length is None or record.length > MAX_RECORD_BYTES:
        raise ValueError("a record tells no length that it can have")
    return record


def _drain(record: Any) -> None:
    while record.raw_stream.read(BLOCK):
        pass
    if record.raw_stream.limit:
        raise EOFError


def _sent_body(record: Any) -> tuple[str, bytes]:
    """How a body is encoded, and the body, never longer than a body may be."""
    from warcio.limitreader import LimitReader

    encodings = ""
    if record.http_headers:
        encodings = record.http_headers.get_header("Content-Encoding") or ""
        record.http_headers.remove_header("Content-Encoding")
    stream = record.raw_stream
    # A chunk is held whole, whatever length it claims.
    record.raw_stream = LimitReader(stream, MAX_BODY_BYTES + 1)
    body = record.content_stream().read(MAX_BODY_BYTES + 1)
    record.raw_stream = stream
    return encodings, body


def _entry(record: Any, place: int, sent: tuple[str, bytes]) -> Entry | Asked | None:
    headers = record.rec_headers
    url = headers.get_header("WARC-Target-URI") or ""
    if not url.lower().startswith(("http://", "https://")):
        return None
    name = headers.get_header("WARC-Record-ID") or ""
    other = headers.get_header("WARC-Concurrent-To") or ""
    if record.rec_type == "request" and record.http_headers:
        dest = record.http_headers.get_header("Sec-Fetch-Dest") or ""
        return Asked(name, other, record.http_headers.protocol.upper(), sent[1], dest)
    if record.rec_type not in ANSWERS or headers.get_header("WARC-Segment-Number"):
        return None
    payload = headers.get_header("WARC-Payload-Digest") or ""
    again = record.rec_type == "revisit"
    return Entry(place, _exchange(record, b""), payload, again, name, other)


def _exchange(record: Any, body: bytes) -> Exchange:
    told = record.http_headers
    if told is None:
        status, headers = 200, (("Content-Type", record.content_type or ""),)
    else:
        code = told.get_statuscode()
        status, headers = int(code) if CODE.fullmatch(code) else 0, plain_headers(told.headers)
    return Exchange(
        url=whole_url(record.rec_headers.get_header("WARC-Target-URI")),
        status=status,
        headers=headers,
        body=body,
        time=moment(record.rec_headers.get_header("WARC-Date") or ""),
    )
