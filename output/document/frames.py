"""Open elements of a page while its document is built, and their conversion to blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, groupby
from math import inf
from typing import Any

from ...patterns import lazy_re
from . import document as tree
from .document import inline_text, is_picture
from .inlines import Piece, TextLine, inline_tree, is_unseen, paragraph_lines
from .nodes import Nodes
from .picture_addresses import bare_address
from .tables import RawCell, RawTable, make_table

Part = tree.Block | tree.Item | tree.Term | tree.Definition | tree.Note
"""Result of closing an element: a block, or a part of the block of an enclosing element."""

LINES = frozenset(("heading", "term", "caption"))
"""Kinds of frames that hold one line of inlines."""

# The width in the name of a picture that WordPress scaled, such as `bay-300x200.jpg`.
SIZED = lazy_re(r"-(\d{2,4})x\d{2,4}(?=\.\w{3,4}$)")

MAX_LABEL = 60
"""Maximum number of characters of the label of an aside."""

SENTENCE_ENDS = tuple(".,;…。、")

# A letter after a quotation mark.
INITIAL = lazy_re(r"\s*[\"'“‘„«‹¿¡]?[^\W\d_]")
TYPES = frozenset(("em", "strong"))
LETTER = lazy_re(r"[^\W\d_]")
# What remains of a note's label after its back link is removed.
LABEL = lazy_re(r"(?:\s|\^|↑|\[\s*\]|\(\s*\)|[.)](?=\s))+")
# A bullet or a box that is typed before the text of an item. Several in a row, as in "●●○", are a
# rating.
BULLET = lazy_re(r"[•·●▪■◦‣∙▢](?!\s*[•·●○▪■□◦‣∙▢])\s*")
# Bullets that make a line of a paragraph an item. Others also mark headings and separate words.
LINE_BULLET = lazy_re(rf"(?=[•▪◦‣∙]){BULLET.pattern}(?=\S)")


@dataclass(slots=True)
class Frame:
    """An open element, of one of `LINES` or of another kind such as ``"root"`` or ``"quote"``.

    It ends before the node `end`. `parts` are those of elements that were closed inside it, and
    `pieces` those of the current line, which is in a text block.
    """

    kind: str
    node: int
    end: int
    source: tree.Span = (-1, -1)
    parts: list[Part] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    block: int = -1
    level: int = 0
    label: str = ""
    start: int | None = None
    done: bool | None = None
    caption: Sequence[tree.Inline] = ()
    is_captioned_above: bool = False
    cell: RawCell | None = None
    table: RawTable | None = None

    def flush(self) -> None:
        """End the current line, which becomes a paragraph."""
        if self.pieces:
            source = (self.block, self.block)
            for content in paragraph_lines(_with_plain_initial(self.pieces)):
                self.parts += _with_items(tree.Paragraph(content, source))
            self.pieces = []
        self.block = -1

    def is_blank(self) -> bool:
        """Whether the current line holds only white space."""
        leaves = [piece.leaf for piece in self.pieces]
        return all(isinstance(leaf, str) and not leaf.strip() for leaf in leaves)


def _with_plain_initial(pieces: list[Piece]) -> list[Piece]:
    """The pieces of a line without the type of a large initial, which is part of a word."""
    if len(pieces) < 2 or not pieces[0].formats:
        return pieces
    match pieces[:2]:
        case [Piece(formats, str(initial)), Piece(after, str(word))] if formats != after:
            is_initial = INITIAL.fullmatch(initial) and initial[-1].isupper()
            # Letters of several words that are in bold spell an acronym.
            is_only = not any(each.formats == formats for each in pieces[2:])
            is_type = is_initial and is_only and all(each.kind in TYPES for each in formats)
            if is_type and (word[:1].islower() or word[:1].isupper()):
                return [Piece(after, initial), *pieces[1:]]
    return pieces


def _with_items(paragraph: tree.Paragraph) -> Iterator[Part]:
    """A paragraph, or its lines if some begin with a typed bullet, which makes them items."""
    lines = _split(paragraph.content)
    if not any(map(_has_bullet, lines)):
        yield paragraph
        return
    for has_bullet, run in groupby(lines, _has_bullet):
        if has_bullet:
            for line in run:
                yield tree.Item(_without_start(BULLET, (replace(paragraph, content=line),)))
        else:
            content = [inline for line in run for inline in (tree.LineBreak(), *line)]
            yield replace(paragraph, content=tuple(content[1:]))


def _split(content: Sequence[tree.Inline]) -> list[Sequence[tree.Inline]]:
    """The lines of a paragraph."""
    if isinstance(content, TextLine):
        return [content]
    runs = groupby(content, lambda inline: isinstance(inline, tree.LineBreak))
    return [tuple(run) for is_break, run in runs if not is_break]


def _has_bullet(line: Sequence[tree.Inline]) -> bool:
    text = line.text if isinstance(line, TextLine) else inline_text(line)
    return LINE_BULLET.match(text) is not None and isinstance(line[0], tree.Text)


def close_frame(frame: Frame, nodes: Nodes) -> list[Part]:
    """The parts that result from closing an element."""
    if frame.kind in LINES:
        return _line(frame)
    frame.flush()
    blocks = group_parts(frame.parts)
    match frame.kind:
        case "quote":
            return [tree.Quote(blocks)] if blocks else []
        case "aside":
            return [tree.Quote(_with_label(blocks))] if blocks else []
        case "item":
            return [tree.Item(blocks, frame.done)] if blocks or frame.done is not None else []
        case "definition":
            return [tree.Definition(blocks)] if blocks else []
        case "note":
            return [tree.Note(frame.label, _without_start(LABEL, blocks))]
        case "list":
            return _list(frame)
        case "table":
            return _table(frame, blocks, nodes)
        case "figure":
            return _figure(frame, blocks)
        case _:
            return list(frame.parts)


def _with_label(blocks: tuple[tree.Block, ...]) -> tuple[tree.Block, ...]:
    """The blocks of an aside, whose first line is strong if it is a label, such as "Warning"."""
    match blocks:
        case (tree.Paragraph(content, source) | tree.Heading(_, content, source), _, *_):
            text = content.text if isinstance(content, TextLine) else inline_text(content)
            if len(text) > MAX_LABEL or text.endswith(SENTENCE_ENDS):
                return blocks
            plain = _without_strong(tuple(content))
            return (tree.Paragraph((tree.Phrase("strong", plain),), source), *blocks[1:])
        case _:
            return blocks


def _line(frame: Frame) -> list[Part]:
    if is_unseen(frame.pieces):
        return []
    content = inline_tree(frame.pieces)
    if frame.kind == "heading" and inline_text(content).strip():
        return [tree.Heading(frame.level, _without_strong(content), frame.source)]
    if frame.kind == "term":
        return [] if LABEL.fullmatch(inline_text(content)) else [tree.Term(content, frame.source)]
    return [tree.Paragraph(content, frame.source)]


def _without_strong(content: tuple[tree.Inline, ...]) -> tuple[tree.Inline, ...]:
    """The content of a heading, which is strong anyway, without strong type of all its letters."""
    if not all(map(_is_strong, content)):
        return content
    return tuple(part for each in content for part in _weaken(each))


def _is_strong(inline: tree.Inline) -> bool:
    """Whether all letters of an inline are strong; numbers and colons are often left out."""
    match inline:
        case tree.Phrase("strong"):
            return True
        case tree.Phrase(_, inner) | tree.Hyperlink(_, inner):
            return all(map(_is_strong, inner))
        case _:
            return LETTER.search(inline_text((inline,))) is None


def _weaken(inline: tree.Inline) -> Sequence[tree.Inline]:
    match inline:
        case tree.Phrase("strong", inner):
            return inner
        case tree.Phrase(kind, inner):
            return (tree.Phrase(kind, _without_strong(tuple(inner))),)
        case tree.Hyperlink(url, inner):
            return (tree.Hyperlink(url, _without_strong(tuple(inner))),)
        case _:
            return (inline,)


def _without_start(
    pattern: re.Pattern[str], blocks: tuple[tree.Block, ...]
) -> tuple[tree.Block, ...]:
    """Blocks without the text at their beginning that matches a pattern, and breaks after it."""
    if not blocks or not isinstance(blocks[0], tree.Paragraph):
        return blocks
    first = blocks[0]
    leading = first.content[0]
    if not isinstance(leading, tree.Text) or not (match := pattern.match(leading.text)):
        return blocks
    rest = leading.text[match.end() :]
    following = first.content[1:]
    if not rest:
        following = tuple(dropwhile(lambda each: isinstance(each, tree.LineBreak), following))
    content = (*((tree.Text(rest),) if rest else ()), *following)
    return ((replace(first, content=content),) if content else ()) + blocks[1:]


def _list(frame: Frame) -> list[Part]:
    """A list. A list between items joins the item before it; other content becomes an item."""
    items: list[tree.Item] = []
    notes: list[Part] = []
    for kind, run in groupby(frame.parts, type):
        if kind is tree.ItemList:
            before = items.pop() if items else tree.Item(())
            items.append(replace(before, content=(*before.content, *group_parts(list(run)))))
            continue
        for part in run:
            if isinstance(part, tree.Item):
                match part:
                    case tree.Item((tree.ItemList(inner),), None):  # all there is in the item
                        items += inner
                    case _:
                        items.append(part)
            elif isinstance(part, tree.Note | tree.Notes):
                notes.append(part)
            else:
                items.append(tree.Item(group_parts([part])))
    if frame.start is None:
        items = [_without_bullet(item) for item in items]
        if _is_layout(items):
            return [block for item in items for block in item.content] + notes
    return ([tree.ItemList(tuple(items), frame.start)] if items else []) + notes


def _without_bullet(item: tree.Item) -> tree.Item:
    match item.content:
        # The inlines of a line of text are not built just to be compared.
        case (tree.Paragraph(TextLine(text=text)), *_) if not BULLET.match(text):
            return item
        case _:
            content = _without_start(BULLET, item.content)
    return replace(item, content=content) if content and content != item.content else item


def _is_layout(items: Sequence[tree.Item]) -> bool:
    """Whether a list is a section with a heading, or a row of pictures."""
    match items:
        case (tree.Item((tree.Heading(), *_), None),):
            return True
        case _:
            return all(item.done is None and all(map(_is_shown, item.content)) for item in items)


def _is_shown(block: tree.Block) -> bool:
    """Whether a block is nothing but pictures."""
    match block:
        # Lines of text, which are no tuples, would be built to be compared.
        case tree.Figure(content, ()):
            return all(map(_is_shown, content))
        case tree.Paragraph(tuple(content)):
            return is_picture(content)
        case _:
            return False


def _table(frame: Frame, around: tuple[tree.Block, ...], nodes: Nodes) -> list[Part]:
    """A data table after the content outside of its cells, or the blocks of a layout table."""
    raw = frame.table
    assert raw is not None
    raw.caption = frame.caption
    raw.rows += raw.foot
    if table := make_table(nodes, raw):
        return [*around, table]
    caption = [tree.Paragraph(frame.caption, frame.source)] if frame.caption else []
    inside = [block for row in raw.rows for cell in row for block in cell.content]
    return [*around, *caption, *inside]


def _figure(frame: Frame, blocks: tuple[tree.Block, ...]) -> list[Part]:
    if frame.caption:
        return [tree.Figure(blocks, frame.caption, frame.source, frame.is_captioned_above)]
    match blocks:
        case (tree.Paragraph(content),) if is_picture(content):
            return [tree.Figure(blocks, (), frame.source)]
        case _:
            return list(blocks)


def group_parts(parts: Sequence[Part]) -> tuple[tree.Block, ...]:
    """Blocks, with consecutive items, definitions and notes combined into one block each."""
    blocks: list[tree.Block] = []
    for kind, run in groupby(parts, lambda part: WHOLES.get(type(part))):
        members: Any = tuple(run)
        if kind is tree.Notes:
            if blocks and isinstance(blocks[-1], tree.Rule):
                blocks.pop()
            notes = (note for each in members for note in getattr(each, "notes", (each,)))
            blocks.append(tree.Notes(tuple(notes)))
        elif kind is None:
            blocks += members
        else:
            blocks.append(kind(members))
    return tuple(blocks)


def without_repeats(blocks: Sequence[tree.Block]) -> tuple[tree.Block, ...]:
    """The blocks of a document without rules at its ends or in a row, and each picture once.

    What rules separated may have been left out, and pictures recur as enlargements or thumbnails.
    """
    shown: list[tree.Block] = []
    widths: dict[tuple[str, str], float] = {}
    for block in blocks:
        if isinstance(block, tree.Rule) and (not shown or isinstance(shown[-1], tree.Rule)):
            continue
        if picture := _picture(block):
            address, link = picture
            sized = SIZED.search(address)
            key, width = (SIZED.sub("", address), link), float(sized[1]) if sized else inf
            if width <= widths.get(key, 0):
                continue
            widths[key] = width
        shown.append(block)
    return tuple(shown[:-1] if shown and isinstance(shown[-1], tree.Rule) else shown)


def _picture(block: tree.Block) -> tuple[str, str] | None:
    """Addresses of a block that is one picture without a caption, and of its link."""
    match block:
        # Lines of text, which are no tuples, would be built to be compared.
        case tree.Figure((tree.Paragraph(tuple(content)),), ()) | tree.Paragraph(tuple(content)):
            match content:
                case (tree.Image(url),):
                    return bare_address(url), ""
                case (tree.Hyperlink(link, (tree.Image(url),)),):
                    return bare_address(url), link
                case _:
                    return None
        case _:
            return None


WHOLES: dict[type, type] = {
    tree.Item: tree.ItemList, tree.Term: tree.DefinitionList, tree.Note: tree.Notes,
    tree.Definition: tree.DefinitionList, tree.Notes: tree.Notes,
}  # fmt: skip
"""The block that consecutive parts of these classes form."""
