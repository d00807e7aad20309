"""Names for passages that are neither body nor title: what content or markup says they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...features.dates import is_date
from ...renderer.snapshot import Snapshot

__all__ = ["field_name"]

MARKUP = {
    "author": re.compile(r"(?:^|[\s_-])(?:author|byline|creator)s?(?:$|[\s_-])", re.IGNORECASE),
    "section": re.compile(
        r"(?:^|[\s_-])(?:category|categories|section|articlesection|breadcrumbs?)(?:$|[\s_-])",
        re.IGNORECASE,
    ),
}
"""Words of class, rel and itemprop that name what an element holds."""

# Elements around a passage whose markup may speak of it.
LEVELS = 3

# A name or a section is short; what is longer merely stands in such an element.
MOST_CHARS = 120


def field_name(snapshot: Snapshot, node: int, text: str) -> str:
    """``"date"``, ``"author"``, ``"section"``, or the empty string where nothing says.

    Parameters
    ----------
    snapshot
        The page.
    node
        First node of the passage.
    text
        What it says, white space collapsed.
    """
    around = list(_around(snapshot, node))
    if is_date(text) or any("datetime" in attributes for attributes in around):
        return "date"
    if len(text) > MOST_CHARS:
        return ""
    for attributes in around:
        said = " ".join(attributes.get(name, "") for name in ("class", "rel", "itemprop"))
        for name, pattern in MARKUP.items():
            if pattern.search(said):
                return name
    return ""


def _around(snapshot: Snapshot, node: int) -> Iterator[dict[str, str]]:
    """Attributes of the element and of those around it, three levels at most."""
    for _ in range(LEVELS):
        if node < 0:
            return
        if not snapshot.is_text[node]:
            yield snapshot.attributes.of(node)
        node = int(snapshot.parent[node])
