"""E-mail addresses that Cloudflare encodes, which a script of the page decodes when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..renderer.snapshot import Snapshot

__all__ = ["encoded_addresses", "mail_address"]

LINK = re.compile(r"/cdn-cgi/l/email-protection#([0-9a-f]{4,2000})", re.IGNORECASE)
ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,255}")


def encoded_addresses(snapshot: Snapshot) -> Iterator[tuple[int, int, str]]:
    """Text nodes that read "[email protected]", the elements around them, and the addresses."""
    texts = np.flatnonzero(snapshot.is_text)
    for node, code in snapshot.attributes.with_attribute("data-cfemail"):
        text = texts[np.searchsorted(texts, node) :][:1].tolist()
        address = _decode(code)
        is_inside = text and text[0] < snapshot.end[node]
        if is_inside and snapshot.text[text[0]].startswith("[") and ADDRESS.fullmatch(address):
            yield text[0], node, address


def mail_address(href: str) -> str:
    """The ``mailto`` address of a link whose address is encoded; any other link unchanged."""
    match = LINK.search(href)
    address = _decode(match[1]) if match else ""
    return f"mailto:{address}" if "@" in address else href


def _decode(code: str) -> str:
    """Characters of a code: its first byte is added to the others by exclusive or."""
    try:
        key, *encoded = bytes.fromhex(code)
        return bytes(each ^ key for each in encoded).decode()
    except ValueError:
        return ""
