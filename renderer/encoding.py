"""Decodes the bytes of a page by the charset of the HTTP header, if known, or by their content."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

__all__ = ["decode_html", "encode_html"]

MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

# Encodings of web pages, by Python's names. No browser supports Python's other codecs, and some of
# those take quadratic time or turn plain text into markup.
OF_THE_WEB = re.compile(
    r"ascii|big5\w*|cp\d+|euc_\w+|gb\w+|hz|iso2022_\w+|iso8859-\d+|johab|koi8-\w|kz1048|mac-\w+"
    r"|shift_jis\w*|tis-620|utf-(?:8|16(?:-[bl]e)?)"
)

# Browsers decode the first two as the third.
LATIN, WINDOWS = ("ascii", "iso8859-1"), "windows-1252"

# Number of bytes from which an encoding is guessed, starting with the first beyond ASCII: a guess
# takes some 5 s per million bytes, and ASCII is no evidence.
GUESSED = 1 << 15
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")

# Text counts as UTF-8 if fewer than one of so many characters beyond ASCII is damaged.
MOSTLY = 8


def decode_html(data: bytes, declared: str = "") -> str:
    """Decode bytes by byte order mark, HTTP charset, valid UTF-8, declaration or guess, in order.

    A browser, without an HTTP charset, only looks for a declaration, in the first 1,024 bytes. Here
    valid UTF-8 comes first: saved pages have lost the header, many were converted to UTF-8 without
    changing their declaration, and bytes beyond ASCII are hardly ever valid UTF-8 by chance.
    Decoding never fails: bytes that are valid in no encoding are read as Windows-1252.

    Parameters
    ----------
    data
        Source of the page.
    declared
        Encoding that the HTTP header names; "" if there is none.
    """
    marked = next((name for mark, name in MARKS.items() if data.startswith(mark)), "")
    encoding = marked or _web_encoding(declared)
    if encoding:
        return data.decode(WINDOWS if encoding in LATIN else encoding, "replace")
    text = _as_utf8(data)
    if text is not None:
        return text
    for name in _likely(data):
        try:
            return data.decode(name)
        except UnicodeError:
            continue
    return data.decode(WINDOWS, "replace")


def encode_html(source: str | bytes) -> bytes:
    """Source of a page as UTF-8; bytes in another encoding are first decoded by `decode_html`."""
    if isinstance(source, bytes):
        if not source.startswith(tuple(MARKS)) and _is_utf8(source):
            return source
        source = decode_html(source)
    return source.encode("utf-8", "replace")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_utf8(data: bytes) -> str | None:
    """Bytes decoded as UTF-8 if they are nearly valid: a character may have been cut in two."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text if beyond_ascii > MOSTLY * text.count("\ufffd") else None


def _web_encoding(name: str) -> str:
    """Python's name of an encoding that web pages use; "" for any other encoding."""
    try:
        python_name = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return python_name if OF_THE_WEB.fullmatch(python_name) else ""


def _likely(data: bytes) -> Iterator[str]:
    """The encoding that a page declares, then those guessed from its bytes."""
    # Importing this takes longer than reading most pages, and few pages are not UTF-8.
    from bs4.dammit import EncodingDetector

    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    yield from filter(None, (_web_encoding(declared or ""),))
    match = BEYOND_ASCII.search(data)
    start = match.start() if match else 0
    for guess in EncodingDetector(data[start : start + GUESSED], is_html=True).encodings:
        yield from filter(None, (_web_encoding(guess),))
