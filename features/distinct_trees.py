"""Labelled trees, each of which is stored once, with numbers of its subtrees as children."""

from __future__ import annotations

from collections.abc import Iterable


class DistinctTrees:
    """Numbered distinct trees: each is a label and the numbers of its children."""

    def __init__(self) -> None:
        self.by_number: list[tuple[str, tuple[int, ...]]] = []
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}

    def number(self, label: str, below: Iterable[int] = ()) -> int:
        """Number of a tree, which may be new."""
        tree = label, tuple(below)
        number = self._numbers.setdefault(tree, len(self.by_number))
        if number == len(self.by_number):
            self.by_number.append(tree)
        return number

    def unfold(self, root: int) -> tuple[list[int], list[str]]:
        """Parents and labels of all nodes of a tree, in document order."""
        parent: list[int] = []
        labels: list[str] = []
        waiting = [(root, -1)]
        while waiting:
            tree, above = waiting.pop()
            label, below = self.by_number[tree]
            waiting.extend((child, len(labels)) for child in reversed(below))
            parent.append(above)
            labels.append(label)
        return parent, labels
