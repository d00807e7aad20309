"""`Nodes`: the part of a page that its body is written from."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import ItemsView
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ...features.links import join_url

LINE_TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol menu dir li dl dt dd blockquote pre listing xmp table thead tbody "
    "tfoot tr td th caption figure figcaption hr".split()
)
"""Elements that end a line whatever their style."""

NONE: dict[int, str] = {}


@lru_cache(maxsize=4096)
def _classes(value: str) -> tuple[str, ...]:
    return tuple(value.lower().split())


@dataclass(frozen=True, eq=False)
class Nodes:
    """k nodes in document order: texts of the body, its other content, and all their ancestors."""

    url: str
    tags: tuple[str, ...]
    texts: tuple[str, ...]
    """k tag names, ``#text`` for text nodes, and k texts."""
    end: NDArray[np.int32]
    parent: NDArray[np.int32]
    """int32, shape (k,): one past the last descendant, and the parent, or -1, among these nodes."""
    blocks: NDArray[np.int32]
    """int32, shape (k, 2): first and last text block in the subtree; -1 if there is none."""
    is_block: NDArray[np.bool_]
    """bool, shape (k,): whether the node begins and ends a line, by its layout or its tag."""
    boxes: NDArray[np.float32]
    font_size: NDArray[np.float32]
    """float32, shapes (k, 4) and (k,): x, y, width, height and font size in CSS px; zeros if
    nothing was laid out."""
    attributes: dict[str, dict[int, str]] = field(repr=False)
    """Values by the name of the attribute, then by node."""
    frame: NDArray[np.integer] = field(repr=False)
    bases: tuple[str, ...]
    """Frame of each node, and base URL of each frame."""
    has_typesetter: bool = False
    """Whether the page loads a script that typesets TeX in its text."""
    line_texts: frozenset[int] = frozenset()
    texts_apart: frozenset[int] = frozenset()
    """Text nodes whose line feeds end lines, and those that the layout separates from the text
    before them."""
    posts: dict[int, str] = field(default_factory=dict)
    """Authors of the posts of a thread, or empty strings, by the elements of the posts."""
    labels: dict[int, str] = field(default_factory=dict)
    """Labels of the panels of tabs, by the elements of the panels."""

    @cached_property
    def ends(self) -> list[int]:
        """`end` as a list, for loops over nodes."""
        return self.end.tolist()

    @cached_property
    def parents(self) -> list[int]:
        """`parent` as a list."""
        return self.parent.tolist()

    @cached_property
    def own_line(self) -> list[bool]:
        """`is_block` as a list."""
        return self.is_block.tolist()

    def __len__(self) -> int:
        return len(self.tags)

    def get(self, node: int, name: str) -> str:
        """An attribute of a node, or the empty string."""
        values = self.attributes.get(name)
        return values.get(node, "") if values else ""

    def has(self, node: int, name: str) -> bool:
        """Whether a node has an attribute."""
        return node in self.attributes.get(name, ())

    def attributes_of(self, node: int) -> dict[str, str]:
        """All attributes of a node."""
        return {name: values[node] for name, values in self.attributes.items() if node in values}

    def base(self, node: int) -> str:
        """Base URL of a node."""
        return self.bases[int(self.frame[node])]

    def classes(self, node: int) -> tuple[str, ...]:
        """Classes of a node, in lower case."""
        return _classes(self.get(node, "class"))

    def subtree(self, node: int) -> range:
        """Proper descendants of a node."""
        return range(node + 1, self.ends[node])

    def around(self, node: int, most: int) -> list[int]:
        """At most so many elements around a node, the innermost first."""
        around: list[int] = []
        while len(around) < most and (node := self.parents[node]) >= 0:
            around.append(node)
        return around

    def first(self, node: int, tag: str, *, proper: bool = False) -> int | None:
        """The first node with this tag in a subtree; `proper` excludes the node itself."""
        places = self.with_tag(tag)
        place = bisect_left(places, node + proper)
        candidate = places[place] if place < len(places) else len(self)
        return candidate if candidate < self.ends[node] else None

    def text_of(self, node: int, most: int) -> str:
        """The first `most` characters of the text in a subtree."""
        texts, end = self.with_tag("#text"), self.ends[node]
        parts, length = [], 0
        for place in range(bisect_left(texts, node), len(texts)):
            if texts[place] >= end or length >= most:
                break
            parts.append(self.texts[texts[place]])
            length += len(parts[-1])
        return "".join(parts)[:most]

    def chars(self, node: int) -> int:
        """Number of characters of the text in a subtree."""
        return self._chars[self.ends[node]] - self._chars[node]

    @cached_property
    def _chars(self) -> list[int]:
        return list(accumulate(map(len, self.texts), initial=0))

    def with_tag(self, tag: str) -> list[int]:
        """Nodes with this tag, in document order."""
        return self._by_tag.get(tag, [])

    @cached_property
    def _by_tag(self) -> dict[str, list[int]]:
        by_tag: defaultdict[str, list[int]] = defaultdict(list)
        for node, tag in enumerate(self.tags):
            by_tag[tag].append(node)
        return dict(by_tag)

    def with_attribute(self, name: str) -> ItemsView[int, str]:
        """Nodes that have an attribute, with its value, in document order."""
        return self.attributes.get(name, NONE).items()

    def with_class(self, names: frozenset[str]) -> set[int]:
        """Nodes that have one of these classes."""
        having = self._by_class.items()
        return {
            node
            for value, nodes in having
            if not names.isdisjoint(_classes(value))
            for node in nodes
        }

    @cached_property
    def _by_class(self) -> dict[str, list[int]]:
        by_class: defaultdict[str, list[int]] = defaultdict(list)
        for node, value in self.with_attribute("class"):
            by_class[value].append(node)
        return dict(by_class)

    @cached_property
    def local_links(self) -> dict[int, str]:
        """Links within the page, with the id of the target; empty for the top of the page."""
        here = self.url.partition("#")[0]
        links: dict[int, str] = {}
        for node, href in self.with_attribute("href"):
            page, sign, name = href.partition("#")
            if self.tags[node] != "a" or not sign:
                continue
            url = (join_url(self.base(node), page) or "") if page.strip() else here
            # Substack adds the query by which a reader came to links to footnotes.
            if url == here or (
                name.startswith("footnote-") and url.partition("?")[0] == here.partition("?")[0]
            ):
                links[node] = unquote(name)
        return links

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: self.__dict__[each.name] for each in fields(self)}
