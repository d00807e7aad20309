"""Rows of what was attacked, the tables that are made of them, and their place in a document."""

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
        What did not hold, one for each part that did not.
    is_applicable
        False if the attack does not reach its aim without any defence either.
    parts
        How many attacks this row stands for, such as one for each output format.
    """

    name: str
    outcome: str
    seconds: float
    faults: tuple[str, ...] = ()
    is_applicable: bool = True
    parts: int = 1

    @property
    def tried(self) -> int:
        """Attacks that count."""
        return self.parts if self.is_applicable else 0

    @property
    def held(self) -> int:
        """Those of them that were held off."""
        return max(self.tried - len(self.faults), 0)

    def __str__(self) -> str:
        """The row of a table in Markdown."""
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
        """The table in Markdown under its heading."""
        return "\n".join([f"### {self.title}", "", HEADER, *map(str, self.rows)])


async def print_table(title: str, rows: AsyncIterator[Row]) -> Table:
    """Print rows as they come, under a heading."""
    table_rows: list[Row] = []
    async for row in rows:
        if not table_rows:
            print(f"\n### {title}\n\n{HEADER}")
        table_rows.append(row)
        print(row, flush=True)
    return Table(title, table_rows)


def replace_tables(path: Path, tables: Sequence[Table], summary: str) -> None:
    """Put tables into a document between its two markers, in place of those of an earlier run."""
    parts = [BEGIN, summary, *(str(table) for table in tables if table.rows), END]
    text = path.read_text("utf-8")
    between = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    path.write_text(between.sub(lambda _: "\n\n".join(parts), text, count=1), "utf-8")
