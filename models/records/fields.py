"""Fields of records: nodes at corresponding places, determined by partial tree alignment.

Source: Zhai and Liu, *Web data extraction based on partial tree alignment*, WWW 2005
(DEPTA). All records are aligned with one growing tree. Nodes without a counterpart in the tree are
inserted if their position is unambiguous; otherwise the record waits until the tree has grown.

There are four departures. The tree grows level by level for all records at once, which avoids
recursion. The seed is the first record of the most common layout if most records have that
layout, else the record with the most parts at the level. Siblings whose number varies (tags,
paragraphs) share one place, whereas DEPTA gives a column to each. Siblings with the same tag and
no class are distinguished by how their texts look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from .page import FACTS, RecordPage

# One level of an alignment: the siblings of one record against those of all previous records.
#
# Siblings correspond if they have the same tag and share class names. If neither distinguishes
# them (a row of plain ``div``), their content does: a link, an image, a numeric text, a long text.
# DEPTA compares only tags and aligns siblings one by one.

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


class Part(NamedTuple):
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
    digits, letters = (sums[page.end[node]] - sums[node] for sums in page.figure_sums)
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
            part._replace(look=PLAIN) if part.look and part.key[:-1] in repeated else part
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
            by_key[key] = by_key[key]._replace(nodes=by_key[key].nodes + part.nodes)
        else:
            by_key[key] = part._replace(repeats=part.key in varying)
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


# Class names on a smaller share of the records identify single records ("post-123").
MIN_MARK_SHARE = 0.2

# Share of records with the same number or layout of siblings from which it is not a coincidence.
LAYOUT_SHARE = 0.75


@dataclass(eq=False)
class Place:
    """Corresponding nodes of different records."""

    members: dict[int, list[int]]
    """Nodes by record number."""
    above: Place | None
    """The place of their parents, or None."""
    repeats: bool
    """Whether a record may have any number of them."""
    below: list[Place] = field(default_factory=list)
    """Places of their children, in order."""


def align_records(page: RecordPage, records: Sequence[Sequence[int]]) -> list[Place]:
    """Places of the records' trees in document order; the first is above all records."""
    marks = _common_marks(page, records)
    root = Place({}, None, False)
    todo = [root]
    while todo:
        place = todo.pop()
        if place is root:
            rows = {number: list(nodes) for number, nodes in enumerate(records)}
        else:
            rows = {
                number: [child for node in nodes for child in page.children[node]]
                for number, nodes in place.members.items()
            }
        place.below = _places_below(page, place, {k: v for k, v in rows.items() if v}, marks)
        todo.extend(place.below)
    return _in_order(root)


def _common_marks(page: RecordPage, records: Sequence[Sequence[int]]) -> set[str]:
    carried: Counter[str] = Counter()
    for record in records:
        carried.update(
            {
                mark
                for top in record
                for node in range(top, page.end[top])
                for mark in page.marks[node]
            }
        )
    return {mark for mark, count in carried.items() if count >= MIN_MARK_SHARE * len(records)}


def _places_below(
    page: RecordPage, above: Place, rows: dict[int, list[int]], marks: set[str]
) -> list[Place]:
    if not rows:
        return []
    parts, seed = _parts_below(page, above, rows, marks)
    tree = grow_parts(parts[seed], [parts[number] for number in parts if number != seed])
    places = [Place({}, above, above.repeats or part.repeats) for part in tree]
    pairs: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for number, row in parts.items():
        layout = tuple(part.key for part in row)
        if layout not in pairs:
            pairs[layout] = match_parts(tree, row)
        for at, place in pairs[layout]:
            places[at].members[number] = list(row[place].nodes)
    return [place for place in places if place.members]


def _parts_below(
    page: RecordPage, above: Place, rows: dict[int, list[int]], marks: set[str]
) -> tuple[dict[int, list[Part]], int]:
    """Parts of each record at one level, and the record that is the seed of the tree."""
    parts = {number: [Part.of(page, node, marks) for node in row] for number, row in rows.items()}
    layouts = {number: layout_of(row) for number, row in parts.items()}
    layout, share = commonest(layouts.values())
    if above.above is None and all(len(row) == 1 for row in parts.values()):
        # Top nodes of records always correspond, whatever their classes and contents.
        bare = {"marks": (), "signature": 0, "look": PLAIN}
        parts = {number: [part._replace(**bare)] for number, (part,) in parts.items()}
    if share >= LAYOUT_SHARE and not above.repeats:
        parts = {
            number: [part._replace(look=PLAIN) if part.look else part for part in row]
            for number, row in parts.items()
        }
        return parts, next(number for number in parts if layouts[number] == layout)
    parts = without_repeated_looks(parts)
    varying = _varying_keys(parts, above.repeats)
    parts = {number: parts_of(row, varying) for number, row in parts.items()}
    return parts, max(parts, key=lambda number: (len(parts[number]), -number))


def _varying_keys(parts: dict[int, list[Part]], every: bool) -> set[tuple[object, ...]]:
    """Keys whose number of siblings differs between records."""
    counts: dict[tuple[object, ...], list[int]] = {}
    for row in parts.values():
        for key, count in Counter(part.key for part in row).items():
            counts.setdefault(key, []).append(count)
    return {
        key
        for key, numbers in counts.items()
        if every or (max(numbers) > 1 and commonest(numbers)[1] < LAYOUT_SHARE)
    }


def _in_order(root: Place) -> list[Place]:
    places: list[Place] = []
    stack = [root]
    while stack:
        place = stack.pop()
        places.append(place)
        stack.extend(reversed(place.below))
    return places


# Columns of a table of records, built from the places of their alignment.

Cells = dict[int, tuple[int, ...]]
"""Nodes by record number."""

# Text columns below one place are scattered if they repeat, or if fewer than SCATTERED_SUPPORT of
# its members have them. From MIN_SCATTERED of them on, they are parts of a body rather than
# fields, and are merged into one column.
MIN_SCATTERED = 5
SCATTERED_SUPPORT = 0.5


@dataclass(frozen=True)
class Column:
    """The data at one place of the records."""

    kind: str
    """``"text"``, ``"link"``, ``"image"`` or ``"datetime"``."""
    inside: int | None
    """Number of the nearest enclosing link or datetime column, or None."""
    repeats: bool
    """Whether a record may have several values."""
    support: float
    """Share of the records that have a value, in (0, 1]."""
    cells: Cells
    """The nodes of its values."""


@dataclass(eq=False)
class _Draft:
    kind: str
    cells: Cells
    repeats: bool
    inside: _Draft | None


def columns_of(page: RecordPage, places: Sequence[Place], records: int) -> tuple[Column, ...]:
    """Columns in document order."""
    own = _draft_columns(page, places)
    below: dict[int, list[_Draft]] = {}
    for place in reversed(places):
        drafts = own[id(place)] + [draft for part in place.below for draft in below.pop(id(part))]
        below[id(place)] = _gather(drafts, len(place.members))
    drafts = below[id(places[0])]
    number = {id(draft): i for i, draft in enumerate(drafts)}
    return tuple(
        Column(d.kind, number.get(id(d.inside)), d.repeats, len(d.cells) / records, d.cells)
        for d in drafts
    )


def _draft_columns(page: RecordPage, places: Sequence[Place]) -> dict[int, list[_Draft]]:
    own: dict[int, list[_Draft]] = {}
    inside: dict[int, _Draft | None] = {}
    for place in places:
        around = None if place.above is None else inside[id(place.above)]
        drafts = [
            _Draft(kind, cells, place.repeats, around)
            for code, kind in enumerate(FACTS[1:], 1)
            if (cells := _cells(page, place, code))
        ]
        own[id(place)] = drafts
        inside[id(place)] = next((d for d in drafts if d.kind in ("link", "datetime")), around)
    return own


def _cells(page: RecordPage, place: Place, code: int) -> Cells:
    return {
        number: nodes
        for number, members in place.members.items()
        if (nodes := tuple(node for node in members if page.fact[node] == code))
    }


def _gather(drafts: list[_Draft], members: int) -> list[_Draft]:
    """Merge a body's scattered drafts into one per kind, at the position of the first."""
    scattered = {
        id(d): d for d in drafts if d.repeats or len(d.cells) < SCATTERED_SUPPORT * members
    }
    if sum(draft.kind == "text" for draft in scattered.values()) < MIN_SCATTERED:
        return drafts
    whole: dict[str, _Draft] = {}
    kept: list[_Draft] = []
    for draft in drafts:
        if id(draft) not in scattered:
            kept.append(draft)
        elif draft.kind not in whole:
            whole[draft.kind] = _Draft(draft.kind, dict(draft.cells), True, None)
            kept.append(whole[draft.kind])
        else:
            cells = whole[draft.kind].cells
            for number, nodes in draft.cells.items():
                cells[number] = (*cells.get(number, ()), *nodes)
    for draft in whole.values():
        draft.cells = {number: tuple(sorted(nodes)) for number, nodes in draft.cells.items()}
    return kept
