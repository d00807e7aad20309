"""An append-only file whose uncommitted end is cut off."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ...errors import StorageError

__all__ = ["Journal"]


class Journal:
    """Lines or records in one file.

    What a killed run has written beyond the agreed length is cut off when the file is opened:
    half a line, or a whole one of a page that does not count as done.

    Parameters
    ----------
    path
        The file; made where it is not there.
    length
        Bytes that are agreed on.
    """

    def __init__(self, path: Path, length: int) -> None:
        self._file = path.open("ab")
        if self._file.tell() > length:
            self._file.truncate(length)
            self._file.seek(length)

    @property
    def length(self) -> int:
        """Bytes so far."""
        return self._file.tell()

    def append(self, data: bytes) -> None:
        """Write at the end; on the disk after `sync`.

        Raises
        ------
        StorageError
            The disk is full, or gone.
        """
        try:
            self._file.write(data)
        except OSError as error:
            raise StorageError(f"results cannot be written: {error}") from error

    def sync(self) -> None:
        """Have all that was written on the disk.

        Raises
        ------
        StorageError
            The disk is full, or gone.
        """
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StorageError(f"results cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file, as it is: what a full disk does not take was not agreed on."""
        with contextlib.suppress(OSError):
            self._file.close()
