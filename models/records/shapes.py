"""Shapes: subtrees without repetitions among siblings, and their likeness.

Two records of one list may differ in how often a part repeats: paragraphs of a body, tags, list
items. Each distinct child is therefore counted once, so that only the kinds of parts are compared.
Liu and Zhai, *NET*, WISE 2005, treat repetition inside a record similarly.
"""

from __future__ import annotations

from ...features.distinct_trees import DistinctTrees
from ..trees.subtree_classes import ClassedTree, SubtreeClasses
from ..trees.top_down import top_down_distance
from .page import RecordPage

__all__ = ["Shapes"]

# Maximum size of shapes that are compared. Larger ones are columns of the page rather than records;
# they are similar only if equal, which limits the total time.
MAX_COMPARED = 500

# Maximum comparisons for a page, after which only equal shapes are similar. Real pages take some
# hundreds.
MAX_COMPARISONS = 10_000


class Shapes:
    """Numbered shapes of all subtrees of a page; equal shapes have equal numbers.

    Parameters
    ----------
    least
        Likenesses below this may be returned as 0.
    """

    def __init__(self, page: RecordPage, least: float) -> None:
        self._least = least
        self._comparisons = 0
        self._shapes = DistinctTrees()
        self._sizes: list[int] = []
        self._classes = SubtreeClasses()
        self._trees: dict[int, ClassedTree] = {}
        self._likeness: dict[tuple[int, int], float] = {}
        self.of: list[int] = [0] * len(page)
        """Number of each node's shape."""
        for node in range(len(page) - 1, -1, -1):
            self.of[node] = self.join(page.label[node], page.children[node])

    def join(self, label: str, nodes: list[int]) -> int:
        """Shape of a tree whose root has this label and these nodes as children."""
        parts = dict.fromkeys(self.of[node] for node in nodes)
        number = self._shapes.number(label, parts)
        if number == len(self._sizes):
            self._sizes.append(1 + sum(self._sizes[part] for part in parts))
        return number

    def likeness(self, one: int, two: int) -> float:
        """Normalised similarity of two shapes, ``1 - nu / (n1 + n2)``; 0 if below `least`."""
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
        if self._shapes.by_number[one][0] != self._shapes.by_number[two][0]:
            return 0.0
        self._comparisons += 1
        if self._comparisons > MAX_COMPARISONS:
            return 0.0
        comparison = top_down_distance(self._tree(one), self._tree(two), threshold=limit)
        return max(0.0, 1 - comparison.distance / (small + large))

    def _tree(self, shape: int) -> ClassedTree:
        if shape not in self._trees:
            self._trees[shape] = self._classes.tree(*self._shapes.unfold(shape))
        return self._trees[shape]
