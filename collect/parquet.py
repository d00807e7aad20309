"""Import of pyarrow, which is an optional dependency."""

from __future__ import annotations

from typing import Any

from ..errors import MissingDependencyError

__all__ = ["parquet"]


def parquet() -> tuple[Any, Any]:
    """The modules `pyarrow` and `pyarrow.parquet`."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingDependencyError.of_extra("a Parquet file", "collect") from None
    return pyarrow, pyarrow.parquet
