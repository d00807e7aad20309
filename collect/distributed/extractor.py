"""`PageExtractor`: the actor class that turns batches of addresses into tables of rows."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...output.schema import result_table, table_schema
from .page_reader import PageReader, Row, archive_rows
from .parquet_folder import ParquetFolder, address_keys, is_known
from .recipe import PageRecipe

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PageExtractor", "PageWriter"]

# Maximum number of rows of a table and of a Parquet row group, which is a few megabytes.
ROWS = 256


class PageExtractor:
    """Turns batches of addresses into tables of rows, with one browser for all batches.

    It can be pickled before and after its first batch; a copy starts its own browser.

    Parameters
    ----------
    recipe
        How each address is processed.

    Examples
    --------
    >>> def articles(dataset):  # what `extract_dataset` does
    ...     return dataset.map_batches(
    ...         PageExtractor, fn_constructor_args=[PageRecipe()], batch_format="pyarrow"
    ...     )
    """

    def __init__(self, recipe: PageRecipe | None = None) -> None:
        self._reader: PageReader | None = None
        self.recipe = recipe or PageRecipe()

    def __getstate__(self) -> dict[str, Any]:
        return {"recipe": self.recipe, "_reader": None}

    def __call__(self, batch: Mapping[str, Any] | pa.Table) -> Iterator[pa.Table]:
        """Tables of a batch's rows, with a few hundred rows each; see `schema`."""
        yield from self.tables(_column(batch, self.recipe.column))

    def tables(self, addresses: Iterable[object]) -> Iterator[pa.Table]:
        """Tables of rows for addresses, or for the pages of archives."""
        rows = self._rows(addresses)
        while group := list(islice(rows, ROWS)):
            table = result_table(group)
            if self.recipe.snapshots is not None:
                table = table.append_column("snapshot", [[row["snapshot"] for row in group]])
            yield table.cast(self.schema())

    def schema(self) -> pa.Schema:
        """`miolo.output.schema.table_schema`, with a column for snapshots if they are saved."""
        import pyarrow as pa

        further = [] if self.recipe.snapshots is None else [pa.field("snapshot", pa.string())]
        return pa.schema([*table_schema(), *further])

    def _rows(self, addresses: Iterable[object]) -> Iterator[Row]:
        if self.recipe.archives:
            return archive_rows(addresses, self.recipe)
        if self._reader is None:
            self._reader = PageReader(self.recipe)
        return self._reader.rows(addresses)

    def close(self) -> None:
        """Close the browser; a further batch starts another."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def __del__(self) -> None:
        # Ray releases an actor's state by deleting it. While the interpreter is finalizing, no
        # thread runs any more, and the browser ends with the process.
        if not sys.is_finalizing():
            self.close()


class PageWriter(PageExtractor):
    """Writes files named by a hash of their addresses; a repeated batch replaces its file."""

    def __init__(self, recipe: PageRecipe, out: str, done: Any) -> None:
        import ray

        super().__init__(recipe)
        self._folder = ParquetFolder(out)
        # Ray keeps one copy per machine for all its actors.
        self._done: NDArray[np.bytes_] = ray.get(done)

    def __call__(self, batch: Mapping[str, Any] | pa.Table) -> Iterator[pa.Table]:
        """Write a batch; yield tables with one row of counts each (see `Written`)."""
        values = list(dict.fromkeys(_column(batch, self.recipe.column)))
        yield from self._archives(values) if self.recipe.archives else self._addresses(values)

    def _addresses(self, values: list[Any]) -> Iterator[pa.Table]:
        """Write one file with the addresses of a batch that are not done yet."""
        old = is_known(address_keys(values), self._done)
        left = [address for address, is_old in zip(values, old, strict=True) if not is_old]
        yield self._format(left, int(old.sum()))

    def _archives(self, values: list[Any]) -> Iterator[pa.Table]:
        """Write one file per archive, because archives may share page addresses."""
        for path in values:
            there = self._folder.has(_file_name([path]))
            yield self._format([] if there else [path], int(there))

    def _format(self, values: list[Any], before: int) -> pa.Table:
        import pyarrow as pa

        counts = {"pages": 0, "failed": 0, "before": before}

        def count_rows() -> Iterator[pa.Table]:
            for table in self.tables(values):
                counts["pages"] += len(table)
                counts["failed"] += len(table) - table.column("error").null_count
                yield table

        if values:
            self._folder.write(_file_name(values), self.schema(), count_rows())
        return pa.Table.from_pylist([counts])


def _file_name(values: list[Any]) -> str:
    return f"{hashlib.blake2b(address_keys(values).tobytes(), digest_size=16).hexdigest()}.parquet"


def _column(batch: Mapping[str, Any] | pa.Table, name: str) -> list[Any]:
    values = batch[name]
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)
