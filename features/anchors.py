"""Anchors: what identifies a block or an element of a page in another capture of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import ElementNotFoundError
from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import count_equals
from .blocks import TextBlocks, article_blocks
from .selectors import CHILD, is_stable
from .words import collapse, legible

MAX_TEXT = 500
"""Number of characters of a text that are compared."""

MAX_PATH = 1000
"""Maximum number of characters of a path. Elements that are nested more deeply have none, since
all paths of a page together would grow with the square of its size."""

MAX_PLACES = 1000
"""Maximum number of places of a text that are looked at."""

MAX_AROUND = 20
"""Maximum number of elements around each other that are compared."""

MAX_SAME = 40
"""Maximum number of nodes with the same text that are compared by their places."""

ALIKE = 0.6
"""Minimum similarity of the texts of an element and its anchor if they differ."""

# Tags that XPath, CSS and all parsers read in the same way.
PLAIN_TAG = lazy_re(r"[a-z][a-z0-9-]*")

BODY = "/html[1]/body[1]"

PLACES = lazy_re(r"\[\d+\]")


@dataclass(frozen=True)
class Anchor:
    """What identifies an element, or a block, in another capture of its page."""

    xpath: str
    """Path of the element from the root, such as ``/html[1]/body[1]/p[2]``; empty if it is longer
    than 1,000 characters."""
    css: str
    """Shortest tag, class or id that no other element has; where there is none, the place below the
    nearest ancestor that has one, as in ``.story > p:nth-of-type(2)``. Names with digits are not
    used, since many are generated anew for every page. Empty if it is longer than 1,000 characters.
    """
    offset: int
    """Number of characters of the element's text before a block; white space is not counted."""
    text: str
    """Text of the element or the block. Its first 500 characters are compared."""


class BlockAnchors:
    """What the anchors of a page's b blocks are computed from; it does not hold the page."""

    def __init__(self, page: TextBlocks) -> None:
        self._elements = Elements(page.snapshot)
        self._owner, self._texts = page.owner, page.shown_texts
        # Of the blocks within the element of each block, the first.
        self._inside = np.searchsorted(page.first, page.owner)

    def compute(self) -> list[Anchor]:
        """The anchors, in time linear in the size of the page."""
        paths = _Paths(self._elements)
        offsets = self._offsets().tolist()
        return [
            Anchor(*paths.of(owner), offset, text[:MAX_TEXT])
            for owner, offset, text in zip(self._owner.tolist(), offsets, self._texts, strict=True)
        ]

    def _offsets(self) -> NDArray[np.int64]:
        """int64, shape (b,): length of the blocks in the element of each block before it."""
        numbers = np.arange(len(self._texts))
        # In most elements there is a single block.
        begins = np.bincount(self._inside, minlength=len(numbers) + 1)
        is_before = np.cumsum(begins[:-1] - np.bincount(numbers, minlength=len(numbers))) > 0
        lengths = np.zeros(len(numbers) + 1, np.int64)
        for number in is_before.nonzero()[0].tolist():
            lengths[number + 1] = sum(map(len, self._texts[number].split()))
        before = np.cumsum(lengths)
        return before[:-1] - before[self._inside]


def anchor_of(snapshot: Snapshot, node: int) -> Anchor:
    """The anchor of an element; the anchors of all blocks are in `Extraction.blocks`.

    >>> page = Snapshot.from_html("<main><p class=lead>Bread rises.</p><p>Dough.</p></main>")
    >>> anchor_of(page, int(page.with_tag("p").nonzero()[0][0]))
    Anchor(xpath='/html[1]/body[1]/main[1]/p[1]', css='.lead', offset=0, text='Bread rises.')
    """
    paths, nodes = _Paths(Elements(snapshot)), article_blocks(snapshot).nodes
    first, stop = np.searchsorted(nodes, [node, snapshot.end[node]]).tolist()
    text = collapse(" ".join(snapshot.text[text] for text in nodes[first:stop].tolist()))
    return Anchor(*paths.of(node), 0, text[:MAX_TEXT])


def text_paths(snapshot: Snapshot, nodes: Sequence[int]) -> list[str]:
    """Paths of text nodes from the body, such as ``/div[1]/p[2]/text()[1]``; empty for one whose
    element has no path, or is not in the body.
    """
    paths, count = _Paths(Elements(snapshot)), Counter[int]()
    names = dict[int, str]()
    for node in snapshot.is_text.nonzero()[0].tolist():
        parent = int(snapshot.parent[node])
        count[parent] += 1
        names[node] = f"{paths.of(parent)[0]}/text()[{count[parent]}]"
    return [
        names[node].removeprefix(BODY) if names[node].startswith(f"{BODY}/") else ""
        for node in nodes
    ]


def find(snapshot: Snapshot, anchor: Anchor) -> int | None:
    """The node that an anchor of another capture identifies; None if the page has none.

    It is the element with the anchor's text, or the text node at which the text begins if no
    element has only this text. The same text is preferred wherever it is, then the element of the
    selector, then that of the path, if their texts are similar. Of several with the same text, it
    is the one at the most similar place.

    >>> page = Snapshot.from_html("<p>Advertisement</p><main><p>Bread rises.</p></main>")
    >>> anchor = Anchor("/html[1]/body[1]/p[1]", "", 0, "Bread rises.")
    >>> find(page, anchor) == len(page) - 2
    True

    Raises
    ------
    ValueError
        The path or the selector of the anchor is invalid.
    """
    texts = _Texts(snapshot)
    alike = texts.nodes_with(anchor.text)
    if len(alike) == 1:
        return alike[0]
    matches = [node for name in (anchor.css, anchor.xpath) for node in _matches(snapshot, name)]
    from rapidfuzz.distance import Levenshtein

    wanted = _bare(anchor.text)[:MAX_TEXT]
    near = [node for match in matches for node in (match, *texts.blocks_of(match))]
    texts_near = [texts.whole[slice(*texts.span(node))][:MAX_TEXT] for node in near]
    if alike:
        # There may be more nodes with the text than are compared.
        same = [node for node, text in zip(near, texts_near, strict=True) if text == wanted]
        return _most_similar(texts, [*alike, *same], matches, anchor)
    for node, text in zip(near, texts_near, strict=True):
        if Levenshtein.normalized_similarity(text, wanted) >= ALIKE:
            return node
    return None


def _most_similar(
    texts: _Texts, nodes: Sequence[int], matches: Sequence[int], anchor: Anchor
) -> int:
    """Of nodes with the same text, the one at the most similar place."""
    paths, steps = _Paths(Elements(texts.page.snapshot)), anchor.xpath.split("/")
    tag = steps[-1].partition("[")[0]

    def likeness(node: int) -> tuple[int | bool, ...]:
        element = texts.element_of(node)
        path = paths.of(element)[0].split("/")
        offset = texts.span(node)[0] - texts.span(element)[0]
        return (
            path[-1].startswith(f"{tag}["),
            element in matches,
            sum(map(str.__eq__, path, steps)),
            -abs(offset - anchor.offset),
        )

    return max(nodes, key=likeness)


class _Texts:
    """The text of a page without white space, and where in it each node begins and ends."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.page = article_blocks(snapshot)
        texts = [_bare(snapshot.text[node]) for node in self.page.nodes.tolist()]
        self.whole = "".join(texts)
        self._starts = np.append(0, np.cumsum([len(text) for text in texts], dtype=np.int64))

    def element_of(self, node: int) -> int:
        """The element, or that of the block of a text node."""
        block = int(self.page.of[node])
        return node if block < 0 else int(self.page.owner[block])

    def blocks_of(self, element: int) -> list[int]:
        """First text nodes of the blocks of an element."""
        return self.page.first[self.page.owner == element].tolist()

    def span(self, node: int) -> tuple[int, int]:
        """Range of the text of an element, or of the block of a text node."""
        page, block = self.page, int(self.page.of[node])
        if block >= 0:
            places = page.starts[block : block + 2]
        else:
            places = np.searchsorted(page.nodes, [node, page.snapshot.end[node]])
        start, stop = self._starts[places].tolist()
        return start, stop

    def nodes_with(self, text: str) -> list[int]:
        """Nodes whose text is the given one, or begins with it if that may be cut off."""
        wanted = _bare(text)[:MAX_TEXT]
        found, start = list[int](), -1
        for _ in range(MAX_PLACES if wanted else 0):
            start = self.whole.find(wanted, start + 1)
            if start < 0 or len(found) >= MAX_SAME:
                break
            found += self._nodes_at(start, start + len(wanted), len(text) >= MAX_TEXT)
        return found[:MAX_SAME]

    def _nodes_at(self, start: int, stop: int, is_cut: bool) -> list[int]:
        """Elements with a range of the text, and the first text node of a block that has it in an
        element with more text.
        """
        page, parent = self.page, self.page.snapshot.parent
        text = int(page.nodes[np.searchsorted(self._starts, start, "right") - 1])
        found, element, depth = list[int](), int(parent[text]), 0
        while element >= 0 and depth < MAX_AROUND:
            begins, ends = self.span(element)
            if begins < start or (ends > stop and not is_cut):
                break
            if ends >= stop:
                found.append(element)
            element, depth = int(parent[element]), depth + 1
        begins, ends = self.span(text)
        block = int(page.of[text])
        has_range = begins == start and (ends == stop or (is_cut and ends > stop))
        is_part = has_range and int(page.owner[block]) not in found
        return [*found, int(page.first[block])] if is_part else found


def _matches(snapshot: Snapshot, selector: str) -> list[int]:
    """The element that a selector or a path matches, if it is the only one."""
    from .scope import find_elements

    try:
        nodes = find_elements(snapshot, selector) if selector else []
    except ElementNotFoundError:
        return []
    return nodes if len(nodes) == 1 else []


def _bare(text: str) -> str:
    return "".join(legible(text).split())


class Elements:
    """Tags, ids and classes of a page's n elements, apart from the rest of the page."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.parent, self.tag, self.is_text = snapshot.parent, snapshot.tag, snapshot.is_text
        self.tags = snapshot.tags
        self.ids = _values(snapshot, "id")
        self.classes = _values(snapshot, "class")
        """The value of each node that has one."""


def _values(snapshot: Snapshot, name: str) -> dict[int, str]:
    return dict(snapshot.attributes.with_attribute(name))


class _Paths:
    """Paths and selectors of the elements of a page, each computed once."""

    def __init__(self, elements: Elements) -> None:
        self._parent: list[int] = elements.parent.tolist()
        self._tags = [tag if PLAIN_TAG.fullmatch(tag) else "" for tag in elements.tags]
        self._tag: list[int] = elements.tag.tolist()
        is_plain = np.array(list(map(bool, self._tags)), bool)
        self._same, self._place = _siblings(elements, is_plain)
        self._ids, self._classes = elements.ids, elements.classes
        self._times = np.bincount(elements.tag, minlength=len(is_plain)).tolist()
        self._times_of_id = Counter(self._ids.values())
        self._times_of_classes = Counter(self._classes.values())
        self._times_of_class = Counter(" ".join(self._classes.values()).split())
        self._known: dict[int, tuple[str, str]] = {-1: ("", "")}

    def of(self, node: int) -> tuple[str, str]:
        """The path of an element from the root, and its selector."""
        nodes, known = list[int](), self._known
        while node not in known:
            nodes.append(node)
            node = self._parent[node]
        for each in reversed(nodes):
            known[each] = self._step(each, *known[self._parent[each]])
        return known[nodes[0] if nodes else node]

    def _step(self, node: int, xpath: str, css: str) -> tuple[str, str]:
        """Path and selector of an element, given those of its parent."""
        tag, place = self._tags[self._tag[node]], self._place[node]
        step = tag or f":nth-child({place})"
        if tag and self._same[node] > 1:
            step = f"{tag}:nth-of-type({place})"
        has_path = len(xpath) < MAX_PATH and (xpath or self._parent[node] < 0)
        below = f"{css}{CHILD}{step}" if 0 < len(css) < MAX_PATH else ""
        return f"{xpath}/{tag or '*'}[{place}]" if has_path else "", self._alone(node) or below

    def _alone(self, node: int) -> str:
        """The shortest tag, id or class that no other element has."""
        code, names = self._tag[node], list[str]()
        if self._times[code] == 1 and self._tags[code]:
            names.append(self._tags[code])
        name = self._ids.get(node)
        if name and self._times_of_id[name] == 1 and is_stable(name):
            names.append(f"#{name}")
        classes = self._classes.get(node)
        # What several elements have in common is not looked through for each of them.
        if classes and self._times_of_classes[classes] == 1:
            for name in classes.split():
                if self._times_of_class[name] == 1 and is_stable(name):
                    names.append(f".{name}")
        return min(names, key=len, default="")


def _siblings(elements: Elements, is_plain: NDArray[np.bool_]) -> tuple[list[int], list[int]]:
    """Of each element, the number of siblings with its tag, itself included, and its place among
    them, from 1. One whose tag has no plain name is counted among all elements.
    """
    above, tag = elements.parent.astype(np.int64) + 1, elements.tag
    same, place = count_equals(above * len(is_plain) + tag)
    if not is_plain[tag].all():
        _, places = count_equals(2 * above + elements.is_text)
        place = np.where(is_plain[tag], place, places)
    return same.tolist(), place.tolist()


Keys = tuple[int, ...]
"""Hashes of a block's text, its elements and its neighbours, from the most to the least exact.

A hash that several blocks of the page share is 0.
"""


def match_anchors(earlier: Sequence[Anchor], later: Sequence[Anchor]) -> list[int]:
    """For each block of an earlier capture, its index in a later one; -1 if it is gone.

    The anchors are those of all blocks, so that blocks with the same text are distinguished by
    their neighbours. No two blocks are matched with the same one, and time is linear.
    """
    found = [-1] * len(earlier)
    taken: set[int] = set()
    rows, others = match_keys(earlier), match_keys(later)
    for level in range(max(map(len, rows), default=0)):
        places = {row[level]: place for place, row in enumerate(others) if place not in taken}
        for block, row in enumerate(rows):
            place = places.get(row[level], -1) if row[level] and found[block] < 0 else -1
            if place >= 0 and place not in taken:
                found[block] = place
                taken.add(place)
    return found


def match_keys(anchors: Sequence[Anchor]) -> list[Keys]:
    """The keys by which the blocks of a page are matched with those of another capture."""
    of = [PLACES.sub("", anchor.xpath) for anchor in anchors]
    texts = [anchor.text[:MAX_TEXT] for anchor in anchors]
    codes = _codes(texts)
    before, after = [0, *codes][:-1], [*codes, 0][1:]
    places, repeats = _turns(list(zip(of, codes, strict=True))), _turns(codes)
    # Ages and numbers of comments change.
    bare = ("".join(letter for letter in text if not letter.isdecimal()) for text in texts)
    rows = [
        (
            (path, text, early, late),
            (path, text, early),
            (path, text, late),
            (path, text, place),
            (text, early),
            (text, late),
            (text, repeat),
            (path, bare),
        )
        for path, text, early, late, place, repeat, bare in zip(
            of, codes, before, after, places, repeats, _codes(bare), strict=True
        )
    ]
    hashes = [tuple(crc32(repr(key).encode()) for key in row) for row in rows]
    counts = [Counter(column) for column in zip(*hashes, strict=True)]
    return [
        tuple(key if count[key] == 1 else 0 for key, count in zip(row, counts, strict=True))
        for row in hashes
    ]


def _codes(texts: Iterable[str]) -> list[int]:
    return [crc32(text.encode("utf-8", "replace")) for text in texts]


def _turns(keys: Sequence[Hashable]) -> list[tuple[int, int]]:
    """For each key, how many equal ones precede it, and how many there are."""
    totals, seen = Counter(keys), defaultdict[Hashable, int](int)
    turns = []
    for key in keys:
        turns.append((seen[key], totals[key]))
        seen[key] += 1
    return turns
