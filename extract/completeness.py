"""Whether a page that is still being built lacks its article."""

from __future__ import annotations

from ..renderer.page.snapshot import Snapshot
from .pipeline import extract_snapshot

__all__ = ["lacks_article"]

LEAST_CONFIDENCE = 0.3
"""Confidence below which a text is most likely not the article of its page: a box for a newsletter,
a notice about cookies, a list of teasers."""

LEAST_WORDS = 30
"""Number of words of a text that is more than a placeholder. A page of one sentence has none of the
signs by which the confidence tells it from a page whose text has yet to come."""


def lacks_article(snapshot: Snapshot) -> bool:
    """Whether what the default method finds in a page is most likely not its article."""
    article = extract_snapshot(snapshot, restore=False)
    is_short = len(article.text.split()) < LEAST_WORDS
    return is_short or (article.confidence or 0.0) < LEAST_CONFIDENCE
