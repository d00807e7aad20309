"""Wildcards for objects of varying size: runs of wildcards are merged into one.

Source: the RTDM dissertation, section 4.2, definition 4.6, and the gap merging that its
experiments used. Its "series" are printed as runs of exactly three; here one is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ...features.outline import FLOW
from ...features.page_tree import is_text_label, tag_of_label, text_of_label
from .patterns import Kind, Pattern

__all__ = ["LITERAL", "Promotion", "promote"]


Span = tuple[int, int]

# Tags of list entries.
ENTRIES = frozenset("li a tr dt dd option span label button".split())

# Maximum nodes of the pattern in an entry or paragraph whose tag does not mark it as one.
SMALL = 8


@dataclass(frozen=True)
class Promotion:
    """When neighbouring wildcards are merged into one.

    Attributes
    ----------
    min_run
        Number of ``?`` that must follow a wildcard to make it one of varying size.
    gap
        Maximum number of plain siblings between two wildcards that are merged with them; 3 in
        the source. 0 disables this merging.
    guarded
        Merge over a gap only if its siblings contain no wildcards. Otherwise whole sections may
        be merged near the root of a page.
    flow
        Merge, over gaps of any size, lists of varying length (of entries or of small elements
        with the same tag) and elements of running text (`FLOW`), from the first varying sibling
        to the last. Not in the source, where the beginning of a body, which all pages share,
        stays separate from its end.
    """

    min_run: int = 1
    gap: int = 3
    guarded: bool = False
    flow: bool = True


LITERAL = Promotion(flow=False)
"""The settings of the dissertation's experiments."""


def promote(pattern: Pattern, promotion: Promotion | None = None) -> Pattern:
    """Merge neighbouring wildcards of a pattern; it still matches all that it matched before.

    A wildcard followed by ``?`` becomes ``+`` or ``*``. Other merged siblings become ``+`` if any
    of them is mandatory, else ``*``. The source keeps the type of the first one, which is looser
    in some cases and stricter in others.
    """
    rules = promotion or Promotion()
    siblings = _Siblings(pattern, rules)
    below = pattern.children()
    for node in range(len(pattern) - 1, -1, -1):
        below[node] = siblings.merge(node, below[node])
    return _keep(pattern, siblings.kind, below)


class _Siblings:
    """Merges rows of siblings, from the leaves up.

    A merged run is represented by its first member, which becomes a wildcard.
    """

    def __init__(self, pattern: Pattern, rules: Promotion) -> None:
        self.kind = [Kind(kind) for kind in pattern.kind.tolist()]
        self._rules = rules
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
        if self._rules.gap:
            row = self._merge_spans(row, self._gap_spans(row))
        if self._rules.flow:
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
            if self.kind[first] != Kind.PLAIN and after - at > self._rules.min_run:
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
            if spans and self._may_skip(row[spans[-1][1] : at]):
                spans[-1] = spans[-1][0], at + 1
            else:
                spans.append((at, at + 1))
        return spans

    def _may_skip(self, between: list[int]) -> bool:
        barred = self._rules.guarded and any(self._varies[node] for node in between)
        return len(between) <= self._rules.gap and not barred

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
