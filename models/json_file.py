"""Read learned values from JSON files, which may be damaged or have another format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ArchiveError
from ..renderer.page.container import read_whole

Learned = TypeVar("Learned")


def read_json(path: Path, build: Callable[[Any], Learned], what: str) -> Learned:
    """Build a value from the JSON of a file.

    Raises `ArchiveError`: the file is truncated, inconsistent, or of another format or version.
    """
    content = read_whole(path, what)
    try:
        return build_from(content, lambda data: build(json.loads(data)), what)
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from error.__cause__


def build_from(data: Any, build: Callable[[Any], Learned], what: str) -> Learned:
    """Build a value from untrusted data.

    Raises `ArchiveError`: the data are damaged or have another format.
    """
    try:
        return build(data)
    except (
        ArithmeticError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
    ) as error:
        raise ArchiveError(f"not a valid {what} ({error})") from error
