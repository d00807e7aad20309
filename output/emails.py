"""E-mail addresses that Cloudflare encodes, which a script of the page decodes when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..renderer.snapshot import Snapshot

__all__ = ["encoded_addresses", "mail_address"]

LINK = re.compile(r"/cdn-cgi/l/email-protection#([0-9a-f]{4,2000})", re.IGNORECASE)
ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,255}")
# "[email protected]", which a translated page may have in its own language.
PLACEHOLDER = re.compile(r"\[[^\[\]]{1,60}\]")


def encoded_addresses(snapshot: Snapshot) -> Iterator[tuple[int, int, str]]:
    """Text nodes that hold only a placeholder, the elements around them, and the addresses."""
    texts = np.flatnonzero(snapshot.is_text)
    for node, code in snapshot.attributes.with_attribute("data-cfemail"):
        first, end = np.searchsorted(texts, [node, snapshot.end[node]]).tolist()
        if first == end:
            continue
        text = int(texts[first])
        address = _decode(code)
        if PLACEHOLDER.fullmatch(snapshot.text[text]) and ADDRESS.fullmatch(address):
            yield text, node, address


def mail_address(href: str) -> str:
    """The ``mailto`` address of a link whose address is encoded; any other link unchanged."""
    match = LINK.search(href)
    address = _decode(match[1]) if match else ""
    return f"mailto:{address}" if "@" in address else href


def _decode(code: str) -> str:
    """Printable text of a code, whose first byte is combined with the others by exclusive or."""
    try:
        key, *encoded = bytes.fromhex(code)
        text = bytes(each ^ key for each in encoded).decode()
    except ValueError:
        return ""
    return text if text.isprintable() else ""
