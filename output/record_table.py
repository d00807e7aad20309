"""`RecordTable`: one list of a page as a table, and its CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["RecordTable", "write_csv"]


@dataclass(frozen=True)
class RecordTable:
    """One list of a page.

    Attributes
    ----------
    columns
        Names of the columns: of ``title``, ``url``, ``date``, ``author``, ``image`` and
        ``summary`` those that the records have, then what else there is, in the page's
        order, as ``text-1``, ``url-1``, ``date-1`` and ``image-1``.
    rows
        One mapping a record from a column's name to its text, address or date; what a
        record lacks is left out. As JSON they are what an interface answers.
    constants
        Texts that all records repeat, such as ``"Read more"``: no column has them.
    node
        Node of the snapshot around all records.
    nodes
        Top nodes of each record in the snapshot.
    score
        In [0, 1]: how much of the page the list is, and how regular.
    main
        Whether it is what the page is for.
    left_out
        Texts, links, pictures and dates of the records that no column has.
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]
    constants: tuple[str, ...]
    node: int
    nodes: tuple[tuple[int, ...], ...]
    score: float
    main: bool
    left_out: int


def write_csv(columns: Sequence[str], rows: Iterable[dict[str, str]]) -> str:
    """Rows as CSV with a header line; nothing where there are no columns.

    The data is as it stands on the page: a text that begins with ``=`` is not altered, so
    whoever opens the file in a spreadsheet should import its columns as text.
    """
    file = io.StringIO(newline="")
    if columns:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file.getvalue()
