"""The shape of a page's address: what its host and path indicate about the kind of page."""

from __future__ import annotations

import re
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.network.origins import split_url

# Path segments and host labels that common site software uses for each kind of page.
TOKENS = {
    name: frozenset(words.split())
    for name, words in {
        "article": "article articles blog blogs news story stories post posts feature features "
        "insights press magazine opinion review reviews",
        "list": "tag tags category categories archive archives author authors page section "
        "search list lists topic topics latest",
        "product": "product products item items dp prod",
        "shop": "collection collections shop store c cat department departments browse",
        "forum": "forum forums thread threads t question questions community communities "
        "discussion discussions discuss answers board boards q bbs viewtopic showthread",
        "documentation": "doc docs documentation manual reference ref api guide guides userguide "
        "tutorial tutorials help wiki man stable latest handbook glossary",
        "service": "service services solution solutions pricing program programs degree degrees "
        "training tuition booking consulting plans",
    }.items()
}
SHAPE = ("depth", "home", "dated", "hyphens", "digits", "long_number", "query", "length")

ADDRESS_FEATURES = tuple(
    f"address {name}" for name in (*SHAPE, *(f"{kind} word" for kind in TOKENS))
)
"""Columns of `address_features`."""

DATED = lazy_re(r"/(?:19|20)\d\d[/-]?(?:0?[1-9]|1[0-2])(?![0-9])")
INDEX = lazy_re(r"(?:index|default|home)(?:\.\w{2,5})?", re.IGNORECASE)
EXTENSION = lazy_re(r"\.[a-z]{2,5}$")
LONG_NUMBER = lazy_re(r"\d{5,}")

# Browsers do not accept longer addresses; only their beginning is read.
MAX_LENGTH = 2048


def address_features(url: str) -> NDArray[np.float32]:
    """Features of the shape of an address.

    float32, shape (f,), in the order of `ADDRESS_FEATURES`: number of segments of the path; whether
    it is a home page; whether the path contains a year and a month; number of hyphens and share of
    digits in the last segment; whether the last segment contains a number of at least five digits;
    number of parameters of the query; number of characters of the last segment; then for each kind
    whether a segment or a label of the host is a word for it. NaN without a web address, as for
    HTML from a file or from standard input, and for servers without a name.
    """
    parts = split_url(url[:MAX_LENGTH])
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host or host.endswith(".invalid"):
        return np.full(len(ADDRESS_FEATURES), np.nan, np.float32)
    path = unquote(parts.path, errors="replace").lower()
    segments = [part for part in path.split("/") if part]
    home = not segments or (len(segments) == 1 and INDEX.fullmatch(segments[0]) is not None)
    last = EXTENSION.sub("", segments[-1]) if segments else ""
    shape = (
        min(len(segments), 8),
        home and not parts.query,
        DATED.search(path) is not None,
        min(last.count("-") + last.count("_"), 12),
        sum(map(str.isdecimal, last)) / max(len(last), 1),
        LONG_NUMBER.search(last) is not None,
        min(parts.query.count("=") + (parts.query != ""), 4),
        min(len(last), 80),
    )
    # The last segment describes the page's subject rather than its kind.
    tokens = {EXTENSION.sub("", part) for part in segments[:-1]} | set(host.split(".")[:-1])
    if segments and EXTENSION.sub("", segments[-1]) in ("viewtopic", "showthread", "search"):
        tokens.add(last)
    flags = [not words.isdisjoint(tokens) for words in TOKENS.values()]
    return np.array([*shape, *flags], np.float32)
