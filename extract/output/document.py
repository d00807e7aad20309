"""`Document`: the article as a tree of blocks and inlines, from which every format is written.

Content models are those of CommonMark: a paragraph holds inlines alone, a list items, an item
blocks. So each writer is one function a class, and what it writes is well formed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = [
    "Block",
    "Cell",
    "CodeBlock",
    "CodeSpan",
    "Definition",
    "DefinitionList",
    "Document",
    "Embed",
    "Figure",
    "Formula",
    "Heading",
    "Hyperlink",
    "Image",
    "Inline",
    "Item",
    "ItemList",
    "LineBreak",
    "Link",
    "Note",
    "NoteMark",
    "Notes",
    "Paragraph",
    "Phrase",
    "Quote",
    "Rule",
    "Span",
    "Table",
    "Term",
    "Text",
    "inline_text",
    "links_of",
]

Span = tuple[int, int]
"""Numbers of the first and of the last text block of the body in an element; -1 for none."""

NOWHERE: Span = (-1, -1)


@dataclass(frozen=True, slots=True)
class Text:
    """A run of text, white space collapsed."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text of one kind: the name of an HTML element such as ``"em"`` or ``"sub"``."""

    kind: str
    content: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Code within a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """A link to an absolute http, https or mailto address."""

    url: str
    content: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture at an absolute http or https address."""

    url: str
    alt: str


@dataclass(frozen=True, slots=True)
class Formula:
    """Mathematics as TeX, in a line or displayed."""

    tex: str
    display: bool = False


@dataclass(frozen=True, slots=True)
class LineBreak:
    """The end of a line within a paragraph."""


@dataclass(frozen=True, slots=True)
class NoteMark:
    """A reference to the note of this label."""

    label: str


Inline = Text | Phrase | CodeSpan | Hyperlink | Image | Formula | LineBreak | NoteMark


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    content: tuple[Inline, ...]
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    content: tuple[Inline, ...]
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list; `done` is the state of a task, None where it is none."""

    content: tuple[Block, ...]
    done: bool | None = None


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list, numbered from `start`, or with bullets where that is None."""

    items: tuple[Item, ...]
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A term that the definitions after it define."""

    content: tuple[Inline, ...]
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition of the terms before it."""

    content: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class DefinitionList:
    """Terms and definitions, in the page's order."""

    entries: tuple[Term | Definition, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation of its own lines."""

    content: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Preformatted text, with the name of its language or the empty string."""

    text: str
    language: str = ""
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table; `column` is the first that it covers."""

    content: tuple[Block, ...]
    column: int
    rowspan: int = 1
    colspan: int = 1
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of data.

    Attributes
    ----------
    rows
        For each row the cells that begin in it, by column.
    columns
        Number of columns.
    header_rows
        Number of rows at the top that are headers.
    alignments
        For each column ``"left"``, ``"right"``, ``"center"`` or the empty string.
    caption
        Empty where there is none.
    """

    rows: tuple[tuple[Cell, ...], ...]
    columns: int
    header_rows: int = 0
    alignments: tuple[str, ...] = ()
    caption: tuple[Inline, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures, code or a table with a caption."""

    content: tuple[Block, ...]
    caption: tuple[Inline, ...]
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote that a `NoteMark` of the same label refers to."""

    label: str
    content: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Footnotes that follow each other."""

    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""


@dataclass(frozen=True, slots=True)
class Embed:
    """A video, a recording or a post of another site, by the address where it is shown."""

    url: str
    title: str


Block = (
    Heading
    | Paragraph
    | ItemList
    | DefinitionList
    | Quote
    | CodeBlock
    | Table
    | Figure
    | Notes
    | Rule
    | Embed
)


@dataclass(frozen=True)
class Link:
    """A link of the body: what it says, and where it leads."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Document:
    """An article: its blocks in document order."""

    content: tuple[Block, ...]


def links_of(content: Sequence[Block]) -> Iterator[Link]:
    """Links and embeds of blocks, in document order."""
    for part in _inlines_and_embeds(content):
        if isinstance(part, Hyperlink):
            yield Link(" ".join(inline_text(part.content).split()), part.url)
        elif isinstance(part, Embed):
            yield Link(part.title, part.url)


def images_of(content: Sequence[Block]) -> Iterator[Image]:
    """Pictures of blocks, in document order."""
    return (part for part in _inlines_and_embeds(content) if isinstance(part, Image))


def _inlines_and_embeds(
    content: Sequence[Block | Item | Term | Definition | Note],
) -> Iterator[Inline | Embed]:
    for block in content:
        match block:
            case Heading(_, line) | Paragraph(line) | Term(line):
                yield from _inlines(line)
            case ItemList(inner) | DefinitionList(inner) | Notes(inner):
                yield from _inlines_and_embeds(inner)
            case Item(inner) | Definition(inner) | Quote(inner) | Note(_, inner):
                yield from _inlines_and_embeds(inner)
            case Table(rows):
                yield from _inlines(block.caption)
                for row in rows:
                    for cell in row:
                        yield from _inlines_and_embeds(cell.content)
            case Figure(inner, caption):
                yield from _inlines_and_embeds(inner)
                yield from _inlines(caption)
            case Embed():
                yield block
            case CodeBlock() | Rule():
                pass


def _inlines(content: tuple[Inline, ...]) -> Iterator[Inline]:
    for inline in content:
        yield inline
        if isinstance(inline, Hyperlink | Phrase):
            yield from _inlines(inline.content)


def inline_text(content: tuple[Inline, ...]) -> str:
    """The characters of inlines, without any mark of what they are."""
    parts: list[str] = []
    for inline in content:
        match inline:
            case Text(text) | CodeSpan(text):
                parts.append(text)
            case Phrase(_, inner) | Hyperlink(_, inner):
                parts.append(inline_text(inner))
            case Formula(tex):
                parts.append(tex)
            case LineBreak():
                parts.append(" ")
            case NoteMark(label):
                parts.append(label)
            case Image():
                pass
    return "".join(parts)
