"""A folder of saved snapshots without a state: each file is a page that is done."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import ArchiveError
from ...renderer.container import open_container
from ..batch.pages import Counts, host_of
from .page import CollectionPage, HostCount, State

__all__ = ["PlainFolder"]


class PlainFolder:
    """The files ``*.miolo`` of a folder, at any depth, in the order of their names.

    A page's address is read from its snapshot's file, and empty where that is damaged.

    Parameters
    ----------
    folder
        Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def pages(self, states: Sequence[State]) -> Iterator[CollectionPage]:
        """All of them, or none if what is done is not asked for."""
        if "done" not in states:
            return
        for number, file in enumerate(self._files(), 1):
            url = _address(file)
            yield CollectionPage(number, url, "done", file, host_of(url), tries=1)

    def _files(self) -> list[Path]:
        return sorted(file for file in self._folder.rglob("*.miolo") if file.is_file())

    def counts(self) -> Counts:
        """All are done, as far as their names tell."""
        return Counts(0, 0, len(self._files()), 0, {})

    def hosts(self) -> list[HostCount]:
        """Pages by host, the most first."""
        found = Counter(page.host for page in self.pages(("done",)))
        ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        return [HostCount(host, count, count, 0) for host, count in ordered]

    def seconds(self, share: float) -> float | None:
        """Nobody measured."""
        return None

    def facts(self) -> dict[str, str]:
        """Nothing was noted."""
        return {}

    def superseded(self) -> frozenset[int]:
        """Nothing is."""
        return frozenset()

    def journal_length(self, name: str) -> int | None:
        """Nobody agreed on one."""
        return None


def _address(file: Path) -> str:
    try:
        # The rest of the file is checked when it is loaded.
        with open_container(file, "snapshot") as archive:
            url = json.loads(archive.read("meta.json"))["page"]["url"]
    except (ArchiveError, OSError):
        return ""
    return url if isinstance(url, str) else ""
