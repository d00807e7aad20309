"""Write a document as HTML: a short list of elements, all text escaped, addresses of three schemes.

No markup of the page is copied, so the output needs no sanitising.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...patterns import lazy_re
from ..document import document as tree
from ..document.document import is_picture

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

# Characters that are not allowed in HTML, and on which parsers differ.
UNFIT = lazy_re("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
LINE_END = lazy_re("\r\n?")


def to_html(document: tree.Document) -> str:
    """Write a document as HTML, without an enclosing element."""
    parts: list[str] = []
    _blocks(document.content, parts)
    return "".join(parts)


def escape(text: str) -> str:
    """Escape a text so that HTML reads it literally, in an element or in an attribute."""
    return UNFIT.sub("\ufffd", LINE_END.sub("\n", text)).translate(ESCAPES)


def _blocks(content: tuple[tree.Block, ...], parts: list[str]) -> None:
    for block in content:
        _block(block, parts)


def _element(name: str, content: Sequence[tree.Inline], parts: list[str]) -> None:
    parts.append(f"<{name}>")
    _line(content, parts)
    parts.append(f"</{name}>")


def _block(block: tree.Block, parts: list[str]) -> None:
    match block:
        case tree.Heading(level, content):
            _element(f"h{level}", content, parts)
        case tree.Paragraph(content):
            _element("p", content, parts)
        case tree.ItemList():
            _items(block, parts)
        case tree.DefinitionList(entries):
            parts.append("<dl>")
            for entry in entries:
                if isinstance(entry, tree.Term):
                    _element("dt", entry.content, parts)
                else:
                    _flow("dd", entry.content, parts)
            parts.append("</dl>")
        case tree.Quote(content):
            parts.append("<blockquote>")
            _blocks(content, parts)
            parts.append("</blockquote>")
        case tree.CodeBlock(text, language):
            named = f' class="language-{escape(language)}"' if language else ""
            parts.append(f"<pre><code{named}>{escape(text)}</code></pre>")
        case tree.Table():
            _table(block, parts)
        case tree.Figure():
            _figure(block, parts)
        case tree.Notes(notes):
            parts.append('<section class="footnotes"><ol>')
            for note in notes:
                parts.append(f'<li id="fn-{escape(note.label)}">')
                _blocks(note.content, parts)
                parts.append("</li>")
            parts.append("</ol></section>")
        case tree.Embed(url, title):
            parts.append('<p class="embed">')
            _line((tree.Hyperlink(url, (tree.Text(title),)),), parts)
            parts.append("</p>")
        case tree.Rule():
            parts.append("<hr>")


def _figure(figure: tree.Figure, parts: list[str]) -> None:
    parts.append("<figure>")
    if figure.caption and figure.is_captioned_above:
        _element("figcaption", figure.caption, parts)
    for inner in figure.content:
        if isinstance(inner, tree.Paragraph) and is_picture(inner.content):
            _line(inner.content, parts)
        else:
            _block(inner, parts)
    if figure.caption and not figure.is_captioned_above:
        _element("figcaption", figure.caption, parts)
    parts.append("</figure>")


def _items(block: tree.ItemList, parts: list[str]) -> None:
    name = "ul" if block.start is None else "ol"
    start = f' start="{block.start}"' if block.start not in (None, 1) else ""
    parts.append(f"<{name}{start}>")
    for item in block.items:
        box = ""
        if item.done is not None:
            box = f'<input type="checkbox"{" checked" if item.done else ""} disabled> '
        _flow("li", item.content, parts, box)
    parts.append(f"</{name}>")


def _flow(
    name: str,
    content: tuple[tree.Block, ...],
    parts: list[str],
    first: str = "",
    attributes: str = "",
) -> None:
    """An element that holds blocks; its first paragraph has no ``p`` if only lists follow."""
    parts.append(f"<{name}{attributes}>{first}")
    rest = content
    lists_follow = all(isinstance(block, tree.ItemList) for block in content[1:])
    if content and isinstance(content[0], tree.Paragraph) and lists_follow:
        _line(content[0].content, parts)
        rest = content[1:]
    _blocks(rest, parts)
    parts.append(f"</{name}>")


def _table(table: tree.Table, parts: list[str]) -> None:
    parts.append("<table>")
    if table.caption:
        _element("caption", table.caption, parts)
    for name, rows in (
        ("thead", table.rows[: table.header_rows]),
        ("tbody", table.rows[table.header_rows :]),
    ):
        if rows:
            parts.append(f"<{name}>")
            for row in rows:
                parts.append("<tr>")
                for cell in row:
                    aligned = table.alignments[cell.column] if table.alignments else ""
                    attributes = f' colspan="{cell.colspan}"' if cell.colspan > 1 else ""
                    attributes += f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else ""
                    attributes += f' align="{aligned}"' if aligned else ""
                    tag = "th" if cell.is_header else "td"
                    _flow(tag, cell.content, parts, attributes=attributes)
                parts.append("</tr>")
            parts.append(f"</{name}>")
    parts.append("</table>")


def _line(content: Sequence[tree.Inline], parts: list[str]) -> None:
    for inline in content:
        match inline:
            case tree.Text(text):
                parts.append(escape(text))
            case tree.Phrase(kind, inner):
                _element(kind, inner, parts)
            case tree.CodeSpan(text):
                parts.append(f"<code>{escape(text)}</code>")
            case tree.Hyperlink(url, inner):
                parts.append(f'<a href="{escape(url)}">')
                _line(inner, parts)
                parts.append("</a>")
            case tree.Image(url, alt):
                parts.append(f'<img src="{escape(url)}" alt="{escape(alt)}">')
            case tree.Formula(tex, True):
                parts.append(f'<span class="math display">\\[{escape(tex)}\\]</span>')
            case tree.Formula(tex):
                parts.append(f'<span class="math inline">\\({escape(tex)}\\)</span>')
            case tree.LineBreak():
                parts.append("<br>")
            case tree.NoteMark(label):
                parts.append(f'<sup><a href="#fn-{escape(label)}">{escape(label)}</a></sup>')
