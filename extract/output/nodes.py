"""`Nodes`: the part of a page that its body is written from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Nodes"]

NO_ATTRIBUTES: dict[str, str] = {}


@lru_cache(maxsize=4096)
def _classes(value: str) -> tuple[str, ...]:
    return tuple(value.lower().split())


@dataclass(frozen=True, eq=False)
class Nodes:
    """k nodes in document order: texts of the body, what it shows besides, and all around them.

    Attributes
    ----------
    url
        Address of the page.
    tags
        k tag names, ``#text`` of texts.
    texts
        k strings, those of the text nodes.
    end
        int32, shape (k,): one past the last descendant among these nodes.
    blocks
        int32, shape (k, 2): numbers of the first and of the last text block in the subtree,
        -1 where there is none.
    is_block
        bool, shape (k,): laid out as a block.
    boxes
        float32, shape (k, 4): x, y, width, height in CSS px; zeros where nothing was laid out.
    attributes
        By node; ``base`` is what its addresses are relative to.
    """

    url: str
    tags: tuple[str, ...]
    texts: tuple[str, ...]
    end: NDArray[np.int32]
    blocks: NDArray[np.int32]
    is_block: NDArray[np.bool_]
    boxes: NDArray[np.float32]
    attributes: dict[int, dict[str, str]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.tags)

    def get(self, node: int, name: str) -> str:
        """An attribute of a node, or the empty string."""
        return self.attributes.get(node, NO_ATTRIBUTES).get(name, "")

    def has(self, node: int, name: str) -> bool:
        """Whether a node has an attribute."""
        return name in self.attributes.get(node, NO_ATTRIBUTES)

    def classes(self, node: int) -> tuple[str, ...]:
        """Classes of a node, in lower case."""
        return _classes(self.get(node, "class"))

    def subtree(self, node: int) -> range:
        """Proper descendants."""
        return range(node + 1, int(self.end[node]))

    def first(self, node: int, tag: str) -> int | None:
        """The first node of this tag in a subtree, itself included; None without one."""
        places = self._by_tag.get(tag, [])
        place = bisect_left(places, node)
        found = places[place] if place < len(places) else len(self)
        return found if found < self.end[node] else None

    def text_of(self, node: int, most: int) -> str:
        """The first characters of the text in a subtree."""
        texts, end = self._by_tag.get("#text", []), int(self.end[node])
        parts, length = [], 0
        for place in range(bisect_left(texts, node), len(texts)):
            if texts[place] >= end or length >= most:
                break
            parts.append(self.texts[texts[place]])
            length += len(parts[-1])
        return "".join(parts)[:most]

    @cached_property
    def _by_tag(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for node, tag in enumerate(self.tags):
            found.setdefault(tag, []).append(node)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: self.__dict__[each.name] for each in fields(self)}

    def parents(self) -> list[int]:
        """Parent of each node, -1 of the first."""
        found: list[int] = []
        opened: list[int] = []
        end = self.end.tolist()
        for node in range(len(end)):
            while opened and end[opened[-1]] <= node:
                opened.pop()
            found.append(opened[-1] if opened else -1)
            opened.append(node)
        return found

    def with_attribute(self, name: str) -> Iterator[tuple[int, str]]:
        """Nodes that have an attribute, with its value."""
        for node, attributes in self.attributes.items():
            if name in attributes:
                yield node, attributes[name]
