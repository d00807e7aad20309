"""HTML elements: names that several modules share, and their default CSS display.

A set that only one algorithm uses is a parameter of that algorithm and is defined beside it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Elements whose display is not `inline` in the default style sheet of the HTML standard (15.3).
OF_DISPLAY = {
    "block": "html body address blockquote center dialog div figure figcaption footer form header "
    "hr legend listing main p plaintext pre search xmp article aside h1 h2 h3 h4 h5 h6 hgroup nav "
    "section dir dd dl dt menu ol ul details summary fieldset optgroup option",
    "list-item": "li",
    "table": "table",
    "table-caption": "caption",
    "table-header-group": "thead",
    "table-row-group": "tbody",
    "table-footer-group": "tfoot",
    "table-row": "tr",
    "table-cell": "td th",
    "inline-block": "button input select textarea",
    "none": "area base basefont datalist head link meta noembed noframes param rp script style "
    "template title",
}
DISPLAYS = {tag: display for display, tags in OF_DISPLAY.items() for tag in tags.split()}
BLOCK_TAGS = frozenset(tag for tag, display in DISPLAYS.items() if display != "inline-block")

KEEPING_LINES = ("pre", "pre-line", "pre-wrap", "break-spaces", "preserve", "preserve-breaks")

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")  # headings, highest level first

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


def keeps_lines(white_space: str) -> bool:
    """Whether line feeds end lines with a value of CSS ``white-space`` or its first longhand."""
    return white_space.partition(" ")[0] in KEEPING_LINES


def at_block_edge(
    nodes: NDArray[np.intp], parent: NDArray[np.int32], block: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which whitespace texts begin or end a block, or are adjacent to one; bool, shape (k,).

    Such texts are not rendered (CSS Text 3, 4.1.2). `nodes` are the texts, intp, shape (k,);
    `parent` and `block`, shape (n,), are all nodes' parents and whether they are laid out as
    blocks.
    """
    if not len(nodes):
        return np.zeros(0, bool)
    # The previous and the next sibling of each node, or -1.
    order = np.argsort(parent, kind="stable")
    same = parent[order[1:]] == parent[order[:-1]]
    before = np.full(len(parent), -1, np.intp)
    after = before.copy()
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    before, after, around = before[nodes], after[nodes], parent[nodes]
    first, last = before < 0, after < 0
    edge = (first | last) & (around >= 0) & block[around]
    return edge | (~last & block[after]) | (~first & block[before])
