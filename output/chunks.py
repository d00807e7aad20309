"""Split an article's text into passages for a language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .document import Document
from .text import text_units

__all__ = ["Chunk", "chunk_document"]

Box = tuple[float, float, float, float]

# Where a text that is too long for a chunk is divided: after a sentence, or else after a word.
SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])|\n+")
WORD = re.compile(r"\s+")

# Maximum length of a heading above chunks, which all of them repeat.
MAX_HEADING = 300


@dataclass(frozen=True)
class Chunk:
    """A passage of an article.

    Attributes
    ----------
    text
        The overlap, followed by a part of `Extraction.text`.
    overlap
        Number of characters at the beginning of `text` that repeat the end of the previous chunk,
        including the white space after them.
    headings
        The headings above the chunk, the title first, each cut to `MAX_HEADING` characters.
    blocks
        Numbers of its blocks in `Extraction.blocks`; content of following pages, and content that
        was edited, has none.
    boxes
        Boxes of these blocks: x, y, width, height in CSS px.
    url
        Address of the page.
    """

    text: str
    overlap: int
    headings: tuple[str, ...]
    blocks: tuple[int, ...]
    boxes: tuple[Box, ...]
    url: str


@dataclass(slots=True)
class Passage:
    """A part of the text, with the separator before it and the numbers of its blocks."""

    before: str
    text: str
    blocks: tuple[int, ...]


def chunk_document(
    document: Document,
    size: int,
    *,
    count: Callable[[str], int] = len,
    overlap: int = 0,
    title: str = "",
) -> Iterable[tuple[str, int, tuple[str, ...], tuple[int, ...]]]:
    """Split a document into passages, none of which crosses a heading.

    Parameters
    ----------
    document
        The article.
    size
        Maximum length of a chunk, as measured by `count`.
    count
        Function that measures a text, such as its number of characters or of a model's tokens. A
        single character that measures more than `size` still becomes a chunk.
    overlap
        Maximum length of the end of the previous chunk that is repeated.
    title
        The first heading.

    Yields
    ------
    Text, overlap, headings and numbers of the blocks of the body. Without the overlaps, the texts
    contain the whole text of the document, apart from white space between chunks.
    """
    for headings, passages in _sections(document, title):
        before, seam = "", ""
        for group in _group(_divide(passages, size - overlap, count), size - overlap, count):
            joined = "".join(part for each in group for part in (each.before, each.text))
            text = joined.strip("\n")
            seam += joined[: len(joined) - len(joined.lstrip("\n"))]
            repeated = _end_of(before, seam, overlap, count) if overlap else ""
            blocks = tuple(dict.fromkeys(block for each in group for block in each.blocks))
            whole = repeated + text
            if count(whole) > size:
                repeated, whole = "", text
            yield whole, len(repeated), headings, blocks
            before, seam = text.rstrip(), joined[len(joined.rstrip()) :]


def _sections(document: Document, title: str) -> Iterable[tuple[tuple[str, ...], list[Passage]]]:
    """The passages of each section, after the path of headings that it is under."""
    path: list[tuple[int, str]] = [(0, title[:MAX_HEADING])] if title else []
    passages: list[Passage] = []
    begun = False
    for unit in text_units(document):
        if unit.level:
            if begun:
                yield tuple(text for _, text in path), passages
                passages, begun = [], False
            # Consecutive headings begin a single section.
            path = [each for each in path if each[0] < unit.level or each[0] == 0]
            heading = " ".join(unit.text.split())
            # The headline may also occur in the text.
            path += [] if heading == title else [(unit.level, heading[:MAX_HEADING])]
        else:
            begun = True
        blocks = tuple(
            n for first, last in unit.sources if first >= 0 for n in range(first, last + 1)
        )
        passages.append(Passage(unit.before, unit.text, blocks))
    if passages:
        yield tuple(text for _, text in path), passages


def _divide(
    passages: Iterable[Passage], size: int, count: Callable[[str], int]
) -> Iterable[Passage]:
    """Divide passages that are too long, by sentences, words or characters."""
    for passage in passages:
        if count(passage.before.lstrip("\n") + passage.text) <= size:
            yield passage
            continue
        mark = passage.before.lstrip("\n")
        gap = passage.before.removesuffix(mark)
        for piece in _pieces(mark + passage.text, size, count, (SENTENCE, WORD)):
            yield Passage(gap, piece, passage.blocks)
            gap = ""


def _pieces(
    text: str, size: int, count: Callable[[str], int], seams: Sequence[re.Pattern[str]]
) -> Iterable[str]:
    """Consecutive parts of a text, each as long as `size` allows."""
    if count(text) <= size or len(text) <= 1:
        yield text
        return
    if not seams:
        yield from _by_characters(text, size, count)
        return
    begin = 0
    cuts = [match.end() for match in seams[0].finditer(text)]
    open_piece = ""
    for end in [*(cut for cut in cuts if 0 < cut < len(text)), len(text)]:
        part, begin = text[begin:end], end
        if count(open_piece + part) <= size:
            open_piece += part
            continue
        if open_piece:
            yield open_piece
        open_piece = ""
        if count(part) <= size:
            open_piece = part
        else:
            yield from _pieces(part, size, count, seams[1:])
    if open_piece:
        yield open_piece


def _by_characters(text: str, size: int, count: Callable[[str], int]) -> Iterable[str]:
    """Divide a text into the longest parts that fit, found by bisection."""
    while text:
        low, high = 1, min(len(text), max(1, 16 * size))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if count(text[:middle]) <= size else (low, middle - 1)
        yield text[:low]
        text = text[low:]


def _group(
    passages: Iterable[Passage], size: int, count: Callable[[str], int]
) -> Iterable[list[Passage]]:
    """Group consecutive passages, as many as fit into one chunk."""
    group: list[Passage] = []
    text = ""
    for passage in passages:
        longer = (
            text + passage.before + passage.text
            if group
            else passage.before.lstrip("\n") + passage.text
        )
        if group and count(longer) > size:
            yield group
            group, longer = [], passage.before.lstrip("\n") + passage.text
        group.append(passage)
        text = longer
    if group:
        yield group


def _end_of(text: str, seam: str, size: int, count: Callable[[str], int]) -> str:
    """The last words of a text that fit, with the white space that follows them."""
    cuts = [match.end() for match in WORD.finditer(text)]
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if count(text[cuts[middle] :] + seam) <= size else (middle + 1, high)
        )
    return text[cuts[low] :] + seam if low < len(cuts) else ""
