"""Lists of pages: lines, or a column of CSV or Parquet."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from ...errors import EmptyInputError, MissingDependencyError

__all__ = ["COLUMNS", "read_list"]

COLUMNS = ("url", "requested_url", "address", "link")
"""Names that a column of addresses may have, where none is given."""

CSV, PARQUET = (".csv", ".tsv"), (".parquet", ".pq")


def read_list(path: str | Path, column: str | None = None) -> Iterator[str]:
    """Addresses and files of a list, one after the other: the list is never held whole.

    Parameters
    ----------
    path
        A file with one a line (empty lines and those that begin with ``#`` do not count), a CSV
        or TSV file with a line of names, a Parquet file; ``-`` for lines from standard input.
    column
        Name of the column; by default the first of `COLUMNS` that is there. A file of lines
        with a column is read as CSV.

    Raises
    ------
    EmptyInputError
        There is no such column, or the file is not what its name says.
    MissingDependencyError
        Parquet needs pyarrow.
    """
    suffix = Path(path).suffix.lower()
    if suffix in PARQUET:
        return _of_parquet(Path(path), column)
    if str(path) == "-":
        return _of_csv(sys.stdin, ",", column, "-") if column else _of_lines(sys.stdin)
    return _of_file(Path(path), suffix, column)


def _of_file(path: Path, suffix: str, column: str | None) -> Iterator[str]:
    # Addresses are ASCII; whatever else is there is kept as it is.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        if column or suffix in CSV:
            yield from _of_csv(file, "\t" if suffix == ".tsv" else ",", column, str(path))
        else:
            yield from _of_lines(file)


def _of_lines(file: TextIO) -> Iterator[str]:
    for line in file:
        entry = line.strip()
        if entry and not entry.startswith("#"):
            yield entry


def _of_csv(file: TextIO, mark: str, column: str | None, path: str) -> Iterator[str]:
    rows = csv.DictReader(file, delimiter=mark)
    try:
        name = _column(rows.fieldnames or (), column, path)
        for row in rows:
            if entry := (row[name] or "").strip():
                yield entry
    except csv.Error as error:
        raise EmptyInputError(f"{path} is no CSV: {error}") from error


def _of_parquet(path: Path, column: str | None) -> Iterator[str]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingDependencyError(
            "Parquet needs pyarrow: pip install 'miolo[collect]'"
        ) from None
    try:
        file = pq.ParquetFile(path)
        name = _column(file.schema_arrow.names, column, str(path))
        for batch in file.iter_batches(columns=[name]):
            for entry in batch.column(0).to_pylist():
                if isinstance(entry, str) and entry.strip():
                    yield entry.strip()
    except pa.ArrowException as error:
        raise EmptyInputError(f"{path} is no Parquet file: {error}") from error


def _column(names: Iterable[str], wanted: str | None, path: str) -> str:
    there = list(names)
    for name in (wanted,) if wanted else COLUMNS:
        if name in there:
            return name
    asked = wanted or " or ".join(COLUMNS)
    raise EmptyInputError(
        f"{path} has no column {asked}; it has {', '.join(there) or 'none'}: --column"
    )
