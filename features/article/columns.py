"""Columns of features, gathered by name."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Columns"]


@dataclass
class Columns:
    """Named columns of b rows; names are ``group.name``."""

    rows: int
    values: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def put(self, group: str, **columns: ArrayLike) -> None:
        """Add columns of a group; a single value stands for all rows."""
        for name, value in columns.items():
            column = np.asarray(value, np.float32)
            # Several times as fast as to broadcast a column to its own shape.
            has_all_rows = column.shape == (self.rows,)
            self.values[f"{group}.{name}"] = column if has_all_rows else np.full(self.rows, column)

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        return self.values[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order they were put."""
        return tuple(self.values)

    def table(self) -> NDArray[np.float32]:
        """float32, shape (b, columns)."""
        if not self.values:
            return np.zeros((self.rows, 0), np.float32)
        return np.array(list(self.values.values())).T.copy()
