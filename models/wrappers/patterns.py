"""ne-patterns: trees with wildcards, composed from pages of one template.

Source: the RTDM dissertation, section 4.2, definitions 4.1 to 4.6. Its composition of nodes is a
lattice join: of the minimum number of subtrees that a wildcard matches (none or one) and of the
maximum (one or many).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ArchiveError
from ...features.outline import FLOW
from ...features.page_tree import is_text_label, tag_of_label, text_of_label
from ...renderer.page.tree import child_lists, tree_shape
from ..trees.subtree_classes import ClassedTree, SubtreeClasses
from ..trees.top_down import top_down_distance


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
    """A tree of n nodes in document order whose leaves may be wildcards."""

    parent: NDArray[np.int32]
    """int32, shape (n,); ``parent[0] == -1``."""
    kind: NDArray[np.uint8]
    """uint8, shape (n,): see `Kind`."""
    labels: tuple[str, ...]
    """n labels as in `PageTree`; the empty string for wildcards."""

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
        parts = (
            SIGNS.get(Kind(kind), label)
            for kind, label in zip(self.kind.tolist(), self.labels, strict=True)
        )
        return [" " * level + text for level, text in zip(depth, parts, strict=True)]

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> Pattern:
        """Parse the output of `lines`.

        Raises `ArchiveError`: the lines are not a pattern.
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
    subtrees without a partner, become wildcards without descendants. `classes` is the collection
    in which both are numbered, to avoid renumbering known subtrees.

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


# Wildcards for objects of varying size: runs of wildcards are merged into one.
#
# Source: the RTDM dissertation, section 4.2, definition 4.6, and the gap merging that its
# experiments used. Its "series" are printed as runs of exactly three; here one is enough.

Span = tuple[int, int]

# Tags of list entries.
ENTRIES = frozenset("li a tr dt dd option span label button".split())

# Maximum nodes of the pattern in an entry or paragraph whose tag does not mark it as one.
SMALL = 8


# Maximum number of plain siblings between two wildcards that are merged with them.
GAP = 3


def promote(pattern: Pattern, *, literal: bool = False) -> Pattern:
    """Merge neighbouring wildcards of a pattern; it still matches all that it matched before.

    A wildcard followed by ``?`` becomes ``+`` or ``*``. Other merged siblings become ``+`` if any
    of them is mandatory, else ``*``. The source keeps the type of the first one, which is looser
    in some cases and stricter in others.

    Also merged, over gaps of any size, are lists of varying length (of entries or of small elements
    with the same tag) and elements of running text (`FLOW`), from the first varying sibling to the
    last. This is not in the source, where the beginning of a body, which all pages share, stays
    separate from its end; with `literal` it is left out.
    """
    siblings = _Siblings(pattern, literal=literal)
    below = pattern.children()
    for node in range(len(pattern) - 1, -1, -1):
        below[node] = siblings.merge(node, below[node])
    return _keep(pattern, siblings.kind, below)


class _Siblings:
    """Merges rows of siblings, from the leaves up.

    A merged run is represented by its first member, which becomes a wildcard.
    """

    def __init__(self, pattern: Pattern, *, literal: bool) -> None:
        self.kind = [Kind(kind) for kind in pattern.kind.tolist()]
        self._literal = literal
        self._labels = pattern.labels
        self._tags = [tag_of_label(label) for label in pattern.labels]
        self._size = [1] * len(pattern)
        self._varies = [kind != Kind.PLAIN for kind in self.kind]
        self._flows = [
            kind != Kind.PLAIN or is_text_label(label) or tag in FLOW
            for kind, label, tag in zip(self.kind, self._labels, self._tags, strict=True)
        ]

    def merge(self, node: int, row: list[int]) -> list[int]:
        self._varies[node] |= any(self._varies[child] for child in row)
        # A merge may make other wildcards adjacent.
        while len(shorter := self._merge_once(row)) < len(row):
            row = shorter
        self._size[node] += sum(self._size[child] for child in row)
        return row

    def _merge_once(self, row: list[int]) -> list[int]:
        row = self._merge_runs(row)
        row = self._merge_spans(row, self._gap_spans(row))
        if not self._literal:
            row = self._merge_spans(row, self._list_spans(row))
            row = self._merge_spans(row, self._flow_spans(row))
        return row

    def _merge_runs(self, row: list[int]) -> list[int]:
        kept: list[int] = []
        at = 0
        while at < len(row):
            after = at + 1
            while after < len(row) and self.kind[row[after]] == Kind.OPTION:
                after += 1
            first = row[at]
            if self.kind[first] != Kind.PLAIN and after - at > 1:
                self.kind[first] = Kind.KLEENE if self.kind[first].optional else Kind.PLUS
                at = after
            else:
                at += 1
            kept.append(first)
        return kept

    def _gap_spans(self, row: list[int]) -> list[Span]:
        """Spans from wildcard to wildcard with few plain siblings between them."""
        spans: list[Span] = []
        for at, node in enumerate(row):
            if self.kind[node] == Kind.PLAIN:
                continue
            if spans and at - spans[-1][1] <= GAP:
                spans[-1] = spans[-1][0], at + 1
            else:
                spans.append((at, at + 1))
        return spans

    def _flow_spans(self, row: list[int]) -> list[Span]:
        """The varying part of each run of flow that contains a wildcard."""
        spans: list[Span] = []
        for flows, group in groupby(range(len(row)), lambda at: self._flows[row[at]]):
            run = list(group)
            if flows and any(self.kind[row[at]] != Kind.PLAIN for at in run):
                varying = [at for at in run if self._varies[row[at]]]
                spans.append((varying[0], varying[-1] + 1))
        return spans

    def _list_spans(self, row: list[int]) -> list[Span]:
        """Runs of one tag that contain a wildcard: lists of varying length."""
        spans: list[Span] = []
        first = 0
        while first < len(row):
            last = self._run_end(row, first)
            if self._is_list(row[first:last]):
                spans.append((first, last))
            first = max(last, first + 1)
        return spans

    def _run_end(self, row: list[int], first: int) -> int:
        tags: set[str] = set()
        for at in range(first, len(row)):
            if self._separates(row[at]):
                continue
            tags.add(self._tags[row[at]])
            if len(tags) > 1 or "" in tags:
                return at
        return len(row)

    def _separates(self, node: int) -> bool:
        """Whether a node is a wildcard or a text without letters and digits, as between entries."""
        text = text_of_label(self._labels[node])
        return self.kind[node] != Kind.PLAIN or bool(text and not any(map(str.isalnum, text)))

    def _is_list(self, run: list[int]) -> bool:
        entries = [node for node in run if not self._separates(node)]
        if not any(self.kind[node] != Kind.PLAIN for node in run) or len(entries) < 2:
            return False
        if self._tags[entries[0]] in ENTRIES:
            return True
        # On some pages paragraphs are elements of any tag; the columns of a page are not small.
        small = all(self._size[node] <= SMALL for node in entries)
        varying = sum(self._varies[node] for node in entries)
        return small and len(entries) > 2 and 2 * varying >= len(entries)

    def _merge_spans(self, row: list[int], spans: list[Span]) -> list[int]:
        for first, last in reversed(spans):
            if last - first > 1:
                mandatory = any(not self.kind[node].optional for node in row[first:last])
                self.kind[row[first]] = Kind.PLUS if mandatory else Kind.KLEENE
                self._varies[row[first]] = self._flows[row[first]] = True
                self._size[row[first]] = 1
                row = row[: first + 1] + row[last:]
        return row


def _keep(pattern: Pattern, kinds: list[Kind], below: list[list[int]]) -> Pattern:
    """The pattern restricted to the nodes that are still reachable through the rows of siblings."""
    parent = [-1] * len(pattern)
    order: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if kinds[node] == Kind.PLAIN:
            for child in reversed(below[node]):
                parent[child] = len(order) - 1
                waiting.append(child)
    return Pattern(
        np.array([parent[node] for node in order], np.int32),
        np.array([kinds[node] for node in order], np.uint8),
        tuple(pattern.labels[node] if kinds[node] == Kind.PLAIN else "" for node in order),
    )
