"""One level of an alignment: the siblings of one record against those of all previous records.

Siblings correspond if they have the same tag and share class names. If neither distinguishes
them (a row of plain ``div``), their content does: a link, an image, a numeric text, a long text.
DEPTA compares only tags and aligns siblings one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from .page import FACTS, RecordPage

__all__ = [
    "Part",
    "commonest",
    "grow_parts",
    "layout_of",
    "match_parts",
    "parts_of",
    "without_repeated_looks",
]

Value = TypeVar("Value", bound=Hashable)

# Maximum pairs of siblings compared in one alignment; above it, siblings are paired by position.
# Equal siblings at both ends are paired beforehand, so that tables of some hundred columns stay
# below this.
MAX_PAIRS = 10_000

# Maximum layouts of one level that are added to the tree, and maximum parts of the tree. Nodes
# without a place in it are in no column; `Region.left_out` counts them.
MAX_LAYOUTS = 100
MAX_PARTS = 1_000


# How texts look, which distinguishes them if no class name does: digits distinguish a date or a
# price from a name, and length a name from a summary.
PLAIN, FIGURES, LONG = 0, 1, 2
MIN_DIGITS = 0.25
LONG_CHARS = 40

TEXT_ONLY = 1 << FACTS.index("text")

# Elements whose tag says little about their content.
GENERIC = frozenset(("div", "li", "p", "section", "span"))

# Table cells correspond by position, whatever their content.
CELLS = frozenset(("td", "th"))


@dataclass(frozen=True)
class Part:
    """A node of a record, or several siblings that are treated as one."""

    label: str
    marks: tuple[str, ...]
    """Class names that other records also have."""
    signature: int
    """Kinds of datum in the subtree; see `RecordPage.signature`."""
    nodes: tuple[int, ...]
    look: int = PLAIN
    """`FIGURES`, `LONG`, or `PLAIN` for all other texts and for nodes that are not texts."""
    repeats: bool = False
    """Whether there may be any number of them."""

    @classmethod
    def of(cls, page: RecordPage, node: int, marks: set[str]) -> Part:
        """The part for a single node."""
        carried = tuple(mark for mark in page.marks[node] if mark in marks)
        return cls(page.label[node], carried, page.signature[node], (node,), _look(page, node))

    @property
    def key(self) -> tuple[object, ...]:
        """Key that is equal for siblings that may be repetitions of one field."""
        return self.label, self.marks, self.signature, self.look

    def likeness(self, other: Part) -> int:
        """How well two parts correspond; 0 if they cannot."""
        if self.label != other.label:
            return 0
        same_data = self.signature == other.signature
        if not self.marks and not other.marks and self.label in GENERIC:
            grade = self._grade_of_data(other)
        elif self.marks == other.marks:
            grade = 4 if same_data else 3
        elif set(self.marks) & set(other.marks):
            grade = 2 if same_data else 1
        else:
            grade = int(same_data and not (self.marks and other.marks))
        return grade and 2 * grade + (self.look == other.look)

    def _grade_of_data(self, other: Part) -> int:
        """Grade of correspondence for parts that neither tag nor class distinguishes."""
        if self.signature != other.signature:
            return int(self.signature & other.signature > 0)
        # Lengths may vary within a field, so only figures are distinguished.
        return 0 if (self.look == FIGURES) != (other.look == FIGURES) else 4


def _look(page: RecordPage, node: int) -> int:
    if page.signature[node] != TEXT_ONLY or page.label[node] in CELLS:
        return PLAIN
    digits, letters = (page.figure_sums[:, page.end[node]] - page.figure_sums[:, node]).tolist()
    if digits > MIN_DIGITS * letters:
        return FIGURES
    return LONG if page.subtree_chars(node) >= LONG_CHARS else PLAIN


def layout_of(row: Sequence[Part]) -> tuple[object, ...]:
    """Layout of a row: tag names, or the keys of parts with repeated tags other than cells."""
    counts = Counter(part.label for part in row)
    return tuple(
        part.label if counts[part.label] == 1 or part.label in CELLS else part.key[:-1]
        for part in row
    )


def without_repeated_looks(rows: dict[int, list[Part]]) -> dict[int, list[Part]]:
    """The rows with looks removed where they do not distinguish fields.

    If siblings within one record are equal in everything including their looks (paragraphs of a
    body, tags), looks do not distinguish fields among such siblings.
    """
    repeated = {
        key[:-1]
        for row in rows.values()
        for key, count in Counter(part.key for part in row if part.look).items()
        if count > 1
    }
    return {
        number: [
            replace(part, look=PLAIN) if part.look and part.key[:-1] in repeated else part
            for part in row
        ]
        for number, row in rows.items()
    }


def commonest(values: Iterable[Value]) -> tuple[Value, float]:
    """The most common value (ties go to the first) and its share."""
    counts = Counter(values)
    value, count = counts.most_common(1)[0]
    return value, count / counts.total()


def parts_of(row: Sequence[Part], varying: set[tuple[object, ...]]) -> list[Part]:
    """The parts with those of each varying key merged into one, at the position of the first."""
    by_key: dict[tuple[object, ...], Part] = {}
    for number, part in enumerate(row):
        key = (part.key,) if part.key in varying else (part.key, number)
        if key in by_key:
            by_key[key] = replace(by_key[key], nodes=by_key[key].nodes + part.nodes)
        else:
            by_key[key] = replace(part, repeats=part.key in varying)
    return list(by_key.values())


def grow_parts(seed: Sequence[Part], others: Iterable[Sequence[Part]]) -> list[Part]:
    """The seed extended by the parts that only other rows have, each at its position.

    Parts between two parts that are adjacent in the tree are inserted there; otherwise their row
    waits for the next round. In the last round, remaining parts are inserted after their
    predecessors, so that nothing is lost.
    """
    tree = list(seed)
    layouts = {tuple(part.key for part in row): row for row in others}
    waiting = list(layouts.values())[:MAX_LAYOUTS]
    for forced in (False, False, True):
        waiting = [row for row in waiting if not _grow(tree, row, forced)]
    return tree


def _grow(tree: list[Part], row: Sequence[Part], forced: bool) -> bool:
    """Insert a row's unmatched parts; False if the position of any is ambiguous."""
    places = {number: place for place, number in match_parts(tree, row)}
    gaps: list[tuple[int, int, list[Part]]] = []
    last, run = -1, []
    for number, part in enumerate(row):
        if number in places:
            gaps.append((last, places[number], run))
            last, run = places[number], []
        else:
            run.append(part)
    gaps.append((last, len(tree), run))
    certain = [forced or not run or high == low + 1 for low, high, run in gaps]
    for (low, _, run), sure in zip(reversed(gaps), reversed(certain), strict=True):
        if sure and len(tree) + len(run) <= MAX_PARTS:
            tree[low + 1 : low + 1] = run
    return all(certain)


def match_parts(tree: Sequence[Part], row: Sequence[Part]) -> list[tuple[int, int]]:
    """Pairs (index in the tree, index in the row) of the alignment of greatest likeness."""
    shorter = min(len(tree), len(row))
    # No pair is better than a pair of equals, so pairing equals at the ends is always optimal.
    first = next((i for i in range(shorter) if tree[i].key != row[i].key), shorter)
    most = shorter - first
    last = next((i for i in range(most) if tree[-1 - i].key != row[-1 - i].key), most)
    tree_end, row_end = len(tree) - last, len(row) - last
    one, other = tree[first:tree_end], row[first:row_end]
    if len(one) * len(other) <= MAX_PAIRS:
        inner = _align(one, other)
    else:
        inner = [(i, i) for i, (a, b) in enumerate(zip(one, other, strict=False)) if a.likeness(b)]
    return [
        *((i, i) for i in range(first)),
        *((first + i, first + j) for i, j in inner),
        *((tree_end + i, row_end + i) for i in range(last)),
    ]


def _align(tree: Sequence[Part], row: Sequence[Part]) -> list[tuple[int, int]]:
    best = [[0] * (len(row) + 1) for _ in range(len(tree) + 1)]
    for i in range(len(tree) - 1, -1, -1):
        for j in range(len(row) - 1, -1, -1):
            like = tree[i].likeness(row[j])
            pair = best[i + 1][j + 1] + like if like else 0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], pair)
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(tree) and j < len(row):
        like = tree[i].likeness(row[j])
        if like and best[i][j] == best[i + 1][j + 1] + like:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
