"""The metadata of an article as YAML front matter for its Markdown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .extraction import Extraction

__all__ = ["front_matter"]


def front_matter(extraction: Extraction) -> str:
    """Title, authors, date, address, site, language, tags and description, as far as known.

    Every value is a quoted string or a list of quoted strings, so no content of the page is read
    as YAML.
    """
    values = {
        "title": extraction.title,
        "authors": extraction.authors,
        "date": extraction.date,
        "url": extraction.url,
        "site": extraction.site_name,
        "language": extraction.language,
        "tags": extraction.tags,
        "description": extraction.description,
    }
    lines = [f"{name}: {_value(value)}" for name, value in values.items() if value]
    return "\n".join(("---", *lines, "---"))


def _value(value: str | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    # As in JSON, but without surrogate pairs. YAML reads some characters, such as U+0085, as line
    # ends.
    plain = value.encode("utf-8", "replace").decode()
    written = json.dumps(plain, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in written)
