"""Split an article's text into passages for a language model."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from ...patterns import lazy_re
from ..document.document import Document
from .text import TextUnit, text_units

Count = Callable[[str], int]

Box = tuple[float, float, float, float]

# Where a text that is too long for a chunk is divided: after a sentence, or else after a word.
SENTENCE = lazy_re(r"(?<=[.!?…。！？])\s+|(?<=[。！？])|\n+")
WORD = lazy_re(r"\s+")

# Maximum length of a heading above chunks, which all of them repeat.
MAX_HEADING = 300


@dataclass(frozen=True)
class Chunk:
    """A passage of an article."""

    text: str
    """The overlap, followed by a part of `Extraction.text`."""
    overlap: int
    """Number of characters at the beginning of `text` that repeat the end of the previous chunk,
    including the white space after them."""
    headings: tuple[str, ...]
    """The headings above the chunk, the title first, each cut to `MAX_HEADING` characters."""
    blocks: tuple[int, ...]
    boxes: tuple[Box, ...]
    """Numbers of the blocks in `Extraction.blocks` that its text is part of, and their boxes in CSS
    px; content of following pages, and content that was edited, has none."""
    hidden: bool
    """Whether the page does not show one of these blocks, whose text may be written for
    machines."""
    url: str
    """Address of the page."""


class Passage(NamedTuple):
    """A part of the text, with the separator before it and the numbers of its blocks."""

    before: str
    text: str
    blocks: Sequence[int]


def chunk_document(
    document: Document,
    size: int,
    *,
    lengths: Sequence[int],
    count: Count = len,
    overlap: int = 0,
    title: str = "",
) -> Iterator[tuple[str, int, tuple[str, ...], tuple[int, ...]]]:
    """Split a document into passages, none of which crosses a heading.

    Yields text, overlap, headings and numbers of the blocks of the body; see `Chunk`. Without the
    overlaps, the texts contain the whole text of the document, apart from white space between
    chunks. `size` and `overlap` are as measured by `count`, by which no part of a text may measure
    more than the whole; a single character that measures more than `size` is still a chunk.
    `lengths`, the numbers of characters of the body's blocks, divide the text of elements that have
    several blocks. The first heading is the title. The time is linear in the length of the text,
    apart from a logarithm, if that of `count` is.
    """
    for headings, units in _sections(document, title):
        passages = [
            passage for unit in units for passage in _divide(unit, lengths, size - overlap, count)
        ]
        before, seam = "", ""
        for group in _group(passages, size - overlap, count):
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


def _sections(document: Document, title: str) -> Iterator[tuple[tuple[str, ...], list[TextUnit]]]:
    """The units of each section, after the path of headings that it is under."""
    path: list[tuple[int, str]] = [(0, title[:MAX_HEADING])] if title else []
    units: list[TextUnit] = []
    begun = False
    for unit in text_units(document):
        if unit.level:
            if begun:
                yield tuple(text for _, text in path), units
                units, begun = [], False
            # Consecutive headings begin a single section.
            path = [each for each in path if each[0] < unit.level or each[0] == 0]
            heading = " ".join(unit.text.split())
            # The headline may also occur in the text.
            path += [] if heading == title else [(unit.level, heading[:MAX_HEADING])]
        else:
            begun = True
        units.append(unit)
    if units:
        yield tuple(text for _, text in path), units


def _places(unit: TextUnit, lengths: Sequence[int]) -> list[tuple[int, int]]:
    """First characters of a unit's blocks, and the blocks; those of one part by their lengths."""
    places: list[tuple[int, int]] = []
    ends = (*(begin for begin, _ in unit.sources[1:]), len(unit.text))
    for (begin, (first, last)), end in zip(unit.sources, ends, strict=False):
        if first >= 0:
            own = lengths[first : last + 1]
            scale = max(end - begin, 0) / max(sum(own), 1)
            starts = (begin + int(before * scale) for before in accumulate(own, initial=0))
            places += zip(starts, range(first, first + len(own)), strict=False)
    return places


def _divide(unit: TextUnit, lengths: Sequence[int], size: int, count: Count) -> Iterator[Passage]:
    """The passage of a unit; if it is too long, passages of its sentences, words or characters."""
    mark = unit.before.lstrip("\n")
    marked = mark + unit.text
    places = _places(unit, lengths)
    if count(marked) <= size:
        yield Passage(unit.before, unit.text, [block for _, block in places])
        return
    gap = unit.before.removesuffix(mark)
    end = -len(mark)
    for piece in _pieces(marked, size, count, (SENTENCE, WORD)):
        begin, end = end, end + len(piece)
        first = bisect_left(places, (begin, -1))
        if first == len(places) or places[first][0] > begin:
            first -= 1  # the piece begins inside of the block before
        inside = places[max(first, 0) : max(bisect_left(places, (end, -1)), 1)]
        yield Passage(gap, piece, [block for _, block in inside])
        gap = ""


def _pieces(text: str, size: int, count: Count, seams: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """Consecutive parts of a text, each as long as `size` allows."""
    if count(text) <= size or len(text) <= 1:
        yield text
        return
    if not seams:
        cuts: Sequence[int] = range(len(text) + 1)
    else:
        ends = (match.end() for match in seams[0].finditer(text))
        cuts = [0, *(end for end in ends if 0 < end < len(text)), len(text)]
    first = 0
    while first < len(cuts) - 1:
        begin = cuts[first]
        fitting = _most(
            len(cuts) - 1 - first,
            lambda number, first=first, begin=begin: (
                count(text[begin : cuts[first + number]]) <= size
            ),
        )
        if fitting:
            yield text[begin : cuts[first + fitting]]
        else:
            yield from _pieces(text[begin : cuts[first + 1]], size, count, seams[1:])
        first += max(fitting, 1)


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `limit` that fits, if all smaller numbers fit, too.

    The numbers tried are at most twice the largest that fits, so texts that are measured on the way
    to a short part are short as well.
    """
    low, high = 0, 1
    while high <= limit and fits(high):
        low, high = high, 2 * high
    high = min(high, limit + 1)
    return low + bisect_right(range(low + 1, high), 0, key=lambda number: not fits(number))


def _group(passages: Sequence[Passage], size: int, count: Count) -> Iterator[Sequence[Passage]]:
    """Group consecutive passages, as many as fit into one chunk."""

    def joined(group: Sequence[Passage]) -> str:
        """The text of passages, without the line breaks before it."""
        rest = "".join(part for each in group[1:] for part in (each.before, each.text))
        return group[0].before.lstrip("\n") + group[0].text + rest

    first = 0
    while first < len(passages):
        fitting = _most(
            len(passages) - first,
            lambda number, first=first: count(joined(passages[first : first + number])) <= size,
        )
        yield passages[first : first + max(fitting, 1)]
        first += max(fitting, 1)


def _end_of(text: str, seam: str, size: int, count: Count) -> str:
    """The last words of a text that fit, with the white space that follows them."""
    starts = [match.end() for match in WORD.finditer(text)]
    fitting = _most(len(starts), lambda number: count(text[starts[-number] :] + seam) <= size)
    return text[starts[-fitting] :] + seam if fitting else ""
