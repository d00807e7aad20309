"""The pages of a collection, from its state file (which a run may be writing) or plain files."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any

from ...errors import ArchiveError
from ...renderer.page.container import open_container
from ...untrusted_json import parse_json
from ..batch.files import file_of
from ..batch.job_store import DROPPED
from ..batch.pages import Counts, host_of
from ..batch.state_file import (
    COUNTS,
    DAMAGED,
    FILE,
    PASSING,
    STATE,
    VERSION,
    add_states,
    open_read_only,
)
from .page import CollectionPage, Confidence, HostCount, State

__all__ = ["PlainFolder", "SavedState"]

# Number of pages read at a time. A long read transaction would prevent checkpoints of a run's log.
CHUNK = 1000

COLUMNS = f"id, url, {STATE}, host, depth, tries, kind, error, http_status, seconds"


class SavedState:
    """Pages listed in a folder's ``state.sqlite``; the file is not kept open between calls.

    Parameters
    ----------
    folder
        Folder of the collection.

    Raises
    ------
    ArchiveError
        The state is damaged, of another version, or cannot be read in a read-only folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / FILE
        version = self._fetch_one("PRAGMA user_version")
        if version != VERSION:
            raise ArchiveError(
                f"{self._file} has format version {version}, but this release of Miolo reads "
                f"version {VERSION}"
            )
        self.counts()

    def pages(self, states: Sequence[State]) -> Iterator[CollectionPage]:
        """Pages in the given states, in order of number."""
        marks = ", ".join("?" * len(states))
        query = (
            # With a column in place of the expression, SQLite would read and sort all pages of a
            # state for each chunk.
            f"SELECT {COLUMNS} FROM pages WHERE {STATE} IN ({marks}) AND id > ? "
            f"ORDER BY id LIMIT {CHUNK}"
        )
        last = 0
        while chunk := self._fetch_all(query, (*states, last)):
            yield from map(self._page, chunk)
            last = chunk[-1][0]

    def _page(self, row: tuple[Any, ...]) -> CollectionPage:
        number, url, state, *rest = row
        file = file_of(self._folder, "snapshots", url, ".miolo")
        return CollectionPage(number, url, state, file, *rest)

    def counts(self) -> Counts:
        """Number of pages in each state."""
        rows = self._fetch_all(COUNTS)
        dropped = self._fetch_all("SELECT value FROM facts WHERE name = ?", (DROPPED,))
        passing = self._fetch_one(PASSING)
        return add_states(rows, passing, str(dropped[0][0]) if dropped else "0", self._folder)

    def hosts(self) -> list[HostCount]:
        """Number of pages of each host, in descending order."""
        query = (
            "SELECT host, COUNT(*), SUM(state = 'done'), SUM(state = 'failed') FROM pages "
            f"WHERE {STATE} != 'duplicate' GROUP BY host ORDER BY COUNT(*) DESC, host"
        )
        return [HostCount(*row) for row in self._fetch_all(query)]

    def seconds(self, share: float) -> float | None:
        """Quantile of the durations of visits in seconds; None if none is recorded."""
        visits = self._fetch_one("SELECT COUNT(seconds) FROM pages")
        if not visits:
            return None
        query = (
            "SELECT seconds FROM pages WHERE seconds IS NOT NULL ORDER BY seconds LIMIT 1 OFFSET ?"
        )
        return self._fetch_one(query, (max(ceil(share * visits) - 1, 0),))

    def confidence(self) -> Confidence | None:
        """Confidence of the texts; None if it is not recorded."""
        query = "SELECT COUNT(*), AVG(value), SUM(value < 0.5) FROM confidences"
        texts, mean, doubtful = self._fetch_all(query)[0]
        return Confidence(texts, round(mean, 4), doubtful) if texts else None

    def facts(self) -> dict[str, str]:
        """Recorded facts of the collection."""
        return dict(self._fetch_all("SELECT name, value FROM facts ORDER BY name"))

    def journal_length(self, name: str) -> int | None:
        """Committed length of a journal in bytes."""
        return self._fetch_one("SELECT MAX(length) FROM journals WHERE name = ?", (name,)) or 0

    def superseded(self) -> frozenset[int]:
        """Byte offsets of the superseded lines of the results."""
        return frozenset(place for (place,) in self._fetch_all("SELECT place FROM superseded"))

    def _fetch_one(self, query: str, values: tuple[Any, ...] = ()) -> Any:
        return self._fetch_all(query, values)[0][0]

    def _fetch_all(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._reading() as db:
            return db.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            db = open_read_only(self._file)
            try:
                yield db
            finally:
                db.close()
        except (sqlite3.Error, *DAMAGED) as error:
            raise ArchiveError(f"{self._file} cannot be read: {error}") from error


class PlainFolder:
    """The files ``*.miolo`` in a folder, at any depth, in order of name.

    A page's address is read from its snapshot file; it is empty if the file is damaged.

    Parameters
    ----------
    folder
        Folder with the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def pages(self, states: Sequence[State]) -> Iterator[CollectionPage]:
        """All pages, or none if done pages are not requested."""
        if "done" not in states:
            return
        for number, file in enumerate(self._files(), 1):
            url = _address(file)
            yield CollectionPage(number, url, "done", file, host_of(url), tries=1)

    def _files(self) -> list[Path]:
        return sorted(file for file in self._folder.rglob("*.miolo") if file.is_file())

    def counts(self) -> Counts:
        """Counts with all pages done."""
        return Counts(0, 0, len(self._files()), 0, {})

    def hosts(self) -> list[HostCount]:
        """Number of pages of each host, in descending order."""
        counts = Counter(page.host for page in self.pages(("done",)))
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return [HostCount(host, count, count, 0) for host, count in ordered]

    def seconds(self, share: float) -> float | None:
        """None, because durations are not recorded."""
        return None

    def confidence(self) -> None:
        """None, because confidences are not recorded."""

    def facts(self) -> dict[str, str]:
        """An empty mapping, because no facts are recorded."""
        return {}

    def superseded(self) -> frozenset[int]:
        """An empty set, because no line is superseded."""
        return frozenset()

    def journal_length(self, name: str) -> int | None:
        """None, because there is no journal."""
        return None


def _address(file: Path) -> str:
    try:
        # The rest of the file is checked only when the snapshot is loaded.
        with open_container(file, "snapshot") as archive:
            url = parse_json(archive.read("meta.json"))["page"]["url"]
    except (ArchiveError, OSError):
        return ""
    return url if isinstance(url, str) else ""
