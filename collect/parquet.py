"""What Parquet files are written with: pyarrow where it is installed, and texts that it takes."""

from __future__ import annotations

from typing import Any

from ..errors import MissingDependencyError

__all__ = ["parquet", "valid_text"]


def parquet() -> tuple[Any, Any]:
    """The modules `pyarrow` and `pyarrow.parquet`.

    Raises
    ------
    MissingDependencyError
        They are not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingDependencyError(
            "Parquet needs pyarrow: pip install 'miolo[collect]'"
        ) from None
    return pyarrow, pyarrow.parquet


def valid_text(text: str) -> str:
    """The text without the lone surrogates that scripts can make and UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()
