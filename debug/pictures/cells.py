"""Brightness and coverage of a picture by cells, with the mean of any area in constant time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .canvas import Area

__all__ = ["CELL", "CellSums", "brightness", "coverage"]

CELL = 8
"""Side of a cell, px."""


@dataclass(frozen=True, eq=False)
class CellSums:
    """A value for each cell of a picture, as sums that give the mean of any area at once.

    Attributes
    ----------
    sums
        float64, shape (rows + 1, columns + 1): sum of all cells above and to the left.
    """

    sums: NDArray[np.float64]

    def mean(self, area: Area) -> float:
        """Mean of the cells that an area touches."""
        left, top = area[0] // CELL, area[1] // CELL
        right, bottom = -(-area[2] // CELL), -(-area[3] // CELL)
        total = self.sums[bottom, right] - self.sums[top, right]
        total += self.sums[top, left] - self.sums[bottom, left]
        return float(total) / max(1, (right - left) * (bottom - top))


def brightness(page: Image.Image) -> CellSums:
    """Brightness of a picture's cells, 0 to 255."""
    return _sums_of(np.asarray(page.convert("L").reduce(CELL), np.float64))


def coverage(areas: Sequence[Area], size: tuple[int, int]) -> CellSums:
    """Cells of a picture that any of some areas touches: 1, and 0 for the others."""
    changes = np.zeros((-(-size[1] // CELL) + 1, -(-size[0] // CELL) + 1))
    for left, top, right, bottom in areas:
        rows, columns = (top // CELL, -(-bottom // CELL)), (left // CELL, -(-right // CELL))
        changes[rows[0], columns[0]] += 1
        changes[rows[1], columns[1]] += 1
        changes[rows[0], columns[1]] -= 1
        changes[rows[1], columns[0]] -= 1
    return _sums_of(changes.cumsum(0).cumsum(1)[:-1, :-1] > 0)


def _sums_of(cells: NDArray[np.generic]) -> CellSums:
    sums = np.zeros((cells.shape[0] + 1, cells.shape[1] + 1))
    sums[1:, 1:] = cells.astype(np.float64).cumsum(0).cumsum(1)
    return CellSums(sums)
