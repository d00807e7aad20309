"""The nodes of a body to a `Document`, in one walk over them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType

from .code import is_code, is_gutter, is_number_cell, language_of
from .document import Document, Formula, Image, Inline, LineBreak, NoteMark, Paragraph, Rule, Text
from .footnotes import Footnotes, find_footnotes
from .formulas import formula_of_element, formula_of_image
from .frames import LINES, Frame, Part, close_frame, grouped
from .inlines import LINK, PHRASES, Format, Piece, in_order
from .nodes import Nodes
from .pictures import embed_of, link_address, picture_address
from .tables import RawCell, RawTable, make_table

__all__ = ["build_document"]

# Deeper structure tells a reader nothing, and a page may nest ten thousand quotes.
MAX_DEPTH = 24

# Elements that end a line whatever a style sheet makes of them.
STRUCTURE = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol menu dir li dl dt dd blockquote pre listing xmp table thead tbody "
    "tfoot tr td th caption figure figcaption hr".split()
)
FRAMED = STRUCTURE - {"thead", "tbody", "tfoot", "hr"} | {"div", "code"}
LISTS = frozenset(("ul", "ol", "menu", "dir"))
EMBEDS = frozenset(("iframe", "video", "audio", "embed", "lite-youtube"))
FORMULAS = frozenset(("math", "script", "mjx-container"))
HEADING = re.compile("h([1-6])")
START = re.compile("-?[0-9]{1,9}")
MAX_START = 999_999_999

# What a page adds to its own headings and notes for those who read it in a browser.
DROPPED = frozenset(("mw-editsection", "mw-cite-backlink"))
WORD = re.compile(r"\w")
ANCHOR_WORDS = re.compile(r"\s*(?:(?:perma)?link|anchor)\b.{0,60}", re.IGNORECASE)
ANCHORS = re.compile(r"anchor|permalink|header-?link|heading-?link|hash-?link")


def build_document(
    pages: Sequence[Nodes],
    *,
    links: bool = True,
    images: bool = True,
    image_paths: Mapping[str, str] = MappingProxyType({}),
) -> Document:
    """The document of a body.

    Parameters
    ----------
    pages
        The nodes of each page, in order.
    links, images
        Whether links and pictures are taken over.
    image_paths
        Paths or addresses to write in place of the addresses of pictures.
    """
    found: list[Part] = []
    labels: set[str] = set()
    first_block = 0
    for nodes in pages:
        notes = find_footnotes(nodes, labels)
        found += _Builder(nodes, notes, first_block, links, images, image_paths).build()
        first_block += int(nodes.blocks.max(initial=-1)) + 1
    return Document(grouped(found))


class _Builder:
    """Builds the document of one page."""

    def __init__(
        self,
        nodes: Nodes,
        notes: Footnotes,
        first_block: int,
        links: bool,
        images: bool,
        image_paths: Mapping[str, str],
    ) -> None:
        self.nodes = nodes
        self.notes = notes
        self.links, self.images, self.image_paths = links, images, image_paths
        self.end: list[int] = nodes.end.tolist()
        self.is_block: list[bool] = nodes.is_block.tolist()
        shift = first_block
        self.blocks = [
            (a + shift, b + shift) if a >= 0 else (-1, -1) for a, b in nodes.blocks.tolist()
        ]
        # Open elements that close to something; the document itself never closes.
        self.frames = [Frame("root", -1, len(nodes) + 1)]
        # Ends of open elements that only end a line, and of open formats.
        self.breaks: list[int] = []
        self.formats: list[tuple[int, Format]] = []
        self.current: tuple[Format, ...] = ()
        # Open elements, from which a highlighter's name for a language is found.
        self.open: list[int] = []
        self.has_formulas = not FORMULAS.isdisjoint(nodes.tags) or any(
            nodes.with_attribute("data-mathml")
        )

    def build(self) -> list[Part]:
        node = 0
        while node < len(self.end):
            self._close_until(node)
            node = self._visit(node)
        self._close_until(len(self.end))
        root = self.frames[0]
        root.flush()
        return root.parts

    def _close_until(self, node: int) -> None:
        # Whatever else ends here ends with an element.
        if not self.open or self.end[self.open[-1]] > node:
            return
        while self.open and self.end[self.open[-1]] <= node:
            self.open.pop()
        while self.formats and self.formats[-1][0] <= node:
            self.formats.pop()
            self.current = in_order([form for _, form in self.formats])
        while self.breaks and self.breaks[-1] <= node:
            self.breaks.pop()
            self._end_line()
        while self.frames[-1].end <= node:
            self._close(self.frames.pop())

    def _close(self, frame: Frame) -> None:
        if frame.kind == "cell" and frame.cell is not None:
            frame.flush()
            frame.cell.content = list(grouped(frame.parts))
            return
        parts = close_frame(frame, lambda raw: make_table(self.nodes, raw))
        if frame.kind == "caption" and parts and not self.frames[-1].caption:
            (line,) = parts
            assert isinstance(line, Paragraph)
            self.frames[-1].caption = line.content
            self.frames[-1].source = line.source
        else:
            self.frames[-1].parts += parts

    def _end_line(self) -> None:
        """Text before and after do not stand in one line."""
        if self.frames[-1].kind == "code":
            self.frames[-1].end_code_line()
        elif self.frames[-1].kind in LINES:
            self.frames[-1].pieces.append(Piece(self.current, Text(" ")))
        else:
            self.frames[-1].flush()

    def _visit(self, node: int) -> int:
        """Take a node over; the number of the next to visit, past what belongs to this one."""
        tag = self.nodes.tags[node]
        if tag == "#text":
            self._add_text(node)
            return node + 1
        if self._is_dropped(node, tag):
            return self.end[node]
        if tag in STRUCTURE or self.is_block[node]:
            self._end_line()
            self.breaks.append(self.end[node])
        self.open.append(node)
        if self.frames[-1].kind == "code":
            return self._visit_code(node, tag)
        if self._add_whole(node, tag):
            return self.end[node]
        self._open(node, tag)
        return node + 1

    def _visit_code(self, node: int, tag: str) -> int:
        if tag == "br":
            self.frames[-1].code.append("\n")
        return self.end[node] if tag in ("button", "script") else node + 1

    def _is_dropped(self, node: int, tag: str) -> bool:
        if node in self.notes.back:
            return True
        if tag == "a":
            return self._is_anchor(node)
        if tag == "td" and is_number_cell(self.nodes, node):
            return True
        if node not in self.nodes.attributes:
            return False
        return is_gutter(self.nodes, node) or not DROPPED.isdisjoint(self.nodes.classes(node))

    def _is_anchor(self, node: int) -> bool:
        """Whether a link leads to where it stands, or back, and says nothing."""
        if not self._is_local(node) or node in self.notes.marks:
            return False
        text = self.nodes.text_of(node, 80)
        if self.nodes.first(node, "img") is not None:
            return False
        # Some headings are one link to themselves, and some are a sign.
        around = (
            self.nodes.text_of(self.frames[-1].node, 80) if self.frames[-1].kind in LINES else ""
        )
        if around.strip() == text.strip():
            return False
        if not WORD.search(text):
            return bool(text.strip())
        named = ANCHORS.search(self.nodes.get(node, "class").lower())
        return bool(named and ANCHOR_WORDS.fullmatch(text) and self.frames[-1].kind in LINES)

    def _is_local(self, node: int) -> bool:
        href = self.nodes.get(node, "href")
        before, sign, _ = href.partition("#")
        return bool(sign) and (not before or before == self.nodes.url.partition("#")[0])

    # What is taken over as one piece, whatever is inside.

    def _add_whole(self, node: int, tag: str) -> bool:
        nodes = self.nodes
        if node in self.notes.marks:
            self._add(NoteMark(self.notes.marks[node]), node, plain=True)
            return True
        if self.has_formulas and (formula := formula_of_element(nodes, node)):
            self._add_formula(formula, node)
            return True
        if tag == "br":
            self._add(LineBreak(), node)
        elif tag == "hr":
            if self.frames[-1].kind not in LINES:
                self.frames[-1].parts.append(Rule())
        elif tag == "img":
            self._add_image(node)
        elif tag == "input":
            self._add_box(node)
        elif tag in EMBEDS and self.blocks[node][0] < 0:
            embed = embed_of(nodes, node)
            if embed and self.links and self.frames[-1].kind not in LINES:
                self.frames[-1].flush()
                self.frames[-1].parts.append(embed)
            return True
        return False

    def _add_formula(self, formula: Formula, node: int) -> None:
        if not formula.tex:
            return
        if formula.display and self.frames[-1].kind not in LINES:
            self.frames[-1].flush()
            self.frames[-1].parts.append(Paragraph((formula,), self.blocks[node]))
        else:
            self._add(formula, node)

    def _add_image(self, node: int) -> None:
        if formula := formula_of_image(self.nodes, node):
            self._add_formula(formula, node)
        elif self.images and (url := picture_address(self.nodes, node)):
            url = self.image_paths.get(url, url)
            self._add(Image(url, " ".join(self.nodes.get(node, "alt").split())), node)

    def _add_box(self, node: int) -> None:
        """A box at the beginning of an item makes it a task."""
        top = self.frames[-1]
        if self.nodes.get(node, "type").lower() != "checkbox" or top.kind != "item":
            return
        if (
            top.done is None
            and not top.parts
            and not any(
                not isinstance(each.leaf, Text) or each.leaf.text.strip() for each in top.pieces
            )
        ):
            top.done = self.nodes.has(node, "checked")

    # What other nodes stand in.

    def _open(self, node: int, tag: str) -> None:
        frame = self._frame(node, tag)
        if frame is not None:
            self.frames[-1].flush()
            self.frames.append(frame)
        elif tag == "thead" and self.frames[-1].table is not None:
            self.frames[-1].head_end = self.end[node]
        elif tag == "tr" and self.frames[-1].table is not None:
            self._begin_row(self.frames[-1], self.frames[-1].table, node)
        else:
            self._open_format(node, tag)

    def _frame(self, node: int, tag: str) -> Frame | None:
        """A frame for an element that closes to something."""
        if tag not in FRAMED and node not in self.notes.notes:
            return None
        top, nodes = self.frames[-1], self.nodes
        if top.kind in LINES or len(self.frames) > MAX_DEPTH:
            return None
        if tag in ("td", "th") and top.table is not None and node not in self.notes.notes:
            cell = self._begin_cell(top, top.table, node)
            return self._new("cell", node, cell=cell)
        if label := self.notes.notes.get(node):
            return self._new("note", node, label=label)
        if is_code(nodes, node):
            around = self.open[-9:-1][::-1]
            return self._new("code", node, language=language_of(nodes, node, around))
        if found := HEADING.fullmatch(tag):
            return self._new("heading", node, level=int(found[1]))
        if tag in LISTS:
            return self._new("list", node, start=self._start(node) if tag == "ol" else None)
        if tag == "table":
            for frame in self.frames:
                if frame.table is not None:
                    frame.table.has_table = True
            return self._new("table", node, table=RawTable(node))
        if self._is_caption(node, tag):
            return self._new("caption", node)
        if tag == "figure" or (tag == "div" and "wp-caption" in nodes.classes(node)):
            return self._new("figure", node)
        kind = {"li": "item", "dl": "definitions", "dt": "term", "dd": "definition"}.get(tag)
        kind = "quote" if tag == "blockquote" else kind
        return self._new(kind, node) if kind else None

    def _new(self, kind: str, node: int, **values: object) -> Frame:
        return Frame(kind, node, self.end[node], self.blocks[node], **values)  # pyright: ignore[reportArgumentType]

    def _start(self, node: int) -> int:
        value = self.nodes.get(node, "start").strip()
        return min(max(int(value), 0), MAX_START) if START.fullmatch(value) else 1

    def _is_caption(self, node: int, tag: str) -> bool:
        if tag == "caption":
            return self.frames[-1].kind == "table"
        if self.frames[-1].kind != "figure":
            return False
        return tag == "figcaption" or "wp-caption-text" in self.nodes.classes(node)

    def _begin_row(self, frame: Frame, table: RawTable, node: int) -> None:
        if node < frame.head_end and table.head_rows == len(table.rows):
            table.head_rows += 1
        table.rows.append([])

    def _begin_cell(self, frame: Frame, table: RawTable, node: int) -> RawCell:
        if not table.rows:
            table.rows.append([])
        cell = RawCell(node, chars=self._chars[self.end[node]] - self._chars[node])
        table.rows[-1].append(cell)
        return cell

    @cached_property
    def _chars(self) -> list[int]:
        """Characters of texts before each node."""
        return list(accumulate(map(len, self.nodes.texts), initial=0))

    def _open_format(self, node: int, tag: str) -> None:
        first, last = self.blocks[node]
        # Some pages wrap whole blocks in inline elements.
        if first != last:
            return
        if tag == "a":
            url = link_address(self.nodes, node) if self.links else None
            if url is None or (self.frames[-1].kind == "heading" and self._is_local(node)):
                return
            form = Format(LINK, url, node)
        elif tag in PHRASES:
            form = Format(PHRASES[tag])
        else:
            return
        if all(each.kind != form.kind for each in self.current):
            self.formats.append((self.end[node], form))
            self.current = in_order([each for _, each in self.formats])

    # Pieces of lines.

    def _add_text(self, node: int) -> None:
        text, top = self.nodes.texts[node], self.frames[-1]
        if top.kind == "code":
            top.code.append(text)
        elif text.strip() or top.pieces:
            self._add(Text(text), node)

    def _add(self, leaf: Inline, node: int, *, plain: bool = False) -> None:
        top, block = self.frames[-1], self.blocks[node][0]
        if top.kind in LINES:
            # Blocks in a heading stand in lines of their own.
            if block not in (-1, top.block) and top.block >= 0:
                top.pieces.append(Piece((), Text(" ")))
        elif block >= 0 <= top.block != block:
            top.flush()
        if block >= 0:
            top.block = block
        top.pieces.append(Piece(() if plain else self.current, leaf))
