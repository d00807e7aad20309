"""The library `htmldate`, one more voice for the date where it is installed."""

from __future__ import annotations

import logging

from ...renderer.markup import outer_html
from ...renderer.snapshot import Snapshot

__all__ = ["ask_htmldate"]

# It parses the markup anew: some thirty milliseconds a page, too much for pages beyond this.
MOST_NODES = 10_000
MOST_DEPTH = 250


def ask_htmldate(snapshot: Snapshot) -> tuple[str, str] | None:
    """Day of publication and its source; None without the library or without a date."""
    if len(snapshot) > MOST_NODES or snapshot.depth.max(initial=0) > MOST_DEPTH:
        return None
    try:
        from htmldate import find_date
    except ImportError:
        return None
    # What it warns of is what a page says, which belongs in no log.
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    latest = snapshot.page.time[:10] or None
    markup = outer_html(snapshot, 0).encode("utf-8", "replace").decode()
    try:
        # Its extensive search takes a copyright's year for the first of January.
        found = find_date(markup, extensive_search=False, original_date=True, max_date=latest)
    except (ValueError, TypeError, RecursionError):
        return None
    return (found, "htmldate") if found else None
