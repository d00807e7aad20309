"""The rows of ``results.jsonl``, in file order or by page number."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...errors import ArchiveError
from ...patterns import lazy_re

__all__ = ["ResultRows"]

# Start of each line that a run writes.
NUMBERED = lazy_re(rb'\{"id": (\d{1,18})[,}]')


@dataclass(frozen=True)
class ResultRows:
    """Rows of a results file.

    Attributes
    ----------
    length
        Committed length in bytes, beyond which a killed run may have written more; None for all
        complete lines.
    superseded
        Byte offsets of the lines that no longer count, because their pages were visited again.
    """

    file: Path
    length: int | None
    superseded: frozenset[int] = frozenset()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Byte offset of each line, and the line."""
        place = 0
        if self.length or (self.length is None and self.file.exists()):
            with self._open() as file:
                while self.length is None or place < self.length:
                    line = file.readline()
                    if not line.endswith(b"\n"):
                        break
                    if place not in self.superseded:
                        yield place, line
                    place += len(line)
        if place < (self.length or 0):
            raise ArchiveError(
                f"{self.file} is shorter than the {self.length:,} bytes that were written to it"
            )

    def _open(self) -> BinaryIO:
        try:
            return self.file.open("rb")
        except OSError as error:
            raise ArchiveError(f"{self.file} cannot be read: {error.strerror}") from error

    def parse(self, place: int, line: bytes) -> dict[str, Any]:
        """Parse the row of a line."""
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ArchiveError(f"{self.file} is damaged at byte {place:,}: {error}") from error
        if not isinstance(row, dict) or type(row.get("id")) is not int:
            raise ArchiveError(f"{self.file} is damaged at byte {place:,}: not the row of a page")
        return row

    def places(self) -> dict[int, int]:
        """Byte offset of the last line of each page, by page number."""
        return {
            int(match[1]): place
            for place, line in self.lines()
            if (match := NUMBERED.match(line)) is not None
        }

    def by_number(self) -> Iterator[tuple[int, int, bytes]]:
        """Page number, byte offset and text of each line, in order of page number.

        Lines are read again from the file, so only about 24 bytes per line are held in memory. A
        damaged line, whose page number is unknown, has the number 0 and therefore comes first.
        """
        numbers, places = array("q"), array("q")
        for place, line in self.lines():
            match = NUMBERED.match(line)
            numbers.append(int(match[1]) if match else 0)
            places.append(place)
        if not numbers:
            return
        order = np.argsort(np.frombuffer(numbers, np.int64), kind="stable")
        with self._open() as file:
            for index in order.tolist():
                file.seek(places[index])
                yield numbers[index], places[index], file.readline()
