"""Decodes the bytes of a page by their declaration, unless they contradict it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from ...errors import PageWarning
from ...patterns import lazy_re

MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

# Encodings of web pages, by Python's names. No browser supports Python's other codecs, and some of
# those take quadratic time or turn plain text into markup.
OF_THE_WEB = lazy_re(
    r"ascii|big5\w*|cp\d+|euc_\w+|gb\w+|hz|iso2022_\w+|iso8859-\d+|johab|koi8-\w|kz1048|mac-\w+"
    r"|shift_jis\w*|tis-620|utf-(?:8|16(?:-[bl]e)?)"
)

# Number of bytes at the start of a page among which it declares its encoding.
START = 4096
CHARSET = lazy_re(r"charset\s*=\s*[\"']?([\w.:+-]+)", re.IGNORECASE)
OF_XML = lazy_re(rb"\s*<\?xml\s[^<>]*?encoding\s*=\s*[\"']?([\w.:+-]+)")
OF_META = lazy_re(rb"<meta\s[^<>]*?charset\s*=\s*[\"']?([\w.:+-]+)", re.IGNORECASE)

WINDOWS = "cp1252"

# Browsers read these encodings as their supersets (WHATWG Encoding Standard, 4.2). Python's own
# codecs lack characters that pages with these labels contain.
SUPERSETS = {
    "ascii": WINDOWS, "iso8859-1": WINDOWS, "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "big5": "big5hkscs", "euc_kr": "cp949", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932",
}  # fmt: skip

# Number of bytes from which an encoding is detected, starting with the first beyond ASCII.
DETECTED = 1 << 15
BEYOND_ASCII = lazy_re(rb"[\x80-\xff]")
HIGH = bytes(range(0x80, 0x100))

MOSTLY = 8  # text counts as UTF-8 if fewer than one of so many characters beyond ASCII is damaged

# Encodings of Latin alphabets, in which most letters are ASCII: three bytes beyond ASCII in a row
# are rare in them, and the rule in all other alphabets.
LATIN = frozenset(
    [WINDOWS, "cp437", "cp850", "cp1250", "cp1254", "cp1257", "cp1258", "mac-roman"]
    + [f"iso8859-{number}" for number in (1, 2, 3, 4, 9, 10, 13, 14, 15, 16)]
)
OF_PAIRS = frozenset(("big5hkscs", "cp932", "cp949", "euc_jp", "gb18030"))
# Any bytes are valid in encodings of single bytes. Those of one alphabet have its capitals in other
# places. Characters for private use are what Chinese encodings have for bytes of another one.
DAMAGED = lazy_re("[\ufffd\ue000-\uf8ff]")
TURNED = lazy_re("[\u03ac-\u03ce\u0430-\u045f](?=[\u0391-\u03a9\u0400-\u042f])")
LIKELY = 0.1
RUN_BEYOND_ASCII = lazy_re(rb"[\x80-\xff]{3,}")
FIRST_LETTER = 0xC0  # signs, such as dashes, come before the letters

OF_WINDOWS = {
    ord(char): byte for byte in HIGH[:0x20] if (char := bytes([byte]).decode(WINDOWS, "ignore"))
}

# Sequences by which ISO-2022-JP, all of whose bytes are ASCII, changes to Japanese characters.
TO_JAPANESE = (b"\x1b$B", b"\x1b$@")


@dataclass(frozen=True)
class DecodedPage:
    """Text of a page."""

    text: str
    encoding: str  # in which its bytes were read, by Python's name
    contradicted: str = ""  # the encoding that the page declares if its bytes are in another one
    is_misread: bool = False  # whether a browser has read, or may have read, it in another one

    @property
    def warnings(self) -> tuple[PageWarning, ...]:
        """A warning if the declaration is wrong."""
        if not self.contradicted:
            return ()
        message = (
            f"declared as {self.contradicted}, which its bytes are not; read as {self.encoding}"
        )
        return (PageWarning("encoding", message),)


def decode_html(data: bytes, declared: str = "") -> str:
    """Text of the bytes of a page; see `decode_page`."""
    return decode_page(data, declared).text


def decode_page(data: bytes, declared: str = "") -> DecodedPage:
    """Decode bytes by byte order mark, valid UTF-8, HTTP charset, declaration or detection.

    A browser believes the HTTP charset, and else only looks for a declaration in the first 1,024
    bytes. Here, bytes that a declaration does not fit outweigh it. Valid UTF-8 comes first: saved
    pages have lost the header, many were converted to UTF-8 without changing their declaration, and
    bytes beyond ASCII are hardly ever valid UTF-8 by chance. Decoding never fails: bytes that are
    valid in no encoding are read as Windows-1252. `declared` is the encoding that the HTTP header
    names, if any.
    """
    for mark, name in MARKS.items():
        if data.startswith(mark):
            return DecodedPage(data.decode(name, "replace"), name)
    of_header = _web_encoding(declared)
    if of_header.startswith("utf-16"):
        return DecodedPage(data.decode(of_header, "replace"), of_header)
    is_japanese = any(mark in data for mark in TO_JAPANESE)
    if not is_japanese and (text := _if_nearly_valid(data, "utf-8")) is not None:
        return DecodedPage(text, "utf-8")
    name = of_header or _declared_within(data)
    if name and not (name in LATIN and _is_in_no_latin_alphabet(data)):
        text = _if_nearly_valid(data, name)
        if text is not None and not (is_japanese and name == "utf-8"):
            return _undamaged(data, name, text) or DecodedPage(text, name)
    for detected in _detected(data):
        text = _if_nearly_valid(data, detected)
        if text is not None:
            return DecodedPage(text, detected, name if name != detected else "")
    fallback = name if name in LATIN else WINDOWS
    return DecodedPage(data.decode(fallback, "replace"), fallback, name if name != fallback else "")


def _undamaged(data: bytes, name: str, text: str) -> DecodedPage | None:
    """The page in another encoding of its kind than declared, which gives a better `text`."""
    flaw = _flaw_of(name)
    if flaw is None or not flaw.search(text):
        return None
    detected = next(_detected(data), name)
    if detected == name or _flaw_of(detected) is not flaw:
        return None
    better = data.decode(detected, "replace")
    is_better = len(flaw.findall(text)) > MOSTLY * len(flaw.findall(better))
    return DecodedPage(better, detected, name) if is_better else None


def _flaw_of(name: str) -> re.Pattern[str] | None:
    """What texts have that were read in this encoding instead of another one of its kind."""
    return DAMAGED if name in OF_PAIRS else None if name in LATIN or name == "utf-8" else TURNED


def charset_of(content_type: str) -> str:
    """The charset of a `Content-Type`; "" for none."""
    charset = CHARSET.search(content_type)
    return charset[1] if charset else ""


def decode_again(source: str | bytes, declared: str = "") -> DecodedPage:
    """A page that a browser has received and may have misread.

    `source` is what the browser has made of the page's bytes, or the bytes if they are not as
    declared; `declared` the encoding that the HTTP header names, if any.
    """
    start = source[:START]
    head = start if isinstance(start, bytes) else start.encode("utf-8", "replace")
    of_page = _web_encoding(declared) or _declared_within(head)
    name = of_page or WINDOWS
    data = source if isinstance(source, bytes) else _bytes_of_misread(source, name)
    if not data:
        return DecodedPage(str(source), name)
    page = decode_page(data, declared)
    is_same = page.text == source or page.encoding == name
    return replace(page, contradicted="" if is_same else of_page, is_misread=not is_same)


def _bytes_of_misread(text: str, encoding: str) -> bytes:
    """Bytes that were read in an encoding although they are something else; none otherwise."""
    if any(mark.decode() in text for mark in TO_JAPANESE):
        return text.encode("utf-8", "replace")
    if text.isascii() or encoding == "utf-8":
        return b""
    try:
        # As browsers do, unlike Python, Windows-1252 is read with characters for all bytes.
        is_windows = encoding == WINDOWS
        data = text.translate(OF_WINDOWS).encode("latin-1") if is_windows else text.encode(encoding)
    except UnicodeEncodeError:
        return b""  # read in another encoding
    is_foreign = encoding in LATIN and _is_in_no_latin_alphabet(data)
    flaw = None if "\ufffd" in text else _flaw_of(encoding)
    is_foreign |= flaw is not None and flaw.search(text) is not None
    return data if is_foreign or _if_nearly_valid(data, "utf-8") is not None else b""


def check_html(source: object) -> None:
    """Raise a `TypeError` if the source of a page is neither a string nor bytes."""
    if not isinstance(source, (str, bytes)):
        raise TypeError(f"HTML must be a string or bytes, not {type(source).__name__}")


def encode_html(source: str | bytes) -> tuple[bytes, tuple[PageWarning, ...]]:
    """Source of a page as UTF-8, with a warning about bytes that `decode_page` reads otherwise."""
    check_html(source)
    warnings: tuple[PageWarning, ...] = ()
    if isinstance(source, bytes):
        escapes = b"\x1b" in source and any(mark in source for mark in TO_JAPANESE)
        marked = escapes or source.startswith(tuple(MARKS))
        if not marked:
            with suppress(UnicodeDecodeError):
                source.decode()
                return source, warnings
        page = decode_page(source)
        source, warnings = page.text, page.warnings
    return source.removeprefix("\ufeff").encode("utf-8", "replace"), warnings


def _if_nearly_valid(data: bytes, encoding: str) -> str | None:
    """The decoded bytes if nearly all are valid: a character may have been cut in two."""
    text = data.decode(encoding, "replace")
    damaged = text.count("\ufffd")
    if not damaged:
        return text
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text if beyond_ascii > MOSTLY * damaged else None


def _is_in_no_latin_alphabet(data: bytes) -> bool:
    """Whether most of the bytes beyond ASCII are in runs of three and more, with letters."""
    runs = RUN_BEYOND_ASCII.findall(data)
    in_runs = sum(len(run) for run in runs if max(run) >= FIRST_LETTER)
    return 2 * in_runs > len(data) - len(data.translate(None, HIGH))


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


def _declared_within(data: bytes) -> str:
    """The encoding that a page itself declares; "" for none."""
    start = data[: max(START // 2, len(data) // 20)]
    declaration = OF_XML.match(start) or OF_META.search(start)
    name = _web_encoding(declaration[1].decode()) if declaration else ""
    # The declaration itself was read as ASCII, so the page is not in UTF-16.
    return "" if name.startswith("utf-16") else name


def _detected(data: bytes) -> Iterator[str]:
    """Encodings of the bytes of a page, the most likely first."""
    if any(mark in data for mark in TO_JAPANESE):
        yield "iso2022_jp"
    match = BEYOND_ASCII.search(data)
    if match is None:
        return
    # Importing this takes longer than reading most pages.
    import chardet

    is_latin = not _is_in_no_latin_alphabet(data)
    for guess in chardet.detect_all(data[match.start() : match.start() + DETECTED]):
        name = _web_encoding(guess["encoding"] or "")
        # A few letters of a Latin text are evidence for nothing.
        is_likely = guess["confidence"] >= LIKELY and (name in LATIN or name in OF_PAIRS)
        if name and (is_likely if is_latin else name not in LATIN):
            yield name
