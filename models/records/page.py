"""`RecordPage`: the data of a page on which the search for records operates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...renderer.page.tree import child_lists, tree_shape

__all__ = ["FACTS", "RecordPage"]

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
    def sums(self) -> NDArray[np.int64]:
        """int64, shape (n + 1,): prefix sums of `chars`."""
        return np.concatenate([[0], np.cumsum(self.chars)])

    @cached_property
    def figure_sums(self) -> NDArray[np.int64]:
        """int64, shape (2, n + 1): prefix sums of digits, and of letters and digits."""
        counts = np.zeros((2, len(self) + 1), np.int64)
        for node, (fact, value) in enumerate(zip(self.fact, self.value, strict=True), 1):
            if FACTS[fact] == "text":
                counts[:, node] = sum(map(str.isdigit, value)), sum(map(str.isalnum, value))
        return counts.cumsum(axis=1)

    def subtree_chars(self, node: int) -> int:
        """Number of characters in a subtree."""
        return int(self.sums[self.end[node]] - self.sums[node])
