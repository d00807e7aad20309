"""`Journal`: an append-only file whose uncommitted end is truncated."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ...errors import StorageError

__all__ = ["Journal"]


class Journal:
    """Lines or records in one file.

    Opening the file truncates it to the committed length. This removes what a killed run wrote
    after its last commit: a partial line, or the line of a page that is not marked as done.

    Parameters
    ----------
    path
        The file; created with the first data if missing.
    length
        Committed length in bytes.
    """

    def __init__(self, path: Path, length: int) -> None:
        self._path = path
        self._file = path.open("ab") if path.exists() else None
        if self._file and self._file.tell() > length:
            self._file.truncate(length)
            self._file.seek(length)

    @property
    def length(self) -> int:
        """Current length in bytes."""
        return self._file.tell() if self._file else 0

    def append(self, data: bytes) -> None:
        """Append data; it is on the disk only after `sync`.

        Raises
        ------
        StorageError
            The disk is full or unavailable.
        """
        if not data:
            return
        try:
            self._file = self._file or self._path.open("ab")
            self._file.write(data)
        except OSError as error:
            raise StorageError(f"results cannot be written: {error}") from error

    def sync(self) -> None:
        """Flush all appended data to the disk.

        Raises
        ------
        StorageError
            The disk is full or unavailable.
        """
        if self._file is None:
            return
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StorageError(f"results cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file; errors are ignored, because data lost on a full disk is uncommitted."""
        with contextlib.suppress(OSError):
            if self._file:
                self._file.close()
