"""Write a document as plain text, with the markers of lists and the rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...patterns import lazy_re
from ..document import document as tree
from ..document.inlines import TextLine

SHIFTED = {
    kind: (str.maketrans(plain, shifted), set(plain))
    for kind, plain, shifted in (
        ("sup", "0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ"),
        ("sub", "0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
    )
}
"""Digits and signs as superscript or subscript characters."""

WRITTEN_APART = frozenset(("q", "sub", "sup"))
"""Kinds of phrases that are not written as the plain text of their inlines."""

Source = tuple[int, tree.Span]
"""Position of a part in its text, and the text blocks that the part comes from."""

INDENT = "  "
BETWEEN_CELLS = " | "
SPACES = lazy_re(" {2,}")


class TextUnit(NamedTuple):
    """A paragraph, heading, list item or table row of a text.

    `before`: Text between this unit and the one before it, such as line breaks and a list marker.
    `level`: Level of a heading, 1 to 6; 0 for other units. `sources`: Where in `text` each part of
    the unit begins, with the text blocks that it comes from.
    """

    before: str
    text: str
    level: int
    sources: tuple[Source, ...]


def to_text(document: tree.Document) -> str:
    """Write a document as text, with an empty line between blocks."""
    return "".join(part for unit in text_units(document) for part in (unit.before, unit.text))


def text_units(document: tree.Document) -> tuple[TextUnit, ...]:
    """Divide the text of a document into consecutive units."""
    units = [unit for unit in _blocks(document.content, "", "\n\n") if unit.text]
    # Nothing is before the first unit but the marker of its list.
    return tuple(
        unit if place else unit._replace(before=unit.before.lstrip("\n"))
        for place, unit in enumerate(units)
    )


def _blocks(content: tuple[tree.Block, ...], margin: str, gap: str) -> Iterator[TextUnit]:
    """Units of blocks, each with the text before it; `margin` begins all lines but the first."""
    for block in content:
        yield from _block(block, margin, gap)


def _block(block: tree.Block, margin: str, gap: str) -> Iterator[TextUnit]:
    lead = gap + margin
    match block:
        case tree.Heading(level, content, source):
            yield TextUnit(lead, _indent(line_text(content), margin), level, ((0, source),))
        case tree.Paragraph(content, source):
            yield TextUnit(lead, _indent(line_text(content), margin), 0, ((0, source),))
        case tree.CodeBlock(text, _, source):
            yield TextUnit(lead, _indent(text, margin), 0, ((0, source),))
        case tree.Quote(content):
            yield from _blocks(content, margin, gap)
        case tree.ItemList():
            yield from _items(block, margin, gap)
        case tree.DefinitionList(entries):
            for entry in entries:
                if isinstance(entry, tree.Term):
                    text = _indent(line_text(entry.content), margin)
                    yield TextUnit(lead, text, 0, ((0, entry.source),))
                else:
                    yield from _blocks(entry.content, margin + INDENT, "\n")
                lead = "\n" + margin
        case tree.Table():
            if block.caption:
                yield TextUnit(lead, _indent(line_text(block.caption), margin), 0, ())
            for text, sources in _rows(block):
                yield TextUnit(lead, text, 0, sources)
                lead = "\n" + margin
        case tree.Figure():
            yield from _blocks(block.parts(), margin, gap)
        case tree.Notes(notes):
            for note in notes:
                yield from _with_mark(f"[{note.label}] ", note.content, margin, gap)
                gap = "\n"
        case tree.Rule() | tree.Embed():
            pass


def _items(block: tree.ItemList, margin: str, gap: str) -> Iterator[TextUnit]:
    for number, item in enumerate(block.items, block.start or 0):
        mark = "- " if block.start is None else f"{number}. "
        mark += "" if item.done is None else "[x] " if item.done else "[ ] "
        yield from _with_mark(mark, item.content, margin, gap)
        gap = "\n"


def _with_mark(
    mark: str, content: tuple[tree.Block, ...], margin: str, gap: str
) -> Iterator[TextUnit]:
    """Units of blocks after a marker; blocks after the first are indented below it."""
    lead = gap + margin + mark
    for unit in _blocks(content, margin + INDENT, "\n"):
        yield unit._replace(before=lead or unit.before)
        # Units without text, such as pictures, are left out.
        lead = "" if unit.text else lead


def _rows(table: tree.Table) -> Iterator[tuple[str, tuple[Source, ...]]]:
    for row in table.rows:
        written = [""] * (row[-1].column + 1 if row else 0)
        sources: list[Source] = []
        column = begin = 0
        for cell in row:
            # Every column before this one is followed by a separator.
            begin += (cell.column - column) * len(BETWEEN_CELLS)
            column = cell.column
            text, inner = _cell_text(cell.content)
            sources += [(begin + place, span) for place, span in inner]
            written[column] = text
            begin += len(text)
        if any(written):
            yield BETWEEN_CELLS.join(written), tuple(sources)


def _cell_text(content: tuple[tree.Block, ...]) -> tuple[str, list[Source]]:
    """The text of a cell on a single line, with the sources of its parts."""
    words: list[str] = []
    sources: list[Source] = []
    begin = 0
    for before, text, _, inner in _blocks(content, "", " "):
        if not text:
            continue
        places = [0, *(place for place, _ in inner), len(text)]
        parts = [text[first:last] for first, last in pairwise(places)]
        parts[0] = before + parts[0]
        for part, source in zip(parts, (None, *inner), strict=True):
            if source is not None:
                sources.append((begin, source[1]))
            if line := " ".join(part.split()):
                words.append(line)
                begin += len(line) + 1
    return " ".join(words), sources


def _indent(text: str, margin: str) -> str:
    return text.replace("\n", f"\n{margin}") if margin else text


def line_text(content: Sequence[tree.Inline]) -> str:
    """Inlines as text, with a single space where a picture stood between two texts."""
    if isinstance(content, TextLine) and not content.has_format(WRITTEN_APART):
        return content.text
    text = _join_inlines(content)
    if not any(isinstance(each, tree.Image | tree.Hyperlink) for each in content):
        return text
    return SPACES.sub(" ", text).strip()


def _join_inlines(content: Sequence[tree.Inline]) -> str:
    parts: list[str] = []
    for inline in content:
        match inline:
            case tree.Text(text) | tree.CodeSpan(text):
                parts.append(text)
            case tree.Phrase("sup" | "sub" as kind, inner):
                table, characters = SHIFTED[kind]
                text = _join_inlines(inner)
                parts.append(text.translate(table) if characters.issuperset(text) else text)
            case tree.Phrase("q", inner):
                parts.append(f"“{_join_inlines(inner)}”")
            case tree.Phrase(_, inner) | tree.Hyperlink(_, inner):
                parts.append(_join_inlines(inner))
            case tree.Formula(tex, True):
                parts.append(f"$${tex}$$")
            case tree.Formula(tex):
                parts.append(f"${tex}$")
            case tree.LineBreak():
                parts.append("\n")
            case tree.NoteMark(label):
                parts.append(f"[{label}]")
            case tree.Image():
                pass
    return "".join(parts)
