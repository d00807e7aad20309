"""Decodes the content encoding of bodies, never beyond a limit."""

from __future__ import annotations

import zlib

from ...errors import ArchiveError, MissingDependencyError, TooLargeError

__all__ = ["MAX_BODY_BYTES", "decode_body"]

MAX_BODY_BYTES = 256 << 20
"""Longer bodies are not read: this is four times what a whole page may load by default."""

EITHER = 32 + zlib.MAX_WBITS  # accepts a gzip or a zlib header
RAW = -zlib.MAX_WBITS


def decode_body(
    body: bytes, encodings: str, limit: int = MAX_BODY_BYTES, *, as_sent: bool = False
) -> bytes:
    """Decode a body that has at most one content encoding.

    Decoding stops soon after the limit, and everything after the first gzip member is ignored.
    `encodings` is the value of the header ``Content-Encoding``. Many archives store decoded bodies
    with the original headers, so unless the body came from a server (`as_sent`), one that is not in
    its declared encoding is returned unchanged.
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
        raise MissingDependencyError.of_extra("a Brotli body", "collect") from None
    reader, content, rest = brotli.Decompressor(), bytearray(), body
    try:
        while not reader.is_finished() and len(content) <= limit:
            # Versions before 1.2 cannot limit what a few bytes unpack to.
            piece = reader.process(rest, output_buffer_limit=1 << 20)
            content += piece
            if not piece and reader.can_accept_more_data():
                break
            rest = b""
    except brotli.error as error:
        if as_sent:
            raise ArchiveError(f"a body is damaged ({error})") from None
        return body  # stored decoded: Brotli has no magic number to check first
    return bytes(content)
