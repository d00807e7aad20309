"""Rows for attacks, the tables made of them, and the insertion of tables into a document."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Row", "Table", "print_table", "replace_tables"]

HEADER = "| attack | outcome | seconds | held |\n|---|---|---|---|"
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

    def __str__(self) -> str:
        """The row as Markdown."""
        verdict = "yes" if self.is_applicable else "n/a"
        if self.faults:
            verdict = f"**no**: {'; '.join(self.faults)}"
        name, outcome, verdict = (
            " ".join(text.replace("|", "/").split()) for text in (self.name, self.outcome, verdict)
        )
        return f"| {name} | {outcome} | {self.seconds:.1f} | {verdict} |"


@dataclass(frozen=True)
class Table:
    """The rows of one group of attacks."""

    title: str
    rows: Sequence[Row]

    def __str__(self) -> str:
        """The table as Markdown, under its heading."""
        return "\n".join([f"### {self.title}", "", HEADER, *map(str, self.rows)])


async def print_table(title: str, rows: AsyncIterator[Row]) -> Table:
    """Print rows as they arrive, under a heading."""
    table_rows: list[Row] = []
    async for row in rows:
        if not table_rows:
            print(f"\n### {title}\n\n{HEADER}")
        table_rows.append(row)
        print(row, flush=True)
    return Table(title, table_rows)


def replace_tables(path: Path, tables: Sequence[Table], summary: str) -> None:
    """Replace the tables between the two markers of a document."""
    parts = [BEGIN, summary, *(str(table) for table in tables if table.rows), END]
    text = path.read_text("utf-8")
    between = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    path.write_text(between.sub(lambda _: "\n\n".join(parts), text, count=1), "utf-8")
