"""E-mail addresses that Cloudflare encodes, which a script of the page decodes when it runs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ...patterns import lazy_re
from .arrays import Page

LINK = lazy_re(r"/cdn-cgi/l/email-protection(?:#([0-9a-f]+))?", re.IGNORECASE)
ADDRESS = lazy_re(r"[^\s@<>]{1,64}@[^\s@<>]{1,255}")
# "[email protected]", which a translated page may have in its own language.
PLACEHOLDER = lazy_re(r"\[[^\[\]]{1,60}\]")

# Two digits for each byte. All nodes of a snapshot file may share one long attribute.
MAX_CODE = 2000


def with_decoded_addresses(page: Page) -> Page:
    """The page with addresses in place of the texts that are only placeholders for them."""
    decoded: dict[int, str] = {}
    texts = page.is_text.nonzero()[0]
    for node, code in page.attributes.with_attribute("data-cfemail"):
        first, end = np.searchsorted(texts, [node, page.end[node]]).tolist()
        text = int(texts[first]) if first < end else node
        address = _decode(code)
        if PLACEHOLDER.fullmatch(page.text[text]) and ADDRESS.fullmatch(address):
            decoded[text] = address
    if not decoded:
        return page
    shown = [decoded.get(node, text) for node, text in enumerate(page.text)]
    return replace(page, text=tuple(shown))


def mail_address(href: str, code: str) -> str:
    """The ``mailto`` address of a link that encodes it, or has its `code`; else the link itself."""
    match = LINK.search(href)
    address = _decode(match[1] or code) if match else ""
    return f"mailto:{address}" if "@" in address else href


def _decode(code: str) -> str:
    """Printable text of a code, whose first byte is combined with the others by exclusive or."""
    if len(code) > MAX_CODE:
        return ""
    try:
        key, *encoded = bytes.fromhex(code)
        text = bytes(each ^ key for each in encoded).decode()
    except ValueError:
        return ""
    return text if text.isprintable() else ""
