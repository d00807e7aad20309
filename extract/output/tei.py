"""XML-TEI P5 of an extraction."""

from __future__ import annotations

import re

import lxml.etree as etree
from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

from .extraction import Extraction

__all__ = ["to_tei"]

NAMESPACE = "http://www.tei-c.org/ns/1.0"

ELEMENTS = {
    "p": "p", "ul": "list", "ol": "list", "li": "item", "dl": "list", "dt": "label",
    "dd": "item", "blockquote": "quote", "pre": "code", "code": "code", "kbd": "code",
    "samp": "code", "table": "table", "tr": "row", "td": "cell", "th": "cell",
    "caption": "head", "figure": "figure", "figcaption": "figDesc", "a": "ref",
    "img": "graphic", "br": "lb", "em": "hi", "i": "hi", "strong": "hi", "b": "hi",
    "sub": "hi", "sup": "hi", "del": "del", "q": "q", "cite": "title",
}  # fmt: skip
RENDERINGS = {"em": "italic", "i": "italic", "strong": "bold", "b": "bold", "sub": "sub",
              "sup": "sup"}  # fmt: skip

# Characters that XML 1.0 cannot carry.
UNSAYABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_tei(extraction: Extraction) -> str:
    """The article as one TEI document; headings become ``ab`` of type ``head``."""
    root = etree.Element(f"{{{NAMESPACE}}}TEI", nsmap={None: NAMESPACE})
    _header(root, extraction)
    text = _add(root, "text")
    body = _add(_add(text, "body"), "div", type="entry")
    tree = BeautifulSoup(extraction.html, "html.parser")
    _convert(tree, body)
    if extraction.comments:
        comments = _add(text[0], "div", type="comments")
        for comment in extraction.comments:
            _add(comments, "p").text = _safe(comment)
    return etree.tostring(root, encoding="unicode", pretty_print=False)


def _header(root: etree._Element, extraction: Extraction) -> None:
    header = _add(root, "teiHeader")
    description = _add(header, "fileDesc")
    statement = _add(description, "titleStmt")
    _add(statement, "title", type="main").text = _safe(extraction.title)
    for author in extraction.authors:
        _add(statement, "author").text = _safe(author)
    publication = _add(description, "publicationStmt")
    _add(publication, "publisher").text = _safe(extraction.site_name or "unknown")
    for kind, date in (("publication", extraction.date), ("revision", extraction.modified)):
        if date:
            _add(publication, "date", type=kind).text = _safe(date)
    if extraction.paywalled is not None:
        status = "restricted" if extraction.paywalled else "free"
        _add(publication, "availability", status=status)
    source = _add(_add(description, "sourceDesc"), "bibl")
    _add(source, "ptr", type="URL", target=_safe(extraction.url))
    if extraction.canonical_url:
        _add(source, "ptr", type="canonical", target=_safe(extraction.canonical_url))
    _profile(header, extraction)


def _profile(header: etree._Element, extraction: Extraction) -> None:
    said = extraction.description, extraction.language, extraction.section, extraction.tags
    if not any(said):
        return
    profile = _add(header, "profileDesc")
    if extraction.description:
        _add(_add(profile, "abstract"), "p").text = _safe(extraction.description)
    if extraction.language:
        usage = _add(profile, "langUsage")
        _add(usage, "language", ident=_safe(extraction.language))
    section = (extraction.section,) if extraction.section else ()
    if section or extraction.tags:
        classes = _add(profile, "textClass")
        _keywords(classes, "section", section)
        _keywords(classes, "tags", extraction.tags)


def _keywords(classes: etree._Element, kind: str, terms: tuple[str, ...]) -> None:
    if terms:
        keywords = _add(classes, "keywords", scheme=kind)
        for term in terms:
            _add(keywords, "term").text = _safe(term)


def _add(parent: etree._Element, tag: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{NAMESPACE}}}{tag}", attributes)


def _safe(text: str) -> str:
    return UNSAYABLE.sub("\ufffd", text)


def _convert(tree: Tag, body: etree._Element) -> None:
    """Walk the clean tree with a stack of (what is left to do, where it goes)."""
    stack = [(iter(tree.contents), body)]
    while stack:
        children, target = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
        elif isinstance(child, Tag):
            stack.append((iter(child.contents), _element(child, target)))
        elif isinstance(child, NavigableString):
            _append_text(target, _safe(str(child)))


def _element(tag: Tag, target: etree._Element) -> etree._Element:
    if re.fullmatch("h[1-6]", tag.name):
        return _add(target, "ab", type="head", rend=tag.name)
    name = ELEMENTS.get(tag.name)
    if name is None:
        return target
    element = _add(target, name)
    if tag.name in RENDERINGS:
        element.set("rend", f"#{RENDERINGS[tag.name]}")
    if tag.name in ("ul", "ol"):
        element.set("rend", "numbered" if tag.name == "ol" else "bulleted")
    if tag.name == "a" and tag.get("href"):
        element.set("target", _safe(str(tag["href"])))
    if tag.name == "img":
        element.set("url", _safe(str(tag.get("src", ""))))
    return element


def _append_text(target: etree._Element, text: str) -> None:
    # The children of a target are not counted: there may be as many as the page has nodes.
    last = next(target.iterchildren(reversed=True), None)
    if last is None:
        target.text = (target.text or "") + text
    else:
        last.tail = (last.tail or "") + text
