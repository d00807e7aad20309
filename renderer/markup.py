"""Length of a node's own markup, as HTML serialisation writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .snapshot import Snapshot

__all__ = ["VOID", "element_chars", "outer_html", "text_chars"]

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
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


def outer_html(snapshot: Snapshot, node: int) -> str:
    """Markup of a subtree, as the HTML standard serialises it.

    Parameters
    ----------
    snapshot
        The page.
    node
        Root of the subtree.

    Notes
    -----
    What the snapshot leaves out (program text, comments) is not in it.
    """
    parts: list[str] = []
    closing: list[tuple[int, str]] = []
    for i in range(node, int(snapshot.end[node])):
        while closing and closing[-1][0] <= i:
            parts.append(closing.pop()[1])
        tag = snapshot.tag_name(i)
        if tag == "#text":
            parts.append(_escaped(snapshot.text[i]))
            continue
        attributes = snapshot.attributes.of(i).items()
        inside = "".join(f' {name}="{_quoted(value)}"' for name, value in attributes)
        parts.append(f"<{tag}{inside}>")
        if tag not in VOID:
            closing.append((int(snapshot.end[i]), f"</{tag}>"))
    parts += [end for _, end in reversed(closing)]
    return "".join(parts)


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("\xa0", "&nbsp;")
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _quoted(value: str) -> str:
    return value.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace('"', "&quot;")
