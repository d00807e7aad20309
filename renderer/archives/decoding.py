"""Bodies as they were sent, decoded, never further than a limit."""

from __future__ import annotations

import zlib

from ...errors import ArchiveError, MissingDependencyError

__all__ = ["MAX_BODY_BYTES", "decode_body"]

MAX_BODY_BYTES = 256 << 20
"""A longer body is not read: four times what a whole page may load."""

EITHER = 32 + zlib.MAX_WBITS  # a gzip header or a zlib one
RAW = -zlib.MAX_WBITS


def decode_body(body: bytes, encodings: str, limit: int = MAX_BODY_BYTES) -> bytes:
    """A body without its content encodings.

    A body that holds no such data is taken as it is: many archives keep bodies decoded and
    headers as they were.

    Raises
    ------
    ArchiveError
        It is damaged, encoded in a way that is not known, or longer than the limit.
    MissingDependencyError
        Brotli is not installed.
    """
    for encoding in reversed([name.strip().lower() for name in encodings.split(",")]):
        body = _without(body, encoding, limit)
    if len(body) > limit:
        raise ArchiveError(f"a body is longer than {limit:,} bytes")
    return body


def _without(body: bytes, encoding: str, limit: int) -> bytes:
    if encoding in ("", "identity") or not body:
        return body
    if encoding in ("gzip", "x-gzip"):
        return _inflate(body, EITHER, limit) if body[:2] == b"\x1f\x8b" else body
    if encoding == "deflate":
        try:
            return _inflate(body, EITHER, limit)
        except ArchiveError:
            return _inflate(body, RAW, limit)  # without the header that the standard wants
    if encoding == "br":
        return _decode_brotli(body, limit)
    raise ArchiveError(f"a body is encoded as {encoding!r}, which is not known")


def _inflate(body: bytes, form: int, limit: int) -> bytes:
    try:
        return zlib.decompressobj(form).decompress(body, limit + 1)
    except zlib.error as error:
        raise ArchiveError(f"a body is damaged ({error})") from None


def _decode_brotli(body: bytes, limit: int) -> bytes:
    try:
        import brotli
    except ImportError:
        raise MissingDependencyError(
            "Brotli bodies need brotli: pip install 'miolo[collect]'"
        ) from None
    reader, found, given = brotli.Decompressor(), bytearray(), body
    try:
        while not reader.is_finished() and len(found) <= limit:
            # Less than 1.2 has no bound on what a few bytes may unpack to.
            piece = reader.process(given, output_buffer_limit=1 << 20)
            found += piece
            if not piece and reader.can_accept_more_data():
                break
            given = b""
    except brotli.error:
        return body  # kept decoded: Brotli has no mark to tell by
    return bytes(found)
