"""Write an article as XML-TEI P5."""

from __future__ import annotations

from collections.abc import Sequence

import lxml.etree as etree

from ...patterns import lazy_re
from ..document import document as tree
from ..metadata import Metadata

NAMESPACE = "http://www.tei-c.org/ns/1.0"

RENDERINGS = {"em": "italic", "var": "italic", "strong": "bold"}

# Characters that are not allowed in XML 1.0.
UNSAYABLE = lazy_re("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_tei(
    about: Metadata, url: str, document: tree.Document, comments: tuple[str, ...] = ()
) -> str:
    """Write an article as a TEI document; headings become ``ab`` elements of type ``head``."""
    root = etree.Element(f"{{{NAMESPACE}}}TEI", nsmap={None: NAMESPACE})
    _header(root, about, url)
    text = _add(root, "text")
    body = _add(_add(text, "body"), "div", type="entry")
    _blocks(document.content, body)
    if comments:
        division = _add(text[0], "div", type="comments")
        for comment in comments:
            _add(division, "p").text = _safe(comment)
    return etree.tostring(root, encoding="unicode", pretty_print=False)


def _header(root: etree._Element, about: Metadata, url: str) -> None:
    header = _add(root, "teiHeader")
    description = _add(header, "fileDesc")
    statement = _add(description, "titleStmt")
    _add(statement, "title", type="main").text = _safe(about.title)
    for author in about.authors:
        _add(statement, "author").text = _safe(author)
    publication = _add(description, "publicationStmt")
    _add(publication, "publisher").text = _safe(about.site_name or "unknown")
    for kind, date in (("publication", about.date), ("revision", about.modified)):
        if date:
            _add(publication, "date", type=kind).text = _safe(date)
    if about.paywalled is not None:
        status = "restricted" if about.paywalled else "free"
        _add(_add(publication, "availability", status=status), "p").text = status
    source = _add(_add(description, "sourceDesc"), "bibl")
    _add(source, "ptr", type="URL", target=_safe(url))
    if about.canonical_url:
        _add(source, "ptr", type="canonical", target=_safe(about.canonical_url))
    terms = {"section": (about.section,) if about.section else (), "tags": about.tags}
    if not any((about.description, about.language, *terms.values())):
        return
    profile = _add(header, "profileDesc")
    if about.description:
        _add(_add(profile, "abstract"), "p").text = _safe(about.description)
    if about.language:
        _add(_add(profile, "langUsage"), "language", ident=_safe(about.language))
    if any(terms.values()):
        classes = _add(profile, "textClass")
        for kind, listed in terms.items():
            if listed:
                keywords = _add(classes, "keywords", scheme=kind)
                for term in listed:
                    _add(keywords, "term").text = _safe(term)


def _add(parent: etree._Element, tag: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{NAMESPACE}}}{tag}", attributes)


def _safe(text: str) -> str:
    return UNSAYABLE.sub("\ufffd", text)


def _blocks(content: tuple[tree.Block, ...], target: etree._Element) -> None:
    for block in content:
        _block(block, target)


def _block(block: tree.Block, target: etree._Element) -> None:
    match block:
        case tree.Heading(level, content):
            _line(content, _add(target, "ab", type="head", rend=f"h{level}"))
        case tree.Paragraph(content):
            _line(content, _add(target, "p"))
        case tree.Quote(content):
            _blocks(content, _add(target, "quote"))
        case tree.CodeBlock(text, language):
            # TEI has code only within text.
            code = _add(_add(target, "ab"), "code", **({"lang": language} if language else {}))
            code.text = _safe(text)
        case tree.ItemList(items, start):
            element = _add(target, "list", rend="bulleted" if start is None else "numbered")
            for number, item in enumerate(items, start or 0):
                numbered = {} if start in (None, 1) else {"n": str(number)}
                done = {} if item.done is None else {"ana": "done" if item.done else "open"}
                _blocks(item.content, _add(element, "item", **numbered, **done))
        case tree.DefinitionList(entries):
            element = _add(target, "list", type="gloss")
            for entry in entries:
                if isinstance(entry, tree.Term):
                    _line(entry.content, _add(element, "label"))
                else:
                    _blocks(entry.content, _add(element, "item"))
        case tree.Table():
            _table(block, target)
        case tree.Figure(content, caption):
            figure = _add(target, "figure")
            if not block.is_captioned_above:
                _blocks(content, figure)
            if caption:
                _line(caption, _add(figure, "head"))
            if block.is_captioned_above:
                _blocks(content, figure)
        case tree.Notes(notes):
            for note in notes:
                _blocks(note.content, _add(target, "note", place="foot", n=note.label))
        case tree.Embed(url, title):
            _line((tree.Hyperlink(url, (tree.Text(title),)),), _add(target, "p"))
        case tree.Rule():
            _add(target, "milestone", unit="section", rend="rule")


def _table(table: tree.Table, target: etree._Element) -> None:
    element = _add(target, "table")
    if table.caption:
        _line(table.caption, _add(element, "head"))
    for number, row in enumerate(table.rows):
        line = _add(element, "row", **({"role": "label"} if number < table.header_rows else {}))
        for cell in row:
            spans = {"cols": cell.colspan, "rows": cell.rowspan}
            named = {name: str(value) for name, value in spans.items() if value > 1}
            _blocks(cell.content, _add(line, "cell", **named))


def _line(content: Sequence[tree.Inline], target: etree._Element) -> None:
    for inline in content:
        match inline:
            case tree.Text(text):
                _append_text(target, _safe(text))
            case tree.Phrase("q" | "del" as kind, inner):
                _line(inner, _add(target, kind))
            case tree.Phrase("cite", inner):
                _line(inner, _add(target, "title"))
            case tree.Phrase(kind, inner):
                _line(inner, _add(target, "hi", rend=f"#{RENDERINGS.get(kind, kind)}"))
            case tree.CodeSpan(text):
                _add(target, "code").text = _safe(text)
            case tree.Hyperlink(url, inner):
                _line(inner, _add(target, "ref", target=_safe(url)))
            case tree.Image(url, alt):
                picture = _add(target, "graphic", url=_safe(url))
                if alt:
                    _add(picture, "desc").text = _safe(alt)
            case tree.Formula(tex):
                _add(target, "formula", notation="TeX").text = _safe(tex)
            case tree.LineBreak():
                _add(target, "lb")
            case tree.NoteMark(label):
                _add(target, "ref", type="note", n=label).text = label


def _append_text(target: etree._Element, text: str) -> None:
    # Only the last child is accessed: a target may have as many children as the page has nodes.
    last = next(target.iterchildren(reversed=True), None)
    if last is None:
        target.text = (target.text or "") + text
    else:
        last.tail = (last.tail or "") + text
