"""Files of role labels: ``<set>.jsonl`` or ``<set>.jsonl.xz``, with one page per line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..collect.labels.exchange import read_role_lines

__all__ = ["PageLabels", "read_labels"]


@dataclass(frozen=True)
class PageLabels:
    """The role of every block of one page.

    Attributes
    ----------
    blocks
        Pairs (letter of the role, text) in document order; see `models.article.roles.LETTERS`.
    exam
        Whether the page is reserved for evaluation: no model may be trained or tuned on it.
    """

    blocks: tuple[tuple[str, str], ...]
    exam: bool


def read_labels(folder: Path, name: str) -> dict[str, PageLabels]:
    """Labels of a set's pages by page id; empty if the folder has no labels for the set.

    Each line is a JSON object with ``id``, ``blocks`` (pairs of letter and text) and optionally
    ``exam``.

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
    return {page.id: PageLabels(page.blocks, page.exam) for page in read_role_lines(file)}
