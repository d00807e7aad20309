"""Bytes of a page that came without its HTTP header, as text."""

from __future__ import annotations

from bs4.dammit import EncodingDetector

__all__ = ["decode_html"]

MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def decode_html(data: bytes) -> str:
    """Bytes as text: by byte order mark, as UTF-8 if they are, by declaration, or by guess.

    A browser prefers what the header says and looks for a declaration in the first 1,024 bytes
    alone. Saved pages have lost the header, and many were converted to UTF-8 without changing
    what they declare; bytes beyond ASCII that are UTF-8 by chance are next to unknown. Never
    fails: what no encoding takes is read as Windows-1252.
    """
    marked = next((name for mark, name in MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        return data.decode(marked)
    except UnicodeDecodeError:
        pass
    detector = EncodingDetector(data, is_html=True)
    for encoding in detector.encodings:
        try:
            return detector.markup.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("windows-1252", "replace")
