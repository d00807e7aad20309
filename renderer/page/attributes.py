"""The attributes of all nodes, as compressed sparse rows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import compress, count, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Attributes:
    """Attributes of every node."""

    start: NDArray[np.int32]  # shape (n + 1,): those of node `i` are rows `start[i]:start[i + 1]`
    name: NDArray[np.int32]  # shape (m,): indices into `strings`, like `value`
    value: NDArray[np.int32]
    strings: tuple[str, ...]  # every distinct name and value

    def __getstate__(self) -> dict[str, Any]:
        # Values derived from the arrays are neither saved nor copied.
        return {each.name: self.__dict__[each.name] for each in fields(self)}

    @classmethod
    def from_columns(
        cls,
        counts: ArrayLike,
        names: Sequence[str],
        values: Sequence[str | None],
        valid: re.Pattern[str] | None = None,
    ) -> Attributes:
        """Build from names and values in document order; a value of None becomes the empty string.

        `counts` are the numbers of attributes of each node. Attributes whose names do not match
        `valid` are left out.
        """
        start = np.append(0, np.cumsum(counts, dtype=np.int32))
        if valid and not all(map(valid.fullmatch, set(names))):
            kept = [valid.fullmatch(name) is not None for name in names]
            names, values = list(compress(names, kept)), list(compress(values, kept))
            start = np.append(0, np.cumsum(kept))[start]
        # Each new string gets the next number.
        index = defaultdict[str, int](count().__next__)
        name = np.fromiter(map(index.__getitem__, names), np.int32, len(names))
        texts = [value or "" for value in values]
        value = np.fromiter(map(index.__getitem__, texts), np.int32, len(texts))
        return cls(start.astype(np.int32), name, value, tuple(index))

    def chars(self) -> NDArray[np.int64]:
        """int64, shape (n,): length of all attributes of each node as markup."""
        lengths = np.fromiter(map(len, self.strings), np.int64, len(self.strings))
        # 4 for a space, an equals sign and two quotes.
        sums = np.zeros(len(self.name) + 1, np.int64)
        np.cumsum(lengths[self.name] + lengths[self.value] + 4, out=sums[1:])
        return sums[self.start[1:]] - sums[self.start[:-1]]

    def of(self, node: int) -> dict[str, str]:
        """All attributes of one node, in document order."""
        rows = range(self.start[node], self.start[node + 1])
        return {self.strings[self.name[r]]: self.strings[self.value[r]] for r in rows}

    def get(self, node: int, name: str) -> str | None:
        """Value of one attribute of one node; None if the node does not have it."""
        for row in range(self.start[node], self.start[node + 1]):
            if self.strings[self.name[row]] == name:
                return self.strings[self.value[row]]
        return None

    def with_attribute(
        self, name: str, accept: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[int, str]]:
        """Pairs (node, value) of nodes with an attribute, in order, and a value to `accept`."""
        nodes, values = self.nodes_with(name)
        codes = values.tolist()
        pairs = zip(nodes.tolist(), map(self.strings.__getitem__, codes), strict=True)
        if accept is None:
            return pairs
        kept = {each for each in set(codes) if accept(self.strings[each])}
        return compress(pairs, map(kept.__contains__, codes))

    def nodes_with(self, name: str) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Nodes that have the attribute, in document order, and indices of their values in
        `strings`; intp and int32, both of shape (k,).
        """
        nodes, values, ranges = self._by_name
        span = ranges.get(name, slice(0))
        return nodes[span], values[span]

    def column(self, name: str) -> NDArray[np.int32]:
        """int32, shape (n,): index into `strings` of each node's value of an attribute, or -1."""
        column = np.full(len(self.start) - 1, -1, np.int32)
        nodes, values = self.nodes_with(name)
        column[nodes] = values
        return column

    @cached_property
    def codes(self) -> dict[str, int]:
        """Index into `strings` of each attribute name in use."""
        # Only a few dozen of thousands of strings are names.
        used = np.bincount(self.name).nonzero()[0]
        return {self.strings[code]: code for code in used.tolist()}

    @cached_property
    def _by_name(self) -> tuple[NDArray[np.intp], NDArray[np.int32], dict[str, slice]]:
        """Nodes and values of all rows, sorted by name, and the range of each name in them."""
        order = np.argsort(self.name, kind="stable")
        names = self.name[order]
        nodes = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))[order]
        bounds = np.diff(names, prepend=-1, append=-1).nonzero()[0]
        codes = names[bounds[:-1]].tolist()
        ranges = {
            self.strings[code]: slice(*both)
            for code, both in zip(codes, pairwise(bounds.tolist()), strict=True)
        }
        return nodes, self.value[order], ranges

    def take(self, nodes: NDArray[np.integer]) -> Attributes:
        """Attributes of the selected nodes, with only the strings that they use."""
        counts = np.diff(self.start)[nodes]
        start = np.zeros(len(nodes) + 1, np.int32)
        np.cumsum(counts, out=start[1:])
        rows = np.arange(start[-1]) + np.repeat(self.start[nodes] - start[:-1], counts)
        both = np.concatenate([self.name[rows], self.value[rows]])
        used, place = np.unique(both, return_inverse=True)
        name, value = np.split(place.astype(np.int32), 2)
        return Attributes(start, name, value, tuple(self.strings[u] for u in used))
