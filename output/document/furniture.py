"""Interface elements that a page adds to its text, such as line numbers and edit links."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

from ...features.links import join_url
from ...patterns import lazy_re
from .code import GUTTERS, MAX_NUMBERS, NUMBERS, find_labels
from .footnotes import Footnotes
from .nodes import Nodes

# MediaWiki's links to edit a section and from a note to its marks; the footer of a gist; Sphinx's
# links to the source code.
EDITING = frozenset(("mw-editsection", "mw-cite-backlink", "gist-meta", "viewcode-link"))

WORD = lazy_re(r"\w")
ANCHOR_WORDS = lazy_re(r"\s*(?:(?:perma)?link|anchor)\b.{0,60}", re.IGNORECASE)
ANCHORS = lazy_re(r"anchor|permalink|header-?link|heading-?link|hash-?link")
HEADS = frozenset("h1 h2 h3 h4 h5 h6 dt caption figcaption".split())
# Maximum number of elements between an anchor and its heading, and number of characters of both
# that are compared.
MAX_UP = 6
MAX_HEAD = 80

# Minimum number of links with the same words to places of the same documents, such as the source
# code of each function, and the share of them that lead to a place of their own.
MIN_SOURCES, MIN_DISTINCT = 3, 0.8
DEFINITION = frozenset(("dd",))
DIGITS = lazy_re(r"\d+")


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
    return furniture | _links_to_sources(nodes)


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
    head = _around(nodes, link, HEADS)
    # Some headings consist of one link to themselves, and some of a symbol.
    if head is not None and nodes.text_of(head, MAX_HEAD).strip() == text:
        return False
    if not WORD.search(text):
        return True
    named = ANCHORS.search(nodes.get(link, "class").lower())
    return bool(head is not None and named and ANCHOR_WORDS.fullmatch(text))


def _around(nodes: Nodes, node: int, tags: frozenset[str]) -> int | None:
    """The nearest element around a node, of these tags."""
    return next((each for each in nodes.around(node, MAX_UP) if nodes.tags[each] in tags), None)


def _links_to_sources(nodes: Nodes) -> set[int]:
    """Links that end the lines of a page with the same words, each to its place of other documents.

    Documentation has one after each function. A definition that consists of such a link, and whose
    words may have another number each, leaves with its term.
    """
    alike: defaultdict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
    for link, href in nodes.with_attribute("href"):
        page, sign, place = href.partition("#")
        if nodes.tags[link] != "a" or not (sign and place and page.strip()):
            continue
        text = nodes.text_of(link, MAX_HEAD).strip()
        if link in nodes.local_links or not WORD.search(text) or not _ends_line(nodes, link):
            continue
        if _around(nodes, link, DEFINITION) is not None:
            text = DIGITS.sub("", text)
        alike[text][link] = join_url(nodes.base(link), page) or page, place
    sources: set[int] = set()
    for links in alike.values():
        places, pages = set(links.values()), {page for page, _ in links.values()}
        if len(links) >= MIN_SOURCES and len(places) >= MIN_DISTINCT * len(links):
            sources.update(links if 2 * len(pages) <= len(places) else ())
    return sources | {
        node
        for link in sources
        if (definition := _around(nodes, link, DEFINITION)) is not None
        and nodes.chars(definition) <= MAX_HEAD
        and _is_of_links(nodes, definition)
        for node in (definition, *_term_of(nodes, definition))
    }


def _ends_line(nodes: Nodes, link: int) -> bool:
    """Whether only signs follow a link in its line."""
    line, texts = _line_of(nodes, link), nodes.with_tag("#text")
    for place in range(bisect_left(texts, nodes.ends[link]), len(texts)):
        if texts[place] >= nodes.ends[line] or WORD.search(nodes.texts[texts[place]]):
            return texts[place] >= nodes.ends[line] or _line_of(nodes, texts[place]) != line
    return True


def _line_of(nodes: Nodes, node: int) -> int:
    """The nearest element around a node that begins and ends a line."""
    around = nodes.around(node, MAX_UP) or [0]
    return next((each for each in around if nodes.own_line[each]), around[-1])


def _is_of_links(nodes: Nodes, node: int) -> bool:
    """Whether all words in an element are those of links."""
    linked = {
        text
        for link in nodes.subtree(node)
        if nodes.tags[link] == "a"
        for text in nodes.subtree(link)
    }
    own = (text for text in nodes.subtree(node) if nodes.tags[text] == "#text")
    return not any(WORD.search(nodes.texts[text]) for text in own if text not in linked)


def _term_of(nodes: Nodes, definition: int) -> list[int]:
    """The term of which this is the only definition."""
    terms, definitions = nodes.with_tag("dt"), nodes.with_tag("dd")
    place = bisect_left(terms, definition)
    end = terms[place] if place < len(terms) else len(nodes)
    term = terms[place - 1] if place else -1
    within = definitions[bisect_left(definitions, term) : bisect_left(definitions, end)]
    parent = nodes.parents[definition]
    same = [node for node in within[:2] if nodes.parents[node] == parent]
    return [term] if place and nodes.parents[term] == parent and same == [definition] else []
