"""Text in pictures: printable characters, at a size that is still legible when halved."""

from __future__ import annotations

import re
from bisect import bisect_right
from urllib.parse import quote

from PIL import ImageFont

__all__ = ["FONT_SIZE", "address", "fit", "printable"]

FONT_SIZE = 22
MAX_URL = 500


def printable(text: str) -> str:
    """Replace all but ASCII: the font that comes with Pillow has little else."""
    return re.sub(r"[^ -~]", "?", text)


def address(url: str) -> str:
    """An address in ASCII, of bounded length."""
    return printable(quote(url[:MAX_URL], safe="%/:?#[]@!$&'()*+,;=~ ", errors="replace"))


def fit(text: str, width: float) -> str:
    """The text, or as much of its beginning as fits the width."""
    font, text = ImageFont.load_default(FONT_SIZE), text[: 2 * MAX_URL]
    if font.getlength(text) <= width:
        return text
    fits = bisect_right(range(len(text)), width, key=lambda n: font.getlength(text[:n] + "..."))
    return text[: max(0, fits - 1)] + "..."
