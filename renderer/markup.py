"""Length of a node's own markup, as HTML serialisation writes it."""

from __future__ import annotations

__all__ = ["VOID", "element_chars", "text_chars"]

VOID = frozenset(
    "area base br col embed hr img input link meta source track wbr".split()
)
"""Elements without an end tag (HTML standard, 13.1.2)."""


def text_chars(text: str) -> int:
    """Length of a text once ``&``, ``<``, ``>`` and the no-break space are escaped."""
    extra = 4 * text.count("&") + 3 * (text.count("<") + text.count(">"))
    return len(text) + extra + 5 * text.count("\xa0")


def element_chars(tag: str, name_and_value_chars: int, attributes: int) -> int:
    """Length of an element's start and end tag.

    Parameters
    ----------
    tag
        Lower-case tag name.
    name_and_value_chars
        Characters of all attribute names and values.
    attributes
        Number of attributes; each adds a space, an equals sign and two quotes.
    """
    own = len(tag) + 2 + name_and_value_chars + 4 * attributes
    return own if tag in VOID else own + len(tag) + 3
