"""Read learned values from a JSON file, which may be damaged or of another kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ArchiveError

__all__ = ["build_from", "read_json"]

Learned = TypeVar("Learned")


def read_json(path: Path, build: Callable[[Any], Learned], what: str) -> Learned:
    """Build something from a file's JSON.

    Raises
    ------
    ArchiveError
        The file is truncated, foreign, of an unknown version or inconsistent.
    """
    content = path.read_bytes()
    try:
        return build_from(content, lambda data: build(json.loads(data)), what)
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from error.__cause__


def build_from(data: Any, build: Callable[[Any], Learned], what: str) -> Learned:
    """Build something from data that may be anything.

    Raises
    ------
    ArchiveError
        The data are damaged, or something else.
    """
    try:
        return build(data)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ArchiveError(f"no {what} ({error})") from error
