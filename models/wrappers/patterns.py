"""ne-patterns: trees with wildcards, composed from pages of one template.

Source: the RTDM dissertation, section 4.2, definitions 4.1 to 4.6. Its composition of nodes is a
lattice join: of the minimum number of subtrees that a wildcard matches (none or one) and of the
maximum (one or many).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ArchiveError
from ...features.page_tree import tag_of_label
from ...renderer.page.tree import child_lists, tree_shape
from ..trees.subtree_classes import ClassedTree, SubtreeClasses
from ..trees.top_down import top_down_distance

__all__ = ["SIGNS", "Kind", "Pattern", "classed_pattern", "compose", "join"]


class Kind(IntEnum):
    """What a node of a pattern matches."""

    PLAIN = 0
    SINGLE = 1
    PLUS = 2
    OPTION = 3
    KLEENE = 4

    @property
    def optional(self) -> bool:
        """Whether it may match nothing."""
        return self in (Kind.OPTION, Kind.KLEENE)

    @property
    def many(self) -> bool:
        """Whether it may match more than one subtree."""
        return self in (Kind.PLUS, Kind.KLEENE)


SIGNS = {Kind.SINGLE: ".", Kind.PLUS: "+", Kind.OPTION: "?", Kind.KLEENE: "*"}
KINDS = {sign: kind for kind, sign in SIGNS.items()}

# Label of all wildcards when patterns are compared: they are equal by definition 4.3.
WILDCARD = "\0"


@dataclass(frozen=True, eq=False)
class Pattern:
    """A tree of n nodes in document order whose leaves may be wildcards.

    Attributes
    ----------
    parent
        int32, shape (n,); ``parent[0] == -1``.
    kind
        uint8, shape (n,): see `Kind`.
    labels
        n labels as in `PageTree`; the empty string for wildcards.
    """

    parent: NDArray[np.int32]
    kind: NDArray[np.uint8]
    labels: tuple[str, ...]

    @classmethod
    def of_page(cls, parent: ArrayLike, labels: Sequence[str]) -> Pattern:
        """The pattern without wildcards that matches only the given page."""
        return cls(np.array(parent, np.int32), np.zeros(len(labels), np.uint8), tuple(labels))

    def __len__(self) -> int:
        return len(self.parent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self.lines() == other.lines()

    def __hash__(self) -> int:
        return hash(tuple(self.lines()))

    @property
    def wildcards(self) -> NDArray[np.intp]:
        """Nodes that are wildcards, in document order."""
        return np.flatnonzero(self.kind)

    def children(self) -> list[list[int]]:
        """Children of each node."""
        return child_lists(self.parent.tolist())

    def path(self, node: int) -> str:
        """Path of a node, such as ``html/body/div[2]/*``."""
        below, steps = self.children(), []
        while node >= 0:
            above = int(self.parent[node])
            name = SIGNS.get(Kind(self.kind[node])) or tag_of_label(self.labels[node]) or "text()"
            row = below[above] if above >= 0 else [node]
            alike = [n for n in row if self._equal_names(n, node)]
            steps.append(name if len(alike) == 1 else f"{name}[{1 + alike.index(node)}]")
            node = above
        return "/".join(reversed(steps))

    def _equal_names(self, one: int, two: int) -> bool:
        tags = (tag_of_label(self.labels[node]) for node in (one, two))
        return self.kind[one] == self.kind[two] and len(set(tags)) == 1

    def lines(self) -> list[str]:
        """The pattern as text: one line per node, one space per level, wildcards as signs."""
        _, depth = tree_shape(self.parent.tolist())
        parts = (SIGNS.get(Kind(kind), label) for kind, label in self._nodes())
        return [" " * level + text for level, text in zip(depth, parts, strict=True)]

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> Pattern:
        """Parse the output of `lines`.

        Raises
        ------
        ArchiveError
            The lines are not a pattern.
        """
        parent: list[int] = []
        kinds: list[int] = []
        labels: list[str] = []
        path: list[int] = []
        for node, line in enumerate(lines):
            text = line.lstrip(" ")
            level = len(line) - len(text)
            if not text or level > len(path) or (level == 0) != (node == 0):
                raise ArchiveError(f"line {node + 1} of a pattern is not a node of a tree")
            del path[level:]
            parent.append(path[-1] if path else -1)
            kinds.append(KINDS.get(text, Kind.PLAIN))
            labels.append("" if text in KINDS else text)
            if path and kinds[path[-1]]:
                raise ArchiveError(f"line {node + 1} of a pattern is below a wildcard")
            path.append(node)
        if not parent:
            raise ArchiveError("a pattern must have at least one node")
        return cls(np.array(parent, np.int32), np.array(kinds, np.uint8), tuple(labels))

    def _nodes(self) -> Iterable[tuple[int, str]]:
        return zip(self.kind.tolist(), self.labels, strict=True)


def join(one: Kind, two: Kind) -> Kind:
    """The kind that matches whatever either kind matches; two plain nodes count as equal.

    This is f of definition 4.5.
    """
    if one == two == Kind.PLAIN:
        return Kind.PLAIN
    if one.many or two.many:
        return Kind.KLEENE if one.optional or two.optional else Kind.PLUS
    return Kind.OPTION if one.optional or two.optional else Kind.SINGLE


def classed_pattern(pattern: Pattern, classes: SubtreeClasses) -> ClassedTree:
    """The pattern as a tree of a collection; all wildcards have the same label."""
    labels = [label or WILDCARD for label in pattern.labels]
    return classes.tree(pattern.parent, labels)


def compose(one: Pattern, two: Pattern, classes: SubtreeClasses | None = None) -> Pattern:
    """A pattern that matches whatever either pattern matches: definition 4.4.

    Equal nodes that are paired by the restricted top-down mapping are kept. Other pairs, and
    subtrees without a partner, become wildcards without descendants.

    Parameters
    ----------
    one, two
        Patterns; see `Pattern.of_page` for pages.
    classes
        Collection in which both are numbered, to avoid renumbering known subtrees.

    Notes
    -----
    Between two pairs, unpaired nodes of the first pattern precede those of the second. Their order
    is arbitrary, since all of them become optional.
    """
    classes = classes or SubtreeClasses()
    trees = classed_pattern(one, classes), classed_pattern(two, classes)
    mapping = top_down_distance(*trees, mapping=True).mapping
    assert mapping is not None
    return _compose(one, two, dict(mapping.tolist()))


def _compose(one: Pattern, two: Pattern, mapping: dict[int, int]) -> Pattern:
    below_one, below_two = one.children(), two.children()
    parent: list[int] = []
    kinds: list[int] = []
    labels: list[str] = []
    waiting: list[tuple[int, int, int]] = [(0, mapping.get(0, -1), -1)]
    while waiting:
        a, b, above = waiting.pop()
        kind, label = _node(one, two, a, b)
        if kind == Kind.PLAIN:
            rows = _align(below_one[a], below_two[b], mapping)
            waiting.extend((x, y, len(parent)) for x, y in reversed(rows))
        parent.append(above)
        kinds.append(kind)
        labels.append(label)
    return Pattern(np.array(parent, np.int32), np.array(kinds, np.uint8), tuple(labels))


def _node(one: Pattern, two: Pattern, a: int, b: int) -> tuple[Kind, str]:
    """Composition of two nodes; -1 denotes a missing node, which makes the other optional."""
    kind_one = Kind(one.kind[a]) if a >= 0 else Kind.OPTION
    kind_two = Kind(two.kind[b]) if b >= 0 else Kind.OPTION
    kind = join(kind_one, kind_two)
    if kind == Kind.PLAIN and one.labels[a] != two.labels[b]:
        kind = Kind.SINGLE
    return kind, one.labels[a] if kind == Kind.PLAIN else ""


def _align(one: list[int], two: list[int], mapping: dict[int, int]) -> list[tuple[int, int]]:
    """Children of two paired nodes, aligned; -1 where one side has no counterpart."""
    rows: list[tuple[int, int]] = []
    rest = iter(two)
    for a in one:
        b = mapping.get(a, -1)
        if b >= 0:
            for other in rest:
                if other == b:
                    break
                rows.append((-1, other))
        rows.append((a, b))
    rows.extend((-1, other) for other in rest)
    return rows
