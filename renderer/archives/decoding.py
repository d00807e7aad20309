"""Bodies as they were sent, decoded, never further than a limit."""

from __future__ import annotations

import zlib

from ...errors import ArchiveError, MissingDependencyError, TooLargeError

__all__ = ["MAX_BODY_BYTES", "decode_body"]

MAX_BODY_BYTES = 256 << 20
"""A longer body is not read: four times what a whole page may load."""

EITHER = 32 + zlib.MAX_WBITS  # a gzip header or a zlib one
RAW = -zlib.MAX_WBITS


def decode_body(
    body: bytes, encodings: str, limit: int = MAX_BODY_BYTES, *, as_sent: bool = False
) -> bytes:
    """A body without its content encoding; there may be one.

    No more than the limit and a byte is ever unpacked; what follows the first gzip member is left
    alone.

    Parameters
    ----------
    body, encodings
        As they came; ``encodings`` is the value of ``Content-Encoding``.
    limit
        Bytes of the decoded body.
    as_sent
        Whether the body came from a server. In archives, a body that is not encoded is taken as it
        is: many keep bodies decoded, and headers as they were.

    Raises
    ------
    ArchiveError
        It is damaged, longer than the limit, or encoded more than once or in a way that is not
        known.
    TooLargeError
        A body from a server is longer than the limit.
    MissingDependencyError
        Brotli is not installed.
    """
    names = [name.strip().lower() for name in encodings.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > 1:
        raise ArchiveError(f"a body is encoded {len(names)} times")
    if names and body:
        body = _without(body, names[0], limit, as_sent)
    if len(body) > limit:
        kind = TooLargeError if as_sent else ArchiveError
        raise kind(f"a body is longer than {limit:,} bytes")
    return body


def _without(body: bytes, encoding: str, limit: int, as_sent: bool) -> bytes:
    if encoding in ("gzip", "x-gzip"):
        is_packed = as_sent or body[:2] == b"\x1f\x8b"
        return _inflate(body, EITHER, limit) if is_packed else body
    if encoding == "deflate":
        try:
            return _inflate(body, EITHER, limit)
        except ArchiveError:
            return _inflate(body, RAW, limit)  # without the header that the standard requires
    if encoding == "br":
        return _decode_brotli(body, limit, as_sent)
    raise ArchiveError(f"a body is encoded as {encoding!r}, which is not known")


def _inflate(body: bytes, form: int, limit: int) -> bytes:
    try:
        return zlib.decompressobj(form).decompress(body, limit + 1)
    except zlib.error as error:
        raise ArchiveError(f"a body is damaged ({error})") from None


def _decode_brotli(body: bytes, limit: int, as_sent: bool) -> bytes:
    try:
        import brotli
    except ImportError:
        raise MissingDependencyError(
            "Brotli bodies need brotli: pip install 'miolo[collect]'"
        ) from None
    reader, content, rest = brotli.Decompressor(), bytearray(), body
    try:
        while not reader.is_finished() and len(content) <= limit:
            # Less than 1.2 has no bound on what a few bytes may unpack to.
            piece = reader.process(rest, output_buffer_limit=1 << 20)
            content += piece
            if not piece and reader.can_accept_more_data():
                break
            rest = b""
    except brotli.error as error:
        if as_sent:
            raise ArchiveError(f"a body is damaged ({error})") from None
        return body  # kept decoded: Brotli has no magic number
    return bytes(content)
