"""Addresses and files as people write them: without a scheme, in quotation marks, as URLs."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from ...patterns import lazy_re

# A host (localhost, several labels, or an IPv4 address), then an optional port and path.
BARE = lazy_re(
    r"(?P<host>localhost|[\w-]+(?:\.[\w-]+)+\.?)(?::\d{1,5})?(?P<rest>[/?#].*)?", re.S | re.I
)

MAX_CHARS = 8192  # longer texts are no addresses that a person types

# A bare name with one of these endings is a missing file, though some are top-level domains too.
FILES = tuple(
    ".csv .gz .har .htm .html .json .md .mht .mhtml .miolo .pdf .py .sh .wacz .warc .zip".split()
)

# Names that are never registered: those for examples and tests (RFC 2606) and of own networks (RFC
# 6762, appendix G).
OWN_NAMES = (
    ".example", ".test", ".invalid", ".localhost", ".local", ".internal", ".intranet", ".private",
    ".corp", ".home", ".lan",
)  # fmt: skip

# What people and programs put around an address.
QUOTES = ('""', "''", "``", "“”", "‘’", "„“", "«»", "<>")

ADDRESS = lazy_re(r"[a-z][a-z0-9+.-]*://|data:|about:", re.I)  # how an address with a scheme begins

FILE_URL = lazy_re(r"file:(?://(?:localhost)?(?=/)|(?!//))(/.*)", re.I | re.S)
WEB = lazy_re(r"https?://", re.I)


def whole_source(text: str) -> str:
    """What a person gives for a page, as an address with its scheme, a path, or HTML.

    >>> whole_source("<https://example.org/>"), whole_source("page.html")
    ('https://example.org/', 'page.html')
    """
    if WEB.match(text):
        return text.rstrip()  # as nearly every line of a list
    if _exists(text):
        return text
    text = unquoted(text)
    if file := FILE_URL.fullmatch(text):
        # People write these URLs with and without escapes.
        path = file[1]
        plain = unquote(re.split(r"[?#]", path)[0])
        return next(filter(_exists, (path, unquote(path), plain)), plain)
    if text.startswith("~/"):
        return str(Path(text).expanduser())
    return text if _exists(text) else whole_address(text)


def whole_address(text: str) -> str:
    """What a person gives for an address, with its scheme; other texts are kept.

    >>> whole_address("example.org/story"), whole_address("'localhost:8000'")
    ('https://example.org/story', 'http://localhost:8000')
    """
    text = unquoted(text)
    bare = None if "://" in text or len(text) > MAX_CHARS else BARE.fullmatch(text)
    if bare is None:
        return text
    host, rest = bare["host"].lower().rstrip("."), bare["rest"]
    if host == "localhost" or re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", host):
        return f"http://{text}"
    if not rest and host.endswith(FILES):
        return text
    if host.endswith(OWN_NAMES):
        return f"https://{text}"
    from publicsuffixlist import PublicSuffixList

    # Names are registered below a public suffix.
    suffixes = PublicSuffixList(accept_unknown=False)
    return f"https://{text}" if suffixes.privatesuffix(host) else text


def unquoted(text: str) -> str:
    """A text without what surrounds it; HTML is kept."""
    text = text.strip().removeprefix("\ufeff")
    while len(text) <= MAX_CHARS:
        inner = text[1:-1].strip()
        if not inner or text[0] + text[-1] not in QUOTES:
            break
        if text[0] == "<" and not (ADDRESS.match(inner) or BARE.fullmatch(inner)):
            break
        text = inner
    return text


def _exists(text: str) -> bool:
    try:
        return len(text) <= MAX_CHARS and Path(text).exists()
    except (OSError, ValueError):  # not a valid file name
        return False
