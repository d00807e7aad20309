"""`ParquetFolder`: a folder of atomically written Parquet files, and keys of the addresses done."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from ..parquet import parquet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ParquetFolder", "address_keys", "is_known"]

# A sorted array of 10⁸ keys takes 1.6 GB, which the actors of a machine share.
KEY_BYTES = 16


class ParquetFolder:
    """A folder of Parquet files on a disk or on a file system of pyarrow (``s3://…``, ``gs://…``).

    Parameters
    ----------
    place
        Path or URI of the folder.
    """

    def __init__(self, place: str | Path) -> None:
        from pyarrow import fs

        path = str(place)
        uri = path if "://" in path else str(Path(path).resolve())
        self._disk, self._path = fs.FileSystem.from_uri(uri)
        self._disk.create_dir(self._path, recursive=True)

    def has(self, name: str) -> bool:
        """Whether a file of this name exists."""
        from pyarrow import fs

        (info,) = self._disk.get_file_info([f"{self._path}/{name}"])
        return info.type == fs.FileType.File

    def write(self, name: str, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
        """Write a file atomically; an existing file of the same name is replaced.

        The tables are consumed and written one at a time.
        """
        _, pq = parquet()
        # Readers of a folder ignore names that begin with an underscore. A lost actor may still be
        # running, so the draft has a unique name.
        draft = f"{self._path}/_{name}.{uuid4().hex}.part"
        with (
            self._disk.open_output_stream(draft) as stream,
            pq.ParquetWriter(stream, schema, compression="zstd") as writer,
        ):
            for table in tables:
                writer.write_table(table)
        self._disk.move(draft, f"{self._path}/{name}")

    def clear_drafts(self) -> None:
        """Delete the drafts of writers that died; no other writer may be running."""
        from pyarrow import fs

        for info in self._disk.get_file_info(fs.FileSelector(self._path)):
            if info.base_name.startswith("_") and info.base_name.endswith(".part"):
                self._disk.delete_file(info.path)

    def columns(self, names: list[str]) -> Iterator[pa.Table]:
        """Some columns of each file, one file at a time.

        Raises
        ------
        ArchiveError
            A file is damaged, or was not written by Miolo.
        """
        pa, pq = parquet()
        for path in self._files():
            try:
                with self._disk.open_input_file(path) as file:
                    yield pq.read_table(file, columns=names)
            except (pa.ArrowException, OSError) as error:
                raise ArchiveError(
                    f"{path} cannot be read ({error}): delete it to process its pages again"
                ) from error

    def _files(self) -> list[str]:
        from pyarrow import fs

        entries = self._disk.get_file_info(fs.FileSelector(self._path))
        files = [info for info in entries if info.base_name.endswith(".parquet")]
        return sorted(info.path for info in files if not info.base_name.startswith("_"))


def address_keys(addresses: Iterable[Any]) -> NDArray[np.bytes_]:
    """``S16``, shape (n,): hash of each address."""
    keys = [
        hashlib.blake2b(str(address).encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()
        for address in addresses
    ]
    return np.array(keys, f"S{KEY_BYTES}")


def is_known(keys: NDArray[np.bytes_], sorted_keys: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """bool, shape (n,): which keys occur in `sorted_keys`."""
    if not len(sorted_keys):
        return np.zeros(len(keys), bool)
    places = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return sorted_keys[places] == keys
