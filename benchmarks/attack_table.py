"""Rows for attacks, the tables made of them, and the files of the documentation that hold them."""

from __future__ import annotations

import csv
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Row", "Table", "print_table", "write_tables"]

COLUMNS = ("group", "attack", "outcome", "seconds", "held")
HEADER = "| attack | outcome | seconds | held |\n|---|---|---|---|"
GROUPS_HEADER = "| group | attacks | held off | slowest | its seconds |\n|---|---|---|---|---|"
BEGIN, END = "<!-- attacks: begin (benchmarks/attacks.py) -->", "<!-- attacks: end -->"


@dataclass(frozen=True)
class Row:
    """One attack and its outcome.

    Attributes
    ----------
    name, outcome
        The attack, and its outcome.
    seconds
        Wall time.
    faults
        What failed, one entry for each part that did not hold.
    is_applicable
        False if the attack fails even without any defence.
    parts
        Number of attacks that this row stands for, such as one for each output format.
    """

    name: str
    outcome: str
    seconds: float
    faults: tuple[str, ...] = ()
    is_applicable: bool = True
    parts: int = 1

    @property
    def tried(self) -> int:
        """Number of attacks that count."""
        return self.parts if self.is_applicable else 0

    @property
    def held(self) -> int:
        """Number of these that were held off."""
        return max(self.tried - len(self.faults), 0)

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Name, outcome, seconds and whether the attack was held off, each in one line."""
        verdict = "yes" if self.is_applicable else "n/a"
        if self.faults:
            verdict = f"no: {'; '.join(self.faults)}"
        name, outcome, verdict = (
            " ".join(text.replace("|", "/").split()) for text in (self.name, self.outcome, verdict)
        )
        return name, outcome, f"{self.seconds:.1f}", verdict

    def __str__(self) -> str:
        """The row as Markdown."""
        return f"| {' | '.join(self.cells)} |"


@dataclass(frozen=True)
class Table:
    """The rows of one group of attacks."""

    title: str
    rows: Sequence[Row]

    @property
    def totals(self) -> str:
        """The group as one row of Markdown: its attacks, those held off, and the slowest."""
        tried, held = (sum(getattr(row, name) for row in self.rows) for name in ("tried", "held"))
        slowest = max(self.rows, key=lambda row: row.seconds)
        return f"| {self.title} | {tried} | {held} | {slowest.name} | {slowest.seconds:.1f} |"


async def print_table(title: str, rows: AsyncIterator[Row]) -> Table:
    """Print rows as they arrive, under a heading."""
    table_rows: list[Row] = []
    async for row in rows:
        if not table_rows:
            print(f"\n### {title}\n\n{HEADER}")
        table_rows.append(row)
        print(row, flush=True)
    return Table(title, table_rows)


def write_tables(folder: Path, tables: Sequence[Table], summary: str) -> None:
    """Write the rows to `attacks.csv`, and the totals of each table to `security.md`."""
    groups = [table for table in tables if table.rows]
    with (folder / "attacks.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((group.title, *row.cells) for group in groups for row in group.rows)
    totals = "\n".join([GROUPS_HEADER, *(group.totals for group in groups)])
    _replace(folder / "security.md", [summary, totals])


def _replace(path: Path, parts: Sequence[str]) -> None:
    """Replace what is between the two markers of a document."""
    text = path.read_text("utf-8")
    between = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    replacement = "\n\n".join([BEGIN, *parts, END])
    path.write_text(between.sub(lambda _: replacement, text, count=1), "utf-8")
