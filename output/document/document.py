"""`Document`: the article as a tree of blocks and inlines, from which every format is written.

The content model is that of CommonMark: a paragraph holds only inlines, a list holds items, and an
item holds blocks. Each writer therefore needs one case per class, and its output is well formed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
"""Numbers of the first and the last text block of the body in an element; -1 for none."""

NOWHERE: Span = (-1, -1)


@dataclass(frozen=True, slots=True)
class Text:
    """A run of text with white space collapsed."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Inlines of one kind, which is the name of an HTML element such as ``"em"`` or ``"sub"``."""

    kind: str
    content: Sequence[Inline]


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Code within a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """A link to an absolute http, https or mailto address."""

    url: str
    content: Sequence[Inline]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture at an absolute http or https address."""

    url: str
    alt: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as TeX, inline or displayed."""

    tex: str
    display: bool = False


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A line break within a paragraph."""


@dataclass(frozen=True, slots=True)
class NoteMark:
    """A reference to the note with this label."""

    label: str


Inline = Text | Phrase | CodeSpan | Hyperlink | Image | Formula | LineBreak | NoteMark


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    content: Sequence[Inline]
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    content: Sequence[Inline]
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list; `done` is the state of a task, None for an item that is not a task."""

    content: tuple[Block, ...]
    done: bool | None = None


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list, numbered from `start`, or bulleted if `start` is None."""

    items: tuple[Item, ...]
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A term that the definitions after it define."""

    content: Sequence[Inline]
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
    """A block quotation."""

    content: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Preformatted text, with the name of its language or the empty string."""

    text: str
    language: str = ""
    source: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table; `column` is the first column that it covers."""

    content: tuple[Block, ...]
    column: int
    rowspan: int = 1
    colspan: int = 1
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of data: for each row, the cells that begin in it.

    The first rows are headers. The alignments of columns are ``"left"``, ``"right"``, ``"center"``
    or empty strings.
    """

    rows: tuple[tuple[Cell, ...], ...]
    columns: int
    header_rows: int = 0
    alignments: tuple[str, ...] = ()
    caption: Sequence[Inline] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures, code or a table with a caption, which stands below unless `is_captioned_above`."""

    content: tuple[Block, ...]
    caption: Sequence[Inline]
    source: Span = NOWHERE
    is_captioned_above: bool = False

    def parts(self) -> tuple[Block, ...]:
        """Content, and the caption as a paragraph, in the page's order."""
        caption = (Paragraph(self.caption, self.source),) if self.caption else ()
        return (*caption, *self.content) if self.is_captioned_above else (*self.content, *caption)


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote that a `NoteMark` of the same label refers to."""

    label: str
    content: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Consecutive footnotes."""

    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""


@dataclass(frozen=True, slots=True)
class Embed:
    """A video, recording or post of another site, with the address that shows it."""

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


@dataclass(frozen=True, slots=True)
class Document:
    """An article: its blocks in document order."""

    content: tuple[Block, ...]


# Links, pictures and characters of a document.


@dataclass(frozen=True)
class Link:
    """A link of the body: its text and its target."""

    text: str
    url: str


def links_of(document: Document) -> Iterator[Link]:
    """Links and embeds, in document order."""
    for part in _parts(document):
        if isinstance(part, Hyperlink):
            yield Link(" ".join(inline_text(part.content).split()), part.url)
        elif isinstance(part, Embed):
            yield Link(part.title, part.url)


def images_of(document: Document) -> Iterator[Image]:
    """Pictures, in document order."""
    return (part for part in _parts(document) if isinstance(part, Image))


def _parts(part: object) -> Iterator[object]:
    """A part of a document and all its descendants."""
    if isinstance(part, Sequence) and not isinstance(part, str):
        for inner in part:
            yield from _parts(inner)
    elif isinstance(part, Figure):
        yield from _parts(part.parts())
    elif isinstance(part, Table):
        # The caption of a table stands above it.
        yield from _parts((part.caption, part.rows))
    elif names := getattr(part, "__slots__", ()):
        yield part
        for name in names:
            yield from _parts(getattr(part, name))


def is_picture(content: Sequence[Inline]) -> bool:
    """Whether inlines are nothing but pictures, which may be linked."""
    return all(
        isinstance(each, Image) or (isinstance(each, Hyperlink) and is_picture(each.content))
        for each in content
    )


def inline_text(content: Sequence[Inline]) -> str:
    """The characters of inlines, without their formatting."""
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
