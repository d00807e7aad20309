"""`CollectionReader`: a folder of pages, read without loading all of them.

What is known of the pages is in the state file, which a run may be writing, or in plain files.
"""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from ...errors import ArchiveError, EmptyInputError
from ...renderer.network.origins import site_of
from ...renderer.page.container import open_container
from ...renderer.page.snapshot import Snapshot
from ...untrusted_json import parse_json
from ..batch.files import RESULTS, file_of
from ..batch.jobs import Counts, host_of
from ..batch.state_file import DAMAGED, FILE, VERSION, count_pages, open_read_only

State = Literal["queued", "running", "done", "failed", "duplicate"]

STATES: tuple[State, ...] = ("queued", "running", "done", "failed", "duplicate")


@dataclass(frozen=True)
class CollectionPage:
    """A page of a collection."""

    id: int
    url: str
    """Number of the page in the collection, from 1, and its address or file, as given."""
    state: State
    """``"queued"``, ``"running"``, ``"done"``, ``"failed"`` or ``"duplicate"``: the address leads
    to a page of another address."""
    file: Path
    """Path of the snapshot, if one was kept."""
    host: str = ""
    """Scheme, host and port; the empty string for a file."""
    depth: int = 0
    tries: int = 0
    """Number of links from the start of a crawl, and number of visits so far."""
    kind: str | None = None
    error: str | None = None
    http_status: int | None = None
    """Reason why the page failed, is to be retried or is a duplicate: name of the error, its
    message, HTTP status."""
    seconds: float | None = None
    """Duration of the last visit."""

    @property
    def domain(self) -> str:
        """Registrable domain of the page's address; the empty string if it has none."""
        return domain_of(self.url)


@dataclass(frozen=True)
class HostCount:
    """Number of pages of one host, without duplicates: in all states, done and failed."""

    host: str
    pages: int
    done: int
    failed: int


@dataclass(frozen=True)
class Confidence:
    """Confidence of the texts of a collection, also of those that made their pages fail.

    The mean is the expected share of right texts; `doubtful` ones are more likely wrong than right.
    """

    texts: int
    mean: float
    doubtful: int


def domain_of(url: str) -> str:
    """Registrable domain of an address; the empty string for a file or other text."""
    return site_of(url) or ""


Log = Callable[[str], None]

# Number of pages read at a time. A long read transaction would prevent checkpoints of a run's log.
CHUNK = 1000

COLUMNS = "id, url, state, host, depth, tries, kind, error, http_status, seconds"

Order = Literal["place", "id"]


class CollectionReader:
    """Read access to a collection; see `Collection`."""

    def __init__(self, path: str | Path, *, log: Log | None = None) -> None:
        self.path = Path(path)
        with os.scandir(self.path):  # raises an error unless it is a folder that can be read
            pass
        self._log = log
        self._domain: str | None = None
        whole = (self.path / FILE).exists()
        self._known = _SavedState(self.path) if whole else _PlainFolder(self.path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {str(self.path)!r}: {len(self)} pages done>"

    def __len__(self) -> int:
        """Number of done pages."""
        if self._domain is None:
            return self._known.counts().done
        return sum(1 for _ in self.pages())

    def of_site(self, domain: str | None) -> Self:
        """The collection restricted to the pages of one registrable domain; None for all pages."""
        narrowed = type(self)(self.path, log=self._log)
        narrowed._domain = domain
        return narrowed

    def with_log(self, log: Log) -> Self:
        """The collection with another `log`."""
        other = type(self)(self.path, log=log)
        other._domain = self._domain
        return other

    def report(self, message: str) -> None:
        """Pass a message to the log, if there is one."""
        if self._log is not None:
            self._log(message)

    def pages(self, state: State | Sequence[State] | None = "done") -> Iterator[CollectionPage]:
        """Pages in one state, in several, or (None) in all, in order of number.

        State ``"duplicate"`` has the addresses that lead to pages of other addresses.
        """
        states = STATES if state is None else (state,) if isinstance(state, str) else tuple(state)
        for page in self._known.pages(states):
            if self._domain is None or page.domain == self._domain:
                yield page

    def snapshot_files(self) -> list[tuple[str, str]]:
        """Path below the folder, and address, of each page with a snapshot."""
        return [
            (page.file.relative_to(self.path).as_posix(), page.url)
            for page in self.pages()
            if page.file.is_file()
        ]

    def failures(self) -> Iterator[CollectionPage]:
        """Failed pages, with `kind` and `error`."""
        return self.pages("failed")

    def referrers(self) -> dict[int, str]:
        """Addresses of the pages that link to failed pages of a crawl, by the numbers of these."""
        return self._known.referrers()

    def snapshot(self, page: CollectionPage) -> Snapshot:
        """Snapshot of a page.

        Raises
        ------
        ArchiveError
            The snapshot is damaged or missing.
        """
        try:
            return Snapshot.load(page.file)
        except OSError as error:
            message = f"snapshot of {page.url} cannot be read: {page.file}: {error.strerror}"
            raise ArchiveError(message) from error

    def snapshots(self) -> Iterator[tuple[CollectionPage, Snapshot]]:
        """Done pages with their snapshots, one at a time, in order of number.

        Raises
        ------
        ArchiveError
            A snapshot is damaged or missing, and there is no `log`.
        EmptyInputError
            There is no readable snapshot.
        """
        is_empty = True
        for page, snapshot in self.loaded(self.pages() if self.has_snapshots else ()):
            is_empty = False
            yield page, snapshot
        if is_empty:
            raise EmptyInputError(
                f"no readable snapshot (*.miolo) in {self._label}", lacks="snapshots"
            )

    def loaded(self, pages: Iterable[CollectionPage]) -> Iterator[tuple[CollectionPage, Snapshot]]:
        """The given pages with their snapshots, one at a time."""
        for page in pages:
            try:
                snapshot = self.snapshot(page)
            except ArchiveError as error:
                self._report_damage(error)
                continue
            yield page, snapshot

    @property
    def is_missing(self) -> bool:
        """Whether the folder has neither the state of a run nor any snapshot file."""
        return not ((self.path / FILE).exists() or self.has_snapshots)

    @property
    def has_snapshots(self) -> bool:
        """Whether there is any snapshot file, readable or not."""
        return next(self.path.rglob("*.miolo"), None) is not None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Results in the order in which pages ended, as plain values; ``"id"`` is the page number.

        Raises
        ------
        ArchiveError
            A row is damaged and there is no `log`, or the file cannot be read.
        """
        return self._rows("place")

    def numbered_rows(self) -> Iterator[dict[str, Any]]:
        """Results in order of page number; see `rows`."""
        return self._rows("id")

    def _rows(self, order: Order) -> Iterator[dict[str, Any]]:
        places = self._known.row_places(order)
        if not places:
            return
        with self._open_results() as file:
            for place in places:
                try:
                    row = _row_at(file, int(place))
                except ArchiveError as error:
                    self._report_damage(error)
                    continue
                if self._domain is None or domain_of(str(row.get("requested_url"))) == self._domain:
                    yield row

    def _open_results(self) -> BinaryIO:
        file, length = self.path / RESULTS, self._known.journal_length(RESULTS)
        try:
            opened = file.open("rb")
            if file.stat().st_size >= length:
                return opened
        except OSError as error:
            raise ArchiveError(f"{file} cannot be read: {error.strerror}") from error
        opened.close()
        raise ArchiveError(f"{file} is shorter than the {length:,} bytes that were written to it")

    @property
    def has_results(self) -> bool:
        """Whether the collection has the results of a run."""
        return isinstance(self._known, _SavedState)

    def counts(self) -> Counts:
        """Number of pages in each state, and of failed pages by kind, for all sites."""
        return self._known.counts()

    def sites(self) -> dict[str, int]:
        """Number of done pages of each registrable domain, in descending order.

        Files and addresses without a domain are counted under the empty string.
        """
        return dict(Counter(page.domain for page in self.pages()).most_common())

    def hosts(self) -> list[HostCount]:
        """Number of pages of each host, in descending order, for all sites."""
        return self._known.hosts()

    def seconds(self, share: float = 0.5) -> float | None:
        """Quantile of the durations of visits in seconds; None if they are not recorded."""
        return self._known.seconds(share)

    def confidence(self) -> Confidence | None:
        """Confidence of the texts; None if it is not recorded."""
        return self._known.confidence()

    def facts(self) -> dict[str, str]:
        """Facts that the run has recorded, such as its options."""
        return self._known.facts()

    def _report_damage(self, error: ArchiveError) -> None:
        if self._log is None:
            raise error
        self._log(str(error))

    @property
    def _label(self) -> str:
        return f"{self.path} for {self._domain}" if self._domain else str(self.path)


class _SavedState:
    """Pages listed in a folder's ``state.sqlite``; the file is not kept open between calls."""

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
        marks = ", ".join("?" * len(states))
        query = (
            # With the index of states, SQLite would read and sort all pages of a state for each
            # chunk.
            f"SELECT {COLUMNS} FROM pages WHERE +state IN ({marks}) AND id > ? "
            f"ORDER BY id LIMIT {CHUNK}"
        )
        last = 0
        while chunk := self._fetch_all(query, (*states, last)):
            yield from map(self._page, chunk)
            last = chunk[-1][0]

    def row_places(self, order: Order) -> Sequence[int]:
        """Byte offsets of the rows in the results, in order of offset or page number."""
        query = f"SELECT place FROM pages WHERE place NOTNULL ORDER BY {order}"
        with self._reading() as db:
            return array("q", (place for (place,) in db.execute(query)))

    def referrers(self) -> dict[int, str]:
        return dict(
            self._fetch_all(
                "SELECT failed.id, source.url FROM pages AS failed "
                "JOIN pages AS source ON source.id = failed.linked_from "
                "WHERE failed.state = 'failed'"
            )
        )

    def _page(self, row: tuple[Any, ...]) -> CollectionPage:
        number, url, state, *rest = row
        if not isinstance(url, str):
            raise ArchiveError(f"{self._file} is damaged at page {number}")
        file = file_of(self._folder, "snapshots", url, ".miolo")
        return CollectionPage(number, url, state, file, *rest)

    def counts(self) -> Counts:
        return count_pages(self._fetch_all, self._folder)

    def hosts(self) -> list[HostCount]:
        query = (
            "SELECT host, COUNT(*), SUM(state = 'done'), SUM(state = 'failed') FROM pages "
            "WHERE state != 'duplicate' GROUP BY host ORDER BY COUNT(*) DESC, host"
        )
        return [HostCount(*row) for row in self._fetch_all(query)]

    def seconds(self, share: float) -> float | None:
        visits = self._fetch_one("SELECT COUNT(seconds) FROM pages")
        if not visits:
            return None
        query = (
            "SELECT seconds FROM pages WHERE seconds IS NOT NULL ORDER BY seconds LIMIT 1 OFFSET ?"
        )
        return self._fetch_one(query, (max(ceil(share * visits) - 1, 0),))

    def confidence(self) -> Confidence | None:
        query = "SELECT COUNT(confidence), AVG(confidence), SUM(confidence < 0.5) FROM pages"
        texts, mean, doubtful = self._fetch_all(query)[0]
        return Confidence(texts, round(mean, 4), doubtful) if texts else None

    def facts(self) -> dict[str, str]:
        return dict(self._fetch_all("SELECT name, value FROM facts ORDER BY name"))

    def journal_length(self, name: str) -> int:
        return self._fetch_one("SELECT MAX(length) FROM journals WHERE name = ?", (name,)) or 0

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
        except (sqlite3.Error, TypeError, ValueError, *DAMAGED) as error:
            raise ArchiveError(f"{self._file} cannot be read: {error}") from error


class _PlainFolder:
    """The files ``*.miolo`` in a folder, at any depth, in order of name.

    A page's address is read from its snapshot file; it is empty if the file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def row_places(self, order: Order) -> Sequence[int]:
        return ()

    def journal_length(self, name: str) -> int:
        return 0

    def pages(self, states: Sequence[State]) -> Iterator[CollectionPage]:
        if "done" not in states:
            return
        for number, file in enumerate(self._files(), 1):
            url = _address(file)
            yield CollectionPage(number, url, "done", file, host_of(url), tries=1)

    def _files(self) -> list[Path]:
        return sorted(file for file in self._folder.rglob("*.miolo") if file.is_file())

    def referrers(self) -> dict[int, str]:
        return {}

    def counts(self) -> Counts:
        return Counts(0, 0, len(self._files()), 0, {})

    def hosts(self) -> list[HostCount]:
        counts = Counter(page.host for page in self.pages(("done",)))
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return [HostCount(host, count, count, 0) for host, count in ordered]

    def seconds(self, share: float) -> float | None:
        return None

    def confidence(self) -> None:
        """None, because confidences are not recorded."""

    def facts(self) -> dict[str, str]:
        return {}


def _row_at(file: BinaryIO, place: int) -> dict[str, Any]:
    """The row at a byte offset of the results."""
    try:
        file.seek(place)
        line = file.readline()
        row = json.loads(line)
    except (OSError, ValueError, RecursionError) as error:
        raise ArchiveError(f"{file.name} is damaged at byte {place:,}: {error}") from error
    if not isinstance(row, dict) or type(row.get("id")) is not int:
        raise ArchiveError(f"{file.name} is damaged at byte {place:,}: not the row of a page")
    return row


def _address(file: Path) -> str:
    try:
        # The rest of the file is checked only when the snapshot is loaded.
        with open_container(file, "snapshot") as archive:
            url = parse_json(archive.read("meta.json"))["page"]["url"]
    except (ArchiveError, OSError):
        return ""
    return url if isinstance(url, str) else ""
