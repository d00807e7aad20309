"""Text blocks: the runs of text that a reader sees as one paragraph, heading or cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.elements import HEADINGS, INLINE_TAGS
from ..renderer.page.snapshot import POSITIONS, Snapshot, cached_per_snapshot
from ..renderer.page.tree import innermost, subtree_mask, subtree_sums
from .readable import placeholder_texts, readable_texts
from .words import SPACELESS, collapse, collapse_lines, legible

# Texts that only the layout separates, such as by the margin or the padding of an element.

# Width of a narrow space, in font sizes. No space separates words that are closer.
GAP_EM = 0.25

# Style sheets give these a padding or a margin within words and beside brackets, too.
WITHIN_WORDS = (
    "pre", "code", "kbd", "samp", "tt", "var", "mark", "sub", "sup", "ruby", "math",
    "mjx-container", "textarea",
)  # fmt: skip

# Scripts that are written without spaces between words.
UNSPACED = lazy_re(f"[{SPACELESS}]")
ENDS = frozenset(".,:;!?)]%")
QUOTES = "\"'“‘„«‹"


@cached_per_snapshot
def texts_apart(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): texts with a gap before them, as wide as a space, in a line of text."""
    apart = np.zeros(len(snapshot), bool)
    if not snapshot.page.has_geometry:
        return apart
    within = snapshot.in_tag(*WITHIN_WORDS)
    nodes = readable_texts(snapshot).nonzero()[0]
    left, top, width, height = snapshot.box[nodes].T
    right, bottom, size = left + width, top + height, snapshot.font_size[nodes]
    # Text runs from the left or from the right.
    gap = np.maximum(left[1:] - right[:-1], left[:-1] - right[1:])
    overlap = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    has_gap = gap > GAP_EM * np.maximum(size[1:], size[:-1])
    has_gap &= overlap > np.minimum(height[1:], height[:-1]) / 2
    has_gap &= ~within[nodes[1:]] & ~within[nodes[:-1]]
    for place in has_gap.nonzero()[0].tolist():
        before, after = (snapshot.text[node].strip() for node in nodes[place : place + 2].tolist())
        apart[nodes[place + 1]] = bool(before and after) and _are_words(before, after)
    return apart


def _are_words(before: str, after: str) -> bool:
    """Whether two texts with a gap between them are words, not parts of one word.

    Single letters may be an initial or letters that are spaced one by one.
    """
    last, first = before[-1], after[0]
    if not first.isalnum() or UNSPACED.match(last) or UNSPACED.match(first):
        return False
    if last.isalpha() == first.isalpha() and last.isalnum():
        return len(before.lstrip(QUOTES)) > 1 and len(after) > 1
    return last.isalnum() or last in ENDS


INLINE = frozenset(
    ("inline", "contents", "inline-block", "inline-flex", "inline-grid", "ruby",
     "ruby-text", "ruby-base", "inline-table")
)  # fmt: skip

# Classes of formulas that KaTeX and MathJax typeset in boxes that are not blocks of the page.
TYPESET = frozenset(("katex", "mjx-chtml", "MathJax", "MathJax_CHTML", "MathJax_SVG"))

OUT_OF_FLOW = [POSITIONS.index(name) for name in ("absolute", "fixed")]

# Elements that syntax highlighters lay out as the lines of a listing.
LINES = ("code", "div", "li", "ol", "span")

# Maximum length of an initial: a letter, possibly after a quotation mark.
LONGEST_INITIAL = 2

NUMBER = lazy_re(r"[§\d][\d\s.]*")

# A line that is drawn with characters, as between a post and the signature of its author.
DRAWN = lazy_re(r"\s*[_=*~\u2500-]{5,}\s*")

# The content of these is not text of the page, painted or not. A noscript is not among them: with
# scripts off it is the page itself on many forums.
NO_TEXT = ("template", "select", "textarea", "script", "style", "svg", "datalist", "head")


@dataclass(frozen=True, eq=False)
class TextBlocks:
    """Text blocks of a page of n nodes: b blocks with t text nodes in total."""

    snapshot: Snapshot
    """The page."""
    owner: NDArray[np.int32]
    """int32, shape (b,): the nearest element around each block that is laid out as a block, or the
    code listing that forms the block."""
    nodes: NDArray[np.int32]
    """int32, shape (t,): text nodes of all blocks, block by block, including the white space
    between them, painted or not."""
    starts: NDArray[np.int32]
    """int32, shape (b + 1,): index in `nodes` at which each block starts, followed by the end of
    the last block. Every block has at least one node."""
    texts: list[str]
    """Text of each block. White space is collapsed, except in preformatted text and for line feeds
    that end lines on the screen."""
    box: NDArray[np.float32]
    """float32, shape (b, 4): union of the boxes of each block's nodes: x, y, width, height in CSS
    px. Nodes without an area count only in blocks that have no others."""

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def first(self) -> NDArray[np.int32]:
        """int32, shape (b,): each block's first text node."""
        return self.nodes[self.starts[:-1]]

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """bool, shape (b,): blocks that are not readable as the page is painted."""
        return ~readable_texts(self.snapshot)[self.first]

    @cached_property
    def shown_texts(self) -> list[str]:
        """Texts as `legible`, except in code, where invisible characters may have a meaning."""
        is_code = self.snapshot.with_tag("pre")[self.owner].tolist()
        return [
            text if code or (shown := legible(text)) == text else collapse_lines(shown)
            for text, code in zip(self.texts, is_code, strict=True)
        ]

    @cached_property
    def of(self) -> NDArray[np.int32]:
        """int32, shape (n,): the block of each text node, -1 for none."""
        of = np.full(len(self.snapshot), -1, np.int32)
        of[self.nodes] = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return of

    @cached_property
    def chars(self) -> NDArray[np.int64]:
        """int64, shape (n,): number of characters of each text node of a block, 0 for the rest."""
        chars = np.zeros(len(self.snapshot), np.int64)
        chars[self.nodes] = [len(self.snapshot.text[node]) for node in self.nodes.tolist()]
        return chars

    @cached_property
    def article(self) -> NDArray[np.int32]:
        """int32, shape (b,): the outermost ``article`` element around each block, -1 for none."""
        around = np.full(len(self.snapshot), -1, np.int32)
        covered = 0
        for node in self.snapshot.with_tag("article").nonzero()[0].tolist():
            if node >= covered:
                covered = int(self.snapshot.end[node])
                around[node:covered] = node
        return around[self.owner]

    def nodes_of(self, block: int) -> NDArray[np.int32]:
        """Text nodes of a block, in document order."""
        return self.nodes[self.starts[block] : self.starts[block + 1]]

    def node_lists(self) -> list[list[int]]:
        """Text nodes of each block as lists, for code that reads them one by one."""
        nodes = self.nodes.tolist()
        return [nodes[start:stop] for start, stop in pairwise(self.starts.tolist())]

    def select(self, chosen: NDArray[np.bool_ | np.intp]) -> TextBlocks:
        """A selection of the blocks.

        `chosen`: bool, shape (b,), or indices of blocks in the order of the result.
        """
        blocks = np.arange(len(self))[chosen]
        if np.array_equal(blocks, np.arange(len(self))):
            return self
        sizes = np.diff(self.starts)[blocks]
        stops = np.cumsum(sizes)
        # Offsets from positions among the chosen nodes to positions among all nodes.
        shift = np.repeat(self.starts[blocks] - (stops - sizes), sizes)
        return TextBlocks(
            self.snapshot,
            self.owner[blocks],
            self.nodes[np.arange(len(shift)) + shift],
            np.append(0, stops).astype(np.int32),
            [self.texts[block] for block in blocks.tolist()],
            self.box[blocks],
        )


def displayed_inline(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes that are laid out in a line of text."""
    return np.array([name in INLINE for name in snapshot.displays], bool)[snapshot.display]


@cached_per_snapshot
def block_owners(snapshot: Snapshot) -> NDArray[np.int32]:
    """int32, shape (n,): nearest block-level element of each node, possibly the node itself."""
    inline = displayed_inline(snapshot) | snapshot.is_text
    # The display of an element that is not laid out follows from its tag.
    inline |= (snapshot.display == 0) & snapshot.with_tag(*INLINE_TAGS)
    inline |= _formulas(snapshot)
    inline |= _initials(snapshot, ~inline & snapshot.with_tag(*INLINE_TAGS))
    inline[0] = False
    return innermost(snapshot.parent, ~inline).astype(np.int32)


def _formulas(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes of formulas, except formulas displayed as blocks of their own."""
    formulas = snapshot.with_tag("math") | typeset_formulas(snapshot)
    if not formulas.any():
        return formulas
    displayed = np.array([name.startswith("block") for name in snapshot.displays], bool)
    return subtree_mask(formulas, snapshot.end) & ~(formulas & displayed[snapshot.display])


@cached_per_snapshot
def typeset_formulas(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): elements that a typesetter has put around a formula and its source."""
    typeset = snapshot.with_tag("mjx-container")
    strings = snapshot.attributes.strings
    # Few pages have formulas, and a search through all strings at once is cheap.
    together = "\n".join(strings)
    if any(name in together for name in TYPESET):
        nodes, values = snapshot.attributes.nodes_with("class")
        distinct = set(values.tolist())
        named = [value for value in distinct if not TYPESET.isdisjoint(strings[value].split())]
        typeset[nodes[np.isin(values, named)]] = True
    return typeset


def _initials(snapshot: Snapshot, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (n,): floating initials whose word continues in the text beside them.

    So do the numbers of headings, which some style sheets set beside them.
    """
    mask = np.zeros(len(snapshot), bool)
    is_inline = snapshot.with_tag(*INLINE_TAGS)
    in_heading = snapshot.in_tag(*HEADINGS)
    for node in (among & (snapshot.end - np.arange(len(snapshot)) == 2)).nonzero()[0].tolist():
        after, letter = int(snapshot.end[node]), snapshot.text[node + 1].strip()
        beside = after < len(snapshot) and snapshot.parent[after] == snapshot.parent[node]
        # The rest of the word may be in an element of its own.
        while beside and not snapshot.is_text[after] and after + 1 < snapshot.end[after]:
            beside = is_inline[after]
            after += 1
        goes_on = beside and snapshot.text[after][:1].isalpha()
        is_initial = len(letter) <= LONGEST_INITIAL and letter[-1:].isalpha()
        is_number = in_heading[node] and NUMBER.fullmatch(letter) is not None
        mask[node] = goes_on and (is_initial or is_number)
    return mask


def _listings(snapshot: Snapshot) -> NDArray[np.int32]:
    """int32, shape (n,): code listing around each node, -1 for none.

    A listing is a ``pre`` in which only lines are laid out as blocks. A ``pre`` that the page
    fails to close contains paragraphs and headings, and is not a listing.
    """
    if "pre" not in snapshot.tags:
        return np.full(len(snapshot), -1, np.int32)
    blocks = (block_owners(snapshot) == np.arange(len(snapshot))) & ~snapshot.with_tag(*LINES)
    listing = snapshot.with_tag("pre") & (subtree_sums(blocks, snapshot.end) == 1)
    return innermost(snapshot.parent, listing).astype(np.int32)


@cached_per_snapshot
def _separators(snapshot: Snapshot) -> NDArray[np.intp]:
    """Elements that are laid out as blocks, in document order; an empty one separates texts."""
    absent = snapshot.with_tag(*NO_TEXT) | (snapshot.display == 0)
    if not snapshot.page.has_geometry:
        # Without geometry, the display of an element follows from its tag, even if it is hidden.
        # A hidden panel stands between the buttons before and after it.
        has_text = subtree_sums(snapshot.is_text, snapshot.end) > 0
        absent |= ~(snapshot.visible | has_text)
    own = block_owners(snapshot) == np.arange(len(snapshot))
    own &= ~np.isin(snapshot.position, OUT_OF_FLOW) & ~snapshot.with_tag("br")
    return (own & ~subtree_mask(absent, snapshot.end)).nonzero()[0]


def _is_below(snapshot: Snapshot, nodes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """bool, shape (t,): text nodes that do not begin in the line in which the one before ends.

    An empty element that floats does not separate the texts around it.
    """
    if not snapshot.page.has_geometry:
        return np.ones(len(nodes), bool)
    top, height = snapshot.box[nodes, 1], snapshot.box[nodes, 3]
    # The boxes of lines overlap if the lines are less high than the font.
    half = snapshot.font_size[nodes] / 2
    return top + half >= np.append(0, (top + height)[:-1])


def text_blocks(snapshot: Snapshot, texts: NDArray[np.bool_] | None = None) -> TextBlocks:
    """Blocks of a page in document order.

    A block ends where the text of another begins, at an empty element that is laid out as a block,
    such as that of an advertisement, at a line drawn with characters, and at two consecutive line
    breaks, which separate paragraphs on pages without paragraph elements. A code listing is a
    single block.

    `texts`: bool, shape (n,): text nodes to include; by default `readable_texts`.
    """
    # Not cached on the snapshot: the blocks refer to it, and a reference cycle would delay its
    # release.
    chosen = readable_texts(snapshot) if texts is None else snapshot.is_text & texts
    nodes = chosen.nonzero()[0]
    lines, listings = block_owners(snapshot)[nodes], _listings(snapshot)[nodes]
    owners = np.where(listings >= 0, listings, lines)
    # Number of line breaks between each text and the one before it.
    breaks = np.diff(np.searchsorted(snapshot.with_tag("br").nonzero()[0], nodes), prepend=0)
    keeps_space = snapshot.in_tag("pre", "textarea")[owners]
    begins = (np.diff(owners, prepend=-1) != 0) | (breaks > 1) & ~keeps_space
    for place in ((breaks == 1) & ~begins & ~keeps_space).nonzero()[0].tolist():
        begins[place] = DRAWN.fullmatch(snapshot.text[nodes[place]]) is not None
    separated = np.diff(np.searchsorted(_separators(snapshot), nodes), prepend=0) > 0
    begins |= separated & (listings < 0) & _is_below(snapshot, nodes)
    owner, box = owners[begins], _unions(snapshot.box[nodes], begins.nonzero()[0])
    keeps_space, breaks = keeps_space[begins], np.where(begins, 0, breaks)
    begins_line = ~begins & (breaks == 0) & (np.diff(lines, prepend=-1) != 0)
    spaces, before = _spaces_within(snapshot, chosen, nodes, begins)
    if len(spaces):
        nodes = np.insert(nodes, before, spaces)
        begins, begins_line = np.insert([begins, begins_line], before, False, axis=1)
        breaks = np.insert(breaks, before, 0)
    starts = np.append(begins.nonzero()[0], len(nodes)).astype(np.int32)
    has_lines = np.isin(nodes, line_texts(snapshot))
    keeps_lines = np.logical_or.reduceat(has_lines, starts[:-1]) & ~keeps_space
    joined = np.repeat(keeps_lines, np.diff(starts)) & ~has_lines
    strings = _separated(snapshot, nodes, joined, begins_line, breaks)
    runs = zip(pairwise(starts.tolist()), keeps_space.tolist(), keeps_lines.tolist(), strict=True)
    shown = [_block_text("".join(strings[start:stop]), *kept) for (start, stop), *kept in runs]
    blocks = TextBlocks(snapshot, owner, nodes.astype(np.int32), starts, shown, box)
    return blocks.select(np.array([bool(text) for text in shown], bool))


def _separated(
    snapshot: Snapshot,
    nodes: NDArray[np.intp],
    joined: NDArray[np.bool_],
    begins_line: NDArray[np.bool_],
    breaks: NDArray[np.integer],
) -> list[str]:
    """Texts of t nodes, with the spaces and line breaks that separate them on the screen.

    `joined`: bool, shape (t,): texts whose line feeds are shown as spaces beside those that end
    lines. `begins_line`: bool, shape (t,): texts that begin a line although no line break precedes
    them. `breaks`: Integers, shape (t,): number of line breaks before each text.
    """
    strings = [snapshot.text[node] for node in nodes.tolist()]
    for place in joined.nonzero()[0].tolist():
        strings[place] = strings[place].replace("\n", " ")
    for place in texts_apart(snapshot)[nodes].nonzero()[0].tolist():
        strings[place] = f" {strings[place]}"
    breaks = breaks.copy()
    for place in begins_line.nonzero()[0].tolist():
        breaks[place] = not strings[place - 1].endswith("\n")
    for place in breaks.nonzero()[0].tolist():
        strings[place] = "\n" * int(breaks[place]) + strings[place]
    return strings


def article_blocks(snapshot: Snapshot) -> TextBlocks:
    """Blocks that the article model classifies: those of all texts, including hidden ones.

    Pages hide their article until a script has run, or behind an offer to subscribe. Whether a
    text is painted is therefore just another of its features; those of placeholders are left out.
    """
    seen = readable_texts(snapshot)
    off = snapshot.in_tag(*NO_TEXT) | placeholder_texts(snapshot)
    shown = text_blocks(snapshot, seen & ~off)
    unseen = snapshot.is_text & ~seen & ~off
    if not unseen.any():
        return shown
    hidden = text_blocks(snapshot, unseen)
    both = TextBlocks(
        snapshot,
        np.append(shown.owner, hidden.owner),
        np.append(shown.nodes, hidden.nodes),
        np.append(shown.starts, hidden.starts[1:] + len(shown.nodes)),
        shown.texts + hidden.texts,
        np.concatenate([shown.box, hidden.box]),
    )
    return both.select(_disjoint_blocks(both))


def _disjoint_blocks(blocks: TextBlocks) -> NDArray[np.intp]:
    """Indices of the blocks in document order, without hidden ones amid the texts of another block.

    Such hidden blocks are words for screen readers.
    """
    order = np.argsort(blocks.first)
    first, last = blocks.first[order].tolist(), blocks.nodes[blocks.starts[1:] - 1][order].tolist()
    hidden = blocks.hidden[order].tolist()
    kept: list[int] = []
    for place in range(len(order)):
        if kept and first[place] < last[kept[-1]]:
            if hidden[place]:
                continue
            if hidden[kept[-1]]:
                kept.pop()
        kept.append(place)
    return order[kept]


@cached_per_snapshot
def spaced_texts(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): `readable_texts`, and unpainted white space between two in a block."""
    return text_blocks(snapshot).of >= 0


def _spaces_within(
    snapshot: Snapshot,
    chosen: NDArray[np.bool_],
    nodes: NDArray[np.intp],
    begins: NDArray[np.bool_],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Unpainted white space between two chosen texts of a block.

    White space is not painted at the end of a line, nor is a line feed in preformatted text.

    The nodes of white space, and for each the index in `nodes` of the text that follows it.
    """
    others = (snapshot.is_text & ~chosen).nonzero()[0]
    before = np.searchsorted(nodes, others)
    within = before < len(nodes)
    within[within] = ~begins[before[within]]
    owner = block_owners(snapshot)
    within[within] = owner[others[within]] == owner[nodes[before[within]]]
    others, before = others[within], before[within]
    blank = np.array([not snapshot.text[node].strip() for node in others.tolist()], bool)
    return others[blank], before[blank]


def line_texts(snapshot: Snapshot) -> NDArray[np.intp]:
    """Text nodes with line feeds that end lines on the screen."""
    keeping = (snapshot.keeps_lines & snapshot.is_text).nonzero()[0].tolist()
    return np.array([node for node in keeping if "\n" in snapshot.text[node]], np.intp)


def _block_text(raw: str, preformatted: bool, keeps_lines: bool) -> str:
    if preformatted and raw.strip():
        return raw.strip("\n")
    return collapse_lines(raw) if keeps_lines else collapse(raw)


def _unions(boxes: NDArray[np.float32], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Unions of runs of boxes, without boxes that have no area unless a run has no others.

    float32, shape (runs, 4). White space that is not laid out has an empty box at the page's
    corner.
    """
    has_area = (boxes[:, 2:] > 0).all(axis=1)
    no_area = ~np.logical_or.reduceat(has_area, starts)
    counts = has_area | np.repeat(no_area, np.diff(starts, append=len(boxes)))
    corners = np.where(counts[:, None], boxes[:, :2], np.float32(np.inf))
    low = np.minimum.reduceat(corners, starts)
    ends = np.where(counts[:, None], boxes[:, :2] + boxes[:, 2:], np.float32(-np.inf))
    high = np.maximum.reduceat(ends, starts)
    return np.concatenate([low, high - low], axis=1)
