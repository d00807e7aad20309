"""`TableParts`: a table written as Parquet files of bounded size, each written atomically."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from ...errors import StorageError
from ...renderer.page.container import whole_file
from ..parquet import parquet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PART_BYTES", "TableParts", "TableSize"]

PART_BYTES = 256 << 20
"""Size at which a part is finished."""

GROUP_BYTES = 16 << 20
"""Size of the rows in memory at which they are written as a row group."""


@dataclass(frozen=True)
class TableSize:
    """Size of a table.

    Attributes
    ----------
    rows
        Number of rows in all parts.
    parts
        Number of files.
    bytes
        Total size of the files.
    memory
        Size of the rows in Arrow's memory format, which is the memory needed to read them.
    """

    rows: int
    parts: int
    bytes: int
    memory: int


class TableParts:
    """Context manager that writes rows; complete parts are kept if an error occurs.

    Parameters
    ----------
    path_of
        Path of a part by its number, from 0.
    schema
        Schema of the table.
    part_bytes
        See `PART_BYTES`.
    """

    def __init__(
        self, path_of: Callable[[int], Path], schema: pa.Schema, part_bytes: float = PART_BYTES
    ) -> None:
        self._path_of, self._schema, self._part_bytes = path_of, schema, part_bytes
        self._arrow, self._parquet = parquet()
        self._waiting: list[pa.Table] = []
        self._waiting_bytes = 0
        self._open = ExitStack()
        self._file: BinaryIO | None = None
        self._writer: Any = None
        self.size = TableSize(0, 0, 0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        if kind is None:
            try:
                self._flush(last=True)
                self._finish()
            except BaseException as error:
                self._abandon(error)
                raise
        elif rest:
            self._abandon(rest[0])

    def add(self, table: pa.Table) -> None:
        """Append rows.

        Raises
        ------
        StorageError
            The disk is full or unavailable.
        """
        self._waiting.append(table)
        self._waiting_bytes += table.nbytes
        if self._waiting_bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self, *, last: bool = False) -> None:
        # A table without rows still gets a file, which has the columns.
        if not self._waiting and not (last and not self.size.parts and self._writer is None):
            return
        rows = self._arrow.concat_tables(self._waiting or [self._schema.empty_table()])
        self._waiting, self._waiting_bytes = [], 0
        try:
            if self._writer is None:
                self._writer = self._begin()
            self._writer.write_table(rows)
        except OSError as error:
            raise StorageError(f"a table cannot be written: {error}") from error
        self._grow(rows=rows.num_rows, memory=rows.nbytes)
        if self._file is not None and self._file.tell() >= self._part_bytes:
            self._finish()

    def _begin(self) -> Any:
        path = self._path_of(self.size.parts)
        self._file = self._open.enter_context(whole_file(path))
        return self._parquet.ParquetWriter(self._file, self._schema, compression="zstd")

    def _finish(self) -> None:
        if self._file is None:
            return
        try:
            self._writer.close()
            self._grow(parts=1, bytes=self._file.tell())
            self._open.close()
        except OSError as error:
            raise StorageError(f"a table cannot be written: {error}") from error
        self._file = self._writer = None

    def _abandon(self, error: BaseException) -> None:
        """Discard the draft of a part."""
        if self._writer is not None:
            # Otherwise it would be closed on deletion and write to a closed file.
            with suppress(OSError, ValueError):
                self._writer.close()
            self._writer.is_open = False
        with suppress(BaseException):
            self._open.__exit__(type(error), error, error.__traceback__)

    def _grow(self, **more: int) -> None:
        self.size = TableSize(
            **{name: value + more.get(name, 0) for name, value in self.size.__dict__.items()}
        )
