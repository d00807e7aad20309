"""How elements are laid out where no style sheet says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["BLOCK_TAGS", "DISPLAYS", "at_block_edge"]

# The default style sheet of the HTML standard (15.3), as far as it is not `inline`.
BLOCKS = (
    "html body address blockquote center dialog div figure figcaption footer form header hr "
    "legend listing main p plaintext pre search xmp article aside h1 h2 h3 h4 h5 h6 hgroup nav "
    "section dir dd dl dt menu ol ul details summary fieldset optgroup option"
)
DISPLAYS = {
    **dict.fromkeys(BLOCKS.split(), "block"),
    "li": "list-item",
    "table": "table",
    "caption": "table-caption",
    "thead": "table-header-group",
    "tbody": "table-row-group",
    "tfoot": "table-footer-group",
    "tr": "table-row",
    "td": "table-cell",
    "th": "table-cell",
    "button": "inline-block",
    "input": "inline-block",
    "select": "inline-block",
    "textarea": "inline-block",
    **dict.fromkeys(
        "area base basefont datalist head link meta noembed noframes param rp script style "
        "template title".split(),
        "none",
    ),
}
BLOCK_TAGS = frozenset(tag for tag, shown in DISPLAYS.items() if shown != "inline-block")


def at_block_edge(node: int, parent: Sequence[int], block: Sequence[bool]) -> bool:
    """Whether a text of white space begins or ends a block, or stands beside one.

    There nothing renders it (CSS Text 3, 4.1.2).

    Parameters
    ----------
    node
        The text.
    parent
        Parents of all nodes, in preorder; roots have -1.
    block
        For each node whether it is an element that is laid out as a block.
    """
    around = parent[node]
    before, after = _sibling_before(node, parent), node + 1
    last = after >= len(parent) or parent[after] != around
    if (before is None or last) and around >= 0 and block[around]:
        return True
    return (not last and block[after]) or (before is not None and block[before])


def _sibling_before(node: int, parent: Sequence[int]) -> int | None:
    around, before = parent[node], node - 1
    while before > around and parent[before] != around:
        before = parent[before]
    return before if before > around else None
