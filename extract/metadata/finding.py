"""`Finding`: one value of one field from one source; `Scene`: the page as sources see it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...features.blocks import displayed_inline
from ...features.words import collapse, legible
from ...patterns import lazy_re
from ...renderer.page.snapshot import Snapshot
from .dates import is_month_first, iso_date, order_of_dates
from .languages import MAX_CHARS as LANGUAGE_CHARS
from .languages import LanguageScores

# Longer values are not names, headlines or descriptions.
MAX_CHARS = 5000

# Maximum number of nodes of a subtree that are read for a name or a headline.
MAX_NODES = 300

# Maximum number of characters of a text whose date shows the order of day and month.
MAX_DATELINE = 90

# Ranges in which bylines and datelines are sought, in text nodes: before the headline and after the
# start of the body, and after its end. They begin at most `FAR` text nodes before the body.
BEFORE = 12
AFTER = 25
BELOW = 12
FAR = 80
MAX_LINE = 300

FURNITURE = ("footer", "nav", "aside")
MAX_H1 = 20
MAX_HEADLINE = 400

# Maximum number of levels between a text node and the link around it.
MAX_LEVELS = 5

FORMATTING = lazy_re(
    r"</?(?:(br|div|li|p|ul)|a|b|em|i|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>", re.IGNORECASE
)
"""Tags of formatted text; the group matches those that separate words."""

SURROGATES = lazy_re("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


Test = Callable[[str], bool]


@dataclass(frozen=True)
class Finding:
    """The value that one source gives for one field."""

    field: str
    """Name of the field, as in `Metadata`, or of a fact that decides a field."""
    values: tuple[str, ...]
    """The values; more than one for authors and tags."""
    source: str
    """Where it was found, in words: the kind of the source and its name."""
    node: int = -1
    """The node that it was found at, or -1."""
    group: str = ""
    """The kind of source as the rankers know it, if it is not that in `source`."""
    whole: bool = True
    """Whether this is the whole value of the source, and not a title without the site's name."""

    @property
    def place(self) -> str:
        """The source with the node, as in `Metadata.provenance`."""
        return self.source if self.node < 0 else f"{self.source}, node {self.node}"

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Names of the kind of source, the most specific first."""
        name = self.group or self.source.partition(" '")[0]
        return (name, name.partition(" ")[0])


class RoleText(NamedTuple):
    """A text block with the role that the method assigned to it."""

    role: str
    nodes: Sequence[int]
    """Its text nodes, in document order; at least one."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A page with the places of its headline and its body."""

    snapshot: Snapshot
    title: int | None = None
    """Node of the headline."""
    kept: NDArray[np.bool_] | None = None
    """bool, shape (n,): nodes of the body."""
    blocks: Sequence[RoleText] = ()
    """Its blocks, if the method has roles."""
    kind: str = ""
    """Its kind, such as ``"article"``; empty if unknown."""
    entries: NDArray[np.bool_] | None = None
    """bool, shape (n,): nodes of the entries, if the page is a list; None otherwise. Their authors
    and days are not those of the page."""

    @cached_property
    def body(self) -> NDArray[np.intp]:
        """int, shape (k,): text nodes of the body."""
        # Ancestors of the body may be kept too, up to the root.
        kept = np.zeros(len(self.snapshot), bool) if self.kept is None else self.kept
        return (kept & self.snapshot.is_text).nonzero()[0]

    @cached_property
    def start(self) -> int:
        """First text node of the body; n if there is none."""
        return int(self.body[0]) if len(self.body) else len(self.snapshot)

    @cached_property
    def stop(self) -> int:
        """One past the last text node of the body; n if there is none."""
        return int(self.body[-1]) + 1 if len(self.body) else len(self.snapshot)

    def is_of_entry(self, field: str, node: int) -> bool:
        """Whether a node gives a field of an entry of a list, and not of the page.

        Titles are left to the ranker.
        """
        is_inside = self.entries is not None and node >= 0 and bool(self.entries[node])
        return is_inside and field != "title"

    @property
    def top(self) -> int:
        """The headline, or else the start of the body."""
        return self.start if self.title is None else self.title

    @cached_property
    def languages(self) -> LanguageScores:
        """Similarity of the body to each language."""
        # A node has at least a character.
        nodes = self.body[:LANGUAGE_CHARS].tolist()
        return LanguageScores.of(collapse(" ".join([self.snapshot.text[n].strip() for n in nodes])))

    @cached_property
    def month_first(self) -> bool | None:
        """Whether 3/4/2021 is a day in March, by the page's other dates or else its language."""
        page = self.snapshot.page
        declared = [content for _, content in page.meta]
        written = [text for text in self.snapshot.text if len(text) <= MAX_DATELINE]
        order = order_of_dates([*declared, *written])
        return is_month_first(page.language or self.languages.choose()) if order is None else order

    def with_attribute(
        self, name: str, low: int = 0, high: int | None = None, accept: Test | None = None
    ) -> list[tuple[int, str]]:
        """Pairs (node, value) of nodes in ``[low, high)`` that have the attribute, in order."""
        last = len(self.snapshot) if high is None else high
        pairs = self.snapshot.attributes.with_attribute(name, accept)
        return [(node, value) for node, value in pairs if low <= node < last]

    @cached_property
    def texts(self) -> NDArray[np.intp]:
        """int, shape (t,): text nodes of the page."""
        return self.snapshot.is_text.nonzero()[0]

    @cached_property
    def headline(self) -> str:
        """Text of the headline, or the empty string."""
        return "" if self.title is None else subtree_text(self, self.title)

    @cached_property
    def block_level(self) -> NDArray[np.bool_]:
        """bool, shape (n,): elements that are not laid out inline."""
        page = self.snapshot
        return ~displayed_inline(page) & ~page.is_text | page.with_tag("br")

    @cached_property
    def largest_h1(self) -> tuple[int, str] | None:
        """The ``h1`` in the largest font with its text; of several, the closest to the body.

        Without a body, it is the first one.
        """
        page, start = self.snapshot, self.start if len(self.body) else 0
        nodes = page.with_tag("h1").nonzero()[0].tolist()[:MAX_H1]
        headings = [(node, subtree_text(self, node)) for node in nodes]

        def order(item: tuple[int, str]) -> tuple[bool, float, int]:
            node = item[0]
            largest = float(page.font_size[node : page.end[node]].max())
            return bool(page.visible[node]), largest, -abs(node - start)

        headings = [each for each in headings if 0 < len(each[1]) <= MAX_HEADLINE]
        return max(headings, key=order, default=None)

    @cached_property
    def head(self) -> tuple[int, int]:
        """First node near the headline or the body, and the last one near the body's start.

        Bylines and datelines are sought between them.
        """
        heading = self.start if self.largest_h1 is None else self.largest_h1[0]
        start, first = np.searchsorted(self.texts, [self.start, min(self.top, heading, self.start)])
        # A heading far above the body belongs to the site.
        place, last = max(int(first) - BEFORE, int(start) - FAR), int(start) + AFTER
        return (
            int(self.texts[place]) if place >= 0 else 0,
            int(self.texts[last]) if last < len(self.texts) else len(self.snapshot),
        )

    @cached_property
    def furniture(self) -> NDArray[np.bool_]:
        """bool, shape (n,): nodes below the body in the footer and other parts of the site."""
        page = self.snapshot
        of_site = page.in_tag(*FURNITURE) & ~page.in_tag("article", "main")
        of_site[: self.stop] = False
        return of_site

    @cached_property
    def foot(self) -> tuple[int, int]:
        """First node after the body and after `head`, and the last one near the body's end.

        Signatures are sought between them.
        """
        first = max(self.stop, self.head[1])
        last = int(np.searchsorted(self.texts, self.stop)) + BELOW
        stop = int(self.texts[last]) if last < len(self.texts) else len(self.snapshot)
        return first, max(first, stop)

    @cached_property
    def signature(self) -> tuple[int, int]:
        """The nodes of the last ``address`` after the body that is not the site's, or none."""
        page = self.snapshot
        signs = page.with_tag("address") & ~self.furniture
        after = signs[self.stop :].nonzero()[0]
        first = self.stop + int(after[-1]) if len(after) else len(page)
        return first, int(page.end[first]) if len(after) else first

    @cached_property
    def head_lines(self) -> list[tuple[int, str]]:
        """The texts in `head`, with their nodes."""
        return self.lines_between(*self.head)

    def lines_between(self, low: int, high: int) -> list[tuple[int, str]]:
        """The texts of nodes in ``[low, high)``, with their nodes."""
        first, last = np.searchsorted(self.texts, (low, high)).tolist()
        nodes = self.texts[first:last].tolist()
        texts = ((node, self.snapshot.text[node].strip()[:MAX_LINE]) for node in nodes)
        return [(node, text) for node, text in texts if text]

    def dates(self, findings: Iterable[Finding]) -> list[tuple[str, Finding]]:
        """Findings that give a date, with the date in ISO 8601."""
        time = self.snapshot.page.time
        pairs = ((iso_date(f.values[0], time, month_first=self.month_first), f) for f in findings)
        return [(day, finding) for day, finding in pairs if day]


def link_around(snapshot: Snapshot, node: int) -> int | None:
    """The link around a text node, if it is at most `MAX_LEVELS` levels up."""
    for _ in range(MAX_LEVELS):
        node = int(snapshot.parent[node])
        if node < 0:
            return None
        if snapshot.tag_name(node) == "a":
            return node
    return None


def bare_name(name: str) -> str:
    """A name from a vocabulary in lower case, without the vocabulary's address or prefix.

    >>> bare_name("https://schema.org/NewsArticle"), bare_name("schema:Article")
    ('newsarticle', 'article')
    """
    return name.rpartition("#")[2].rpartition("/")[2].rpartition(":")[2].lower()


def tidy(text: str) -> str:
    """Text as one line of visible characters, with entities resolved and white space collapsed.

    >>> tidy(" Fish &amp;amp; chi\\xadps\\ud800 ")
    'Fish & chips'
    """
    text = text[:MAX_CHARS]
    # Publishing systems may escape text twice.
    if "&" in text:
        text = html.unescape(html.unescape(text))
    text = SURROGATES.sub("", text)
    return collapse(legible(text))


def declared_text(text: str) -> str:
    """Declared text as one line, without the formatting that publishing systems leave in it.

    >>> declared_text("<p>Fish &amp; <em>chips</em></p>")
    'Fish & chips'
    """
    text = tidy(text)
    # Text about HTML names single tags: "The <a> element".
    if "</" in text or "<br" in text.lower():
        text = collapse(FORMATTING.sub(lambda tag: " " if tag[1] else "", text))
    return text


def subtree_text(scene: Scene, node: int) -> str:
    """Text of a subtree, with a space at the end of blocks and lines but none inside words."""
    page = scene.snapshot
    stop = min(int(page.end[node]), node + MAX_NODES)
    parts: list[str] = []
    parted = False
    for i in range(node, stop):
        above = int(page.parent[i])
        if page.is_text[i]:
            if parted or (above != node and scene.block_level[above]):
                parts.append(" ")
            parts.append(page.text[i])
            parted = above != node and bool(scene.block_level[above])
        elif scene.block_level[i]:
            parted = True
    return tidy("".join(parts))
