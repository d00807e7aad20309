"""Names of HTML elements that several modules share.

A set that only one algorithm uses is a parameter of that algorithm and is defined beside it.
"""

from __future__ import annotations

__all__ = ["HEADINGS", "INLINE_TAGS", "RAW_TEXT", "UNREAD", "VOID"]

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
"""Headings, highest level first."""

INLINE_TAGS = tuple(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins kbd "
    "label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split()
)
"""Elements that are laid out within a line of text by default, without a style sheet."""

RAW_TEXT = frozenset(("script", "style", "iframe", "noembed", "noframes"))
"""Elements whose text is neither parsed as markup nor escaped when it is serialised."""

UNREAD = RAW_TEXT | {"noscript", "template"}
"""Elements whose text is never shown to readers: programs, and fallbacks for other browsers."""

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
"""Elements without an end tag (HTML standard, 13.1.2)."""
