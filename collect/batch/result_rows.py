"""The rows of ``results.jsonl``: as they are, or by the numbers of their pages."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...errors import ArchiveError

__all__ = ["ResultRows"]

# How the lines that a run writes begin.
NUMBERED = re.compile(rb'\{"id": (\d{1,18})[,}]')


@dataclass(frozen=True)
class ResultRows:
    """Rows of a file.

    Attributes
    ----------
    file
        JSON Lines.
    length
        Bytes that count: a run that was killed may have left more. None for all whole lines.
    superseded
        Where lines begin that do not count: their pages were visited again.
    """

    file: Path
    length: int | None
    superseded: frozenset[int] = frozenset()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Where each line begins, and the line.

        Raises
        ------
        ArchiveError
            The file is missing, or shorter than what was written to it.
        """
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
        """The row of a line.

        Raises
        ------
        ArchiveError
            It is not a row.
        """
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ArchiveError(f"{self.file} is damaged at byte {place:,}: {error}") from error
        if not isinstance(row, dict) or type(row.get("id")) is not int:
            raise ArchiveError(f"{self.file} is damaged at byte {place:,}: no row of a page")
        return row

    def by_number(self) -> Iterator[tuple[int, int, bytes]]:
        """Number of the page, where its line begins, and the line, by these numbers.

        Lines are found again in the file: some 24 bytes each are all that is held of them. A
        damaged one, whose number is not known, comes first with the number 0.
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
