"""Interface elements that a page adds to its text, such as line numbers and edit links."""

from __future__ import annotations

import re

from ...patterns import lazy_re
from .code import find_labels
from .footnotes import Footnotes
from .nodes import Nodes

# MediaWiki's links to edit a section and from a note to its marks; the footer of a gist; Sphinx's
# links to the source code.
EDITING = frozenset(("mw-editsection", "mw-cite-backlink", "gist-meta", "viewcode-link"))

# Classes of elements that hold line numbers in highlight.js, Prism, Pygments, Rouge, Chroma, Hexo,
# GitHub, Crayon, SyntaxHighlighter, CodeMirror and React's highlighters.
GUTTERS = frozenset(
    "gutter linenos lineno linenodiv linenumber line-number line-numbers line-numbers-rows lnt ln "
    "hljs-ln-numbers hljs-ln-n rouge-gutter rouge-lineno blob-num blob-num-deletion "
    "blob-num-addition crayon-nums crayon-num codemirror-linenumber codemirror-gutter-wrapper "
    "react-syntax-highlighter-line-number normal special gl lines-numbers lineno-column "
    "code-line-number js-line-number cm-gutters ace_gutter margin-view-overlays".split()
)
# Number of characters of a gutter that are examined: about a hundred lines.
MAX_NUMBERS = 400
NUMBERS = lazy_re(r"[\d\s.:|+-]*")

WORD = lazy_re(r"\w")
ANCHOR_WORDS = lazy_re(r"\s*(?:(?:perma)?link|anchor)\b.{0,60}", re.IGNORECASE)
ANCHORS = lazy_re(r"anchor|permalink|header-?link|heading-?link|hash-?link")
HEADS = frozenset("h1 h2 h3 h4 h5 h6 dt caption figcaption".split())
# Maximum number of elements between an anchor and its heading, and number of characters of both
# that are compared.
MAX_UP = 6
MAX_HEAD = 80


def find_furniture(nodes: Nodes, notes: Footnotes) -> set[int]:
    """Nodes to leave out: line numbers, labels of code, anchors, edit links and back links."""
    furniture = nodes.with_class(EDITING) | notes.back
    # Only the beginning is read: nested elements would each be read to the end otherwise.
    furniture.update(
        node
        for node in nodes.with_class(GUTTERS)
        if NUMBERS.fullmatch(nodes.text_of(node, MAX_NUMBERS))
    )
    if nodes.with_tag("pre"):
        furniture.update(cell for cell in nodes.with_tag("td") if _counts_lines(nodes, cell))
        furniture |= find_labels(nodes)
    furniture.update(
        link
        for link in nodes.local_links.keys() - notes.marks.keys() - notes.without_note
        if _is_anchor(nodes, link)
    )
    return furniture


def _counts_lines(nodes: Nodes, cell: int) -> bool:
    """Whether a cell numbers the lines of the code in the cell after it."""
    beside = int(nodes.end[cell])
    if beside >= len(nodes) or nodes.tags[beside] != "td" or nodes.first(beside, "pre") is None:
        return False
    numbers = nodes.text_of(cell, MAX_NUMBERS).split()
    if len(numbers) < 2 and nodes.first(cell, "pre") is None:
        return False
    if not numbers or not all(number.isdecimal() and len(number) < 8 for number in numbers):
        return False
    first = int(numbers[0])
    # The last number may be cut off.
    counted = [int(number) for number in numbers][:-1]
    return counted == list(range(first, first + len(counted)))


def _is_anchor(nodes: Nodes, link: int) -> bool:
    """Whether a link within the page is an anchor that leads to its own place."""
    text = nodes.text_of(link, MAX_HEAD).strip()
    if not text or nodes.first(link, "img") is not None:
        return False
    head = _head_around(nodes, link)
    # Some headings consist of one link to themselves, and some of a symbol.
    if head is not None and nodes.text_of(head, MAX_HEAD).strip() == text:
        return False
    if not WORD.search(text):
        return True
    named = ANCHORS.search(nodes.get(link, "class").lower())
    return bool(head is not None and named and ANCHOR_WORDS.fullmatch(text))


def _head_around(nodes: Nodes, node: int) -> int | None:
    for _ in range(MAX_UP):
        node = nodes.parents[node]
        if node < 0:
            return None
        if nodes.tags[node] in HEADS:
            return node
    return None
