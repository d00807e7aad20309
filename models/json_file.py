"""Reading what was learned from a JSON file that may be damaged, or another's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ArchiveError

__all__ = ["read_json"]

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
        return build(json.loads(content))
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ArchiveError(f"{path} is no {what} ({error})") from error
