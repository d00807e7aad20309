"""Whether a page that is still being built lacks its article."""

from __future__ import annotations

from ..models.kinds.blocked import BLOCKED
from ..renderer.snapshot import Snapshot
from .pipeline import extract_snapshot

__all__ = ["lacks_article"]

LEAST_WORDS = 60
"""Number of words of a text that may be a page's own. A box for a newsletter, a notice about
cookies and a placeholder have fewer."""


def lacks_article(snapshot: Snapshot) -> bool:
    """Whether the default method finds no text in a page that could be its article."""
    article = extract_snapshot(snapshot)
    return article.kind == BLOCKED or len(article.text.split()) < LEAST_WORDS
