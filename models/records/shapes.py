"""Shapes: subtrees without repetitions among siblings, and their likeness.

Two records of one list differ in how often a part of them repeats: paragraphs of a body,
tags, list items. With each kind of child counted once, only what they are made of is
compared. Repetition inside a record is treated likewise by Liu and Zhai, *NET*, WISE 2005.
"""

from __future__ import annotations

from ..trees.distance import tree_distance
from ..trees.subtree_classes import ClassedTree, SubtreeClasses
from .page import RecordPage

__all__ = ["Shapes"]

# Larger shapes are the page's columns rather than records: they are alike only when equal,
# which bounds the time of all comparisons.
MAX_COMPARED = 500

# Comparisons of one page; real pages take some hundreds. After them only equals are alike.
MAX_COMPARISONS = 10_000


class Shapes:
    """Shapes of all subtrees of a page, numbered; equal numbers are equal shapes.

    Parameters
    ----------
    page
        The page.
    least
        Likenesses below it need not be distinguished.
    """

    def __init__(self, page: RecordPage, least: float) -> None:
        self._least = least
        self._comparisons = 0
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        self._contents: list[tuple[str, tuple[int, ...]]] = []
        self._sizes: list[int] = []
        self._classes = SubtreeClasses()
        self._trees: dict[int, ClassedTree] = {}
        self._likeness: dict[tuple[int, int], float] = {}
        self.of: list[int] = [0] * len(page)
        """Number of each node's shape."""
        for node in range(len(page) - 1, -1, -1):
            self.of[node] = self.join(page.label[node], page.children[node])

    def join(self, label: str, nodes: list[int]) -> int:
        """Shape of a tree of this label above the subtrees of these nodes."""
        content = (label, tuple(dict.fromkeys(self.of[node] for node in nodes)))
        number = self._numbers.setdefault(content, len(self._contents))
        if number == len(self._contents):
            self._contents.append(content)
            self._sizes.append(1 + sum(self._sizes[part] for part in content[1]))
        return number

    def likeness(self, one: int, two: int) -> float:
        """Normalised similarity of two shapes, ``1 - nu / (n1 + n2)``; 0 where it is low."""
        if one == two:
            return 1.0
        pair = (one, two) if one < two else (two, one)
        if pair not in self._likeness:
            self._likeness[pair] = self._compare(*pair)
        return self._likeness[pair]

    def _compare(self, one: int, two: int) -> float:
        small, large = sorted((self._sizes[one], self._sizes[two]))
        limit = (1 - self._least) * (small + large)
        if large > MAX_COMPARED or large - small > limit:
            return 0.0
        if self._contents[one][0] != self._contents[two][0]:
            return 0.0
        self._comparisons += 1
        if self._comparisons > MAX_COMPARISONS:
            return 0.0
        comparison = tree_distance(self._tree(one), self._tree(two), "restricted", threshold=limit)
        return max(0.0, 1 - comparison.distance / (small + large))

    def _tree(self, shape: int) -> ClassedTree:
        if shape not in self._trees:
            parent: list[int] = []
            labels: list[str] = []
            stack = [(-1, shape)]
            while stack:
                above, part = stack.pop()
                label, content = self._contents[part]
                stack.extend((len(parent), inner) for inner in reversed(content))
                parent.append(above)
                labels.append(label)
            self._trees[shape] = self._classes.tree(parent, labels)
        return self._trees[shape]
