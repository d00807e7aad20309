"""The bytes of one record of a WARC file, plain or a gzip member of its own, bounded."""

from __future__ import annotations

import io
import zlib
from typing import Any, BinaryIO

__all__ = ["BLOCK", "RecordStream", "open_record"]

BLOCK = 1 << 16

GZIP = b"\x1f\x8b"

# No honest headers come near, and no writer puts so many line ends after a record.
MAX_HEADER_BYTES = 1 << 20
MAX_LINE_ENDS = 64


class RecordStream(io.BufferedReader):
    """A record's bytes; its lines are no longer, its headers no larger than honest ones are."""

    def __init__(self, raw: _Plain) -> None:
        super().__init__(raw)
        self._raw = raw
        self._taken = 0
        self._header_bytes = 0

    @property
    def torn(self) -> bool:
        """Whether the file ended where more was wanted."""
        return self._raw.torn

    def readline(self, size: int | None = -1, /) -> bytes:
        """A line; many of them, with nothing else read, are too large a header."""
        most = min(size, MAX_HEADER_BYTES) if size and size > 0 else MAX_HEADER_BYTES
        line = super().readline(most)
        self._taken += len(line)
        self._header_bytes += len(line)
        if self._header_bytes >= MAX_HEADER_BYTES:
            raise ValueError("a header is longer than a header can be")
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        """Bytes of the body."""
        data = super().read(size)
        self._taken += len(data)
        self._header_bytes = 0
        return data

    def tell(self) -> int:
        """Bytes read so far."""
        return self._taken

    def end(self) -> int:
        """Where in the file the next record begins."""
        for _ in range(MAX_LINE_ENDS):
            if self.peek(1)[:1] not in (b"\r", b"\n"):
                break
            self.read(1)
        return self._raw.end(self._taken)


class _Plain(io.RawIOBase):
    """A stretch of an open file; closing this leaves the file open."""

    def __init__(self, file: BinaryIO, stop: int) -> None:
        self._file = file
        self._start = file.tell()
        self._left = stop - self._start
        self.torn = False

    def readable(self) -> bool:
        return True

    def packed(self, most: int) -> bytes:
        data = self._file.read(min(most, self._left))
        self._left -= len(data)
        self.torn = not data
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.packed(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def end(self, taken: int) -> int:
        return self._start + taken


class _Member(_Plain):
    """One gzip member, unpacked as it is read, its checksum verified."""

    def __init__(self, file: BinaryIO, stop: int) -> None:
        super().__init__(file, stop)
        self._unzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._given = 0

    def readinto(self, buffer: Any) -> int:
        while not self._unzip.eof:
            packed = self._unzip.unconsumed_tail or self.packed(BLOCK)
            if self.torn:
                raise EOFError
            data = self._unzip.decompress(packed, len(buffer))
            if data:
                buffer[: len(data)] = data
                self._given += len(data)
                return len(data)
        return 0

    def end(self, taken: int) -> int:
        if taken != self._given or self.readinto(bytearray(1)):
            raise ValueError("records share a gzip member: `warcio recompress` parts them")
        return self._file.tell() - len(self._unzip.unused_data)


def open_record(file: BinaryIO, place: int, stop: int) -> RecordStream:
    """The record at a place of a file, of which nothing from `stop` on is read."""
    file.seek(place)
    packed = file.read(2) == GZIP
    file.seek(place)
    return RecordStream(_Member(file, stop) if packed else _Plain(file, stop))
