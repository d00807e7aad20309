"""The attributes of all nodes, in compressed rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Attributes"]


@dataclass(frozen=True, eq=False)
class Attributes:
    """Attributes of every node.

    Attributes
    ----------
    start
        int32, shape (n + 1,): the attributes of node ``i`` are rows ``start[i]:start[i + 1]``.
    name, value
        int32, shape (m,): indices into `strings`.
    strings
        Every distinct name and value.
    """

    start: NDArray[np.int32]
    name: NDArray[np.int32]
    value: NDArray[np.int32]
    strings: tuple[str, ...]

    @classmethod
    def from_dicts(cls, rows: Sequence[dict[str, str]]) -> Attributes:
        """Build from one mapping a node."""
        index: dict[str, int] = {}
        names = [index.setdefault(k, len(index)) for row in rows for k in row]
        values = [index.setdefault(v, len(index)) for row in rows for v in row.values()]
        start = np.zeros(len(rows) + 1, np.int32)
        np.cumsum([len(row) for row in rows], out=start[1:])
        return cls(start, np.array(names, np.int32), np.array(values, np.int32), tuple(index))

    def of(self, node: int) -> dict[str, str]:
        """All attributes of one node, in the page's order."""
        rows = range(self.start[node], self.start[node + 1])
        return {self.strings[self.name[r]]: self.strings[self.value[r]] for r in rows}

    def get(self, node: int, name: str) -> str | None:
        """One attribute of one node, or None."""
        for row in range(self.start[node], self.start[node + 1]):
            if self.strings[self.name[row]] == name:
                return self.strings[self.value[row]]
        return None

    def with_attribute(self, name: str) -> Iterator[tuple[int, str]]:
        """Pairs (node, value) of all nodes that carry the attribute, in document order."""
        nodes, values = self.nodes_with(name)
        for node, value in zip(nodes.tolist(), values.tolist(), strict=True):
            yield node, self.strings[value]

    def nodes_with(self, name: str) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Nodes that carry the attribute, in document order, and their values.

        Returns
        -------
        nodes, values
            intp and int32, both of shape (k,); values are indices into `strings`.
        """
        rows = np.flatnonzero(self.name == self.codes.get(name, -1))
        return np.searchsorted(self.start, rows, side="right") - 1, self.value[rows]

    def column(self, name: str) -> NDArray[np.int32]:
        """int32, shape (n,): each node's value of an attribute as index into `strings`, or -1."""
        column = np.full(len(self.start) - 1, -1, np.int32)
        nodes, values = self.nodes_with(name)
        column[nodes] = values
        return column

    @cached_property
    def codes(self) -> dict[str, int]:
        """Index into `strings` of each name that a node carries."""
        # Of thousands of strings a few dozen are names.
        used = np.flatnonzero(np.bincount(self.name))
        return {self.strings[code]: code for code in used.tolist()}

    def take(self, nodes: NDArray[np.integer]) -> Attributes:
        """The same for a choice of nodes, with only the strings that they use."""
        counts = np.diff(self.start)[nodes]
        start = np.zeros(len(nodes) + 1, np.int32)
        np.cumsum(counts, out=start[1:])
        rows = np.arange(start[-1]) + np.repeat(self.start[nodes] - start[:-1], counts)
        both = np.concatenate([self.name[rows], self.value[rows]])
        used, place = np.unique(both, return_inverse=True)
        name, value = np.split(place.astype(np.int32), 2)
        return Attributes(start, name, value, tuple(self.strings[u] for u in used))
