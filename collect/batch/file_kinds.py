"""Recognise by its first bytes a file that is not a list of pages."""

from __future__ import annotations

import re

__all__ = ["HEAD_BYTES", "kind_of_file"]

HEAD_BYTES = 4096

SIGNATURES = {
    b"PK\x03\x04": "a ZIP archive, such as a snapshot, a WACZ file or an office document",
    b"\x1f\x8b": "a gzip file, whose name has to end in .gz if it contains a list",
    b"BZh": "a bzip2 file: decompress it first",
    b"\xfd7zXZ": "an xz file: decompress it first",
    b"\x28\xb5\x2f\xfd": "a Zstandard file: decompress it first",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"%PDF-": "a PDF document",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"\x7fELF": "a program",
    b"MZ\x90\x00": "a program",
    b"SQLite format 3": "an SQLite database",
    b"PAR1": "a Parquet file, whose name has to end in .parquet",
    b"WARC/": "a WARC archive: use it with --archive",
    b"\xff\xfe": "text in UTF-16: save it as UTF-8",
    b"\xfe\xff": "text in UTF-16: save it as UTF-8",
}
"""Kinds of files by their first bytes, as in the database of `file`."""

TAR, TAR_PLACE = b"ustar", 257

MARKUP = re.compile(rb"<(?:!doctype\s+html|html|head|body|!--|script|meta|div|p)\b", re.I)
XML = re.compile(rb"<(?:\?xml|rss|feed|urlset|sitemapindex)\b", re.I)

# A time of day near the beginning of a line, which is no address.
LOGGED = re.compile(rb"^(?![a-z+.-]+://)[^\n]{0,60}?[0-9]{2}:[0-9]{2}:[0-9]{2}", re.I | re.M)
MIN_LOGGED = 0.5
"""Minimum share of such lines in a log."""

CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"})
MAX_CONTROLS = 0.05
"""Maximum share of control characters in text; random bytes have a tenth."""


def kind_of_file(head: bytes, *, is_json: bool = False, is_table: bool = False) -> str | None:
    """What a file is that is not a list of pages; None if it may be a list.

    Parameters
    ----------
    head
        First bytes of the file.
    is_json, is_table
        Whether the name of the file says that it is JSON, or a table.
    """
    for signature, kind in SIGNATURES.items():
        if head.startswith(signature):
            return kind
    if head[TAR_PLACE:].startswith(TAR):
        return "a tar archive"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if MARKUP.match(text):
        return "an HTML page: use `miolo extract`"
    if XML.match(text):
        return "an XML document, such as a sitemap or a feed: use `miolo links`"
    if text[:1] in (b"{", b"[") and not is_json:
        return "JSON: a list in JSON Lines has a name that ends in .jsonl"
    lines = len(head.splitlines())
    if not is_json and not is_table and len(LOGGED.findall(head)) > max(MIN_LOGGED * lines, 1):
        return "a log, whose lines begin with times"
    controls = len(head) - len(head.translate(None, CONTROLS))
    return "a binary file" if controls > MAX_CONTROLS * len(head) else None
