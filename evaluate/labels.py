"""Files of role labels: ``<set>.jsonl`` or ``<set>.jsonl.xz``, a page a line."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import ArchiveError
from ..models.article.roles import LETTERS

__all__ = ["PageLabels", "read_labels"]


@dataclass(frozen=True)
class PageLabels:
    """The role of every block of one page.

    Attributes
    ----------
    blocks
        Pairs (letter of the role, text) in document order; see `models.article.roles.LETTERS`.
    exam
        Whether no model may be trained or tuned on the page.
    """

    blocks: tuple[tuple[str, str], ...]
    exam: bool


def read_labels(folder: Path, name: str) -> dict[str, PageLabels]:
    """Labels of a set's pages, by the pages' ids; empty where the folder has none of the set.

    Each line is a JSON object with ``id``, ``blocks`` (pairs of letter and text) and, where it is
    true, ``exam``.

    Raises
    ------
    ArchiveError
        A file is damaged.
    """
    for suffix in (".jsonl", ".jsonl.xz"):
        file = folder / f"{name}{suffix}"
        if file.exists():
            break
    else:
        return {}
    try:
        return dict(_pages(file))
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        raise ArchiveError(f"{file} does not hold role labels ({error})") from error


def _pages(file: Path) -> Iterator[tuple[str, PageLabels]]:
    opened = lzma.open if file.suffix == ".xz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            blocks = tuple((str(letter), str(text)) for letter, text in row["blocks"])
            unknown = {letter for letter, _ in blocks} - set(LETTERS)
            if unknown:
                raise ValueError(f"there is no role {min(unknown)!r}")
            yield str(row["id"]), PageLabels(blocks, bool(row.get("exam", False)))
