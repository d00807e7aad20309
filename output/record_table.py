"""`RecordTable`: a list of records on a page as a table, and its CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["RecordTable", "write_csv"]


@dataclass(frozen=True)
class RecordTable:
    """A list of records on a page, as a table.

    Attributes
    ----------
    columns
        Names of the columns: first those of ``title``, ``url``, ``date``, ``author``, ``image``
        and ``summary`` that the records have, then all other values in the page's order, as
        ``text-1``, ``url-1``, ``date-1`` and ``image-1``.
    rows
        One mapping per record, from the name of a column to its text, address or date. Columns
        that a record lacks are left out. As JSON, the rows have the form of an API response.
    constants
        Texts that all records repeat, such as ``"Read more"``; no column contains them.
    node
        Node of the snapshot around all records.
    nodes
        Top nodes of each record in the snapshot.
    score
        In [0, 1]: how much of the page the list covers, and how regular it is.
    main
        Whether the list is the main content of the page.
    left_out
        Number of texts, links, pictures and dates of the records that no column contains.
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
    """Write rows as CSV with a header line; the empty string if there are no columns.

    Values are written as they stand on the page: a text that begins with ``=`` is not altered.
    When opening the file in a spreadsheet, import its columns as text.
    """
    file = io.StringIO(newline="")
    if columns:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file.getvalue()
