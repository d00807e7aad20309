"""Distinguish data tables from layout tables, and compute the grid of a data table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from ...patterns import lazy_re
from . import document as tree
from .nodes import Nodes

MAX_COLUMNS = 256
MAX_ROWSPAN = 1000

# A cell beyond these bounds is a column of the page rather than a value: number of characters,
# share of the table's characters, and height in px.
LONG_CELL = 400
LONG_SHARE = 0.6
TALL_CELL = 400

NUMBER = lazy_re("[0-9]{1,6}")
ALIGNED = lazy_re(r"text-align\s*:\s*(left|right|center)", re.IGNORECASE)


@dataclass(slots=True)
class RawCell:
    """A cell as it appears in the page, with its blocks."""

    node: int
    content: list[tree.Block] = field(default_factory=list)


@dataclass(slots=True)
class RawTable:
    """A table as it appears in the page.

    `head_end` and `foot_end` are one past the last nodes of its ``thead`` and ``tfoot``. The rows
    of a ``tfoot``, which HTML 4 puts before the body, are in `foot`.
    """

    node: int
    rows: list[list[RawCell]] = field(default_factory=list)
    foot: list[list[RawCell]] = field(default_factory=list)
    head_rows: int = 0
    head_end: int = -1
    foot_end: int = -1
    caption: Sequence[tree.Inline] = ()
    _row: list[RawCell] | None = None

    def begin_row(self, node: int) -> None:
        """Begin the row of a ``tr`` element."""
        if node < self.head_end and self.head_rows == len(self.rows):
            self.head_rows += 1
        self._row = []
        (self.foot if node < self.foot_end else self.rows).append(self._row)

    def begin_cell(self, node: int) -> RawCell:
        """Add the cell of an element to the current row."""
        if self._row is None:
            self.begin_row(node)
        assert self._row is not None
        self._row.append(RawCell(node))
        return self._row[-1]


def make_table(nodes: Nodes, raw: RawTable) -> tree.Table | None:
    """Convert a data table; None for a layout table, and for one with too many columns."""
    rows = [row for row in raw.rows if row]
    if _is_layout(nodes, raw, rows):
        return None
    # If a cell spans several rows, rows without content are kept, because the cell counts them.
    spans = any(_number(nodes, cell, "rowspan", 0) != 1 for row in raw.rows for cell in row)
    is_full = [any(spans or cell.content for cell in row) for row in raw.rows]
    rows = [row for row, full in zip(raw.rows, is_full, strict=True) if full]
    head_rows = sum(is_full[: raw.head_rows])
    placed = _place(nodes, rows)
    if placed is None:
        return None
    rows, rows_of_cells, columns = placed
    headers = _header_rows(rows_of_cells, head_rows)
    if not headers and _has_bold_head(rows_of_cells):
        rows_of_cells[0] = [replace(cell, is_header=True) for cell in rows_of_cells[0]]
        headers = 1
    alignments = _alignments(nodes, rows, rows_of_cells, columns, headers)
    return tree.Table(tuple(map(tuple, rows_of_cells)), columns, headers, alignments, raw.caption)


def _is_layout(nodes: Nodes, raw: RawTable, rows: list[list[RawCell]]) -> bool:
    role = nodes.get(raw.node, "role").lower()
    if role in ("presentation", "none"):
        return True
    cells = [cell for row in rows for cell in row]
    full = [cell for cell in cells if cell.content]
    if len(full) < 2:
        return True
    declared = role in ("table", "grid") or bool(raw.caption) or bool(raw.head_rows)
    if declared or any(nodes.tags[cell.node] == "th" for cell in full):
        return False
    holds_table = nodes.first(raw.node, "table", proper=True) is not None
    if holds_table or len(rows) < 2 or max(map(len, rows)) < 2:
        return True
    # Most rows have at most one value: the other columns are margins and spacers.
    if sum(sum(bool(cell.content) for cell in row) > 1 for row in rows) * 2 < len(rows):
        return True
    if any(
        isinstance(block, tree.Heading | tree.Figure | tree.Rule | tree.Embed)
        for cell in full
        for block in cell.content
    ):
        return True
    return _has_column_of_text(nodes, full)


def _has_column_of_text(nodes: Nodes, cells: list[RawCell]) -> bool:
    """Whether one cell is most of the table, with several blocks that fill a column of the page."""
    chars, longest = max(((nodes.chars(cell.node), cell) for cell in cells), key=itemgetter(0))
    several = (
        sum(not isinstance(block, tree.CodeBlock | tree.Quote) for block in longest.content) > 1
    )
    total = sum(nodes.chars(cell.node) for cell in cells)
    tall = nodes.boxes[longest.node, 3] > TALL_CELL
    return several and (tall or chars > LONG_CELL) and chars > LONG_SHARE * total


def _place(
    nodes: Nodes, rows: list[list[RawCell]]
) -> tuple[list[list[RawCell]], list[list[tree.Cell]], int] | None:
    """The cells as they appear in the page and in the columns where they are painted.

    Columns without content in which no cell of several columns begins are left out. The last value
    is the number of columns; the result is None if they are more than `MAX_COLUMNS`.
    """
    taken_until: dict[int, int] = {}
    places: list[list[tuple[int, int, int, RawCell]]] = []
    for number, row in enumerate(rows):
        column, placed = 0, []
        for cell in row:
            while taken_until.get(column, 0) > number:
                column += 1
            wide = min(_number(nodes, cell, "colspan"), MAX_COLUMNS)
            tall = min(
                _number(nodes, cell, "rowspan", 0) or len(rows), len(rows) - number, MAX_ROWSPAN
            )
            if column >= MAX_COLUMNS:
                return None
            for covered in range(column, min(column + wide, MAX_COLUMNS)):
                taken_until[covered] = max(taken_until.get(covered, 0), number + tall)
            placed.append((column, wide, tall, cell))
            column += wide
        places.append(placed)
    begun = sorted(
        {
            column
            for placed in places
            for column, wide, _, cell in placed
            if cell.content or wide > 1
        }
    )
    index = {column: place for place, column in enumerate(begun)}

    places = [[place for place in placed if place[0] in index] for placed in places]

    def width(column: int, wide: int) -> int:
        return max(1, sum(column <= each < column + wide for each in begun))

    cell_rows = [
        [
            tree.Cell(
                tuple(cell.content),
                index[column],
                tall,
                width(column, wide) if wide > 1 else 1,
                nodes.tags[cell.node] == "th",
            )
            for column, wide, tall, cell in placed
        ]
        for placed in places
    ]
    return [[place[-1] for place in placed] for placed in places], cell_rows, len(begun)


def _number(nodes: Nodes, cell: RawCell, name: str, least: int = 1) -> int:
    value = nodes.get(cell.node, name).strip()
    return max(int(value), least) if NUMBER.fullmatch(value) else 1


def _header_rows(rows: list[list[tree.Cell]], head_rows: int) -> int:
    """Number of rows at the top that are in a ``thead`` or consist of header cells only."""
    count = 0
    for row in rows:
        # The corner above row headers is often an empty ``td``.
        heads = any(cell.is_header for cell in row)
        heads = heads and all(cell.is_header or not cell.content for cell in row)
        if count >= head_rows and not heads:
            break
        count += 1
    # A table of header cells only has row headers, so just its first rows are column headers.
    return count if count < len(rows) else min(head_rows or 1, len(rows))


def _has_bold_head(rows: list[list[tree.Cell]]) -> bool:
    """Whether the first row, unlike the second, is bold: a header that is not marked up as one."""
    if len(rows) < 2 or any(cell.is_header for row in rows for cell in row):
        return False
    first, second = ([_is_bold(cell) for cell in row if cell.content] for row in rows[:2])
    return len(first) > 1 and all(first) and not all(second)


def _is_bold(cell: tree.Cell) -> bool:
    match cell.content:
        case (tree.Paragraph(content),):
            return all(isinstance(each, tree.Phrase) and each.kind == "strong" for each in content)
        case _:
            return False


def _alignments(
    nodes: Nodes, raw: list[list[RawCell]], rows: list[list[tree.Cell]], columns: int, headers: int
) -> tuple[str, ...]:
    """The most frequent alignment of each column's cells."""
    votes: list[Counter[str]] = [Counter() for _ in range(columns)]
    for cells, placed in list(zip(raw, rows, strict=True))[headers:] or zip(raw, rows, strict=True):
        for cell, place in zip(cells, placed, strict=True):
            if place.content:
                styled = ALIGNED.search(nodes.get(cell.node, "style"))
                align = (styled[1] if styled else nodes.get(cell.node, "align")).strip().lower()
                votes[place.column][align if align in ("left", "right", "center") else ""] += 1
    return tuple(vote.most_common(1)[0][0] if vote else "" for vote in votes)
