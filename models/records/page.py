"""`RecordPage`: the data of a page on which the search for records operates, and its tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from urllib.parse import urldefrag

import numpy as np
from numpy.typing import NDArray

from ...features.links import absolute_url, link_mask
from ...features.overlays import overlay_mask
from ...features.readable import readable_texts
from ...features.words import collapse, count_chars
from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import (
    child_lists,
    nearest_marked,
    subtree_mask,
    subtree_sums,
    tree_shape,
)

FACTS = ("", "text", "link", "image", "datetime")
"""Kinds of datum that a node may carry, indexed by the codes in `RecordPage.fact`."""


@dataclass(frozen=True, eq=False)
class RecordPage:
    """A page's tree without blank or unpainted nodes; n nodes in document order."""

    parent: tuple[int, ...]
    """Parents in preorder, -1 for the root."""
    label: tuple[str, ...]
    """Tag names; ``#text`` for text nodes."""
    marks: tuple[tuple[str, ...], ...]
    """Class names of each node, sorted."""
    fact: tuple[int, ...]
    """Code of the datum that the node itself carries, an index into `FACTS`."""
    value: tuple[str, ...]
    """That datum: a text, a URL or a date; ``""`` if there is none."""
    chars: NDArray[np.int64]
    """int64, shape (n,): characters of the node's own text."""
    box: NDArray[np.float32]
    """float32, shape (n, 4): x, y, width, height in CSS px; zeros without geometry."""
    side: tuple[bool, ...]
    """Whether a node is inside an element beside the main part of the page: navigation, an aside, a
    header or a footer."""
    inward: tuple[bool, ...]
    """Whether a node is a link to a part of this page, which is no link to a record."""
    node: tuple[int, ...]
    """The node of the snapshot for each node."""

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def end(self) -> list[int]:
        """One past the last descendant of each node."""
        return tree_shape(self.parent)[0]

    @cached_property
    def children(self) -> list[list[int]]:
        """Children of each node, in document order."""
        return child_lists(self.parent)

    @cached_property
    def link_around(self) -> list[int]:
        """Nearest link among each node itself and its ancestors, or -1."""
        links: list[int] = []
        for node, (above, fact) in enumerate(zip(self.parent, self.fact, strict=True)):
            links.append(node if FACTS[fact] == "link" else links[above] if above >= 0 else -1)
        return links

    @cached_property
    def in_link(self) -> NDArray[np.bool_]:
        """bool, shape (n,): whether a node is a link or is inside one."""
        return np.array(self.link_around, np.int64) >= 0

    @cached_property
    def first_text(self) -> list[int]:
        """First text at or after each node; the number of nodes if there is none."""
        texts = [len(self)] * len(self)
        for node in range(len(self) - 1, -1, -1):
            later = texts[node + 1] if node + 1 < len(self) else len(self)
            texts[node] = node if FACTS[self.fact[node]] == "text" else later
        return texts

    @cached_property
    def signature(self) -> list[int]:
        """Bit set of the kinds of datum in each subtree; linked text is a separate kind."""
        kinds = [0 if not fact else 1 << fact for fact in self.fact]
        for node, linked in enumerate(self.in_link.tolist()):
            if linked and FACTS[self.fact[node]] == "text":
                kinds[node] = 1
        for node in range(len(kinds) - 1, 0, -1):
            kinds[self.parent[node]] |= kinds[node]
        return kinds

    @cached_property
    def sums(self) -> list[int]:
        """The n + 1 prefix sums of `chars`."""
        return [0, *np.cumsum(self.chars).tolist()]

    @cached_property
    def figure_sums(self) -> tuple[list[int], list[int]]:
        """The n + 1 prefix sums of digits, and those of letters and digits."""
        is_text = [FACTS[fact] == "text" for fact in self.fact]
        texts = [value if each else "" for each, value in zip(is_text, self.value, strict=True)]
        digits, letters = (
            [0, *accumulate(sum(map(kind, text)) for text in texts)]
            for kind in (str.isdigit, str.isalnum)
        )
        return digits, letters

    def subtree_chars(self, node: int) -> int:
        """Number of characters in a subtree."""
        return self.sums[self.end[node]] - self.sums[node]


# Markup inside a phrase; the phrase is read as one text.
PHRASES = (
    "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "strike", "strong", "sub", "sup",
    "tt", "u", "var", "wbr",
)  # fmt: skip

# Elements that running text may contain besides phrases.
INLINE = ("a", "img", "span", "label")

VERBATIM = ("pre", "code", "math", "svg")

# Minimum characters of its own text for an element's links to be part of running text.
RUNNING_CHARS = 100

# Parts beside the main content, by ARIA roles (mostly landmarks) and by words in classes and ids.
# "widget", "comment" and "cloud" are not included, since they are the main content of some pages.
SIDE_ROLES = frozenset(
    ("banner", "complementary", "contentinfo", "menu", "menubar", "navigation", "search")
)
SIDE_WORDS = frozenset((
    "aside", "breadcrumb", "breadcrumbs", "copyright", "footer", "menu", "menus", "nav", "navbar",
    "navigation", "pager", "pagination", "related", "share", "sidebar", "social", "toc",
))  # fmt: skip

# Words that negate the above: "has-sidebar" is a class of the main content.
NEGATIONS = frozenset(("has", "no", "with", "without"))

# Prefixes of the fragments that single-page applications use as routes.
ROUTES = ("/", "!")

# A word of a class or id, including those in camel case ("siteFooter").
WORD = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

TEXT, LINK, IMAGE, DATETIME = (FACTS.index(kind) for kind in ("text", "link", "image", "datetime"))

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]


def record_page(snapshot: Snapshot) -> RecordPage:
    """Tree of the visible content: texts, URLs of links and images, and dates.

    A phrase is one leaf regardless of the markup inside it, and so is running text with links.
    Overlays are excluded.
    """
    facts = _facts(snapshot)
    kept = subtree_sums(facts > 0, snapshot.end) > 0
    kept[0] = True
    one_text = _single_text_elements(snapshot, facts, kept)
    end = snapshot.end.tolist()
    place = {-1: -1}
    nodes: list[int] = []
    values: list[str] = []
    until = 0
    for node in np.flatnonzero(kept).tolist():
        if node < until:
            continue
        # A link or date keeps its text as a separate node, with several texts joined in the first.
        above = int(snapshot.parent[node])
        gathered = facts[node] == TEXT and one_text[above]
        if one_text[node] and facts[node] == 0:
            facts[node] = TEXT
            until = end[node]
        elif gathered:
            until = end[above]
        place[node] = len(nodes)
        nodes.append(node)
        values.append(_value(snapshot, node, end[node] if not gathered else end[above], facts))
    fact = facts[nodes].tolist()
    chars = [
        count_chars(value) if code == TEXT else 0 for code, value in zip(fact, values, strict=True)
    ]
    classes = dict(snapshot.attributes.with_attribute("class"))
    return RecordPage(
        parent=tuple(place[int(snapshot.parent[node])] for node in nodes),
        label=tuple(snapshot.tag_name(node) for node in nodes),
        marks=tuple(tuple(sorted(set(classes.get(node, "").split()))) for node in nodes),
        fact=tuple(fact),
        value=tuple(values),
        chars=np.array(chars, np.int64),
        box=snapshot.box[nodes],
        side=tuple(_sides(snapshot)[nodes].tolist()),
        inward=tuple(
            code == LINK and _is_inward(snapshot, value)
            for code, value in zip(fact, values, strict=True)
        ),
        node=tuple(nodes),
    )


def _facts(snapshot: Snapshot) -> Codes:
    """Kind of datum that each node carries, an index into `FACTS`; 0 for none."""
    facts = np.zeros(len(snapshot), np.int64)
    covered = overlay_mask(snapshot)
    for node in np.flatnonzero(readable_texts(snapshot) & ~covered).tolist():
        facts[node] = TEXT if snapshot.text[node].strip() else 0
    filled = subtree_sums(facts > 0, snapshot.end) > 0
    shown = (snapshot.visible | filled) & ~covered & ~snapshot.is_text
    for name, code, tags in (
        ("src", IMAGE, snapshot.with_tag("img")),
        ("href", LINK, link_mask(snapshot)),
    ):
        for node, value in snapshot.attributes.with_attribute(name):
            if tags[node] and shown[node] and absolute_url(snapshot, node, value):
                facts[node] = code
    for node, value in snapshot.attributes.with_attribute("datetime"):
        if shown[node] and value.strip():
            facts[node] = DATETIME
    return facts


def _single_text_elements(snapshot: Snapshot, facts: Codes, kept: Mask) -> Mask:
    """Elements whose content is a single text: phrases, running text, source code."""
    attributed = np.zeros(len(snapshot), bool)
    for name in ("class", "itemprop"):
        attributed[[node for node, _ in snapshot.attributes.with_attribute(name)]] = True
    parts = kept & ~snapshot.is_text & ~snapshot.with_tag(*PHRASES)
    parts &= ~(snapshot.with_tag("span") & ~attributed)
    phrase = _inside(snapshot, parts | (facts > TEXT)) == 0
    runs = _inside(snapshot, parts & ~snapshot.with_tag(*INLINE)) == 0
    running = runs & _running(snapshot, facts) & (facts == 0)
    holds_text = kept & (_inside(snapshot, facts == TEXT) > 0)
    return holds_text & (phrase | running | snapshot.with_tag(*VERBATIM))


def _inside(snapshot: Snapshot, marked: Mask) -> Codes:
    """Number of marked proper descendants of each node."""
    return subtree_sums(marked, snapshot.end) - marked


def _running(snapshot: Snapshot, facts: Codes) -> Mask:
    """Elements with enough text of their own whose first text is not in a link."""
    texts = np.flatnonzero(facts == TEXT)
    own = np.zeros(len(snapshot), np.int64)
    np.add.at(own, snapshot.parent[texts], [count_chars(snapshot.text[t]) for t in texts.tolist()])
    long = np.flatnonzero(own >= RUNNING_CHARS)
    first = texts[np.searchsorted(texts, long)]
    linked = nearest_marked(snapshot.parent, facts == LINK)[first] > long
    mask = np.zeros(len(snapshot), bool)
    mask[long[~linked]] = True
    return mask


def _value(snapshot: Snapshot, node: int, end: int, facts: Codes) -> str:
    """Value of a node; for a text, all text from the node to `end`."""
    fact = int(facts[node])
    if fact == TEXT:
        # White space at the end of a line is not rendered, so blank texts and `br` are added back.
        pieces = [
            snapshot.text[part] if facts[part] == TEXT else " "
            for part in range(node, end)
            if facts[part] == TEXT
            or snapshot.text[part].isspace()
            or snapshot.tag_name(part) == "br"
        ]
        return collapse("".join(pieces))
    if fact == DATETIME:
        return collapse(snapshot.attributes.get(node, "datetime") or "")
    if fact:
        reference = snapshot.attributes.get(node, "href" if fact == LINK else "src") or ""
        return absolute_url(snapshot, node, reference) or ""
    return ""


def _sides(snapshot: Snapshot) -> Mask:
    """Nodes beside the main content, according to their own or an ancestor's names and tags."""
    named = np.zeros(len(snapshot), bool)
    for name in ("class", "id"):
        for node, value in snapshot.attributes.with_attribute(name):
            named[node] |= any(map(_is_side_name, value.split()))
    # An element that contains the page's h1 wraps the main content, whatever its class.
    named &= subtree_sums(snapshot.with_tag("h1"), snapshot.end) == 0
    for node, value in snapshot.attributes.with_attribute("role"):
        named[node] |= value.strip().lower() in SIDE_ROLES
    main = snapshot.with_tag("main", "article")
    # The header of a section is not a landmark (HTML-AAM).
    scopes = subtree_mask(main | snapshot.with_tag("section"), snapshot.end)
    named |= snapshot.with_tag("header", "footer") & ~scopes
    named |= snapshot.with_tag("nav", "aside")
    named &= (subtree_sums(main, snapshot.end) == 0) & ~snapshot.with_tag("html", "body")
    return subtree_mask(named, snapshot.end)


def _is_inward(snapshot: Snapshot, url: str) -> bool:
    """Whether a URL refers to a part of this page; "#/about" is a separate page."""
    page, route = urldefrag(snapshot.page.url)
    address, part = urldefrag(url)
    if address != page or not part.startswith(ROUTES):
        return address == page and "#" in url
    return part.partition("?")[0] == route.partition("?")[0]


def _is_side_name(name: str) -> bool:
    words = [word.lower() for word in WORD.findall(name)]
    return not SIDE_WORDS.isdisjoint(words) and NEGATIONS.isdisjoint(words)
