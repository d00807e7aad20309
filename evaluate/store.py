"""Answers stored as JSON Lines, so that a stopped run can be resumed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .systems import Answer

__all__ = ["Result", "Store"]


@dataclass(frozen=True)
class Result:
    """The answer of a system for a page.

    Attributes
    ----------
    page, content
        Identifier of the page, and a hash of the system's input.
    version
        Version of the system.
    text, title, date
        The answer.
    ms
        Duration of the extraction in milliseconds.
    error
        Reason why there is no answer; None if there is one.
    """

    page: str
    content: str
    version: str
    text: str = ""
    title: str | None = None
    date: str | None = None
    ms: float = 0.0
    error: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Key that identifies a result among those of a system."""
        return self.page, self.content, self.version

    @property
    def answer(self) -> Answer:
        """The answer; empty if the system failed."""
        return Answer(self.text, self.title, self.date)


class Store:
    """Results of one system on one set.

    Parameters
    ----------
    cache
        Cache folder.
    set_name, system
        Names of the set and the system.
    """

    def __init__(self, cache: Path, set_name: str, system: str) -> None:
        name = re.sub(r"[^\w.+-]+", "-", system).strip("-")
        self.path = cache / f"{set_name}-results" / f"{name}.jsonl"
        self._known = {result.key: result for result in _read_results(self.path)}

    def get(self, key: tuple[str, str, str]) -> Result | None:
        """A known result, or None. Failures are not stored, because they may be transient."""
        return self._known.get(key)

    def add(self, result: Result) -> None:
        """Add a result; unless it is a failure, it is in the file when this returns."""
        self._known[result.key] = result
        if result.error is not None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(result))
        with self.path.open("a+b") as file:
            # Terminate a partial line left by a stopped run.
            if file.tell() and not _ends_line(file):
                line = f"\n{line}"
            file.write(f"{line}\n".encode())


def _ends_line(file: Any) -> bool:
    file.seek(-1, 2)
    return file.read(1) == b"\n"


def _read_results(path: Path) -> list[Result]:
    """Results in a file; damaged lines are skipped."""
    if not path.exists():
        return []
    results = []
    with path.open("rb") as file:
        for line in file:
            try:
                results.append(_result(json.loads(line)))
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
    return results


def _result(row: Mapping[str, Any]) -> Result:
    result = Result(**row)
    if not all(isinstance(part, str) for part in (*result.key, result.text)):
        raise TypeError("texts must be strings")
    return result
