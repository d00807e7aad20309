"""Decodes the bytes of a page by the charset of the HTTP header, if known, or by their content."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from ...patterns import lazy_re

__all__ = ["check_html", "decode_html", "encode_html"]

MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

# Encodings of web pages, by Python's names. No browser supports Python's other codecs, and some of
# those take quadratic time or turn plain text into markup.
OF_THE_WEB = lazy_re(
    r"ascii|big5\w*|cp\d+|euc_\w+|gb\w+|hz|iso2022_\w+|iso8859-\d+|johab|koi8-\w|kz1048|mac-\w+"
    r"|shift_jis\w*|tis-620|utf-(?:8|16(?:-[bl]e)?)"
)

WINDOWS = "cp1252"

# Browsers read these encodings as their supersets (WHATWG Encoding Standard, 4.2). Python's own
# codecs lack characters that pages with these labels contain.
SUPERSETS = {
    "ascii": WINDOWS,
    "iso8859-1": WINDOWS,
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}

# Number of bytes from which an encoding is guessed, starting with the first beyond ASCII: a guess
# takes some 5 s per million bytes, and ASCII is no evidence.
GUESSED = 1 << 15
BEYOND_ASCII = lazy_re(rb"[\x80-\xff]")

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
        return data.decode(encoding, "replace")
    text = _if_nearly_valid(data, "utf-8")
    if text is not None:
        return text
    # Importing this takes longer than reading most pages, and few pages are not UTF-8.
    from bs4.dammit import EncodingDetector

    encoding = _web_encoding(EncodingDetector.find_declared_encoding(data, is_html=True) or "")
    # The declaration itself was read as ASCII, so the page is not in UTF-16.
    if encoding and not encoding.startswith("utf-16"):
        text = _if_nearly_valid(data, encoding)
        if text is not None:
            return text
    for name in _guesses(data):
        try:
            return data.decode(name)
        except UnicodeError:
            continue
    return data.decode(WINDOWS, "replace")


def check_html(source: object) -> None:
    """Raise a `TypeError` if the source of a page is neither a string nor bytes."""
    if not isinstance(source, (str, bytes)):
        raise TypeError(f"HTML must be a string or bytes, not {type(source).__name__}")


def encode_html(source: str | bytes) -> bytes:
    """Source of a page as UTF-8; bytes in another encoding are first decoded by `decode_html`.

    Raises
    ------
    TypeError
        The source is neither a string nor bytes.
    """
    check_html(source)
    if isinstance(source, bytes):
        if not source.startswith(tuple(MARKS)) and _is_utf8(source):
            return source
        source = decode_html(source)
    return source.removeprefix("\ufeff").encode("utf-8", "replace")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _if_nearly_valid(data: bytes, encoding: str) -> str | None:
    """The decoded bytes if nearly all are valid: a character may have been cut in two."""
    text = data.decode(encoding, "replace")
    damaged = text.count("\ufffd")
    if not damaged:
        return text
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text if beyond_ascii > MOSTLY * damaged else None


def _web_encoding(name: str) -> str:
    """Python's name of an encoding that web pages use; "" for any other encoding."""
    # Python lacks such labels as `x-gbk`, `windows-874` and `windows-31j`.
    label = name.lower().removeprefix("x-").replace("-31j", "-932").replace("windows-", "cp")
    try:
        python_name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    if not OF_THE_WEB.fullmatch(python_name):
        return ""
    return SUPERSETS.get(python_name, python_name)


def _guesses(data: bytes) -> Iterator[str]:
    """Encodings guessed from the bytes of a page."""
    from bs4.dammit import EncodingDetector

    match = BEYOND_ASCII.search(data)
    start = match.start() if match else 0
    for guess in EncodingDetector(data[start : start + GUESSED], is_html=True).encodings:
        yield from filter(None, (_web_encoding(guess),))
