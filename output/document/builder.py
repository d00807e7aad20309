"""Build a `Document` from the nodes of a body: passes find its parts, and a walk converts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...features.quotations import signed_quotations
from ...features.words import legible
from ...patterns import lazy_re
from ...renderer.page.elements import HEADINGS
from ...renderer.page.tree import subtree_mask
from ..write_options import WriteOptions
from . import document as tree
from . import picture_addresses as addresses
from .asides import find_asides
from .code import CODE, CODE_TAGS, code_text, is_code, language_of
from .footnotes import find_footnotes
from .formulas import find_formulas, formula_of_element, formula_of_image, split_tex
from .frames import LINES, Frame, Part, close_frame, group_parts, without_repeats
from .furniture import find_furniture
from .inlines import LINK, PHRASES, Format, OpenFormats, Piece
from .nodes import LINE_TAGS, Nodes
from .tables import RawTable

# Deeper structure is no use to a reader, and a page may nest ten thousand quotes.
MAX_DEPTH = 24

KINDS = {
    "ul": "list", "ol": "list", "menu": "list", "dir": "list", "li": "item", "dl": "definitions",
    "dt": "term", "dd": "definition", "blockquote": "quote", "table": "table", "td": "cell",
    "th": "cell", "caption": "caption",
    **{f"h{level}": "heading" for level in range(1, 7)},
}  # fmt: skip
"""Kinds of frames by the elements that open them."""

EMBEDS = frozenset(("iframe", "video", "audio", "embed", "lite-youtube"))
WHOLE = EMBEDS.union("br hr img amp-img input rt rp".split())
"""Elements that are converted as a whole."""

MEANINGFUL_TAGS = WHOLE.union(KINDS, PHRASES, CODE_TAGS, ("a", "thead", "tfoot", "tr"))
"""Elements that have a meaning by their tags alone. Others at most end a line."""

LEVEL = lazy_re("[1-6]")
BLUR = lazy_re(r"filter\s{0,9}:[^;]{0,200}\bblur\(\s{0,9}[1-9]")
START = lazy_re("-?[0-9]{1,9}")
MAX_START = 999_999_999
# A link around at most this many blocks is a card, and its heading is linked. A longer link is
# dropped.
MAX_CARD = 12

SEPARATE = frozenset(("code", "q", "sub", "sup"))
"""Phrases that stay separate from an adjacent phrase of their kind."""

MAX_RUBY = 200

QUOTES = frozenset(("bbcodequote", "bbcode_quote"))
"""Classes of XenForo and vBulletin for a quotation with its author."""

QUOTE_TAGS = frozenset(("div", "blockquote"))

POST_TEXTS = frozenset(("messagetext", "postcontent", "signature"))
"""Their classes for the text of a post and for its signature."""

INLINE_PX = 40
"""Maximum height of a picture that is part of a line of text."""

PLACES = {"caption": ("table", "figure"), "cell": ("table",)}
"""Kinds of frames that may only be opened directly inside the listed kinds."""


def build_document(pages: Sequence[Nodes], options: WriteOptions) -> tree.Document:
    """Build the document of a body from its pages in order, with links and pictures by options."""
    parts: list[Part] = []
    labels: set[str] = set()
    first_block = 0
    for nodes in pages:
        parts += _Builder(nodes, labels, first_block, options).build()
        first_block += int(nodes.blocks.max(initial=-1)) + 1
    return tree.Document(without_repeats(group_parts(parts)))


def _around_posts(nodes: Nodes) -> set[int]:
    """Posts and the elements around them, whose lists and tables are layout and not written."""
    around: set[int] = set()
    for node in nodes.posts:
        while node >= 0 and node not in around:
            around.add(node)
            node = nodes.parents[node]
    return around


def _forum_quotes(nodes: Nodes) -> set[int]:
    """Elements that forums use for quotations; a cell, item or link remains what it is."""
    signed: set[int] = set()
    if nodes.posts:
        quotes = nodes.with_tag("blockquote")
        signed.update(signed_quotations(quotes, nodes.parent, nodes.end, nodes.texts))
    named = {node for node in nodes.with_class(QUOTES) if nodes.tags[node] in QUOTE_TAGS}
    return (named | signed) - set(nodes.posts)


class _Builder:
    """Builds the document of one page; `labels` holds the labels of all notes so far."""

    def __init__(
        self, nodes: Nodes, labels: set[str], first_block: int, options: WriteOptions
    ) -> None:
        self.nodes, self.options = nodes, options
        self.end = nodes.ends
        shifted = np.where(nodes.blocks < 0, -1, nodes.blocks + first_block)
        # Two flat lists: building a list of pairs takes half of the time of a small page.
        self.first_block: list[int] = shifted[:, 0].tolist()
        self.last_block: list[int] = shifted[:, 1].tolist()
        self.notes = find_footnotes(nodes, labels)
        self.furniture = find_furniture(nodes, self.notes)
        self.figures, self.captions = find_figures(nodes)
        self.authors = set(filter(None, nodes.posts.values()))
        self.quotes = _forum_quotes(nodes)
        # Post texts in `blockquote` elements are no quotations.
        texts = nodes.with_class(POST_TEXTS).intersection(nodes.with_tag("blockquote"))
        self.plain = _around_posts(nodes) | texts
        self.formulas, self.embeds = find_formulas(nodes), addresses.find_embeds(nodes)
        # Nodes that are only shown without scripts.
        self.in_noscript = np.zeros(len(nodes), bool)
        self.in_noscript[nodes.with_tag("noscript")] = True
        self.in_noscript = subtree_mask(self.in_noscript, nodes.end)
        self.asides = find_asides(nodes)
        # Elements that have a meaning whatever their tags are.
        self.special = nodes.with_class(CODE).union(
            self.notes.marks, self.notes.notes, self.formulas, self.embeds, self.quotes,
            self.figures, self.captions, self.asides,
            (node for node, role in nodes.with_attribute("role") if role == "heading"),
        )  # fmt: skip
        # Open elements that become parts of the document. The root frame is never closed.
        self.top = Frame("root", -1, len(nodes) + 1)
        self.frames = [self.top]
        # Ends of the open elements that stand in lines of their own.
        self.breaks: list[int] = []
        self.formats = OpenFormats()
        # Links around several blocks, by the node of the block that is linked.
        self.cards: dict[int, Format] = {}
        # The node of the picture that was added last; the picture if no text follows it.
        self.last_image = -1
        self.last_picture: tree.Image | None = None
        # Open elements, on which a highlighter may declare the language of code.
        self.open: list[int] = []
        self.languages: dict[int, str] = {}

    def build(self) -> list[Part]:
        tags, end, opened, furniture = self.nodes.tags, self.end, self.open, self.furniture
        node = 0
        while node < len(end):
            # Frames, formats and lines end only where an element ends.
            if opened and end[opened[-1]] <= node:
                self._close_until(node)
            tag = tags[node]
            if node in furniture:
                node = end[node]
            elif tag == "#text":
                self._add_text(node)
                node += 1
            else:
                node = self._visit(node, tag)
        self._close_until(node)
        self.top.flush()
        return self.top.parts

    def _close_until(self, node: int) -> None:
        opened, end, breaks = self.open, self.end, self.breaks
        while opened and end[opened[-1]] <= node:
            opened.pop()
        self.formats.close_until(node)
        while breaks and breaks[-1] <= node:
            breaks.pop()
            self._end_line()
        while self.top.end <= node:
            closed = self.frames.pop()
            self.top = self.frames[-1]
            self._close(closed)

    def _close(self, frame: Frame) -> None:
        if frame.kind == "cell" and frame.cell is not None:
            frame.flush()
            frame.cell.content = list(group_parts(frame.parts))
            return
        parts = close_frame(frame, self.nodes)
        if frame.kind == "caption" and parts and not self.top.caption:
            (line,) = parts
            assert isinstance(line, tree.Paragraph)
            self.top.caption, self.top.source = line.content, line.source
            self.top.is_captioned_above = not self.top.parts
        else:
            self.top.parts += parts

    def _end_line(self) -> None:
        """Separate the text before this point from the text after it."""
        top = self.top
        if top.pieces and top.kind in LINES:
            top.pieces.append(Piece(self.formats.current, " "))
        elif top.pieces:
            top.flush()

    def _visit(self, node: int, tag: str) -> int:
        """Convert an element; return the next node to visit, past any nodes converted with it."""
        if self.nodes.own_line[node]:
            self._end_line()
            self.breaks.append(self.end[node])
        if node in self.nodes.posts:
            # A post of a thread begins with a rule and its author.
            if self.top.kind == "root":
                self._add_block(tree.Rule())
            if author := self.nodes.posts[node]:
                self._add_block(tree.Paragraph((tree.Phrase("strong", (tree.Text(author),)),)))
        if label := self.nodes.labels.get(node):
            self._add_block(tree.Paragraph((tree.Phrase("strong", (tree.Text(label),)),)))
        self.open.append(node)
        if tag in MEANINGFUL_TAGS or node in self.special:
            if node in self.figures:
                self._open_figure("figure", node, self.figures[node])
            if node in self.captions:
                self._open_figure("caption", node, self.captions[node])
            if self._add_whole(node, tag) or self._add_code(node, tag):
                return self.end[node]
            self._open(node, tag)
        if node in self.cards:
            self.formats.open(self.cards[node], self.end[node])
        return node + 1

    # Elements that are converted as a whole, whatever is inside.

    def _add_whole(self, node: int, tag: str) -> bool:
        if node in self.notes.marks:
            self._add(tree.NoteMark(self.notes.marks[node]), node, plain=True)
            return True
        if node in self.formulas and (formula := formula_of_element(self.nodes, node)):
            self._add_formula(formula, node)
            return True
        if tag == "br":
            self._add(tree.LineBreak(), node)
        elif tag == "hr":
            self._add_block(tree.Rule())
        elif tag in ("img", "amp-img"):
            self._add_image(node)
        elif tag == "input":
            self._add_box(node)
        elif tag in ("rt", "rp"):
            if tag == "rt" and (reading := self.nodes.text_of(node, MAX_RUBY).strip()):
                self._add(f"({reading})", node)
            return True
        elif node in self.embeds or (tag in EMBEDS and self.first_block[node] < 0):
            embed = addresses.embed_of(self.nodes, node) if self.options.links else None
            if embed:
                self._add_block(embed)
            return True
        return False

    def _add_block(self, block: Part) -> None:
        if self.top.kind not in LINES:
            self.top.flush()
            self.top.parts.append(block)

    def _add_code(self, node: int, tag: str) -> bool:
        if not is_code(self.nodes, node) or not self._has_room("code"):
            return False
        text = code_text(self.nodes, node, self.furniture)
        if text.strip():
            language = language_of(self.nodes, node, self.open[-9:-1][::-1], self.languages)
            self._add_block(tree.CodeBlock(text, language, self._span(node)))
        return True

    def _add_formula(self, formula: tree.Formula, node: int) -> None:
        if formula.display and self.top.kind not in LINES:
            self._add_block(tree.Paragraph((formula,), self._span(node)))
        elif formula.tex:
            self._add(formula, node)

    def _add_image(self, node: int) -> None:
        if formula := formula_of_image(self.nodes, node):
            self._add_formula(formula, node)
        elif initial := self._initial_of(node):
            self._add(initial, node)
        elif emoji := addresses.emoji_of(self.nodes, node):
            self._add(emoji, node)
        elif (
            self.options.images
            and not self._in_button()
            and not self._is_no_picture(node)
            and (url := addresses.picture_address(self.nodes, node))
        ):
            alt = addresses.alternative_text(self.nodes, node)
            if alt in self.authors:
                return  # the avatar of a post
            image = tree.Image(self.options.image_paths.get(url, url), alt)
            if self._is_in_line_of_quoted(node):
                return  # the avatar of who is quoted
            before = self.last_picture
            seen = None if before is None else self._which_is_seen(before, image, node)
            if seen == node:
                self._remove_last_picture()
            if seen is None or seen == node:
                self._add(image, node)
                self.last_image, self.last_picture = node, image

    def _initial_of(self, node: int) -> str:
        """The letter that a picture shows if the text after it continues its word."""
        alt, after = self.nodes.get(node, "alt").strip(), self.end[node]
        goes_on = after < len(self.end) and self.nodes.texts[after][:1].islower()
        return alt if goes_on and len(alt) == 1 and alt.isupper() else ""

    def _is_no_picture(self, node: int) -> bool:
        """Whether an image is a menu of links, or is blurred until another has come."""
        get = self.nodes.get
        is_menu = bool(get(node, "usemap")) and not get(node, "alt").strip()
        return is_menu or BLUR.search(get(node, "style")) is not None

    def _in_button(self) -> bool:
        """Whether an open link shares the page or, as that of a logo, leads to the site's root."""
        urls = (each.url for each in self.formats.current if each.kind == LINK)
        return any(
            addresses.is_share_link(url, self.nodes.url)
            or addresses.is_site_root(url, self.nodes.url)
            for url in urls
        )

    def _which_is_seen(self, before: tree.Image, image: tree.Image, node: int) -> int | None:
        """The node of two pictures in a row that is seen if they are one; None if they are not.

        Lazily loaded pictures are repeated in `noscript`, or beside a small copy that is shown
        until they have come. If the page really shows a picture twice, both have boxes. Without
        scripts, the content of `noscript` has boxes, too.
        """
        pair = (self.last_image, node)
        is_in_line = bool(self.top.pieces) and self.top.pieces[-1].leaf is before
        if smaller := addresses.smaller_copy(self.nodes, pair, (before.url, image.url)):
            return node if smaller == self.last_image else self.last_image
        if addresses.bare_address(before.url) != addresses.bare_address(image.url):
            return None
        if not self.in_noscript[list(pair)].any() and not (
            is_in_line and not self.nodes.boxes[list(pair), 2:].all()
        ):
            return None
        is_larger = addresses.largest_number(before.url) < addresses.largest_number(image.url)
        return node if is_larger else self.last_image

    def _remove_last_picture(self) -> None:
        """Remove the picture that was added last, which stood for the one that follows."""
        before, top = self.last_picture, self.top
        if top.pieces and top.pieces[-1].leaf is before:
            top.pieces.pop()
        elif (
            top.parts
            and isinstance(last := top.parts[-1], tree.Paragraph)
            and last.content[0] is before
        ):
            top.parts.pop()

    def _is_in_line_of_quoted(self, node: int) -> bool:
        """Whether a picture is in the line that says who is quoted."""
        if self.top.kind != "quote" or self.top.node not in self.quotes or not self.nodes.posts:
            return False
        quote = self.nodes.first(self.top.node, "blockquote")
        return quote is not None and node < quote

    def _add_box(self, node: int) -> None:
        """Make an item a task if it begins with a checkbox."""
        item = self.top
        is_box = self.nodes.get(node, "type").lower() == "checkbox" and item.kind == "item"
        if is_box and item.done is None and not item.parts and item.is_blank():
            item.done = self.nodes.has(node, "checked")

    # Elements that contain other nodes.

    def _open(self, node: int, tag: str) -> None:
        table = self.top.table
        if node in self.notes.notes and self._has_room("note"):
            self._open_kind("note", node, tag)
        elif node in self.quotes and self._has_room("quote"):
            self._open_kind("quote", node, tag)
        elif node in self.asides and self._has_room("aside"):
            self._open_kind("aside", node, tag)
        elif self.nodes.get(node, "role") == "heading" and self._has_room("heading"):
            self._open_kind("heading", node, tag)
        elif tag in KINDS and self._has_room(KINDS[tag]):
            # A `blockquote` may be the text of the quotation that is already open.
            is_open = self.top.kind == "quote" and self.top.node in self.quotes
            if node not in self.plain and not (is_open and tag == "blockquote"):
                self._open_kind(KINDS[tag], node, tag)
        elif tag == "thead" and table is not None:
            table.head_end = self.end[node]
        elif tag == "tfoot" and table is not None:
            table.foot_end = self.end[node]
        elif tag == "tr" and table is not None:
            table.begin_row(node)
        elif tag == "a" or tag in PHRASES:
            self._open_format(node, tag)

    def _open_figure(self, kind: str, node: int, end: int) -> None:
        if self._has_room(kind):
            self._push(Frame(kind, node, end, self._span(node)))

    def _open_kind(self, kind: str, node: int, tag: str) -> None:
        frame = Frame(kind, node, self.end[node], self._span(node))
        if kind == "heading":
            # Without a level of its own, the role stands for one of 2 (WAI-ARIA).
            level = tag[1:] if tag in HEADINGS else self.nodes.get(node, "aria-level")
            frame.level = int(level) if LEVEL.fullmatch(level) else 2
        elif tag == "ol":
            frame.start = self._start(node)
        elif kind == "note":
            frame.label = self.notes.notes[node]
        elif kind == "table":
            frame.table = RawTable(node)
        elif kind == "cell" and self.top.table is not None:
            frame.cell = self.top.table.begin_cell(node)
        self._push(frame)

    def _has_room(self, kind: str) -> bool:
        """Whether a frame of a kind may be opened here."""
        top = self.top.kind
        if top in LINES or len(self.frames) > MAX_DEPTH:
            return False
        where = PLACES.get(kind)
        return where is None or top in where

    def _push(self, frame: Frame) -> None:
        self.top.flush()
        self.frames.append(frame)
        self.top = frame

    def _span(self, node: int) -> tree.Span:
        return self.first_block[node], self.last_block[node]

    def _start(self, node: int) -> int:
        value = self.nodes.get(node, "start").strip()
        item = self.nodes.first(node, "li")
        if not value and item is not None:
            value = self.nodes.get(item, "value").strip()
        return min(max(int(value), 0), MAX_START) if START.fullmatch(value) else 1

    def _open_format(self, node: int, tag: str) -> None:
        # Some pages wrap whole blocks in inline elements.
        is_wide = self.first_block[node] != self.last_block[node]
        if tag != "a":
            if not is_wide:
                kind = PHRASES[tag]
                form = Format(kind, node=node if kind in SEPARATE else -1)
                self.formats.open(form, self.end[node])
            return
        if node in self.notes.without_note:
            self.formats.open(Format("sup"), self.end[node])
            return
        url = addresses.link_address(self.nodes, node) if self.options.links else None
        if url is None or (self.top.kind == "heading" and node in self.nodes.local_links):
            return
        linked = self._linked_block(node) if is_wide else None
        if linked is not None:
            self.cards[linked] = Format(LINK, url, node)
        elif not is_wide:
            self.formats.open(Format(LINK, url, node), self.end[node])

    def _linked_block(self, link: int) -> int | None:
        """The heading, or else the first block, of a link around several blocks."""
        if self.last_block[link] - self.first_block[link] >= MAX_CARD:
            return None
        first_headings = (self.nodes.first(link, tag) for tag in HEADINGS)
        if headings := [node for node in first_headings if node is not None]:
            return min(headings)
        inside = range(link + 1, self.end[link])
        blocks = (node for node in inside if self.first_block[node] == self.last_block[node] >= 0)
        return next((node for node in blocks if self.nodes.own_line[node]), None)

    # Pieces of lines.

    def _add_text(self, node: int) -> None:
        text = legible(self.nodes.texts[node])
        if node in self.nodes.texts_apart:
            text = f" {text}"
        if not text or not (self.top.pieces or text.strip()):
            return
        if self.last_image >= 0 and text.strip() and self._follows_picture():
            self.top.flush()
        for part in split_tex(text) if self._has_formulas(text) else (text,):
            if not isinstance(part, str):
                self._add_formula(part, node)
            elif node in self.nodes.line_texts:
                self._add_lines(part, node)
            else:
                self._add(part, node)

    def _add_lines(self, text: str, node: int) -> None:
        """Add a text whose line feeds are line breaks."""
        for number, line in enumerate(text.split("\n")):
            if number and self.top.pieces:
                self._add(tree.LineBreak(), node)
            if line:
                self._add(line, node)

    def _follows_picture(self) -> bool:
        """Whether the current line is nothing but a picture larger than its text would be."""
        if self.top.kind != "root" or 0 < self.nodes.boxes[self.last_image, 3] <= INLINE_PX:
            return False
        leaves = [piece.leaf for piece in self.top.pieces]
        others = [leaf for leaf in leaves if not isinstance(leaf, str) or leaf.strip()]
        return bool(others) and all(isinstance(leaf, tree.Image) for leaf in others)

    def _has_formulas(self, text: str) -> bool:
        """Whether a text may hold TeX that a script of the page typesets."""
        if not self.nodes.has_typesetter or not ("$" in text or "\\" in text):
            return False
        return all(form.kind != "code" for form in self.formats.current)

    def _add(self, leaf: tree.Inline | str, node: int, *, plain: bool = False) -> None:
        top, block = self.top, self.first_block[node]
        if top.kind in LINES:
            # A space separates the texts of different blocks in a heading.
            if block not in (-1, top.block) and top.block >= 0:
                top.pieces.append(Piece((), " "))
        elif block >= 0 <= top.block != block:
            top.flush()
        if block >= 0:
            top.block = block
        if not isinstance(leaf, str) or leaf.strip():
            self.last_picture = None
        top.pieces.append(Piece(() if plain else self.formats.current, leaf))


# Figures: elements marked up as such, and pictures with a caption painted below them.

# Smaller pictures are icons, which have no captions.
MIN_PICTURE_PX = 60
# A caption lies below its picture and does not extend beyond its sides.
MAX_GAP_PX = 32
MARGIN_PX = 4
MAX_CHARS = 400
MAX_NODES = 64
# A caption differs from a paragraph in that it is set in smaller type, centred below its picture,
# or in a box as narrow as the picture while the running text is wider.
SMALL = 0.95
INDENT_PX = 12
NARROW = 0.8
# Maximum number of elements around a picture alone, such as its link.
MAX_UP = 8


def find_figures(nodes: Nodes) -> tuple[dict[int, int], dict[int, int]]:
    """Figures and captions of a page: the first node of each, mapped to one past its last."""
    figures, captions = (
        {
            node: nodes.ends[node]
            for node in {*nodes.with_tag(tag), *nodes.with_class(frozenset((name,)))}
        }
        for tag, name in (("figure", "wp-caption"), ("figcaption", "wp-caption-text"))
    )
    pictures = _outside(figures, nodes.with_tag("img"))
    captioned = [(picture, span) for picture in pictures if (span := _find_caption(nodes, picture))]
    usual = _running_text(nodes) if captioned else (0.0, 0.0)
    for picture, (outer, begin, end) in captioned:
        if _is_caption(nodes, picture, begin, end, *usual):
            figures[outer] = captions[begin] = end
    return figures, captions


def _outside(figures: dict[int, int], pictures: list[int]) -> Iterator[int]:
    """Pictures that are not in a figure."""
    starts, until = sorted(figures, reverse=True), 0
    for picture in pictures:
        while starts and starts[-1] <= picture:
            until = max(until, figures[starts.pop()])
        if picture >= until:
            yield picture


def _running_text(nodes: Nodes) -> tuple[float, float]:
    """Font size and line width of the running text: medians over all characters."""
    texts = np.array(nodes.with_tag("#text"), np.intp)
    chars = np.array([len(nodes.texts[node]) for node in texts.tolist()])
    medians = []
    for values in (nodes.font_size[texts], nodes.boxes[texts, 2]):
        order = np.argsort(values)
        below = np.cumsum(chars[order])
        medians.append(float(values[order[np.searchsorted(below, below[-1] / 2)]]))
    return medians[0], medians[1]


def _find_caption(nodes: Nodes, picture: int) -> tuple[int, int, int] | None:
    """The outermost element around a picture alone, and the bounds of the block that follows."""
    outer, blocks = picture, nodes.blocks
    for _ in range(MAX_UP):
        if nodes.parents[outer] < 0 or blocks[nodes.parents[outer], 0] >= 0:
            break
        outer = nodes.parents[outer]
    around, begin = nodes.parents[outer], nodes.ends[outer]
    if around < 0 or begin >= nodes.ends[around]:
        return None
    # The block after the picture, or the block that the picture itself is in.
    block = begin if nodes.own_line[begin] else around
    end = nodes.ends[block]
    first_text = nodes.first(block, "#text")
    if blocks[block, 0] != blocks[block, 1] or first_text is None or first_text < begin:
        return None
    inside = nodes.tags[begin:end] if end - begin <= MAX_NODES else ("img",)
    if "img" in inside or not LINE_TAGS.isdisjoint(set(inside) - {"p"}):
        return None
    return outer, begin, end


def _is_caption(
    nodes: Nodes, picture: int, begin: int, end: int, type_size: float, column: float
) -> bool:
    """Whether a text is painted like the caption of a picture."""
    texts = [node for node in range(begin, end) if nodes.texts[node].strip()]
    x, y, width, height = nodes.boxes[picture].tolist()
    boxes = nodes.boxes[texts]
    if min(width, height) < MIN_PICTURE_PX or not texts or not boxes[:, 2:].all():
        return False
    left, top = boxes[:, :2].min(axis=0).tolist()
    right = float((boxes[:, 0] + boxes[:, 2]).max())
    is_below = -MARGIN_PX <= top - (y + height) <= MAX_GAP_PX
    is_within = x - MARGIN_PX <= left and right <= x + width + MARGIN_PX
    if not is_below or not is_within or sum(len(nodes.texts[node]) for node in texts) > MAX_CHARS:
        return False
    block = begin if nodes.own_line[begin] else nodes.parents[begin]
    is_small = float(nodes.font_size[texts].max()) <= SMALL * type_size
    is_centred = abs(left + right - 2 * x - width) <= 2 * MARGIN_PX and left - x >= INDENT_PX
    wide = float(nodes.boxes[block, 2])
    is_narrow = wide <= width + 2 * MARGIN_PX and width <= NARROW * column
    return is_small or is_centred or is_narrow
