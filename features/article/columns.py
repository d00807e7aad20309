"""A table of features, built from named columns."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Columns"]


@dataclass
class Columns:
    """Named columns of equal length; names have the form ``group.name``."""

    rows: int
    values: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def put(self, group: str, **columns: ArrayLike) -> None:
        """Add the columns of a group; a single value is repeated for all rows."""
        for name, value in columns.items():
            column = np.asarray(value, np.float32)
            # Broadcasting a column to its own shape would be several times slower.
            has_all_rows = column.shape == (self.rows,)
            self.values[f"{group}.{name}"] = column if has_all_rows else column.repeat(self.rows)

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        return self.values[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order in which the columns were added."""
        return tuple(self.values)

    def table(self) -> NDArray[np.float32]:
        """All columns: float32, shape (rows, columns)."""
        if not self.values:
            return np.zeros((self.rows, 0), np.float32)
        return np.array(list(self.values.values())).T.copy()
