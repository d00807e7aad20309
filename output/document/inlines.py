"""Convert a line of formatted pieces to a tree of inlines.

A page may nest its inline elements in any order and to any depth. Each piece carries the formats
that apply to it, each at most once. The tree is therefore no deeper than the number of formats,
neighbours of the same format are merged, and white space stands outside the formats of both sides.
Formats of more pieces stand outside those of fewer. A link stays inside the phrases that hold more
than the link.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile
from typing import overload

from ...features.words import collapse
from ...patterns import lazy_re
from .document import CodeSpan, Hyperlink, Image, Inline, LineBreak, Phrase, Text
from .picture_addresses import bare_address

PHRASES = {
    "em": "em", "i": "em", "strong": "strong", "b": "strong", "del": "del", "s": "del",
    "strike": "del", "ins": "ins", "mark": "mark", "cite": "cite", "q": "q", "abbr": "abbr",
    "var": "var", "kbd": "code", "samp": "code", "tt": "code", "code": "code", "sub": "sub",
    "sup": "sup",
}  # fmt: skip
"""Kinds of phrases, by the elements that they come from."""

LINK = "a"

UNSEEN = lazy_re("[\\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*")
"""Text without a visible character: page editors fill an empty paragraph with a joiner, which
within a text has a meaning in Persian and in emoji."""

# Ranks from the outermost to the innermost format: code can only hold characters.
ORDER = {kind: rank for rank, kind in enumerate(dict.fromkeys(PHRASES.values()))} | {"code": 99}


@dataclass(frozen=True, slots=True)
class Format:
    """A format of a piece: its kind and, for a link, its address and the node of its element."""

    kind: str
    url: str = ""
    node: int = -1


@dataclass(slots=True)
class Piece:
    """A leaf of a line with its formats: text as in the page, or an inline without text."""

    formats: tuple[Format, ...]
    leaf: Inline | str


class OpenFormats:
    """Formats of the open elements; `current` lists them from the outermost to the innermost."""

    def __init__(self) -> None:
        self.current: tuple[Format, ...] = ()
        self._ends: list[int] = []

    def open(self, form: Format, end: int) -> None:
        """Open a format that ends before the node `end`, unless one of its kind is open."""
        if all(each.kind != form.kind for each in self.current):
            self._ends.append(end)
            self.current = (*self.current, form)

    def close_until(self, node: int) -> None:
        """Close the formats that end at or before a node."""
        while self._ends and self._ends[-1] <= node:
            self._ends.pop()
            self.current = self.current[:-1]


def inline_tree(pieces: Sequence[Piece]) -> tuple[Inline, ...]:
    """The tree of a line's pieces; empty if there is only white space."""
    parts = [_group(_nest(each), 0) for each in _collapse(pieces)]
    return tuple(each for part in parts for each in (LineBreak(), *part))[1:]


def paragraph_lines(pieces: Sequence[Piece]) -> list[Sequence[Inline]]:
    """Paragraphs of pieces, split at two consecutive line breaks, as in pages without ``p``."""
    if all(isinstance(piece.leaf, str) for piece in pieces):
        line = TextLine(pieces)
        return [] if UNSEEN.fullmatch(line.text) else [line]
    return [_group(_nest(each), 0) for each in _collapse(pieces) if not is_unseen(each)]


class TextLine(Sequence[Inline]):
    """The inlines of a line that holds only text; the tree is built when it is first read.

    `text`: The text of all inlines.
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self.text = collapse("".join([str(piece.leaf) for piece in pieces]))

    def has_format(self, kinds: Container[str]) -> bool:
        """Whether a part of the line has a format of one of these kinds."""
        return any(form.kind in kinds for piece in self._pieces for form in piece.formats)

    @cached_property
    def _inlines(self) -> tuple[Inline, ...]:
        if not any(piece.formats for piece in self._pieces):
            return (Text(self.text),)
        return inline_tree(self._pieces)

    def __len__(self) -> int:
        return len(self._inlines)

    @overload
    def __getitem__(self, place: int) -> Inline: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Inline, ...]: ...
    def __getitem__(self, place: int | slice) -> Inline | tuple[Inline, ...]:
        return self._inlines[place]

    def __iter__(self) -> Iterator[Inline]:
        return iter(self._inlines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._inlines == tuple(other)

    def __hash__(self) -> int:
        return hash(self._inlines)


def _collapse(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Paragraphs of pieces, with white space collapsed, and removed at the ends of lines."""
    paragraph: list[Piece] = []
    paragraphs: list[list[Piece]] = []
    space = False
    breaks: list[Piece] = []
    for piece in pieces:
        text = piece.leaf
        if isinstance(text, str):
            inner = collapse(text)
            if not inner:
                space = space or bool(text)
                continue
            space, after = space or text[0].isspace(), text[-1].isspace()
            shown = piece if inner == text else Piece(piece.formats, inner)
            if UNSEEN.fullmatch(inner):
                shown = Piece((), inner)  # Emphasis needs a visible character.
        elif isinstance(text, LineBreak):
            breaks.append(piece)
            space = False
            continue
        else:
            shown, after = piece, False
        if paragraph and len(breaks) > 1:
            paragraphs.append(paragraph)
            paragraph = []
        elif paragraph and breaks:
            paragraph.append(Piece((), LineBreak()))
        elif paragraph and space:
            paragraph.append(Piece((), " "))
        paragraph.append(shown)
        space, breaks = after, []
    return [*paragraphs, paragraph] if paragraph else paragraphs


def is_unseen(pieces: Sequence[Piece]) -> bool:
    """Whether a line has no visible character and no other content."""
    leaves = [piece.leaf for piece in pieces if not isinstance(piece.leaf, LineBreak)]
    return all(isinstance(leaf, str) and UNSEEN.fullmatch(leaf) for leaf in leaves)


def _nest(paragraph: Sequence[Piece]) -> list[Piece]:
    """Sort the formats of each piece, those of the most pieces outside, and format the gaps.

    A gap is a space or a line break between pieces; it has the formats around both.
    """
    is_simple = all(len(piece.formats) < 2 for piece in paragraph)
    nested = list(paragraph) if is_simple else _longest_outside(paragraph)
    for place, piece in enumerate(nested):
        if _is_gap(piece):
            around = zip(nested[place - 1].formats, nested[place + 1].formats, strict=False)
            common = takewhile(lambda pair: pair[0] == pair[1], around)
            nested[place] = Piece(tuple([form for form, _ in common]), piece.leaf)
    return nested


def _longest_outside(paragraph: Sequence[Piece]) -> list[Piece]:
    # For each piece, the lengths of the runs of its formats; the pieces of a run share a counter.
    runs: list[dict[Format, list[int]]] = []
    for piece in paragraph:
        if not _is_gap(piece):
            before = runs[-1] if runs else {}
            runs.append({form: before.get(form) or [0] for form in piece.formats})
            for run in runs[-1].values():
                run[0] += 1
    counts = iter(runs)
    return [
        piece if _is_gap(piece) else Piece(_by_length(piece.formats, next(counts)), piece.leaf)
        for piece in paragraph
    ]


def _is_gap(piece: Piece) -> bool:
    return piece.leaf == " " or isinstance(piece.leaf, LineBreak)


def _by_length(formats: tuple[Format, ...], runs: dict[Format, list[int]]) -> tuple[Format, ...]:
    """Formats by the lengths of their runs; a link stays between those around it and in it."""
    if len(formats) < 2:
        return formats
    link = next((place for place, form in enumerate(formats) if form.kind == LINK), len(formats))

    def rank(place: int) -> tuple[int, int, int]:
        form = formats[place]
        level = 3 if form.kind == "code" else (place > link) - (place < link)
        return level, -runs[form][0], ORDER.get(form.kind, 0)

    return tuple(formats[place] for place in sorted(range(len(formats)), key=rank))


def _group(pieces: Sequence[Piece], level: int) -> tuple[Inline, ...]:
    inlines: list[Inline] = []

    def format_of(piece: Piece) -> Format | None:
        return piece.formats[level] if level < len(piece.formats) else None

    for form, run in groupby(pieces, format_of):
        if form is None:
            _append(inlines, run)
            continue
        inner = _group(list(run), level + 1)
        if form.kind == "code":
            # Code can only hold text.
            inlines += [CodeSpan(each.text) if isinstance(each, Text) else each for each in inner]
        elif form.kind == LINK:
            match inner:
                case (Image(shown, _),) if bare_address(shown) == bare_address(form.url):
                    inlines += inner  # the link leads to the same picture
                case _:
                    inlines.append(Hyperlink(form.url, inner))
        elif all(isinstance(each, Image) for each in inner):
            inlines += inner
        else:
            inlines.append(_phrase(form.kind, inner))
    return tuple(inlines)


def _phrase(kind: str, inner: Sequence[Inline]) -> Inline:
    """A phrase, nested as Markdown reads more delimiters: in a link, strong text in emphasis."""
    match inner:
        case (Hyperlink(url, content),):
            return Hyperlink(url, (_phrase(kind, content),))
        case (Phrase("em", content),) if kind == "strong":
            return Phrase("em", (Phrase("strong", content),))
        case _:
            return Phrase(kind, inner)


def _append(inlines: list[Inline], run: Iterable[Piece]) -> None:
    texts: list[str] = []
    for piece in run:
        if isinstance(piece.leaf, str):
            texts.append(piece.leaf)
            continue
        if texts:
            inlines.append(Text("".join(texts)))
            texts = []
        inlines.append(piece.leaf)
    if texts:
        inlines.append(Text("".join(texts)))
