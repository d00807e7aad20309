"""Answers kept as JSON Lines, so that a stopped run goes on where it was."""

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
        The page, and a hash of what the system was given.
    version
        Of the system.
    text, title, date
        The answer.
    ms
        Milliseconds that the extraction took.
    error
        Why there is no answer; None where there is one.
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
        """Key that identifies a result of a system."""
        return self.page, self.content, self.version

    @property
    def answer(self) -> Answer:
        """The answer alone; an empty one where there is none."""
        return Answer(self.text, self.title, self.date)


class Store:
    """Results of one system on one set.

    Parameters
    ----------
    cache
        Folder of everything kept.
    set_name, system
        Their names.
    """

    def __init__(self, cache: Path, set_name: str, system: str) -> None:
        name = re.sub(r"[^\w.+-]+", "-", system).strip("-")
        self.path = cache / f"{set_name}-results" / f"{name}.jsonl"
        self._known = {result.key: result for result in _read_results(self.path)}

    def get(self, key: tuple[str, str, str]) -> Result | None:
        """A known answer. Failures are not kept: they may have been the machine's."""
        return self._known.get(key)

    def add(self, result: Result) -> None:
        """Append a result; it is in the file when this returns."""
        self._known[result.key] = result
        if result.error is not None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(result))
        with self.path.open("a+b") as file:
            # A line that a stopped run left half written ends here.
            if file.tell() and not _ends_line(file):
                line = f"\n{line}"
            file.write(f"{line}\n".encode())


def _ends_line(file: Any) -> bool:
    file.seek(-1, 2)
    return file.read(1) == b"\n"


def _read_results(path: Path) -> list[Result]:
    """Results of a file; lines that are not whole are passed over."""
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
        raise TypeError("texts are strings")
    return result
